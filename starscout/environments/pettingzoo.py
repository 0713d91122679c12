"""`starscout.pettingzoo_env`: a game as a PettingZoo AEC environment."""

from typing import Any

import numpy

from starscout import games
from starscout.environments.batch import action_count, action_mask, board_view, legal_actions, roll_count
from starscout.game import Game, GameError
from starscout.game.state import start
from starscout.players.player import Decision
from starscout.referee.game_in_progress import GameInProgress
from starscout.settings.arguments import checked

AGENTS = ("player_0", "player_1")
"""The agents of the two sides, named as PettingZoo recommends."""

MAX_KIND = 127
"""Largest kind of piece in an observation (int8)."""


@checked
def pettingzoo_env(game: str | Game, render_mode: str | None = None) -> Any:
    """Create a PettingZoo AEC environment; `player_0` plays side 0 of the game.

    An observation has `observation`, `action_mask` and `roll`. `observation[row, column, 0]` is the kind of the agent's
    own piece, or 0; `observation[row, column, 1]` that of its opponent's. The start and the dice depend only on the
    seed passed to `reset`.

    >>> env = pettingzoo_env("othello")
    >>> env.reset(seed=1)
    >>> env.agent_selection, int(env.observe("player_0")["action_mask"].sum())
    ('player_0', 4)
    """
    try:
        import gymnasium
        import pettingzoo  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise GameError("pettingzoo_env needs PettingZoo: pip install pettingzoo gymnasium") from error
    rules = games.load(game) if isinstance(game, str) else game
    spaces: Any = gymnasium.spaces
    shape = (rules.rows, rules.columns)

    class GameEnvironment(pettingzoo.AECEnv[str, Any, Any]):
        """Two agents in turn; see `pettingzoo_env`."""

        metadata = {"name": rules.name, "render_modes": ["ansi", "human"], "is_parallelizable": False}  # noqa: RUF012

        def __init__(self) -> None:
            super().__init__()
            self.render_mode = render_mode
            self.possible_agents = list(AGENTS)
            spaces_by_key = {
                "observation": spaces.Box(0, MAX_KIND, (*shape, 2), numpy.int8),
                "action_mask": spaces.Box(0, 1, (action_count(rules),), numpy.int8),
                "roll": spaces.Discrete(roll_count(rules)),
            }
            self.observation_spaces = {agent: spaces.Dict(spaces_by_key) for agent in AGENTS}
            self.action_spaces = {agent: spaces.Discrete(action_count(rules)) for agent in AGENTS}

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            self.agents = list(AGENTS)
            chosen = 0 if seed is None else seed
            self._game = GameInProgress(start(rules, chosen), (None, None), seed=chosen)
            self._show()
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos: dict[str, Any] = {agent: {} for agent in self.agents}

        def step(self, action: Any) -> None:
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            moves = legal_actions(self.state_now)
            if int(action) not in moves:
                raise GameError(
                    f"action {action} is illegal in {self.state_now.text!r}; legal actions: {sorted(moves)}"
                )
            self._cumulative_rewards[agent] = 0.0
            self._game.submit(Decision(moves[int(action)]))
            self._show()
            outcome = self._game.outcome
            if outcome is not None:
                for side, name in enumerate(AGENTS):
                    share = outcome.points / rules.points
                    won = 0.0 if outcome.winner is None else share if outcome.winner == side else -share
                    self.rewards[name], self.terminations[name] = won, True
            self._accumulate_rewards()
            if self.render_mode == "human":
                self.render()

        def _show(self) -> None:
            self.state_now = self._game.state
            self.agent_selection = AGENTS[self.state_now.mover]

        def observe(self, agent: str) -> dict[str, Any]:
            state = self.state_now
            mine = AGENTS[state.mover] == agent
            mask = action_mask(state) if mine and not state.over else numpy.zeros(action_count(rules), numpy.int8)
            board = board_view(state) if mine else -board_view(state)
            planes = numpy.stack((numpy.maximum(board, 0), numpy.maximum(-board, 0)), axis=-1)
            return {"observation": planes, "action_mask": mask, "roll": state.roll}

        def render(self) -> str | None:
            if self.render_mode == "human":
                print(self.state_now)
                return None
            return str(self.state_now)

        def close(self) -> None:
            pass

    return GameEnvironment()
