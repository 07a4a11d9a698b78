"""The parallel view of any game: all agents are asked at every step, those that do not decide are ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from lusogames_env.engine.aec import metadata
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Game
from lusogames_env.engine.render import show
from lusogames_env.engine.spaces import action_space, masked_observation_space
from lusogames_env.engine.state import GameState
from lusogames_env.engine.table import RENDER_MODES, Table


class GameParallelEnv(ParallelEnv):
    """One game as a PettingZoo parallel environment.

    At each step only the actions of the agents whose masks have ones count: the seat on turn, and where the rules let
    several seats decide at the same time (Aljubarrota's simultaneous pledges) all of these. What the others send is
    ignored, and they may be left out. Observations, masks, rewards, infos and illegal actions are as in `GameAECEnv`.
    """

    def __init__(
        self, game: Game, render_mode: str | None = None, render_seat: int | None = None, **options: Any
    ) -> None:
        """Prepare the environment; the arguments are those of `GameAECEnv`."""
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode = {render_mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
        self.table = Table(game.new_box(**options))
        if render_seat is not None and render_seat not in range(self.table.box.num_players):
            raise OptionError(f"render_seat = {render_seat!r}: expected None or 0 … {self.table.box.num_players - 1}")
        self.metadata = metadata(game)
        self.render_mode, self.render_seat = render_mode, render_seat
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.box.num_players)]
        self.agents: list[str] = []
        self._observation_space = masked_observation_space(game)
        self._action_space = action_space(game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, self._action_space)
        self._deciding: list[int] = []
        size = len(self.possible_agents) * game.observation.size
        self.state_space = spaces.Box(-1.0, 1.0, (size,), np.float32)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, the same object for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space, the same object for every agent."""
        return self._action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, dict[str, Any]]]:
        """Start a new game; return observations and infos of all agents."""
        self.table.start(seed)
        self.agents = self.possible_agents[:]
        observations = self._observations()
        return observations, self._infos(observations)

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        found = {}
        masks = self.table.masks()
        self._deciding = [seat for seat in range(len(self.possible_agents)) if masks[seat].any()]
        for seat, agent in enumerate(self.possible_agents):
            obs = self.table.obs[0] if seat == self.table.actor else self.table.observe(seat)
            found[agent] = {"observation": obs, "action_mask": masks[seat].copy()}
        return found

    def _infos(self, observations: dict[str, dict[str, np.ndarray]]) -> dict[str, dict[str, Any]]:
        infos: dict[str, dict[str, Any]] = {}
        for seat, agent in enumerate(self.possible_agents):
            infos[agent] = {"action_mask": observations[agent]["action_mask"]}
            if self.table.over:
                infos[agent].update(self.table.closing_info(seat))
        return infos

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, dict[str, np.ndarray]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Take the action of the agent on turn; return observations, rewards, terminations, truncations, infos."""
        if not self.table.started:
            raise LusogamesError("step() before reset(): call reset() first")
        if not self.agents:
            return {}, {}, {}, {}, {}
        self._move(actions)
        agents, over = self.agents, self.table.over
        observations = self._observations()
        rewards = self.table.rewards() if over else [0.0] * len(agents)
        ended = dict.fromkeys(agents, over and not self.table.truncated)
        cut = dict.fromkeys(agents, self.table.truncated)
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return observations, dict(zip(agents, rewards, strict=True)), ended, cut, self._infos(observations)

    def _move(self, actions: dict[str, int]) -> None:
        """Take the actions of all agents that decide now, one after the other."""
        asked = {seat: self.possible_agents[seat] for seat in self._deciding}
        missing = [agent for agent in asked.values() if agent not in actions]
        if missing:
            raise LusogamesError(f"{', '.join(missing)} must decide, but actions has only {sorted(actions)}")
        while self.table.actor in asked:
            self.table.move(actions[asked.pop(self.table.actor)])

    def state(self) -> np.ndarray:
        """Return float32 (agents * size,): the observations of all seats in a row, for centralised critics."""
        return np.concatenate([self.table.observe(seat) for seat in range(len(self.possible_agents))])

    def game_state(self) -> GameState:
        """Return the position as a `GameState` of its own."""
        return self.table.state()

    def render(self) -> str | np.ndarray | None:
        """Show the position in the way of ``render_mode``."""
        return show(self.table.state(), self.render_seat, self.render_mode)

    def close(self) -> None:
        """Nothing is held; calling it any number of times is fine."""
