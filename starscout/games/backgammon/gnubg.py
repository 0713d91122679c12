"""The player kind `gnubg`: GNU Backgammon's networks through gnubg-nn, in a child process."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State
from starscout.games.backgammon.board import high_die, low_die
from starscout.games.backgammon.position_id import id_of_board
from starscout.games.backgammon.rules import boards
from starscout.players.player import Decision, MoveReport, Player, PlayerError
from starscout.search.limits import Limit
from starscout.settings.arguments import check_fields
from starscout.settings.schema import Setting

SERVER = Path(__file__).with_name("gnubg_server.py")


@dataclass(frozen=True)
class Options:
    """The search depth in GNU Backgammon's count: 0 evaluates the positions after each play."""

    plies: Annotated[
        int, Setting("Search depth of GNU Backgammon; 0: the positions after each play.", 0, 3, "plies")
    ] = 0

    def __post_init__(self) -> None:
        check_fields(self)


class Gnubg:
    """gnubg-nn in a child process; raises PlayerError if it ends."""

    def __init__(self, money: bool) -> None:
        self._money = money
        self._process: subprocess.Popen[str] | None = None

    def ask(self, position: Position, plies: int, roll: int | None = None) -> dict[str, Any]:
        """The plays of a roll, the best first, or the mover's chances before the roll; see `gnubg_server.py`."""
        own, enemy = boards(position)
        question: dict[str, Any] = {"own": own, "enemy": enemy, "plies": plies, "money": self._money}
        if roll is not None:
            question["dice"] = (int(high_die(roll)), int(low_die(roll)))
        if self._process is None:
            command = [sys.executable, str(SERVER)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            self.close()
            raise PlayerError("crash", f"gnubg-nn ended in {id_of_board(own, enemy)}")
        return json.loads(line)

    def close(self) -> None:
        """End the child process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


class GnubgPlayer(Player):
    """Plays as GNU Backgammon does at a depth; in `backgammon` for money without a cube."""

    def __init__(self, game: Game, plies: int, name: str) -> None:
        self.name = name
        self._plies = plies
        self._gnubg = Gnubg(game.points > 1)

    def new_game(self, game: Game, seed: int) -> None:
        self._gnubg.ask(game.start_position(), 0)

    def choose(self, state: State, limit: Limit) -> Decision:
        if len(state.legal) == 1:
            # gnubg-nn fails if there is only one play.
            return Decision(state.legal[0])
        return self.analyse(state, limit)

    def analyse(self, state: State, limit: Limit) -> Decision:
        """Report GNU Backgammon's equity after each play that it has searched."""
        if len(state.legal) == 1:
            value = -self._value(state.game.play_position(state.position, state.legal[0]), state.game)
            return Decision(state.legal[0], value, moves=(MoveReport(state.legal[0], value),))
        legal = {id_of_board(*boards(state.game.play_position(state.position, move))): move for move in state.legal}
        plays = self._gnubg.ask(state.position, self._plies, state.roll)["plays"]
        unknown = next((text for text, _ in plays if text not in legal), None)
        if unknown is not None:
            raise PlayerError("crash", f"gnubg-nn lists a play that is not legal in {state.text!r}: {unknown}")
        points = state.game.points
        reports = tuple(MoveReport(legal[text], max(-1.0, min(equity / points, 1.0))) for text, equity in plays)
        return Decision(reports[0].move, reports[0].value, moves=reports)

    def _value(self, position: Position, game: Game) -> float:
        """The expected result of the side to move in [−1, 1]."""
        result = game.outcome(position)
        if result != ONGOING:
            return result / game.points
        win, gammon, backgammon, lost_gammon, lost_backgammon = self._gnubg.ask(position, self._plies)["chances"]
        if game.points == 1:
            return 2 * win - 1
        return (2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon) / game.points

    def close(self) -> None:
        self._gnubg.close()


def make(game: Game, options: Options, name: str) -> GnubgPlayer:
    """Create a player; raises GameError if gnubg-nn is not installed."""
    if importlib.util.find_spec("gnubg_nn") is None:
        raise GameError("gnubg: gnubg-nn is not installed: `pip install gnubg-nn`")
    if game.family != "backgammon":
        raise GameError(f"gnubg plays backgammon, not {game.name}")
    return GnubgPlayer(game, options.plies, name)
