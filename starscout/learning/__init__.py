"""Rules in, champion out: evaluations learned by self-play."""
