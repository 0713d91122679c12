"""Tuning: finds a known optimum, keeps integers, resumes from the store, writes a report."""

from pathlib import Path

import pytest

from starscout.arena.batch import Batch, BatchResult, play_batch
from starscout.arena.elo import expected_score
from starscout.arena.pair import PairRecord
from starscout.arena.store import Store
from starscout.arena.tuning import Tuning, TuningPlan, parse_parameters, stored_tuning
from starscout.game import GameError
from starscout.views.store import tuning_report


class HillRunner:
    """Simulates games: strength falls with the squared distance from an optimum."""

    def __init__(self, **best: float) -> None:
        self._best = best
        self._results: list[BatchResult] = []
        self.batches = 0

    def _strength(self, player: str) -> float:
        options = dict(word.split("=") for word in player.split()[1:])
        return -sum(100 * (float(options[name]) - best) ** 2 for name, best in self._best.items())

    def capacity(self) -> int:
        return 1

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        self.batches += 1
        chance = expected_score(self._strength(batch.plan.first) - self._strength(batch.plan.second))
        # A quasi-random pair: won with the right frequency over many pairs and seeds.
        draws = [((pair * 0.618034 + batch.plan.seed * 1e-7) % 1, pair) for pair in batch.pairs]
        records = tuple(self._record(pair, float(draw < chance)) for draw, pair in draws)
        self._results.append(BatchResult(batch.match, records, 0.001))

    @staticmethod
    def _record(pair: int, score: float) -> PairRecord:
        return PairRecord(pair, (score, score), (1, 1), ("corner", "corner"), None, 0.0, b"", b"")

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._results = self._results, []
        return results

    def close(self) -> None:
        pass


class HereRunner(HillRunner):
    """Plays real games in this process."""

    def submit(self, batch: Batch) -> None:
        self.batches += 1
        self._results.append(play_batch(batch))


@pytest.mark.parametrize(("method", "steps"), [("spsa", 300), ("gp", 30)])
def test_the_optimum_is_found(method: str, steps: int) -> None:
    """The Gaussian process needs a tenth of the games."""
    plan = TuningPlan("ewn", "player", parse_parameters("c=0.4:0:4,w=3.6:0:4"), 16, steps, seed=1, method=method)
    with Store(":memory:") as store:
        tuning = Tuning(plan, store)
        tuning.play(HillRunner(c=2.5, w=1.5))
        assert tuning.result()["c"] == pytest.approx(2.5, abs=0.35)
        assert tuning.result()["w"] == pytest.approx(1.5, abs=0.35)
        intervals = tuning.intervals()
        assert set(intervals) == ({"c", "w"} if method == "gp" else set())
        for name, best in {"c": 2.5, "w": 1.5}.items():
            low, high = intervals.get(name, (0, 4))
            assert low <= best <= high


def test_integers_are_compared_at_values_that_they_can_take() -> None:
    plan = TuningPlan("ewn", "player", parse_parameters("c=1:0:4"), 16, 12, seed=1, method="gp")
    with Store(":memory:") as store:
        tuning = Tuning(plan, store)
        tuning.play(HillRunner(c=3))
        assert tuning.result() == {"c": 3}
        assert all(4 * part == int(4 * part) for step in tuning.history for (part,) in step["points"])
        assert all(step["up"] != step["down"] for step in tuning.history)


@pytest.mark.parametrize("method", ["gp", "spsa"])
def test_tuning_resumes_from_the_store(tmp_path: Path, method: str) -> None:
    plan = TuningPlan("ewn", "player", parse_parameters("c=0.4:0:4"), 4, 20, seed=1, method=method)
    with Store(":memory:") as store:
        whole = Tuning(plan, store)
        whole.play(HillRunner(c=2.5))

    class StopRunner(HillRunner):
        def submit(self, batch: Batch) -> None:
            if self.batches == 7:
                raise KeyboardInterrupt
            super().submit(batch)

    with Store(tmp_path / "a.sqlite") as store, pytest.raises(KeyboardInterrupt):
        Tuning(plan, store).play(StopRunner(c=2.5))
    with Store(tmp_path / "a.sqlite") as store:
        resumed = Tuning(plan, store)
        assert 0 < len(resumed.history) < 20
        resumed.play(HillRunner(c=2.5))
        assert resumed.history == whole.history


def test_real_players_are_tuned_and_reported() -> None:
    player = "mcts simulations={simulations}"
    parameters = parse_parameters("simulations=20:2:40,c=1.2:0.1:3")
    plan = TuningPlan("ewn-3x3-3", player, parameters, 2, 3, luck="eval=race depth=1", method="gp")
    with Store(":memory:") as store:
        tuning = Tuning(plan, store)
        runner = HereRunner()
        tuning.play(runner)
        assert runner.batches >= 3
        assert isinstance(tuning.result()["simulations"], int)
        assert "{" not in tuning.tuned_player()
        again = stored_tuning(store, tuning.id)
        assert (again.plan, again.history, again.result()) == (plan, tuning.history, tuning.result())
        with pytest.raises(GameError, match="no tuning 7"):
            stored_tuning(store, 7)
        report = tuning_report(tuning)
        assert report.count("<svg") == 3
        assert "<td>simulations</td><td>20</td><td>2 … 40</td>" in report


def test_parameters_fill_placeholders_or_become_options() -> None:
    plan = TuningPlan("ewn", "negascout eval=distance:{enemy}:1", parse_parameters("enemy=2:1:9,c=0.5:0:1"), 1, 1)
    assert plan.described([0.25, 0.5]) == "negascout eval=distance:3:1 c=0.5"
    engine = TuningPlan("ewn", "lab[time=1]:./engine --enemy {enemy}", plan.parameters, 1, 1)
    assert engine.described([0.25, 0.5]) == "lab[time=1 c=0.5]:./engine --enemy 3"
    agent = TuningPlan("ewn", "python:agent.py:Agent", plan.parameters, 1, 1)
    assert agent.described([0.25, 0.5]) == "python:agent.py:Agent enemy=3 c=0.5"


@pytest.mark.parametrize("text", ["c", "c=1", "c=1:2", "c=5:0:4", "c=1:4:0", "c=a:0:1", "c=1:0:2,c=1:0:2"])
def test_bad_parameters_are_refused(text: str) -> None:
    with pytest.raises(GameError):
        parse_parameters(text)


@pytest.mark.parametrize(
    "text",
    [
        "c=1:0:inf",
        "c=nan:0:1",
        "c=0:-1e308:1e308",
        "c=1:0:1e999",
        f"c=1:0:{'9' * 5_000}",
        "c=²:1:2",
        "c=1:0:٣",
        "c=1_0:0:99",
    ],
)
def test_a_range_without_numbers_is_refused(text: str) -> None:
    with pytest.raises(GameError):
        parse_parameters(text)


def test_large_integers_are_written_in_full() -> None:
    plan = TuningPlan("ewn", "negascout", parse_parameters("nodes=1234567:1000:2000000"), 1, 1)
    fraction = plan.parameters[0].fraction(1_234_567)
    assert plan.described([fraction]) == "negascout nodes=1234567"
