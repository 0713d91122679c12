"""Commands that play and list matches: match, tournament, tune, results, experiment.

`starscout learn GAME`: learn an evaluation by self-play, from the rules alone.
"""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from starscout.cli.output import (
    check_plot,
    console,
    error_message,
    print_json,
    print_result,
    printed_if_interrupted,
    save_plot,
    standard_output,
)
from starscout.cli.records import print_review
from starscout.settings.arguments import argument
from starscout.settings.schema import (
    Cluster,
    File,
    GameName,
    Games,
    Grades,
    Json,
    Late,
    MatchSettings,
    Minutes,
    Pairs,
    Plot,
    Report,
    RoundRobin,
    RunSettings,
    Seed,
    Setting,
    SettingError,
    SkipBroken,
    Steps,
    StoreFile,
    Swiss,
    TuningMethod,
    Withdraw,
    Workers,
    exclusive,
)

if TYPE_CHECKING:
    from starscout.api.match import MatchResult
    from starscout.api.tournament import TournamentResult

Verdict = Annotated[
    str,
    Setting(
        "Exit code 3 if --sprt accepts the other hypothesis, 125 if it is undecided or the match cannot be played.",
        choices=("elo1", "elo0"),
        metavar="elo1|elo0",
    ),
]
FAILED_CONDITION = 3
"""Exit code if --fail-unless or --fail-on-forfeit fails."""
CANNOT_TEST = 125
"""Exit code if such a match gives no answer; `git bisect run` skips the commit."""


def learn(
    game: GameName,
    *,
    minutes: Minutes | None = None,
    games: Annotated[
        Games | None, Setting("Games per generation, instead of --minutes, for a reproducible run.")
    ] = None,
    recipe: Annotated[File | None, Setting("Repeat the recipe and the seed of a weights file.", metavar="FILE")] = None,
    start: Annotated[
        File | None,
        Setting("Continue from a weights file, if the game supports it.", metavar="FILE"),
    ] = None,
    out: Annotated[File | None, Setting("Weights file to write (default GAME.weights).", metavar="FILE")] = None,
    report: Report | None = None,
    plot: Plot | None = None,
    seed: Seed = 0,
    workers: Workers | None = None,
    json: Json = False,
) -> None:
    """Learn an evaluation by self-play.

    Writes a weights file, which any search loads with `eval=./GAME.weights`. The same command resumes an interrupted
    run.
    """
    import starscout
    from starscout.api.running import duration

    check_plot(plot)
    result = starscout.learn(
        game, minutes=minutes, games=games, recipe=recipe, start=start, out=out, seed=seed, workers=workers
    )
    if report is not None:
        result.report(report)
    save_plot(result, plot)
    print_result(result, json)
    if json:
        return
    console().print(f"{result.file} written after {duration(result.seconds)}. Measure its strength with:")
    named = result.file if result.file.is_absolute() else f"./{result.file}"
    console().print(
        f"  starscout match {game} 'negascout eval={named}' 'negascout eval=zero' --time 0.05", soft_wrap=True
    )


def match(
    game: GameName,
    first: Annotated[str, Setting("A player: a preset, a search with options, or a program.", metavar="A")],
    second: Annotated[str, Setting("Its opponent.", metavar="B")],
    *,
    pairs: Annotated[Pairs | None, Setting("Pairs of games (default 100; with --sprt at most 20,000).")] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        Setting("Sequential test of H0 (E0 Elo) against H1 (E1 Elo); stops when one is accepted.", metavar="E0 E1"),
    ] = None,
    sprt_luck: Annotated[bool, Setting("Test luck-adjusted pairs.")] = False,
    fail_unless: Verdict | None = None,
    fail_on_forfeit: Annotated[
        bool, Setting("Exit code 3 if a player forfeits a game, 125 if the match cannot be played.")
    ] = False,
    report: Report | None = None,
    plot: Plot | None = None,
    json: Json = False,
    **settings: Unpack[MatchSettings],
) -> None:
    """Play a match between two players.

    Games are played in pairs with the same dice and swapped seats. The same command resumes an interrupted match and
    shows a finished one from the store.
    """
    import starscout

    check_plot(plot)
    argument("fail_unless", fail_unless, Verdict | None)
    if fail_unless is not None and sprt is None:
        raise SettingError("{} requires {}", ("fail_unless", "sprt"))
    with printed_if_interrupted(json), _untestable(fail_unless is not None or fail_on_forfeit):
        result = starscout.match(game, first, second, pairs=pairs, sprt=sprt, sprt_luck=sprt_luck, **settings)
    for note in result.notes:
        print(f"starscout: {note}", file=sys.stderr)
    print_result(result, json)
    if result.resumed and not json:
        console().print(f"{result.resumed} of these pairs were already in the store (match {result.match}).")
    if report is not None:
        result.report(report)
    save_plot(result, plot)
    _set_exit_code(result, fail_unless, fail_on_forfeit)


