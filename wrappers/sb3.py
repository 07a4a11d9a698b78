"""`SB3VecEnv`: many games as one stable-baselines3 vector environment, for `sb3_contrib.MaskablePPO` and its kin."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from lusogames_env.engine.batch import GO_ON, WAIT
from lusogames_env.engine.errors import OptionError, StateError
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.spaces import action_space, flat_observation_space
from lusogames_env.wrappers.learners import LEARNER, LearnerBatch

ILLEGAL_REWARD = -1.0


class SB3VecEnv(VecEnv):
    """`num_envs` games, in each of which one seat is the learner's; all other seats are played inside `step`.

    Observation: Box float32 (size,). Action: Discrete. Masks: ``env_method("action_masks")``, bool (n, actions).
    A game that ends is followed by a new one in the same step. The info of its last step holds

    - ``terminal_observation``: float32 (size,), what the learner saw at the end,
    - ``TimeLimit.truncated``: whether the game was cut off at ``max_rounds``,
    - ``episode``: ``{"r": utility, "l": decisions of the learner, "t": seconds since the start}`` as `Monitor` writes,
    - ``seat``: the learner's seat (of several, the last on turn),
    - ``opponents``: the name of the player of every seat (``learner`` for its own),
    - ``illegal_action``: the action and its text, if the game ended by one.

    What an illegal action does is the game's option ``illegal``: ``lose`` (default) ends the game with reward -1,
    ``raise`` raises `IllegalActionError`.
    """

    def __init__(
        self,
        game: str | Game | Box,
        num_envs: int,
        opponents: Any = "random",
        seat: int | str = "rotate",
        seed: int | None = None,
        threads: int = 1,
        mark_truncated: bool = True,
        **options: Any,
    ) -> None:
        """Set up the games.

        Args:
            game: name, `Game` or `Box`.
            num_envs: how many games.
            opponents: a player, a list of players, or a mapping of players to weights.
            seat: the learner's seat: a number, ``"rotate"`` or ``"random"``; or its seats: ``"team"``, ``"all"``.
            seed: root of all seeds.
            threads: threads to split the games over.
            mark_truncated: False tells the trainer that a game cut off at ``max_rounds`` has really ended, so that it
                adds no estimated value to the utility that is paid then.
            **options: options of the game.

        Raises:
            OptionError: a bad option, seat or opponent.
        """
        self.learners = LearnerBatch(game, num_envs, opponents, seat=seat, seed=seed, threads=threads, **options)
        self.game, self.box = self.learners.game, self.learners.box
        self.mark_truncated = mark_truncated
        self._rows = np.arange(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._root: int | None = None
        self._actions = np.full(num_envs, WAIT, np.int64)
        self._start = time.monotonic()
        super().__init__(num_envs, flat_observation_space(self.game), action_space(self.game))

    # ---- play ----

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the root of all seeds; as everywhere in stable-baselines3 it counts from the next `reset` on."""
        self._root = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        return [self._root] * self.num_envs

    def reset(self) -> np.ndarray:
        """Start new games everywhere and return float32 (n, size)."""
        if self._root is not None:
            self.learners.seed(self._root)
            self._root = None
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return self.learners.reset()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions, int (n,), for `step_wait`; raises `IllegalActionError` if they are something else."""
        self._actions = self.learners.batch.integers(np.asarray(actions).reshape(-1)).astype(np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Play up to the learner's next decisions.

        Returns:
            observations float32 (n, size), rewards float32 (n,), dones bool (n,), a list of n infos; all new objects.

        Raises:
            IllegalActionError: with ``illegal="raise"``, an action is illegal; no game was changed.
        """
        actions, learners = self._actions, self.learners
        if self.box.options["illegal"] == "raise":
            actions = np.where(actions == WAIT, GO_ON, actions)  # no game can be left out: as illegal as any other
        illegal = self._illegal(actions) if self.box.options["illegal"] == "lose" else np.zeros(self.num_envs, bool)
        utilities, terminated, truncated = learners.step(np.where(illegal, WAIT, actions))
        rewards = np.where(illegal, ILLEGAL_REWARD, utilities).astype(np.float32)
        dones = terminated | truncated | illegal
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            for i in ended:
                infos[i] = self._last_info(int(i), rewards[i], truncated[i], int(actions[i]) if illegal[i] else None)
            self._lengths[ended] = 0
            learners.reset(dones)
        return learners.obs, rewards, dones, infos

    def _illegal(self, actions: np.ndarray) -> np.ndarray:
        masks = self.learners.batch.masks
        inside = (actions >= 0) & (actions < masks.shape[1])
        return ~inside | (masks[self._rows, np.where(inside, actions, 0)] == 0)

    def _last_info(self, i: int, reward: float, truncated: bool, illegal: int | None) -> dict[str, Any]:
        learners = self.learners
        seconds = round(time.monotonic() - self._start, 6)
        names = [
            "learner" if code == LEARNER else learners.players[code].name
            for code in learners.assigned[i, : learners.num_players]
        ]
        info: dict[str, Any] = {
            "terminal_observation": learners.obs[i].copy(),
            "TimeLimit.truncated": bool(truncated) and self.mark_truncated,
            "episode": {"r": float(reward), "l": int(self._lengths[i]), "t": seconds},
            "seat": int(learners.seats[i]),
            "opponents": names,
        }
        if illegal is not None:
            inside = 0 <= illegal < self.game.actions.n
            info["illegal_action"] = {
                "action": illegal,
                "label": self.box.labels[illegal] if inside else "out of range",
            }
        return info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of every learner, bool (n, actions)."""
        return self.learners.batch.masks.astype(np.bool_)

    def set_opponents(self, opponents: Any) -> None:
        """Replace the opponents: a player, a list of players, or a mapping of players to weights."""
        self.learners.set_opponents(opponents)

    def close(self) -> None:
        """End the threads; calling it twice is fine."""
        self.learners.close()

    # ---- stable-baselines3's questions about single environments ----

    def _indices(self, indices: VecEnvIndices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [int(i) for i in indices] if isinstance(indices, Iterable) else [int(indices)]

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Call a method for all games; ``action_masks`` gives bool (k, actions) for the chosen ones."""
        if method_name == "action_masks":
            return self.action_masks()[self._indices(indices)]
        if indices is not None:
            raise OptionError(f"'{method_name}' concerns all games at once: call it without indices")
        return [getattr(self, method_name)(*args, **kwargs)] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        """Say whether the games have an attribute or method of this name."""
        return attr_name == "render_mode" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, once per chosen game; ``action_masks`` gives functions that return one game's mask."""
        chosen = self._indices(indices)
        if attr_name == "render_mode":
            return [None for _ in chosen]
        if attr_name == "action_masks":
            return [lambda i=i: self.action_masks()[i] for i in chosen]
        return [getattr(self, attr_name) for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all games at once."""
        if indices is not None:
            raise OptionError(f"'{attr_name}' is one for all games: set it without indices")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Say True for `Monitor` alone: the infos carry what it would write."""
        return [issubclass(wrapper_class, Monitor) for _ in self._indices(indices)]

    # ---- stop and go on ----

    def get_state(self) -> dict[str, np.ndarray]:
        """Return all that the future of the games depends on, as arrays; `set_state` goes on from there bit for bit."""
        learners, batch = self.learners, self.learners.batch
        generator = json.dumps(learners._generator.bit_generator.state).encode()
        return {
            "states": batch.states.view(np.uint8).reshape(self.num_envs, -1).copy(),
            "generator": np.frombuffer(generator, np.uint8).copy(),
            "lengths": self._lengths.copy(),
            "obs": learners.obs.copy(),
            "live": learners._live.copy(),
            **{name: getattr(learners, name).copy() for name in ("seats", "games_started", "assigned", "switched")},
            **{name: getattr(batch, name).copy() for name in ("masks", "deciders", "rngs", "_seeders")},
        }

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `get_state` returned, under the same opponents in the same order.

        Raises:
            StateError: an array is missing, of another shape or type, or breaks the game's invariants.
        """
        learners, batch = self.learners, self.learners.batch
        itemsize = self.game.state_record.dtype.itemsize
        targets = {
            "lengths": self._lengths,
            "obs": np.empty((self.num_envs, self.game.observation.size), np.float32),
            "live": learners._live,
            **{name: getattr(learners, name) for name in ("seats", "games_started", "assigned", "switched")},
            **{name: getattr(batch, name) for name in ("masks", "deciders", "rngs", "_seeders")},
            "states": np.empty((self.num_envs, itemsize), np.uint8),
        }
        for name, target in targets.items():
            given = state.get(name)
            if given is None or given.shape != target.shape or given.dtype != target.dtype:
                raise StateError(f"saved games: '{name}' must be {target.dtype} of shape {target.shape}")
        self._require_bounds(state)
        states = np.ascontiguousarray(state["states"]).view(self.game.state_record.dtype).reshape(-1)
        batch.states[:] = states
        if batch.check().any():
            raise StateError(f"saved games: a position breaks the invariants of {self.game.name}")
        for name, target in targets.items():
            target[:] = state[name]
        learners.obs = targets["obs"]
        learners._generator.bit_generator.state = json.loads(state["generator"].tobytes())
        self._root = None

    def _require_bounds(self, state: dict[str, np.ndarray]) -> None:
        seats, assigned = state["seats"], state["assigned"]
        known = len(self.learners.players)
        if (seats < 0).any() or (seats >= self.learners.num_players).any():
            raise StateError("saved games: a learner's seat is out of range")
        if (assigned < LEARNER).any() or (assigned >= known).any():
            raise StateError(f"saved games: they need other opponents than the {known} that are set")
