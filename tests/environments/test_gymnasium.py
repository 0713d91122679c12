"""The Gymnasium vector environment: spaces, rewards of the mover, autoreset."""

import numpy
import pytest

import starscout

gymnasium = pytest.importorskip("gymnasium")


def test_observations_fit_spaces_and_rewards_are_the_movers() -> None:
    env = starscout.vector_env("ewn-3x3-3", 16)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    seen, info = env.reset(seed=4)
    ended = 0
    for _ in range(30):
        assert env.observation_space.contains({name: seen[name] for name in env.observation_space})
        movers = info["mover"]
        actions = env.games.sample()
        assert env.action_space.contains(actions)
        assert (seen["action_mask"][numpy.arange(16), actions] == 1).all()
        seen, rewards, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        ended += int(terminated.sum())
        assert (rewards[~terminated] == 0).all()
        assert (info["rewards"].sum(axis=1) == 0).all()
        assert (rewards == info["rewards"][numpy.arange(16), movers]).all()
    assert ended > 16
