"""Experiment files: parsing, errors, and the built-in files."""

import dataclasses
from pathlib import Path

import pytest

from starscout import games
from starscout.experiments.experiment import Duel, Experiment, experiment_names, find_experiment, parse_experiment
from starscout.game import GameError
from starscout.search.limits import Limit
from tests.experiments.examples import EXPERIMENT, TEXT


def test_file_defines_matches() -> None:
    tree, even, elsewhere = EXPERIMENT.duel
    assert EXPERIMENT.name == "example"
    assert EXPERIMENT.games == 2 * 20 + 2 * 15
    assert [EXPERIMENT.row_name(duel) for duel in EXPERIMENT.duel] == ["tree – chance", "even", "another compiler"]
    plan = EXPERIMENT.plan(tree)
    assert (plan.game, plan.first, plan.second, plan.seed) == ("ewn-3x3-3", "mcts", "random", 7)
    assert plan.limit == Limit(simulations=20)
    assert EXPERIMENT.plan(even).second == "random"
    assert [EXPERIMENT.stopping_rule(duel, quick=False).pairs for duel in (tree, even)] == [20, 15]
    assert [EXPERIMENT.stopping_rule(duel, quick=True).pairs for duel in (tree, even)] == [3, 3]
    assert elsewhere.reported == {"games": 10, "score": 0.7, "simulations": 5000}


SWISS = """
question = "?"
game = "ewn-3x3-3"
seed = 3
players = { a = "random", b = "mcts simulations=5", c = "random", d = "random" }
[swiss]
rounds = 2
pairs = 5
repeats = 3
"""


def test_swiss_defines_tournaments_with_their_own_seeds() -> None:
    swiss = parse_experiment(SWISS, Path("cup.toml"))
    assert swiss.games == 3 * (2 * 2 * 10)
    plans = [swiss.tournament(number) for number in range(3)]
    assert [plan.seed for plan in plans] == [3, 4, 5]
    assert plans[0].names == ("a", "b", "c", "d")
    assert plans[0].players == ("random", "mcts simulations=5", "random", "random")
    assert (plans[0].rounds, plans[0].pairs) == (2, 5)


