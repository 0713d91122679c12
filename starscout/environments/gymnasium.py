"""`starscout.vector_env`: a batch of games as a Gymnasium vector environment."""

from typing import Any

import numpy

from starscout.environments.batch import GameBatch, batch, roll_count
from starscout.environments.pettingzoo import MAX_KIND
from starscout.game import Game, GameError
from starscout.settings.arguments import checked
from starscout.settings.schema import BatchSize


@checked
def vector_env(game: str | Game, n: BatchSize) -> Any:
    """Create a Gymnasium vector environment; each step is one move in each of n games.

    The reward is that of the side that has just moved. A finished game is replaced by the next one in the same step
    (SAME_STEP autoreset); `info` has the `mover` of every game and the `rewards` of both sides.

    >>> env = vector_env("ewn", 3)
    >>> observation, info = env.reset(seed=1)
    >>> observation["observation"].shape, info["mover"].shape
    ((3, 5, 5), (3,))
    """
    try:
        import gymnasium
    except ImportError as error:
        raise GameError("vector_env needs Gymnasium: pip install gymnasium") from error
    games = batch(game, n)
    rules, spaces = games.game, gymnasium.spaces
    vectors: Any = gymnasium.vector
    one: Any = spaces.Dict(
        {
            "observation": spaces.Box(-MAX_KIND, MAX_KIND, (rules.rows, rules.columns), numpy.int8),
            "action_mask": spaces.Box(0, 1, (games.actions,), numpy.int8),
            "roll": spaces.Discrete(roll_count(rules)),
        }
    )

    class VectorGames(vectors.VectorEnv):
        """n games; see `vector_env`."""

        metadata = {"autoreset_mode": vectors.AutoresetMode.SAME_STEP}  # noqa: RUF012

        def __init__(self) -> None:
            self.num_envs, self.games = n, games
            self.single_observation_space, self.single_action_space = one, spaces.Discrete(games.actions)
            self.observation_space = vectors.utils.batch_space(one, n)
            self.action_space = vectors.utils.batch_space(self.single_action_space, n)

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
            games.reset(seed or 0)
            return _observations(games), {"mover": games.movers.copy(), "rewards": games.rewards.copy()}

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Any]:
            movers = games.movers.astype(numpy.int64)
            games.step(actions)
            rewards = games.rewards[numpy.arange(n), movers]
            info = {"mover": games.movers.copy(), "rewards": games.rewards.copy()}
            return _observations(games), rewards, games.terminated.copy(), numpy.zeros(n, numpy.bool_), info

    return VectorGames()


def _observations(games: GameBatch) -> dict[str, Any]:
    return {
        "observation": games.observations.copy(),
        "action_mask": games.masks.astype(numpy.int8),
        "roll": games.rolls.astype(numpy.int64),
    }
