"""Run experiments: play the missing games, or read them from the store, and build the study.

Studies: the results of experiments, stored as JSON files.
"""

import contextlib
import dataclasses
import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import starscout
from starscout import games
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, run
from starscout.arena.export import PlayedMatch
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan, code_digest
from starscout.arena.standings import Standings
from starscout.arena.statistics import (
    HALF_A_PAIR,
    NO_PRIOR,
    Prior,
    Sample,
    confidence_interval,
    half_width,
    sample_of,
    sample_of_counts,
)
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.arena.tournament import Tournament, TournamentPlan, plan_from_description, stored_standings
from starscout.arena.workers import Runner
from starscout.experiments.experiment import Duel, Experiment, SwissField, experiment_from_description
from starscout.experiments.provenance import provenance
from starscout.game import GameError


@dataclass(frozen=True)
class StudyRow:
    """A duel, or a player of a Swiss; the score is that of the first player.

    `games` is 0 if only the report has numbers.
    """

    name: str
    games: int
    score: float | None
    score_error: float | None
    """Half-width of `interval`."""
    numbers: dict[str, float | None] = field(default_factory=dict)
    """Title → value of the experiment's columns."""
    reported: dict[str, float] = field(default_factory=dict)
    """Numbers in the report: `games`, `score`, and columns by title."""
    players: tuple[str, ...] = ()
    """Specifications of the players."""
    counts: dict[str, float] = field(default_factory=dict)
    """Wins, losses and draws; points in a Swiss."""
    quick_counts: dict[str, float] = field(default_factory=dict)
    """Counts of a quick run, which plays the first pairs of the full run."""
    pair_counts: dict[str, int] = field(default_factory=dict)
    """Pair score → number of pairs; empty in a Swiss, and in old studies of games with draws."""
    units: tuple[float, ...] = ()
    """Score of each tournament of a Swiss."""

    @property
    def sample(self) -> Sample | None:
        """The independent units: pairs, or tournaments of a Swiss; None if they are not recorded."""
        if self.pair_counts:
            return sample_of_counts({float(score): count for score, count in self.pair_counts.items()})
        return sample_of(self.units) if self.units else None

    @property
    def prior(self) -> Prior:
        """The prior of the sample: half a pair; none for tournaments, whose scores take many values."""
        return NO_PRIOR if self.units else HALF_A_PAIR

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval over pairs or tournaments; None without games."""
        if self.score is None or self.score_error is None:
            return None
        if self.sample is not None:
            return confidence_interval(self.sample, self.prior)
        return max(self.score - self.score_error, 0.0), min(self.score + self.score_error, 1.0)


@dataclass(frozen=True)
class Study:
    """The rows of an experiment, and how to reproduce them."""

    name: str
    command: str
    version: str
    code: str
    """Digest of the code that played."""
    seed: int
    quick: bool
    seconds: float
    """Wall-clock thinking time of all players."""
    rows: tuple[StudyRow, ...]
    registration: str = ""
    """Digest of what was fixed before the first game (`Experiment.registration`)."""
    date: str = ""
    commit: str = ""
    machine: str = ""

    def row(self, name: str) -> StudyRow:
        """Return the row with this name; raises GameError."""
        found = next((row for row in self.rows if row.name == name), None)
        if found is None:
            raise GameError(f"study {self.name}: no row {name!r}; run the experiment again")
        return found

    def save(self, folder: Path) -> Path:
        """Write the study to its file in a folder."""
        path = study_file(folder, self.name)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def study_file(folder: Path, name: str) -> Path:
    """Return the path of an experiment's study in a folder."""
    return folder / f"{name}.json"


def load_study(experiment: Experiment, folder: Path) -> Study | None:
    """Load the study of an experiment from a folder; None if there is none."""
    path = study_file(folder, experiment.name)
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(_stored_row(row) for row in values.pop("rows"))
        return Study(**values, rows=rows)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise GameError(f"{path}: not a study: {error}") from error


def _stored_row(values: dict[str, Any]) -> StudyRow:
    return StudyRow(**{**values, "players": tuple(values["players"]), "units": tuple(values.get("units", ()))})


Watch = Callable[[Sequence[MatchRun]], None]
"""Receives the matches of the experiment while they are played."""

DIGITS = 6


def run_experiment(
    experiment: Experiment,
    store: Store,
    open_runner: Callable[[], Any],
    *,
    quick: bool = False,
    watch: Watch = lambda match_runs: None,
) -> Study:
    """Play the missing games of an experiment and return its study.

    `open_runner` returns a context manager that yields a Runner.
    """
    store.open_experiment(*experiment.description())
    play = _play_duels if experiment.swiss is None else _play_swiss
    rows, seconds = play(experiment, store, open_runner, quick, watch)
    return _study(experiment, rows, seconds, quick=quick)


