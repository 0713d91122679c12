"""Value iteration: Pig against its recurrence, generated games against the reference, and errors."""

import functools
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game import ONGOING, Game, GameError
from starscout.kernels.kernel import PLAIN
from starscout.search.exact import exact_value
from starscout.search.value_iteration import solve_by_iteration
from tests.search.generated_games import ALTERNATING, FREE, NOISE, REPEATING

PIG = Path(__file__).parents[2] / "examples" / "pig.py"
GOAL = 8


@pytest.fixture(scope="module")
def short_pig(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """Pig to a few points, from the example's file."""
    file = tmp_path_factory.mktemp("pig") / "short_pig.py"
    text = PIG.read_text(encoding="utf-8").replace("HOLD = 100,", f"HOLD = {GOAL},").replace('"pig"', '"short-pig"')
    file.write_text(text, encoding="utf-8")
    return games.load(str(file))


@functools.cache
def pig_probabilities(goal: int) -> dict[tuple[int, int, int], float]:
    """Neller and Presser's equations: P(i, j, k), the chance to win with own, enemy and turn score i, j, k."""
    known = {(i, j, k): 0.5 for i in range(goal) for j in range(goal) for k in range(goal - i)}

    def probability(i: int, j: int, k: int) -> float:
        return 1.0 if i + k >= goal else known[i, j, k]

    for _ in range(2000):
        change = 0.0
        for i, j, k in known:
            roll = (1.0 - known[j, i, 0] + sum(probability(i, j, k + face) for face in range(2, 7))) / 6.0
            best = max(roll, 1.0 - known[j, i + k, 0])
            change = max(change, abs(best - known[i, j, k]))
            known[i, j, k] = best
        if change < 1e-14:
            return known
    raise AssertionError("not converged")


def test_pig_satisfies_its_equations(short_pig: Game) -> None:
    solved = solve_by_iteration(short_pig, short_pig.start_position())
    assert solved.error <= 1e-10
    for (i, j, k), probability in pig_probabilities(GOAL).items():
        if k == 0 and 1 not in (i, j):  # a turn adds at least 2
            position = short_pig.as_position((i, j, 0, 0, 0))
            assert solved.value(position) == pytest.approx(2.0 * probability - 1.0, abs=1e-9), (i, j)


def test_solve_uses_value_iteration_where_no_depth_reaches_the_end(short_pig: Game) -> None:
    found = starscout.solve(starscout.start(short_pig))
    assert found.solved
    assert found.method == "value iteration"
    assert found.win_probability == pytest.approx(pig_probabilities(GOAL)[0, 0, 0], abs=1e-9)
    assert found.best == "roll"


@pytest.mark.slow
def test_the_first_player_wins_pig_with_the_published_probability() -> None:
    pig = games.load(str(PIG))
    solved = solve_by_iteration(pig, pig.start_position(), tolerance=1e-6)
    assert (1.0 + solved.value(pig.start_position())) / 2.0 == pytest.approx(0.5306, abs=5e-5)


@pytest.mark.slow_compiled
@pytest.mark.plain
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_generated_games_have_the_values_of_the_reference(game: Game) -> None:
    for seed in range(2 if PLAIN else 500):
        start = game.start_position(seed)
        solved = solve_by_iteration(game, start)
        if not PLAIN:
            assert solved.value(start) == pytest.approx(exact_value(game, NOISE, start, 8), abs=1e-9), seed
        event = next(iter(game.event_weights(start)))
        decision = game.resolve_position(start, event)
        if game.outcome(decision) == ONGOING:
            assert set(solved.move_values(decision, event)) == set(game.legal(decision, event))


def test_errors(short_pig: Game) -> None:
    start = short_pig.start_position()
    with pytest.raises(GameError, match="more than 10 positions can follow the start"):
        solve_by_iteration(short_pig, start, most=10)
    with pytest.raises(GameError, match="expected a game without a repetition rule"):
        solve_by_iteration(REPEATING, REPEATING.start_position(1))
    late = solve_by_iteration(short_pig, short_pig.as_position((7, 7, 0, 0, 0)))
    with pytest.raises(GameError, match="does not follow the start"):
        late.value(start)