@contextlib.contextmanager
def _untestable(scripted: bool) -> Iterator[None]:
    """If a script asked for exit codes, replace those of invalid input and failed work by CANNOT_TEST."""
    try:
        yield
    except Exception as error:
        message, _ = error_message(error)
        if not scripted or message is None:
            raise
        print(f"starscout: {message}", file=sys.stderr)
        raise typer.Exit(CANNOT_TEST) from error


def _set_exit_code(result: "MatchResult", fail_unless: str | None, fail_on_forfeit: bool) -> None:
    """Exit with the code of a match: see `docs/arena.md`."""
    forfeiter = result.failing_player or result.forfeiting_player
    if forfeiter is not None:
        loser = f"{forfeiter} ({result.names['AB'.index(forfeiter)]})"
        what = "never made a move" if result.failing_player is not None else "forfeited every game"
        print(f"starscout: {loser} {what}: {result.first_forfeit_text}", file=sys.stderr)
    forfeits = sum(sum(reasons.values()) for reasons in result.forfeits.values())
    if fail_on_forfeit and forfeits:
        print(f"starscout: --fail-on-forfeit: {forfeits} forfeits, first {result.first_forfeit_text}", file=sys.stderr)
        raise typer.Exit(FAILED_CONDITION)
    if forfeiter is not None:
        raise typer.Exit(1 if fail_unless is None else CANNOT_TEST)
    if fail_unless is not None and result.sprt is not None and result.sprt.verdict != fail_unless:
        print(f"starscout: --fail-unless {fail_unless}: the verdict is {result.sprt.verdict}", file=sys.stderr)
        raise typer.Exit(CANNOT_TEST if result.sprt.verdict == "undecided" else FAILED_CONDITION)


def tournament(
    game: GameName,
    players: Annotated[list[str] | None, Setting("The players, each in quotes.", metavar="PLAYER…")] = None,
    *,
    players_file: Annotated[
        Path | None, Setting("CSV file of players: name,command,folder.", flags=("--players",), metavar="FILE")
    ] = None,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    gauntlet: Annotated[bool, Setting("The first player meets each of the others.")] = False,
    pairs: Annotated[Pairs, Setting("Pairs of games per pairing.")] = 5,
    late: Late = (),
    withdraw: Withdraw = (),
    skip_broken: SkipBroken = False,
    report: Report | None = None,
    plot: Plot | None = None,
    json: Json = False,
    **settings: Unpack[MatchSettings],
) -> None:
    """Play a tournament and rank its players.

    Choose --round-robin, --swiss N or --gauntlet. The same command resumes an interrupted tournament.
    """
    import starscout

    check_plot(plot)
    if not (round_robin or gauntlet or swiss is not None):
        raise starscout.GameError("pass one of --round-robin, --swiss, --gauntlet")
    formats = {"round_robin": round_robin, "swiss": swiss, "gauntlet": gauntlet}
    with printed_if_interrupted(json):
        result = starscout.tournament(
            game,
            players_file or players or [],
            **formats,
            pairs=pairs,
            late=late,
            withdraw=withdraw,
            skip_broken=skip_broken,
            **settings,
        )
    print_result(result, json)
    if report is not None:
        result.report(report)
    save_plot(result, plot)


def tune(
    game: GameName,
    player: Annotated[str, Setting("A player, with {name} in place of a parameter.", metavar="SPEC")],
    *,
    parameters: Annotated[str, Setting("name=start:low:high, separated by commas.")],
    steps: Steps = 100,
    pairs: Annotated[Pairs, Setting("Pairs of games per step.")] = 16,
    method: TuningMethod = "gp",
    report: Report | None = None,
    plot: Plot | None = None,
    json: Json = False,
    **settings: Unpack[RunSettings],
) -> None:
    """Tune parameters of a player by self-play.

    Each step is a duel between two players that differ in the parameters. A parameter without {name} in the player is
    an option of the search, an option that the engine announces, or a parameter of the class. The same command resumes
    an interrupted tuning.
    """
    import starscout

    check_plot(plot)
    with printed_if_interrupted(json):
        result = starscout.tune(game, player, parameters, steps=steps, pairs=pairs, method=method, **settings)
    print_result(result, json)
    if not json:
        question = f"Is it stronger?  starscout match {game} '{result.player}' '{result.start}' --sprt 0 10"
        same = "The parameters did not change: try more steps, or more pairs per step"
        console().print(same if result.player == result.start else question, soft_wrap=True)
    if report is not None:
        result.report(report)
    save_plot(result, plot)


