"""The PettingZoo AEC environment of any game.

Order, bounds and legality are checked here, not in PettingZoo's wrappers, which take most of a light game's time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Game
from lusogames_env.engine.render import show
from lusogames_env.engine.spaces import action_space, flat_observation_space, masked_observation_space
from lusogames_env.engine.state import GameState
from lusogames_env.engine.table import RENDER_MODES, Table


class GameAECEnv(AECEnv):
    """One game, seat after seat.

    Observations are ``{"observation": float32 (size,), "action_mask": int8 (actions,)}``; the mask of a seat that is
    not on turn is all 0. ``infos[agent]["action_mask"]`` is the same array as in the observation. Rewards are 0 until
    the end, then each agent's utility of the kind ``reward``; all agents end together. After the end ``infos`` carry
    ``win``, ``placement``, ``margin`` and ``score``.

    An illegal action ends the game: the offender gets -1, all others 0, ``infos`` tell which action it was
    (option ``illegal="raise"``: it raises `IllegalActionError` and changes nothing).
    """

    def __init__(
        self, game: Game, render_mode: str | None = None, render_seat: int | None = None, **options: Any
    ) -> None:
        """Prepare the environment; the first `reset` sets up a game.

        Args:
            game: the game.
            render_mode: None, ``"human"`` (prints), ``"ansi"`` (returns text) or ``"rgb_array"`` (uint8 picture).
            render_seat: seat whose view is rendered; None renders all open.
            **options: options of the game (``lusogames games`` lists them).

        Raises:
            OptionError, ComponentsError: an option or component file is wrong.
        """
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode = {render_mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
        self.table = Table(game.new_box(**options))
        if render_seat is not None and render_seat not in range(self.table.box.num_players):
            raise OptionError(f"render_seat = {render_seat!r}: expected None or 0 … {self.table.box.num_players - 1}")
        self.metadata = metadata(game)
        self.render_mode, self.render_seat = render_mode, render_seat
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.box.num_players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_space = masked_observation_space(game)
        self._action_space = action_space(game)
        flat = flat_observation_space(game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, self._action_space)
        self.state_space = spaces.Box(-1.0, 1.0, (len(self.possible_agents) * flat.shape[0],), np.float32)
        self.agent_selection = self.possible_agents[0]
        self.infos: dict[str, dict[str, Any]] = {}
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self._fresh = False

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, the same object for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space, the same object for every agent."""
        return self._action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. With a seed it is reproducible; without one the stream of games goes on."""
        self.table.start(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_moves()} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        if self.table.over:
            self._finish()
        else:
            self._turn()

    def _no_moves(self) -> np.ndarray:
        return np.zeros(self._action_space.n, np.int8)

    def _turn(self) -> None:
        """Give the turn to the seat that decides next."""
        self.agent_selection = agent = self.possible_agents[self.table.actor]
        self.infos[agent] = {"action_mask": self.table.mask[0].copy()}
        self._fresh = True

    def _finish(self) -> None:
        """End the game for all agents at once."""
        rewards = self.table.rewards()
        for agent in self.agents:
            seat = self._seat_of[agent]
            self.rewards[agent] = rewards[seat]
            self._cumulative_rewards[agent] += rewards[seat]
            self.terminations[agent] = not self.table.truncated
            self.truncations[agent] = self.table.truncated
            self.infos[agent] = {"action_mask": self._no_moves(), **self.table.closing_info(seat)}
        self._fresh = False

    def step(self, action: int | None) -> None:
        """Take the action of ``agent_selection``; None for an agent whose game is over."""
        table = self.table
        if table.over or not table.started:
            self._step_outside(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        table.move(action)
        if table.over:
            self._finish()
        else:
            self._turn()
            if self.agent_selection != agent:
                self.infos[agent] = {"action_mask": self._no_moves()}
        if self.render_mode == "human":
            self.render()

    def _step_outside(self, action: int | None) -> None:
        """Let an agent whose game is over leave."""
        if not self.table.started:
            raise LusogamesError("step() before reset(): call reset() first")
        if not self.agents:
            raise LusogamesError("the game is over and all agents are done: call reset()")
        self._was_dead_step(action)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what `agent` may see, on turn or not. The observation is a new array at every call."""
        info = self.infos.get(agent)
        mask = info["action_mask"] if info is not None else self._no_moves()
        if self._fresh and agent == self.agent_selection:
            self._fresh = False  # the array that was written with the last move is handed out once
            return {"observation": self.table.obs[0], "action_mask": mask}
        return {"observation": self.table.observe(self._seat_of[agent]), "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Return observation (None unless `observe`), reward, termination, truncation and info of the agent on turn."""
        if not self.table.started:
            raise LusogamesError("last() before reset(): call reset() first")
        return super().last(observe)

    def state(self) -> np.ndarray:
        """Return float32 (agents * size,): the observations of all seats in a row, for centralised critics."""
        return np.concatenate([self.table.observe(seat) for seat in range(len(self.possible_agents))])

    def game_state(self) -> GameState:
        """Return the position as a `GameState` of its own: to clone, save, search or score it."""
        return self.table.state()

    def render(self) -> str | np.ndarray | None:
        """Show the position in the way of ``render_mode``."""
        return show(self.table.state(), self.render_seat, self.render_mode)

    def close(self) -> None:
        """Nothing is held; calling it any number of times is fine."""


def metadata(game: Game) -> dict[str, Any]:
    """Return the metadata of a game's PettingZoo environments."""
    return {
        "name": f"{game.name}_v{game.version}",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }
