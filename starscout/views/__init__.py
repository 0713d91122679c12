"""Views: what the page shows of matches, tournaments and tunings, and what a report saves of them."""
