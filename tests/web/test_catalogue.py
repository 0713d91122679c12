"""Games and players that a page may choose."""

from pathlib import Path

import pytest

from starscout.game import GameError
from starscout.search.limits import Limit
from starscout.web.catalogue import MAX_TIME, Catalogue, read_level
from starscout.web.message import Message
from tests.web.client import CONNECT_FOUR

pytestmark = pytest.mark.plain


def test_catalogue_lists_games_and_players() -> None:
    offered = {game["name"]: game for game in Catalogue([str(CONNECT_FOUR)]).to_json()}
    assert list(offered) == ["backgammon", "dark-chess", "ewn", "ewn-cyclic", "kari", "othello", "connect-four"]
    assert {player["name"] for player in offered["kari"]["players"]} >= {
        "strong",
        "greedy",
        "random",
        "negascout",
        "mcts",
    }
    assert offered["ewn"]["placement"]
    assert not offered["othello"]["placement"]
    assert offered["connect-four"]["default"] == "negascout"


@pytest.mark.parametrize("name", ["../../etc/passwd", "./game.py", str(CONNECT_FOUR), "chess", "", "ewn\0"])
def test_unknown_games_and_paths_are_rejected(name: str) -> None:
    with pytest.raises(GameError, match="no game"):
        Catalogue().game(name)


@pytest.mark.parametrize(
    "name", ["lab:/bin/sh", "negascout depth=127", "strong table=26", "mcts nodes=100000000", "hard"]
)
def test_unknown_players_programs_and_options_are_rejected(name: str) -> None:
    catalogue = Catalogue()
    with pytest.raises(GameError, match="no player"):
        catalogue.player(catalogue.game("ewn"), name)


def test_additional_players() -> None:
    catalogue = Catalogue(players=["negascout depth=2", "tcg-ewn:python3"])
    assert catalogue.player(catalogue.game("kari"), "negascout depth=2").local
    assert not catalogue.player(catalogue.game("ewn"), "tcg-ewn:python3").local
    with pytest.raises(GameError, match="no player"):
        catalogue.player(catalogue.game("othello"), "tcg-ewn:python3")
    with pytest.raises(GameError, match="cannot play any game"):
        Catalogue(players=["nobody"])


def test_python_classes(tmp_path: Path) -> None:
    """Classes run in processes of their own, as programs do; one that cannot play is rejected at the start."""
    file = tmp_path / "agents.py"
    file.write_text(
        "class Good:\n    def choose(self, state, limit):\n        return state.moves[0]\nclass Mute: ...\n"
    )
    catalogue = Catalogue(players=[f"python:{file}:Good"])
    assert not catalogue.player(catalogue.game("ewn"), f"python:{file}:Good").local
    with pytest.raises(GameError, match=r"agents.py:Mute has no method choose\(self, state, limit\)"):
        Catalogue(players=[f"python:{file}:Mute"])


def level(**fields: object) -> Limit:
    return read_level(Message(1, "new", dict(fields)))


def test_every_level_has_a_time_limit() -> None:
    assert level(time=0.2) == Limit(time=0.2)
    assert level(simulations=500) == Limit(time=MAX_TIME, simulations=500)
    assert level(depth=4) == Limit(time=MAX_TIME, depth=4)
    assert level() == Limit(time=1.0)
    for wrong in ({"time": 1e9}, {"time": -1}, {"simulations": 10**12}, {"depth": 99}, {"depth": "4"}):
        with pytest.raises(GameError, match="expected a"):
            level(**wrong)
