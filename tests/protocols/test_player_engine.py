"""PlayerEngine: one player per game, warmed up before any clock runs."""

from pathlib import Path

import pytest

from starscout import games
from starscout.game import Game
from starscout.game.state import State, start
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.protocols.engine import PlayerEngine
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain


class Diary(Player):
    """Records its calls and plays the first move."""

    def __init__(self, name: str, local: bool) -> None:
        self.name, self.local = name, local
        self.lines: list[object] = []

    def new_game(self, game: Game, seed: int) -> None:
        self.lines.append(("new", game.name, seed))

    def begin(self, start: State, side: int) -> None:
        self.lines.append(("begin", side))

    def choose(self, state: State, limit: Limit) -> Decision:
        self.lines.append(("choose", limit.nodes))
        return Decision(state.legal[0])

    def observe(self, state: State, move: int) -> None:
        self.lines.append(("observe", state.text, move))

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self.lines.append(("end", winner, reason, detail))

    def close(self) -> None:
        self.lines.append("close")


class Diaries:
    """Creates players and keeps them by game."""

    def __init__(self, local: bool = True) -> None:
        self.made: dict[str, Diary] = {}
        self._local = local

    def __call__(self, spec: str, game: Game) -> Player:
        assert game.name not in self.made, "one player per game"
        return self.made.setdefault(game.name, Diary(spec, self._local))


def test_one_player_per_game_is_warmed_up_once() -> None:
    diaries = Diaries()
    player = PlayerEngine("spec", diaries)
    for name, seed in (("ewn", 1), ("kari", 2), ("ewn", 3)):
        player.new_game(games.load(name), seed)
    ewn = diaries.made["ewn"].lines
    assert ewn == [("new", "ewn", 1), ("choose", 100), ("new", "ewn", 1), ("new", "ewn", 3)]
    player.close()
    assert [diary.lines[-1] for diary in diaries.made.values()] == ["close", "close"]


def test_programs_are_not_warmed_up() -> None:
    diaries = Diaries(local=False)
    PlayerEngine("lab:./engine", diaries).new_game(games.load("ewn"), 5)
    assert diaries.made["ewn"].lines == [("new", "ewn", 5)]


def test_a_class_is_asked_for_moves_in_games_only(tmp_path: Path) -> None:
    """Regression: a class that forfeits by its first move forfeited before the first game."""
    file = tmp_path / "agent.py"
    file.write_text("class Agent:\n    def choose(self, state, limit):\n        raise ValueError('asked')\n")
    game = games.load("ewn-3x3-3")
    player = PlayerEngine(f"python:{file}:Agent", make_player)
    player.new_game(game, 1)
    with pytest.raises(ValueError, match="asked"):
        player.choose(start(game).rolled(1), Limit())
    player.close()


def test_everything_reaches_the_player_of_the_game() -> None:
    diaries = Diaries()
    player = PlayerEngine("spec", diaries)
    game = games.load("othello")
    player.new_game(game, 1)
    diaries.made["othello"].lines.clear()
    state = start(game)
    player.begin(state, 1)
    move = player.choose(state, Limit(nodes=7)).move
    player.observe(state, move)
    player.end(0, "discs", "")
    assert diaries.made["othello"].lines == [
        ("begin", 1), ("choose", 7), ("observe", state.text, move), ("end", 0, "discs", ""),
    ]  # fmt: skip
