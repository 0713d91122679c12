"""The PettingZoo environment: its API test, seeds, errors and rendering."""

import numpy
import pytest

import starscout
from starscout.game import GameError

pettingzoo_test = pytest.importorskip("pettingzoo.test")


# An action mask needs a Dict space, which the API test accepts only for PettingZoo's own board games.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.parametrize("name", ["ewn-3x3-3", "othello-4x4"])
def test_pettingzoo_api_test(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo_test.api_test(starscout.pettingzoo_env(name), num_cycles=120)
    assert "Passed API test" in capsys.readouterr().out


def test_same_seed_gives_the_same_game() -> None:
    def play(seed: int) -> list[int]:
        env = starscout.pettingzoo_env("ewn")
        env.reset(seed=seed)
        chosen = []
        for agent in env.agent_iter():
            seen, reward, terminated, _, _ = env.last()
            if terminated:
                assert reward in (-1.0, 1.0)
                env.step(None)
                continue
            assert env.state_now.roll == seen["roll"]
            theirs = env.observe(env.agents[1 - env.agents.index(agent)])["observation"]
            assert (seen["observation"] == theirs[..., ::-1]).all()
            chosen.append(int(numpy.flatnonzero(seen["action_mask"])[-1]))
            env.step(chosen[-1])
        return chosen

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_illegal_action_is_refused_and_board_is_rendered() -> None:
    env = starscout.pettingzoo_env("othello", render_mode="ansi")
    env.reset()
    with pytest.raises(GameError, match=r"action 0 is illegal in .*; legal actions: \[19, 26, 37, 44\]"):
        env.step(0)
    assert env.render() == str(starscout.start("othello"))
