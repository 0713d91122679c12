"""What StarScout knows about backgammon beyond the rules."""

from starscout.evaluation.knowledge import Knowledge

KNOWLEDGE = Knowledge()
