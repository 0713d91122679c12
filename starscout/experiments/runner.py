"""Conducting an experiment: its games are played, or found in the store, and become the rows of a study."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import starscout
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, run
from starscout.arena.identity import code_digest
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.standings import Standings
from starscout.arena.statistics import sample_of, score_error
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.tournament import Tournament
from starscout.arena.workers import Runner
from starscout.experiments.experiment import Duel, Experiment, SwissField
from starscout.experiments.study import Study, StudyRow
from starscout.game import GameError

Watch = Callable[[Sequence[MatchRun]], None]
"""Gets the matches of the experiment while they are played."""

DIGITS = 6


def conduct(
    experiment: Experiment,
    store: Store,
    open_runner: Callable[[], Any],
    *,
    quick: bool = False,
    watch: Watch = lambda match_runs: None,
) -> Study:
    """Play an experiment to its end. `open_runner` gives a context with the Runner; no game that is stored needs it."""
    store.open_experiment(*experiment.description())
    play = _play_duels if experiment.swiss is None else _play_swiss
    rows, seconds = play(experiment, store, open_runner, quick, watch)
    command = f"starscout experiment {experiment.name}" + (" --quick" if quick else "")
    return Study(
        experiment.name, command, starscout.__version__, code_digest(), experiment.seed, quick,
        round(seconds, 1), tuple(rows),
    )  # fmt: skip


def _play_duels(
    experiment: Experiment, store: Store, open_runner: Callable[[], Any], quick: bool, watch: Watch
) -> tuple[list[StudyRow], float]:
    played = [duel for duel in experiment.duel if duel.first]
    plans = [experiment.plan(duel) for duel in played]
    if len({plan.identity for plan in plans}) < len(plans):
        raise GameError(f"two duels of {experiment.name} are the same match")
    match_runs = [
        MatchRun(store, plan, experiment.goal(duel, quick=quick)) for plan, duel in zip(plans, played, strict=True)
    ]
    unfinished = [match_run for match_run in match_runs if not match_run.finished]
    if unfinished:
        # Compile here, once: the workers then load what they need.
        for match_run in unfinished:
            warm(match_run.plan)
        with open_runner() as runner:
            run(match_runs, runner, store, lambda: watch(match_runs))
    else:
        for match_run in match_runs:
            store.finish(match_run.id, match_run.counted)
    waiting = iter(match_runs)
    rows = [
        _row_of_bout(experiment, duel, next(waiting), store) if duel.first else unplayed_row(experiment, duel)
        for duel in experiment.duel
    ]
    return rows, sum(match_run.tally.thinking for match_run in match_runs)


def _row_of_bout(experiment: Experiment, duel: Duel, match_run: MatchRun, store: Store) -> StudyRow:
    return duel_row(experiment, duel, match_run.plan, match_run.tally, store.pairs(match_run.id))


def unplayed_row(experiment: Experiment, duel: Duel) -> StudyRow:
    """The row of a duel without games: what the report says about it."""
    return StudyRow(experiment.row_name(duel), 0, None, None, reported=dict(duel.reported))


def duel_row(
    experiment: Experiment, duel: Duel, plan: MatchPlan, tally: Tally, pairs: Iterable[PairRecord]
) -> StudyRow:
    """The row of a duel from the tally of its match; `pairs` are its pairs from the first on."""
    summary, first_pairs = tally.summary(), Tally()
    for record in islice(pairs, experiment.goal(duel, quick=True).pairs):
        first_pairs.add(record)
    return StudyRow(
        experiment.row_name(duel),
        summary["games"],
        round(summary["score"], DIGITS),
        round((summary["score_interval"][1] - summary["score_interval"][0]) / 2, DIGITS),
        {title: column_number(summary["used"], text) for title, text in experiment.columns.items()},
        dict(duel.reported),
        (plan.first, plan.second),
        _counts(summary),
        _counts(first_pairs.summary()),
    )


def column_number(used: dict[str, Any], text: str) -> float | None:
    """The number of a column from what the players used; None where nothing was reported. Raises GameError.

    `nodes_per_move` is A's, `B nodes_per_move` is B's, `first_moves 2 nodes_per_move` is that of A's second move, and
    `nodes_per_move / B nodes_per_move` is a ratio: both think in turn on one core, so ratios of times can be compared.
    """
    first, _, second = text.partition(" / ")
    number = _found(used, first)
    if second and number is not None:
        other = _found(used, second)
        number = number / other if other else None
    return None if number is None else round(number, DIGITS)


def _found(used: dict[str, Any], path: str) -> float | None:
    words = path.split()
    value: Any = used[words.pop(0)] if words[:1] == ["B"] else used["A"]
    for word in words:
        try:
            value = value[int(word) - 1] if isinstance(value, list) else value[word]
        except (KeyError, IndexError, ValueError) as error:
            known = ", ".join(used["A"])
            raise GameError(f"the column {path!r} is not in what a match says a player used: {known}") from error
    if value is not None and not isinstance(value, int | float):
        raise GameError(f"the column {path!r} is not a number")
    return value


def _counts(summary: dict[str, Any]) -> dict[str, float]:
    return {name: summary[name] for name in ("wins", "losses", "draws")}


def _play_swiss(
    experiment: Experiment, store: Store, open_runner: Callable[[], Any], quick: bool, watch: Watch
) -> tuple[list[StudyRow], float]:
    if experiment.swiss is None:
        raise GameError(f"{experiment.name} has no [swiss]")
    repeats = experiment.swiss.quick_repeats if quick else experiment.swiss.repeats
    for spec in dict.fromkeys(experiment.players.values()):
        warm(experiment.plan(Duel(spec, spec)))
    finished: list[Standings] = []
    with open_runner() as runner:
        for number in range(repeats):
            finished.append(_one_swiss(experiment, number, store, runner, watch))
    thinking = sum(played.tally.thinking for standings in finished for played in standings.played)
    return swiss_rows(experiment, experiment.swiss, finished), thinking


def swiss_rows(experiment: Experiment, swiss: SwissField, finished: Sequence[Standings]) -> list[StudyRow]:
    """The rows of a Swiss from tournaments in which everybody has played, the best first."""
    entries: dict[str, list[dict[str, Any]]] = {name: [] for name in swiss.row_names(experiment.players)}
    for entry in (entry for standings in finished for entry in standings.table()):
        entries[swiss.row_name(entry["player"], entry["rank"])].append(entry)
    by_rank = sorted(entries, key=lambda name: sum(entry["rank"] for entry in entries[name]))
    return [_swiss_row(experiment, swiss, name, entries[name]) for name in by_rank]


def _one_swiss(experiment: Experiment, number: int, store: Store, runner: Runner, watch: Watch) -> Standings:
    tournament = Tournament(experiment.tournament(number), store)
    tournament.play(runner, watch)
    return tournament.standings


def _swiss_row(experiment: Experiment, swiss: SwissField, name: str, entries: Sequence[dict[str, Any]]) -> StudyRow:
    """The row of a player or of a place from its entries in the final tables of all tournaments."""
    scores = sample_of(entry["score"] / entry["games"] for entry in entries)
    ranks = [entry["rank"] for entry in entries]
    numbers = {"mean rank": statistics.fmean(ranks), "best rank": min(ranks), "worst rank": max(ranks)}
    if swiss.places:
        points = [entry["score"] for entry in entries]
        numbers = {"wins": statistics.fmean(points), "fewest wins": min(points), "most wins": max(points)}
    numbers["opponents' wins"] = statistics.fmean(entry["opponents_score"] for entry in entries)
    return StudyRow(
        name,
        sum(entry["games"] for entry in entries),
        round(scores.mean, DIGITS),
        round(score_error(scores), DIGITS),
        {title: round(number, DIGITS) for title, number in numbers.items()},
        dict(swiss.reported.get(name, {})),
        () if swiss.places else (experiment.players[name],),
        {"points": sum(entry["score"] for entry in entries)},
        {"points": sum(entry["score"] for entry in entries[: swiss.quick_repeats])},
    )
