"""`SingleAgentEnv`: one learner against opponents as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from lusogames_env.engine.batch import GO_ON, WAIT
from lusogames_env.engine.errors import IllegalActionError, LusogamesError, OptionError
from lusogames_env.engine.render import show
from lusogames_env.engine.spaces import action_space, flat_observation_space
from lusogames_env.engine.state import GameState
from lusogames_env.engine.table import RENDER_MODES, action_index
from lusogames_env.wrappers.learners import LearnerBatch


class SingleAgentEnv(gymnasium.Env[np.ndarray, np.integer]):
    """One seat learns, all others are played for it inside `step`.

    Observation: float32 (size,). Action: ``Discrete``. The legal actions are in ``info["action_mask"]``, int8, and from
    `action_masks`, bool. The reward is 0 until the end, then the learner's utility of the kind ``reward``; ``info``
    then has ``win``, ``placement``, ``margin`` and ``score``. An illegal action ends the episode with reward -1
    (``terminated``), and ``info["illegal_text"]`` tells why; with ``illegal="raise"`` it raises `IllegalActionError`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        game: str,
        opponents: Any = "random",
        seat: int | str = "rotate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Prepare the environment.

        Args:
            game: name of the game.
            opponents: a player, a list, or a mapping of players to weights (see `engine.players.make_player`).
            seat: the learner's seat: a number, ``"rotate"`` or ``"random"``.
            render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``; shows what the learner may see.
            **options: options of the game.
        """
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode = {render_mode!r}: expected None or one of {', '.join(RENDER_MODES)}")
        self.learners = LearnerBatch(game, 1, opponents=opponents, seat=seat, **options)
        self.observation_space = flat_observation_space(self.learners.game)
        self.action_space = action_space(self.learners.game)
        self.render_mode = render_mode
        self._illegal = self.learners.box.options["illegal"]
        self._ready = False
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a new game; return what the learner sees at its first decision, and the info."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.learners.seed(int(self.np_random.integers(2**63 - 1)))
            self._seeded = True
        self._ready = True
        obs = self.learners.reset()
        return obs[0].copy(), self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.learners.batch.masks[0].copy(), "seat": int(self.learners.seats[0])}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (actions,)."""
        return self.learners.batch.masks[0] != 0

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the learner's action, then play the others up to its next decision or the end of the game."""
        if not self._ready:
            raise LusogamesError("the game is over or not yet begun: call reset() before step()")
        number = action_index(action, self.learners.game.actions.n)
        fits = abs(number) < 2**63 and number != WAIT  # these two, too, are as illegal as any other
        known = number if fits else GO_ON
        try:
            rewards, terminated, truncated = self.learners.step(np.array([known], np.int64))
        except IllegalActionError as error:
            if self._illegal == "raise":
                raise
            return self._lose(number, str(error))
        over = bool(terminated[0] or truncated[0])
        info = self._info()
        if over:
            self._ready = False
            info |= self.learners.closing_info(0)
        if self.render_mode == "human":
            self.render()
        return self.learners.obs[0].copy(), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def _lose(self, action: int, text: str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self._ready = False
        info = {"action_mask": np.zeros_like(self.learners.batch.masks[0]), "seat": int(self.learners.seats[0])}
        return self.learners.obs[0].copy(), -1.0, True, False, {**info, "illegal_action": action, "illegal_text": text}

    def game_state(self) -> GameState:
        """Return the position as a `GameState` of its own."""
        return self.learners.batch.state(0)

    def render(self) -> Any:
        """Show what the learner may see, in the way of ``render_mode``."""
        return show(self.game_state(), int(self.learners.seats[0]), self.render_mode)

    def close(self) -> None:
        """Free what is held; calling it twice is fine."""
        self.learners.close()
