"""The arena: who is stronger, and how sure are we? Pairs of games, statistics, tournaments, the store."""
