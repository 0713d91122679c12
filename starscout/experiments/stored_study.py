"""An experiment as far as a store has it: its matches and tournaments, and the study of their games."""

import dataclasses
import json
from collections.abc import Callable
from typing import NamedTuple

import starscout
from starscout import games
from starscout.arena.export import PlayedMatch
from starscout.arena.identity import code_digest
from starscout.arena.standings import Standings
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.arena.tournament import stored_standings
from starscout.experiments.experiment import Experiment, described_experiment
from starscout.experiments.runner import duel_row, swiss_rows, unplayed_row
from starscout.experiments.study import Study
from starscout.game import GameError

TallyOf = Callable[[StoredMatch], Tally]
"""The tally of a match as far as it is played."""


class StoredStudy(NamedTuple):
    """An experiment, its rows so far, and where its games are."""

    experiment: Experiment
    study: Study
    matches: dict[str, StoredMatch]
    """Row → the match of its duel."""
    tournaments: list[int]
    """The tournaments of a Swiss."""


def stored_experiment(store: Store, number: int) -> Experiment:
    """Experiment `number` of a store; raises GameError."""
    entries = dict(store.experiments()).get(number)
    if entries is None:
        raise GameError(f"there is no experiment {number} in {store.path}")
    return described_experiment(entries)


def stored_study(store: Store, experiment: Experiment, tally_of: TallyOf | None = None) -> StoredStudy:
    """The study of what is stored of an experiment; raises GameError."""
    # A store may come from elsewhere: a game file that nobody has named here is not run.
    games.find(experiment.game)
    matches = experiment_matches(store, experiment)
    numbers = experiment_tournaments(store, experiment)
    if experiment.swiss is None:
        tallies = {row: (tally_of or _tally(store))(match) for row, match in matches.items()}
        rows = [
            duel_row(experiment, duel, matches[name].plan, tallies[name], store.pairs(matches[name].id))
            if name in tallies and tallies[name].count
            else unplayed_row(experiment, duel)
            for duel in experiment.duel
            for name in [experiment.row_name(duel)]
        ]
        seconds = sum(tally.thinking for tally in tallies.values())
    else:
        standings = [one for number in numbers for _, one in [stored_standings(store, number)] if _everybody(one)]
        rows = swiss_rows(experiment, experiment.swiss, standings) if standings else []
        seconds = sum(played.tally.thinking for one in standings for played in one.played)
    command = f"starscout experiment {experiment.name}"
    study = Study(
        experiment.name, command, starscout.__version__, code_digest(), experiment.seed, False, seconds, tuple(rows)
    )
    return StoredStudy(experiment, study, matches, numbers)


def experiment_matches(store: Store, experiment: Experiment) -> dict[str, StoredMatch]:
    """The matches of the duels by their rows; the newest, where a match was played by several versions."""
    by_plan = {match.plan.to_json(): match for match in store.matches()}
    plans = {experiment.row_name(duel): experiment.plan(duel) for duel in experiment.duel if duel.first}
    return {row: by_plan[plan.to_json()] for row, plan in plans.items() if plan.to_json() in by_plan}


def experiment_tournaments(store: Store, experiment: Experiment) -> list[int]:
    """The numbers of the tournaments of a Swiss."""
    if experiment.swiss is None:
        return []
    by_plan = {json.dumps(description, sort_keys=True): number for number, description, _ in store.tournaments()}
    plans = [dataclasses.asdict(experiment.tournament(number)) for number in range(experiment.swiss.repeats)]
    texts = [json.dumps(plan, sort_keys=True) for plan in plans]
    return [by_plan[text] for text in texts if text in by_plan]


def played_duels(store: Store, experiment: Experiment) -> list[PlayedMatch]:
    """The matches of the duels with their pairs."""
    matches = experiment_matches(store, experiment).values()
    return [(match.id, match.plan, list(store.counted_pairs(match))) for match in matches]


def _tally(store: Store) -> TallyOf:
    def tally_of(match: StoredMatch) -> Tally:
        tally = Tally()
        for record in store.counted_pairs(match):
            tally.add(record)
        return tally

    return tally_of


def _everybody(standings: Standings) -> bool:
    """Whether every player has played in a tournament."""
    return all(entry["games"] for entry in standings.table())
