"""`starscout play GAME`: a person against any player, in the terminal."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from starscout.cli.output import console, print_board
from starscout.settings.schema import Depth, GameName, Seed, Setting, Time

if TYPE_CHECKING:
    from starscout.players.player import Player
    from starscout.records.record import GameRecord
    from starscout.referee.casual import CasualGame
    from starscout.search.limits import Limit

HELP = """moves: type one, or its number in the list
  back        take your last move back        hint        ask for advice
  list        the moves again                 save FILE   keep the game, to go on later
  resign      give up                         quit        leave"""

SECONDS = 1.0


def command(
    game: GameName | None = None,
    *,
    against: Annotated[str, Setting("Opponent (default: the game's `strong` preset).", metavar="SPEC")] | None = None,
    side: Annotated[str, Setting("red or blue, black or white.", flags=("--as",), metavar="SIDE")] | None = None,
    time: Annotated[Time, Setting("Time per move of the opponent, in seconds (default 1).")] | None = None,
    depth: Depth | None = None,
    seed: Seed | None = None,
    resume: Annotated[Path, Setting("Resume a saved game.", metavar="FILE")] | None = None,
) -> None:
    """Play a game against a player. Type `help` at your turn for what else you can say."""
    from starscout.api.games import load_files
    from starscout.game import GameError
    from starscout.search.limits import Limit

    limit = Limit(time=SECONDS if time is None and depth is None else time, depth=depth)
    if resume is not None:
        load_files(game or ())
        casual = _resumed(resume, against)
    elif game is not None:
        casual = _begun(game, against, side, seed)
    else:
        raise GameError("name a game, like: starscout play ewn")
    try:
        _play(casual, limit)
    finally:
        casual.close()


def _begun(game: str, against: str | None, side: str | None, seed: int | None) -> "CasualGame":
    from starscout import games
    from starscout.players.spec import default_player, make_player
    from starscout.referee.casual import new_casual_game

    rules = games.load(game)
    number = _side_number(side, rules.sides)
    return new_casual_game(rules, make_player(against or default_player(rules), rules), number, seed)


def _resumed(path: Path, against: str | None) -> "CasualGame":
    from starscout import games
    from starscout.players.spec import make_player
    from starscout.referee.casual import persons_side, resumed_casual_game

    record = _saved(path)
    opponent = against or record.players[1 - persons_side(record)]
    return resumed_casual_game(record, make_player(opponent, games.find(record.game)))


def _side_number(side: str | None, sides: tuple[str, str]) -> int:
    from starscout.game import GameError

    if side is None:
        return 0
    matching = [number for number, name in enumerate(sides) if name.startswith(side.lower())]
    if len(matching) != 1:
        raise GameError(f"{side!r} is not a side of this game: {' or '.join(sides)}")
    return matching[0]


def _saved(path: Path) -> "GameRecord":
    from starscout.game import GameError
    from starscout.records.files import load_records

    record = next(load_records(path), None)
    if record is None:
        raise GameError(f"{path} holds no game")
    return record


def _play(casual: "CasualGame", limit: "Limit") -> None:
    """Take turns until the game is over or the person leaves."""
    from starscout.players.player import PlayerError

    out = console()
    sides = casual.state.game.sides
    out.print(f"You are {sides[casual.side]}, {casual.opponent} is {sides[1 - casual.side]}. Type help for help.\n")
    while not casual.over:
        if casual.persons_turn:
            _show(casual)
            if not _turn(casual, limit):
                casual.finish()
                return
        else:
            try:
                casual.answer(limit)
            except PlayerError as error:
                out.print(f"{casual.opponent} has lost by {error.reason}: {error.detail}")
                return
            _tell(casual)
    _show(casual)
    casual.finish()
    record = casual.record()
    result = "a draw" if record.winner is None else "you win" if record.winner == casual.side else "you lose"
    out.print(f"The game is over: {result} ({record.reason}).")


def _tell(casual: "CasualGame") -> None:
    last = casual.last
    assert last is not None
    die = f" with a {last.roll}" if last.roll else ""
    value = "" if last.value is None else f"  (it expects to win {(1 + last.value) / 2:.0%})"
    console().print(f"{casual.opponent} plays {last.text}{die}{value}\n")


def _show(casual: "CasualGame") -> None:
    print_board(casual.state)
    if not casual.over:
        _list(casual)


def _list(casual: "CasualGame") -> None:
    moves = "  ".join(f"{number}: {move}" for number, move in enumerate(casual.state.moves, 1))
    console().print(f"moves  {moves}")


def _turn(casual: "CasualGame", limit: "Limit") -> bool:
    """Ask until the person has moved; False when they leave."""
    from starscout.game import GameError

    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            line = "quit"
        command, _, rest = line.partition(" ")
        try:
            match command.lower():
                case "":
                    continue
                case "help" | "?":
                    print(HELP)
                case "list":
                    _list(casual)
                case "hint":
                    _hint(casual, limit)
                case "save":
                    _save(casual, rest)
                case "back":
                    casual.take_back()
                    return True
                case "resign":
                    casual.resign()
                    return True
                case "quit":
                    return False
                case _:
                    casual.play(line)
                    return True
        except GameError as error:
            print(error)
        except OSError as error:
            print(f"that did not work: {error}")


def _hint(casual: "CasualGame", limit: "Limit") -> None:
    """What the game's strong player would do."""
    from starscout.players.analysis import line_text
    from starscout.players.spec import default_player, make_player

    state = casual.state
    adviser: Player = make_player(default_player(state.game), state.game)
    adviser.new_game(state.game, casual.seed)
    decision = adviser.choose(state, limit)
    adviser.close()
    chance = "" if decision.value is None else f", which wins {(1 + decision.value) / 2:.0%}"
    after = line_text(state.game, decision.line[:8]).removeprefix(decision.line[0]) if decision.line else ""
    then = "; " if state.game.has_dice else "; then "
    line = f"{then}{after.lstrip(', ')}" if after else ""
    print(f"{state.game.format_move(state.position, decision.move)}{chance}{line}")


def _save(casual: "CasualGame", name: str) -> None:
    from starscout.game import GameError
    from starscout.records.json_lines import write_json_line

    if not name.strip():
        raise GameError("write the name of a file after save, like: save game.json")
    Path(name.strip()).write_text(write_json_line(casual.record()), encoding="utf-8")
    file = casual.state.game.file
    words = "starscout", "play", *([_from_here(file)] if file else []), "--resume", name.strip()
    print(f"saved; go on with: {shlex.join(words)}")


def _from_here(file: str) -> str:
    """The path of a file as a person in this folder writes it."""
    path, here = Path(file), Path.cwd()
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else file