def results(
    numbers: Annotated[list[int] | None, Setting("Only these matches.", metavar="MATCH…")] = None,
    *,
    game: Annotated[
        GameName | None, Setting("Only matches of this game, by name or file; with one MATCH, review its game N.")
    ] = None,
    boards: Annotated[bool, Setting("With --game N: draw the board after every ply.")] = False,
    player: Annotated[str | None, Setting("Only matches with a player whose description contains this text.")] = None,
    export: Annotated[
        File | None,
        Setting(
            "Write the games (.csv, .json, .parquet), or the table of --tournament (.csv, .json, .html).",
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[Report | None, Setting("Write an HTML report of a single match.")] = None,
    plot: Annotated[Plot | None, Setting("Plot the scores, or the tournament: .svg, .png or .pdf.")] = None,
    tournament: Annotated[
        int | None, Setting("Show or export tournament N, or write its --report.", metavar="N")
    ] = None,
    grades: Annotated[Grades | None, Setting(metavar="SCALE")] = None,
    forfeits: Annotated[bool, Setting("List every forfeit with its reason.")] = False,
    store: StoreFile | None = None,
    json: Json = False,
) -> None:
    """List, export and report stored matches."""
    import starscout

    check_plot(plot)
    for name, value in {"game": game, "player": player, "numbers": numbers or None}.items():
        exclusive(**{name: value, "tournament": tournament})
    if grades is not None and (tournament is None or export is None):
        raise SettingError("{} requires {} and {}", ("grades", "tournament", "export"))
    if tournament is not None:
        stored = starscout.results(store=store).tournament(tournament)
        save_plot(stored, plot)
        _tournament_results(stored, export, grades, report, forfeits, json)
        return
    if game is not None and game.isdecimal():
        if len(numbers or ()) != 1:
            raise starscout.GameError(f"--game {game}: pass one MATCH, to review its game {game}")
        (match,) = starscout.results(*(numbers or ()), store=store).matches
        print_review(match.records, int(game), f"match {match.match}", boards=boards, plot=plot, json=json)
        return
    found = starscout.results(*(numbers or ()), game=game, player=player, store=store)
    if report is not None:
        if len(found.matches) != 1:
            raise starscout.GameError(f"--report: expected one match, got {len(found.matches)}: select one by number")
        found.matches[0].report(report)
        console(stderr=True).print(f"report written to {report}")
    save_plot(found, plot)
    if export is not None:
        count = found.export(export)
        if not json:
            console().print(f"{count} games written to {export}")
    if forfeits:
        for line in (line for match in found.matches for line in match.forfeited()):
            print(line, file=standard_output())
    elif json:
        print_json(found.json())
    elif export is None and report is None and plot is None:
        print_result(found, json)


def _tournament_results(
    found: "TournamentResult", export: File | None, grades: str | None, report: File | None, forfeits: bool, json: bool
) -> None:
    if report is not None:
        found.report(report)
    if export is not None:
        count = found.export(export, grades)
        if not json:
            console().print(f"{count} players written to {export}")
    if forfeits:
        for line in found.forfeited():
            print(line, file=standard_output())
    elif json or export is None:
        print_result(found, json)


def experiment(
    name: Annotated[str | None, Setting("An experiment; default: list all.", metavar="NAME|FILE")] = None,
    *,
    every: Annotated[bool, Setting("Run all built-in experiments.", flags=("--all",))] = False,
    quick: Annotated[bool, Setting("Play a small sample in about a minute.")] = False,
    seed: Annotated[Seed | None, Setting("Another seed, to replicate the experiment.")] = None,
    pairs: Annotated[Pairs | None, Setting("Pairs of games of every row, to extend the experiment.")] = None,
    save: Annotated[File | None, Setting("Write the numbers to FOLDER/NAME.json.", metavar="FOLDER")] = None,
    report: Report | None = None,
    plot: Plot | None = None,
    page: Annotated[
        File | None,
        Setting("Write the pages of all saved studies: FILE, such as docs/reports.md, and its folder.", metavar="FILE"),
    ] = None,
    workers: Workers | None = None,
    cluster: Cluster | None = None,
    store: StoreFile | None = None,
    json: Json = False,
) -> None:
    """List the experiments, or run one.

    A run evaluates the claims of the experiment. The same command resumes an interrupted experiment; --save also writes
    an incomplete one. Your own experiments are files of the same form.
    """
    import starscout
    from starscout.experiments.experiment import experiment_names

    check_plot(plot)
    if plot is not None and name is None:
        raise starscout.GameError("--plot: expected one experiment, by name or file")
    if page is not None:
        console().print(starscout.list_experiments().page(page))
        return
    if name is None and not every:
        print_result(starscout.list_experiments(), json)
        return
    for one in experiment_names() if name is None else (name,):
        try:
            result = starscout.experiment(
                one, quick=quick, seed=seed, pairs=pairs, workers=workers, cluster=cluster, store=store
            )
        except starscout.Interrupted as stop:
            if save is not None:
                stop.result.save(save)
            raise
        if save is not None:
            result.save(save)
        if report is not None:
            result.report(report)
        save_plot(result, plot)
        print_result(result, json)
