"""`starscout play GAME`: play against any player in the terminal.

`starscout serve`: serve the web page.
"""

import os
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from starscout.cli.interrupt import kill_child_processes
from starscout.cli.output import console, print_board
from starscout.settings.schema import Depth, GameName, Host, Lazy, Port, Seed, Setting, StoreFile, Time, Token

if TYPE_CHECKING:
    from starscout.players.player import Player
    from starscout.records.record import GameRecord
    from starscout.referee.game_in_progress import GameInProgress
    from starscout.search.limits import Limit


def serve(
    *,
    port: Port = 8017,
    host: Annotated[Host, Setting("Address to listen on; a non-loopback address requires a token.")] = "127.0.0.1",
    token: Token | None = None,
    game: Annotated[list[str] | None, Setting("A game file to offer.", metavar="FILE")] = None,
    player: Annotated[list[str] | None, Setting("A player or program to offer.", metavar="SPEC")] = None,
    store: StoreFile | None = None,
    lazy: Lazy = False,
) -> None:
    """Serve the web page.

    Users can play, watch and analyse games on this machine or, with --host and a token, on other machines.
    """
    # The server runs the rules in plain Python, so it starts immediately; its engine process compiles. The compiler has
    # to be switched off before it is imported.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    import starscout

    kill_child_processes()
    starscout.serve(port=port, host=host, token=token, game=game or (), player=player or (), store=store, lazy=lazy)


HELP = """enter a move, or its number in the list
  back        take your last move back        hint        ask for advice
  list        list the moves again            save FILE   save the game, to continue later
  resign      resign the game                 quit        leave the game"""

SECONDS = 1.0


def play(
    game: GameName | None = None,
    *,
    against: Annotated[str | None, Setting("Opponent (default: the game's `strong` preset).", metavar="SPEC")] = None,
    side: Annotated[str | None, Setting("red or blue, black or white.", flags=("--as",), metavar="SIDE")] = None,
    time: Annotated[Time | None, Setting("Time per move of the opponent, in seconds (default 1).")] = None,
    depth: Depth | None = None,
    seed: Seed | None = None,
    resume: Annotated[Path | None, Setting("Resume a saved game.", metavar="FILE")] = None,
) -> None:
    """Play a game against a player.

    Type `help` at your turn to list the commands.
    """
    from starscout.api.games import load_files
    from starscout.game import GameError
    from starscout.search.limits import Limit

    level = Limit(time=SECONDS if time is None and depth is None else time, depth=depth)
    if resume is not None:
        load_files(game or ())
        played = _resume(resume, against)
    elif game is not None:
        played = _begin(game, against, side, seed)
    else:
        raise GameError("name a game, for example: starscout play ewn")
    try:
        _play(played, level)
    finally:
        played.close()


def _begin(name: str, against: str | None, side: str | None, seed: int | None) -> "GameInProgress":
    from starscout import games
    from starscout.players.spec import default_player, make_player
    from starscout.referee.game_in_progress import GameInProgress
    from starscout.referee.openings import series_start

    rules = games.load(name)
    human = _side_number(side, rules.sides)
    player = make_player(against or default_player(rules), rules, hosted=True)
    seed = secrets.randbits(32) if seed is None else seed
    seats = (None, player) if human == 0 else (player, None)
    game = GameInProgress(series_start(rules, seed, 0), seats, seed=seed)
    game.begin()
    return game


def _resume(path: Path, against: str | None) -> "GameInProgress":
    from starscout import games
    from starscout.players.spec import make_player
    from starscout.referee.game_in_progress import GameInProgress, human_side

    record = _saved(path)
    opponent = against or record.players[1 - human_side(record)]
    return GameInProgress.resume(record, make_player(opponent, games.find(record.game), hosted=True))


def _side_number(side: str | None, sides: tuple[str, str]) -> int:
    from starscout.game import GameError

    if side is None:
        return 0
    matching = [number for number, name in enumerate(sides) if name.startswith(side.lower())]
    if len(matching) != 1:
        raise GameError(f"--as: expected {' or '.join(sides)}, got {side!r}")
    return matching[0]


