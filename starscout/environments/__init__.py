"""Reinforcement-learning environments: compiled batches, Gymnasium and PettingZoo."""