def test_swiss_rows_are_players_or_places() -> None:
    swiss = parse_experiment(SWISS, Path("cup.toml")).swiss
    places = parse_experiment(f"{SWISS}places = true\n", Path("cup.toml")).swiss
    assert swiss is not None
    assert places is not None
    assert swiss.row_names("abcd") == ["a", "b", "c", "d"]
    assert places.row_names("abcd") == ["place 1", "place 2", "place 3", "place 4"]
    assert (swiss.row_name("b", 3), places.row_name("b", 3)) == ("b", "place 3")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("question =", "qestion ="), "Experiment: no field 'qestion'; did you mean 'question'?"),
        (('game = "ewn-3x3-3"\n', ""), "Experiment: field 'game' is missing"),
        (("seed = 7", 'seed = "7"'), "seed: expected a whole number from 0 to 18446744073709551615, got '7'"),
        (("seed = 7", "seed = "), "Invalid value"),
        (("seed = 7", f"seed = {'7' * 5000}"), "Exceeds the limit"),
        (("seed = 7", f"seed = {'[' * 5000}"), "recursion"),
        (("seed = 7", "seed = -1"), "seed: expected a whole number from 0 to 18446744073709551615, got -1"),
        (("pairs = ", "pairs = 99999999999999999999"), "pairs: expected a whole number from 0 to 1000000000"),
        (('name = "even"', 'name = "even"\nreported = { score = 2 }'), "reported.score: expected a number from 0 to 1"),
        (('name = "even"', 'name = "tree – chance"'), "two duels have the name 'tree – chance'"),
        (('than = "even"', 'than = "evn"'), "no row 'evn'; did you mean 'even'?"),
        (('better = "tree – chance"\nthan = "even"', ""), "expected `better`, or `same` and `than`, or `differ`"),
        (('better = "tree – chance"\nthan = "even"', 'differ = ["even"]'), "expected `better`, or `same`"),
        (('better = "tree – chance"\nthan = "even"', 'differ = ["even", "odd"]'), "no row 'odd'"),
        (('name = "even"', 'title = "even"'), "no field 'title'"),
    ],
)
def test_errors_name_the_file_and_the_entry(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(GameError) as caught:
        parse_experiment(TEXT.replace(*change), Path("some/example.toml"))
    assert str(caught.value).startswith("some/example.toml: ")
    assert sentence in str(caught.value)


def test_experiment_has_either_duels_or_swiss() -> None:
    with pytest.raises(GameError, match=r"\[\[duel\]\] entries or \[swiss\]"):
        Experiment("empty", "?", "ewn")
    with pytest.raises(GameError, match=r"\[swiss\] needs at least two \[players\]"):
        parse_experiment(SWISS.replace("players = {", "columns = {"), Path("cup.toml"))


def test_time_limits_are_refused() -> None:
    for limit in ("time=0.1", "clock=5"):
        timed = Experiment("timed", "?", "ewn-3x3-3", limit=limit, duel=(Duel("mcts", "random"),))
        with pytest.raises(GameError, match="'mcts' is limited by time"):
            timed.plan(timed.duel[0])
    counted = Experiment("c", "?", "ewn-3x3-3", limit="clock=5", duel=(Duel("mcts simulations=5", "random"),))
    assert counted.plan(counted.duel[0]).limit == Limit(clock=5.0)


def test_find_experiment_by_name_and_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    # Some editors write a byte order mark.
    file.write_text(TEXT, encoding="utf-8-sig")
    assert find_experiment(str(file)).name == "mine"
    assert find_experiment("000-depth").report.startswith("000_")
    with pytest.raises(GameError, match="no experiment '000-dept'; did you mean '000-depth'"):
        find_experiment("000-dept")
    with pytest.raises(GameError, match=r"nowhere\.toml: cannot be read"):
        find_experiment("nowhere.toml")


@pytest.mark.parametrize("name", experiment_names())
def test_built_in_experiments_are_playable(name: str) -> None:
    experiment = find_experiment(name)
    assert games.load(experiment.game).name == experiment.game
    for duel in experiment.duel:
        if duel.first:
            experiment.plan(duel)
    if experiment.swiss is not None:
        experiment.tournament(0)
    assert experiment.claim or name in ("001-speed", "004-pretransform")


@pytest.mark.parametrize("name", experiment_names())
def test_replications_have_ten_times_the_games(name: str) -> None:
    """Except where the report's own search limits cost too much computing time."""
    experiment = find_experiment(name)
    if "computing time" in experiment.stopping:
        return
    for duel in experiment.duel:
        if duel.first and "games" in duel.reported:
            assert 2 * experiment.stopping_rule(duel, quick=False).pairs >= 10 * duel.reported["games"], duel.name
    if experiment.swiss is not None:
        games_each = 2 * experiment.swiss.pairs * experiment.swiss.rounds * experiment.swiss.repeats
        assert all(games_each >= 10 * told.get("games", 0) for told in experiment.swiss.reported.values())


def test_every_reported_table_has_an_experiment() -> None:
    tables = [(one.report[:3], one.table) for one in map(find_experiment, experiment_names()) if one.table]
    assert [report for report, _ in tables] == ["000"] * 4 + ["002"] * 3 + ["003"] + ["004"] * 5
    assert len({table for _, table in tables}) == 13


def test_registration_covers_what_is_fixed_before_the_first_game() -> None:
    experiment = find_experiment("002-depth")
    longer = experiment.varied(None, 7)
    assert {longer.stopping_rule(duel, quick=False).pairs for duel in longer.duel} == {7}
    changed = [
        longer,
        experiment.varied(9, None),
        dataclasses.replace(experiment, margin=20.0),
        dataclasses.replace(experiment, stopping="when we like the result"),
        dataclasses.replace(experiment, claim=experiment.claim[:1]),
        dataclasses.replace(experiment, question="?"),
    ]
    assert len({one.registration for one in (experiment, *changed)}) == 7
    told = dataclasses.replace(experiment, headline="It does", notes="A note.", title="A title", our_setting="ours")
    assert told.registration == experiment.registration
    assert experiment.varied(None, None) == experiment