def _saved(path: Path) -> "GameRecord":
    from starscout.game import GameError
    from starscout.records.files import load_records

    record = next(load_records(path), None)
    if record is None:
        raise GameError(f"{path}: no game in this file")
    return record


def _play(game: "GameInProgress", level: "Limit") -> None:
    """Take turns until the game is over or the human leaves."""
    from starscout.records.record import points_text

    out = console()
    human = game.players.index(None)
    sides, opponent = game.state.game.sides, game.names[1 - human]
    out.print(f"You are {sides[human]}, {opponent} is {sides[1 - human]}. Type help for help.\n")
    while not game.over:
        if game.human_to_move:
            _show(game)
            _human_turn(game, level)
        else:
            game.play_turn(level)
            if not game.over or not game.detail:
                _show_answer(game, opponent)
    record = game.finish()
    if record.reason == "adjourned":
        return
    _show(game)
    if record.detail:
        out.print(f"{opponent} forfeited by {record.reason}: {record.detail}")
    result = "a draw" if record.winner is None else "you win" if record.winner == human else "you lose"
    if record.winner is not None and game.state.game.points > 1:
        result += f" {points_text(record.points)}"
    out.print(f"The game is over: {result} ({record.reason}).")


def _show_answer(game: "GameInProgress", opponent: str) -> None:
    last = game.plies[-1]
    event = game.events[-1]
    die = "" if not event else f" with a {event}" if game.state.game.has_plain_die else f" after {event}"
    value = "" if last.value is None else f"  (estimated win probability: {(1 + last.value) / 2:.0%})"
    console().print(f"{opponent} plays {last.text}{die}{value}\n")


def _show(game: "GameInProgress") -> None:
    print_board(game.state)
    if not game.over:
        _list_moves(game)


def _list_moves(game: "GameInProgress") -> None:
    moves = "  ".join(f"{number}: {move}" for number, move in enumerate(game.state.moves, 1))
    console().print(f"moves  {moves}")


def _human_turn(game: "GameInProgress", level: "Limit") -> None:
    """Read commands until the human has moved, taken back, resigned or left."""
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
                    _list_moves(game)
                case "hint":
                    _hint(game, level)
                case "save":
                    _save(game, rest)
                case "back":
                    game.take_back()
                    return
                case "resign":
                    game.resign()
                    return
                case "quit":
                    game.adjourn()
                    return
                case _:
                    game.submit_text(line)
                    return
        except GameError as error:
            print(error)
        except OSError as error:
            print(f"the file was not written: {error}")


def _hint(game: "GameInProgress", level: "Limit") -> None:
    """Print the move of the game's strong player."""
    from starscout.players.analysis import line_text
    from starscout.players.spec import default_player, make_player

    state = game.state
    adviser: Player = make_player(default_player(state.game), state.game)
    adviser.new_game(state.game, game.seed)
    decision = adviser.choose(state, level)
    adviser.close()
    chance = "" if decision.value is None else f", which wins {(1 + decision.value) / 2:.0%}"
    after = line_text(state.game, decision.line[:8]).removeprefix(decision.line[0]) if decision.line else ""
    then = "; " if state.game.has_chance else "; then "
    line = f"{then}{after.lstrip(', ')}" if after else ""
    print(f"{state.game.format_move(state.position, decision.move)}{chance}{line}")


def _save(game: "GameInProgress", name: str) -> None:
    from starscout.game import GameError
    from starscout.records.json_lines import write_json_line

    if not name.strip():
        raise GameError("save needs a file name, for example: save game.json")
    Path(name.strip()).write_text(write_json_line(game.record()), encoding="utf-8")
    file = game.state.game.file
    arguments = "starscout", "play", *([_relative(file)] if file else []), "--resume", name.strip()
    print(f"saved; continue with: {shlex.join(arguments)}")


def _relative(file: str) -> str:
    """The path of a file, relative to the current folder if it is below it."""
    path, here = Path(file), Path.cwd()
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else file