def _study(experiment: Experiment, rows: Iterable[StudyRow], seconds: float, *, quick: bool) -> Study:
    """Return the study of some rows, with the provenance of this run."""
    command, origin = f"starscout experiment {experiment.name}" + (" --quick" if quick else ""), provenance()
    return Study(
        experiment.name, command, starscout.__version__, code_digest(), experiment.seed, quick, round(seconds, 1),
        tuple(rows), experiment.registration, origin.date, origin.commit, origin.machine,
    )  # fmt: skip


def _play_duels(
    experiment: Experiment, store: Store, open_runner: Callable[[], Any], quick: bool, watch: Watch
) -> tuple[list[StudyRow], float]:
    played = [duel for duel in experiment.duel if duel.first]
    plans = [experiment.plan(duel) for duel in played]
    if len({plan.identity for plan in plans}) < len(plans):
        raise GameError(f"{experiment.name}: two duels are the same match")
    match_runs = [
        MatchRun(store, plan, experiment.stopping_rule(duel, quick=quick))
        for plan, duel in zip(plans, played, strict=True)
    ]
    unfinished = [match_run for match_run in match_runs if not match_run.finished]
    if unfinished:
        # Compile once here; the workers load the compiled kernels.
        for match_run in unfinished:
            warm(match_run.plan)
        with open_runner() as runner:
            run(match_runs, runner, store, lambda: watch(match_runs))
    finished = iter(match_runs)
    rows = [
        _match_row(experiment, duel, next(finished), store) if duel.first else report_only_row(experiment, duel)
        for duel in experiment.duel
    ]
    return rows, sum(match_run.tally.thinking for match_run in match_runs)


def _match_row(experiment: Experiment, duel: Duel, match_run: MatchRun, store: Store) -> StudyRow:
    return duel_row(experiment, duel, match_run.plan, match_run.tally, store.pairs(match_run.id))


def report_only_row(experiment: Experiment, duel: Duel) -> StudyRow:
    """Return the row of a duel that we have not played, with only the report's numbers."""
    return StudyRow(experiment.row_name(duel), 0, None, None, reported=dict(duel.reported))


def duel_row(
    experiment: Experiment, duel: Duel, plan: MatchPlan, tally: Tally, pairs: Iterable[PairRecord]
) -> StudyRow:
    """Return the row of a duel from the tally of its match; `pairs` are its pairs in order."""
    summary, first_pairs = tally.summary(), Tally()
    for record in islice(pairs, experiment.stopping_rule(duel, quick=True).pairs):
        first_pairs.add(record)
    return StudyRow(
        experiment.row_name(duel),
        summary["games"],
        round(summary["score"], DIGITS),
        round(summary["score_error"], DIGITS),
        {title: column_value(summary["used"], text) for title, text in experiment.columns.items()},
        dict(duel.reported),
        (plan.first, plan.second),
        _counts(summary),
        _counts(first_pairs.summary()),
        summary["pair_counts"],
    )


def column_value(used: dict[str, Any], text: str) -> float | None:
    """Return the value of a column from `used` of a match; None if not reported.

    `nodes_per_move` is A's, `B nodes_per_move` is B's, `first_moves 2 nodes_per_move` is that of A's second move, and
    `nodes_per_move / B nodes_per_move` is a ratio. The players think in turn on one core, so time ratios are valid.
    """
    first, _, second = text.partition(" / ")
    number = _lookup(used, first)
    if second and number is not None:
        other = _lookup(used, second)
        number = number / other if other else None
    return None if number is None else round(number, DIGITS)


def _lookup(used: dict[str, Any], path: str) -> float | None:
    keys = path.split()
    value: Any = used[keys.pop(0)] if keys[:1] == ["B"] else used["A"]
    for key in keys:
        try:
            value = value[int(key) - 1] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError) as error:
            known = ", ".join(used["A"])
            raise GameError(f"columns: no field {path!r}; expected one of {known}") from error
    if value is not None and not isinstance(value, int | float):
        raise GameError(f"columns: {path!r} is not a number")
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
            finished.append(_play_tournament(experiment, number, store, runner, watch))
    thinking = sum(meeting.tally.thinking for standings in finished for meeting in standings.meetings)
    return swiss_rows(experiment, experiment.swiss, finished), thinking


def swiss_rows(experiment: Experiment, swiss: SwissField, finished: Sequence[Standings]) -> list[StudyRow]:
    """Return the rows of a Swiss from complete tournaments, best first."""
    entries: dict[str, list[dict[str, Any]]] = {name: [] for name in swiss.row_names(experiment.players)}
    for entry in (entry for standings in finished for entry in standings.table()):
        entries[swiss.row_name(entry["player"], entry["rank"])].append(entry)
    by_rank = sorted(entries, key=lambda name: sum(entry["rank"] for entry in entries[name]))
    return [_swiss_row(experiment, swiss, name, entries[name]) for name in by_rank]


