"""`GameVectorEnv`: many games as one Gymnasium vector environment, stepped natively."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from lusogames_env.engine.batch import GO_ON, WAIT
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.spaces import action_space, flat_observation_space
from lusogames_env.wrappers.learners import LearnerBatch


class GameVectorEnv(VectorEnv):
    """`num_envs` games with one learner each; what `SingleAgentEnv` is for one.

    Observations: float32 (num_envs, size). ``infos["action_mask"]``: int8 (num_envs, actions). Autoreset modes:
    next-step (the default: the step after an end starts a new game and ignores its action), same-step (``final_obs``
    and ``final_info`` keep the end), disabled (``reset(options={"reset_mask": …})``).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Any = "random",
        seat: int | str = "rotate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Prepare the environment.

        Args:
            game: name of the game.
            num_envs: number of games.
            opponents, seat: as in `SingleAgentEnv`.
            autoreset_mode: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``.
            threads: threads to split the games over.
            render_mode: None or ``"ansi"``.
            **options: options of the game.
        """
        if render_mode not in (None, "ansi"):
            raise OptionError(f"render_mode = {render_mode!r}: expected None or 'ansi'")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise OptionError(f"autoreset_mode = {autoreset_mode!r}: expected one of {known}") from None
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.learners = LearnerBatch(game, num_envs, opponents=opponents, seat=seat, threads=threads, **options)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = flat_observation_space(self.learners.game)
        self.single_action_space = action_space(self.learners.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._illegal = self.learners.box.options["illegal"]
        self._done = np.ones(num_envs, np.bool_)
        self._seeded = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start new games, all or those of ``options["reset_mask"]``, bool (num_envs,).

        `seed` is one root seed (each game draws its own from it) or a list of one per game.
        """
        which = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"], np.bool_)
            if which.shape != (self.num_envs,) or not which.any():
                raise OptionError(f"reset_mask: expected bool ({self.num_envs},) with at least one true")
        seeds = None
        if seed is not None and not isinstance(seed, (int, np.integer, Sequence, np.ndarray)):
            raise OptionError(f"seed = {seed!r}: expected one integer or a list of {self.num_envs}")
        if seed is None or isinstance(seed, (int, np.integer)):
            if seed is not None or not self._seeded:
                super().reset(seed=None if seed is None else int(seed))
                self.learners.seed(int(self.np_random.integers(2**63 - 1)))
        else:
            words = [np.random.SeedSequence(s).generate_state(1, np.uint64)[0] >> np.uint64(1) for s in seed]
            seeds = np.array(words, np.int64)
            if seeds.shape != (self.num_envs,):
                raise OptionError(f"seed: expected one integer or a list of {self.num_envs}")
            self.learners.seed(int(seeds[0]))
        self._seeded = True
        obs = self.learners.reset(which, seeds)
        self._done[which] = False
        return obs, self._infos()

    def _infos(self) -> dict[str, Any]:
        all_of_them = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.learners.masks,
            "_action_mask": all_of_them,
            "seat": self.learners.seats.copy(),
            "_seat": all_of_them.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (num_envs, actions)."""
        return self.learners.batch.masks != 0

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in every game, int (num_envs,); ended games are handled by the autoreset mode.

        Raises:
            IllegalActionError: no such array; or, with ``illegal="raise"``, an action is illegal. No game was changed.
        """
        if not self._seeded:
            raise LusogamesError("step() before reset(): call reset() first")
        actions = self.learners.batch.integers(actions).astype(np.int64)
        actions[actions == WAIT] = GO_ON  # WAIT is ours to give, not the caller's: both are illegal actions
        if self._done.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            ended = np.flatnonzero(self._done).tolist()
            raise LusogamesError(f"games {ended} are over: reset(options={{'reset_mask': …}}) them first")
        starting = self._done.copy()
        actions[starting] = WAIT
        offenders = self._offenders(actions)
        actions[offenders] = WAIT
        rewards, terminated, truncated = self.learners.step(actions)
        rewards[offenders], terminated[offenders] = -1.0, True
        if starting.any():  # next-step mode: this step only brings the first observation of the new game
            self.learners.reset(starting)
        self._done = terminated | truncated
        infos: dict[str, Any] = {}
        if self._done.any() and self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._final(self._done, offenders)
            self.learners.reset(self._done)
            self._done = np.zeros(self.num_envs, np.bool_)
        elif self._done.any():
            infos = self._closing(self._done, offenders)
        return self.learners.obs, rewards, terminated, truncated, {**infos, **self._infos()}

    def _offenders(self, actions: np.ndarray) -> np.ndarray:
        """Return which actions are illegal, bool (num_envs,), or raise under ``illegal="raise"``."""
        if self._illegal == "raise":
            self.learners.batch.require_legal(actions)
            return np.zeros(self.num_envs, np.bool_)
        masks = self.learners.batch.masks
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(self.num_envs), np.where(inside, actions, 0)] != 0)
        return ~legal & (actions != WAIT)

    def _closing(self, ended: np.ndarray, offenders: np.ndarray) -> dict[str, Any]:
        """Return what the infos of ended games say, as arrays with their presence masks."""
        infos: dict[str, Any] = {"illegal_action": offenders.copy(), "_illegal_action": ended.copy()}
        known = ended & ~offenders
        if known.any():
            for name, values in self.learners.results_by_kind().items():
                infos[name] = np.where(known, values, 0.0)
                infos[f"_{name}"] = known.copy()
        return infos

    def _final(self, ended: np.ndarray, offenders: np.ndarray) -> dict[str, Any]:
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            final_obs[i] = self.learners.obs[i].copy()
        closing = self._closing(ended, offenders)
        closing |= {"action_mask": np.zeros_like(self.learners.batch.masks), "_action_mask": ended.copy()}
        return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": closing, "_final_info": ended.copy()}

    def render(self) -> tuple[str, ...] | None:
        """Return what each learner may see, as text, with ``render_mode="ansi"``."""
        if self.render_mode is None:
            return None
        return tuple(self.learners.batch.state(i).text(int(self.learners.seats[i])) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.learners.close()