def _play_tournament(experiment: Experiment, number: int, store: Store, runner: Runner, watch: Watch) -> Standings:
    tournament = Tournament(experiment.tournament(number), store)
    tournament.play(runner, watch)
    return tournament.standings


def _swiss_row(experiment: Experiment, swiss: SwissField, name: str, entries: Sequence[dict[str, Any]]) -> StudyRow:
    """Return the row of a player or of a place from its entries in the final tables."""
    units = tuple(round(entry["score"] / entry["games"], DIGITS) for entry in entries)
    scores = sample_of(units)
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
        round(half_width(confidence_interval(scores, NO_PRIOR)), DIGITS),
        {title: round(number, DIGITS) for title, number in numbers.items()},
        dict(swiss.reported.get(name, {})),
        () if swiss.places else (experiment.players[name],),
        {"points": sum(entry["score"] for entry in entries)},
        {"points": sum(entry["score"] for entry in entries[: swiss.quick_repeats])},
        units=units,
    )


TallyOf = Callable[[StoredMatch], Tally]
"""Returns the tally of a match so far."""


class StoredStudy(NamedTuple):
    """An experiment in a store: its study so far, its matches and its tournaments."""

    experiment: Experiment
    study: Study
    matches: dict[str, StoredMatch]
    """Row → match of the duel."""
    tournaments: list[int]
    """Tournament numbers of a Swiss."""


def stored_experiment(store: Store, number: int) -> Experiment:
    """Return experiment `number` of a store; raises GameError."""
    entries = dict(store.experiments()).get(number)
    if entries is None:
        raise GameError(f"{store.path}: no experiment {number}")
    return experiment_from_description(entries)


def stored_study(store: Store, experiment: Experiment, tally_of: TallyOf | None = None) -> StoredStudy:
    """Build the study of an experiment from its stored games; raises GameError."""
    # `find` refuses game files that only the store names: a store may come from an untrusted source.
    games.find(experiment.game)
    matches = experiment_matches(store, experiment)
    numbers = experiment_tournaments(store, experiment)
    if experiment.swiss is None:
        tallies = {row: (tally_of or _tally(store))(match) for row, match in matches.items()}
        rows = [
            duel_row(experiment, duel, matches[name].plan, tallies[name], store.pairs(matches[name].id))
            if name in tallies and tallies[name].count
            else report_only_row(experiment, duel)
            for duel in experiment.duel
            for name in [experiment.row_name(duel)]
        ]
        seconds = sum(tally.thinking for tally in tallies.values())
    else:
        standings = [one for number in numbers for _, one in [stored_standings(store, number)] if _complete(one)]
        rows = swiss_rows(experiment, experiment.swiss, standings) if standings else []
        seconds = sum(meeting.tally.thinking for one in standings for meeting in one.meetings)
    return StoredStudy(experiment, _study(experiment, rows, seconds, quick=False), matches, numbers)


def experiment_matches(store: Store, experiment: Experiment) -> dict[str, StoredMatch]:
    """Return row → match of the duel; the newest match if several versions played it."""
    by_plan = {match.plan.to_json(): match for match in store.matches()}
    plans = {experiment.row_name(duel): experiment.plan(duel) for duel in experiment.duel if duel.first}
    return {row: by_plan[plan.to_json()] for row, plan in plans.items() if plan.to_json() in by_plan}


def experiment_tournaments(store: Store, experiment: Experiment) -> list[int]:
    """Return the tournament numbers of a Swiss."""
    if experiment.swiss is None:
        return []
    stored: list[tuple[int, TournamentPlan]] = []
    for number, description, _ in reversed(store.tournaments()):
        with contextlib.suppress(GameError):
            stored.append((number, plan_from_description(description)))
    plans = [experiment.tournament(number) for number in range(experiment.swiss.repeats)]
    found = (next((number for number, plan in stored if plan == wanted), None) for wanted in plans)
    return [number for number in found if number is not None]


def played_matches(store: Store, experiment: Experiment) -> list[PlayedMatch]:
    """Return the matches of the duels with their pairs."""
    matches = experiment_matches(store, experiment).values()
    return [(match.id, match.plan, list(store.counted_pairs(match))) for match in matches]


def _tally(store: Store) -> TallyOf:
    def tally_of(match: StoredMatch) -> Tally:
        tally = Tally()
        for record in store.counted_pairs(match):
            tally.add(record)
        return tally

    return tally_of


def _complete(standings: Standings) -> bool:
    """Whether every player has played."""
    return all(entry["games"] for entry in standings.table())
