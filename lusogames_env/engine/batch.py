"""`Batch`: many games of one kind stepped in one call, without Python per game."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lusogames_env.engine.errors import IllegalActionError, OptionError
from lusogames_env.engine.game import RUNNING, TRUNCATED, Box, Game, copy_states, raw_bytes
from lusogames_env.engine.state import OUTCOMES, GameState
from lusogames_env.games import get_game

WAIT, GO_ON = -2, -1  # as in engine/kernel/driver.py
EXTERNAL, RANDOM, FIRST_BOT = 0, 1, 2
ON_TURN, NOBODY = -1, -2  # observers: the seat on turn; write no observation
MIN_GAMES_PER_THREAD = 16


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


class Batch:
    """`num_games` games with equal options, each with a seed of its own.

    Game i of a batch plays exactly as a `GameState` with the same seed. Attributes:
        states: record array (n,), the positions; `masks` must be refreshed after writing to it (`refresh`).
        masks: int8 (n, actions), legal actions of each seat on turn; overwritten by every step.
        deciders: int8 (n, max_seats), who decides for a seat: `EXTERNAL` (the caller), `RANDOM`,
            or `FIRST_BOT` + number of a rule-based player. Scripted seats are played inside compiled code.
    """

    def __init__(
        self,
        game: str | Game | Box,
        num_games: int,
        seed: int | None = None,
        threads: int = 1,
        autoreset: bool = False,
        **options: Any,
    ) -> None:
        """Set up the games.

        Args:
            game: name, `Game` or `Box` (then without options).
            num_games: how many.
            seed: root of all seeds; None takes fresh entropy.
            threads: threads to split the games over; results do not depend on it.
            autoreset: whether `step` starts a new game at once where one has ended.
            **options: options of the game.

        Raises:
            LusogamesError: there is no such game.
            OptionError: a number that is none, or a bad option.
        """
        if not (_is_count(num_games) and _is_count(threads)):
            raise OptionError(f"num_games = {num_games!r}, threads = {threads!r}: expected integers of at least 1")
        if isinstance(game, Box):
            if options:
                raise OptionError(f"a Box has its options already; these come too late: {', '.join(options)}")
            self.box = game
        else:
            self.box = get_game(game).new_box(**options)
        self.num_games, self.threads, self.autoreset = num_games, threads, autoreset
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.states = self.game.new_states(num_games)
        self.masks = np.zeros((num_games, self.game.actions.n), np.int8)
        self.deciders = np.zeros((num_games, self.game.max_seats), np.int8)
        self.rngs = np.zeros((num_games, 4), np.int64)
        self._seeders = np.zeros((num_games, 4), np.int64)
        self._all = np.ones(num_games, np.bool_)
        self._rows = np.arange(num_games)
        self._observers = np.full(num_games, ON_TURN, np.int64)
        self._no_obs = np.zeros((num_games, 0), np.float32)
        self._no_masks = np.zeros((num_games, 0), np.int8)
        self.finished = np.zeros(num_games, np.bool_)
        self.truncated = np.zeros(num_games, np.bool_)
        self.returns = np.zeros((num_games, self.game.max_seats))
        self.seed(seed)
        self.reset()

    @property
    def game(self) -> Game:
        """The game played."""
        return self.box.game

    def seed(self, seed: int | None) -> None:
        """Set the root of all seeds to come; running games are not touched."""
        from lusogames_env.engine.kernel.streams import seed_rows

        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            raise OptionError(f"seed = {seed!r}: expected None or an integer of at least 0")
        words = np.random.SeedSequence(seed).generate_state(2 * self.num_games, np.uint64)
        seeds = (words >> np.uint64(1)).astype(np.int64).reshape(-1, 2)
        seed_rows(self._seeders, seeds[:, 0].copy(), 2)
        seed_rows(self.rngs, seeds[:, 1].copy(), 3)

    def _run(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Call a driver function over all games, split over the threads."""
        n, box = self.num_games, self.box.array
        parts = min(self.threads, max(1, n // MIN_GAMES_PER_THREAD))
        if self._pool is None or parts == 1:
            return [function(self.states, 0, n, box, *args)]
        cuts = [n * i // parts for i in range(parts + 1)]
        jobs = [
            self._pool.submit(function, self.states, lo, hi, box, *args) for lo, hi in zip(cuts, cuts[1:], strict=False)
        ]
        return [job.result() for job in jobs]

    # ---- play ----

    def reset(self, which: np.ndarray | None = None, seeds: np.ndarray | None = None) -> None:
        """Start new games where `which`, bool (n,), is true (default: everywhere).

        Args:
            which: games to start anew.
            seeds: int64 (n,), their seeds; default: the next seed of each game's own stream.
        """
        which = self._all if which is None else np.asarray(which, np.bool_)
        drawn = np.empty(self.num_games, np.int64)
        if seeds is None:
            from lusogames_env.engine.kernel.streams import next_seeds

            next_seeds(self._seeders, which, drawn)
        else:
            drawn[:] = np.where(which, seeds, -1)
            if (drawn[which] < 0).any():
                raise OptionError(f"seeds = {seeds!r}: expected integers from 0 to 2**63 - 1")
        raw_bytes(self.states)[which] = 0
        self._run(self.game.driver.start, drawn)
        self.advance(np.where(which, GO_ON, WAIT))

    def advance(self, actions: np.ndarray, observers: np.ndarray | None = None, obs: np.ndarray | None = None) -> None:
        """Apply actions that are known to be legal, then play the scripted seats; `step` is the checked form.

        Args:
            actions: int (n,): an action, `WAIT` (leave the game alone) or `GO_ON` (only play the scripted seats).
            observers: int64 (n,): seats whose observation is written; default: the seat on turn.
            obs: float32 (n, observation size) to write into; default: nothing is written.

        Raises:
            IllegalActionError: some action was illegal; these games are unchanged, the others went on.
        """
        actions = np.ascontiguousarray(actions, np.int64)
        observers = self._observers if observers is None else self._seats(observers, NOBODY)
        obs = self._no_obs if obs is None else self._room(obs)
        if actions.shape != (self.num_games,):
            raise IllegalActionError(f"actions have shape {actions.shape}; expected ({self.num_games},)")
        if self.deciders.min() < EXTERNAL or self.deciders.max() >= FIRST_BOT + len(self.game.bots):
            raise OptionError(f"deciders: expected 0 … {FIRST_BOT + len(self.game.bots) - 1}")
        driver = self.game.driver
        wrong = self._run(driver.advance, actions, self.deciders, self.rngs, self.masks, observers, obs)
        if any(wrong):
            raise IllegalActionError(
                f"{sum(wrong)} of {self.num_games} actions were illegal; those games are unchanged"
            )

    def _seats(self, seats: np.ndarray, low: int) -> np.ndarray:
        """Return int64 (n,) seats; raise `OptionError` unless all are in ``low … num_players - 1``."""
        seats = np.asarray(seats)
        good = seats.shape == (self.num_games,) and seats.dtype.kind in "iu"
        if not good or seats.min() < low or seats.max() >= self.box.num_players:
            raise OptionError(f"seats: expected {self.num_games} integers from {low} to {self.box.num_players - 1}")
        return np.ascontiguousarray(seats, np.int64)

    def _room(self, obs: np.ndarray) -> np.ndarray:
        """Return `obs`; raise `OptionError` unless observations can be written into it."""
        shape = (self.num_games, self.game.observation.size)
        good = isinstance(obs, np.ndarray) and obs.shape == shape and obs.dtype == np.float32
        if not good or not obs.flags.c_contiguous or not obs.flags.writeable:
            raise OptionError(f"room for observations: expected a contiguous, writable float32 array of shape {shape}")
        return obs

    def step(self, actions: np.ndarray, obs: np.ndarray | None = None) -> None:
        """Take one action in every game (`WAIT` leaves one alone), then set `finished`, `truncated` and `returns`.

        With `autoreset` a game that has ended is followed by a new one at once; `returns`, float64 (n, max_seats),
        then still holds the utilities of the ended one (0 where none ended), of the kind of the option ``reward``.

        Raises:
            IllegalActionError: names the first illegal action; nothing was changed in any game.
        """
        self.require_legal(actions)
        self.advance(actions, None, None if self.autoreset else obs)
        over = self.states["over"]
        self.finished = over != RUNNING
        self.truncated = over == TRUNCATED
        if not self.finished.any():
            self.returns = np.zeros_like(self.returns)  # a new array: the caller may have kept the last one
        else:
            self.returns = np.where(self.finished[:, None], self.outcomes(), 0.0)
            if self.autoreset:
                self.reset(self.finished)
        if self.autoreset and obs is not None:
            self.observe(out=obs)

    def integers(self, actions: Any) -> np.ndarray:
        """Return a caller's actions as an array; raise `IllegalActionError` unless they are n integers."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_games,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions are {actions.dtype} of shape {actions.shape}; expected integers of shape ({self.num_games},)"
            )
        return actions

    def require_legal(self, actions: np.ndarray) -> None:
        """Raise `IllegalActionError` unless every action is legal for the seat on turn, or `WAIT`."""
        actions = self.integers(actions)
        inside = (actions >= 0) & (actions < self.masks.shape[1])
        legal = inside & (self.masks[self._rows, np.where(inside, actions, 0)] != 0)
        wrong = np.flatnonzero(~(legal | (actions == WAIT)))
        if wrong.size:
            i, action = int(wrong[0]), int(actions[wrong[0]])
            if self.states["over"][i] != RUNNING:
                raise IllegalActionError(f"game {i} is over: give WAIT (-2) or reset it")
            what = f"'{self.box.labels[action]}' ({action})" if inside[i] else str(action)
            good = [self.box.labels[a] for a in np.flatnonzero(self.masks[i])]
            raise IllegalActionError(f"game {i}: action {what} is not legal; legal: {good}")

    # ---- look ----

    @property
    def actors(self) -> np.ndarray:
        """Seats on turn, int64 (n,), -1 after the end. A copy."""
        return self.states["actor"].astype(np.int64)

    @property
    def running(self) -> np.ndarray:
        """Which games still run, bool (n,)."""
        return self.states["over"] == RUNNING

    def observe(self, seats: np.ndarray | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """Return float32 (n, observation size) as `seats`, int64 (n,), see it (default: seats on turn; -1 zeros)."""
        if out is None:
            out = np.empty((self.num_games, self.game.observation.size), np.float32)
        seats = self.actors if seats is None else self._seats(seats, -1)
        self._run(self.game.driver.watch, seats, self._room(out), self._no_masks)
        return out

    def refresh(self) -> None:
        """Recompute `masks` after `states` was written by hand."""
        obs = np.empty((self.num_games, self.game.observation.size), np.float32)
        self._run(self.game.driver.watch, self.actors, obs, self.masks)

    def outcomes(self, kind: str | None = None) -> np.ndarray:
        """Return float64 (n, max_seats) utilities (default kind: the option ``reward``), or ``raw`` scores."""
        kind = kind or self.box.options["reward"]
        if kind not in OUTCOMES:
            raise OptionError(f"outcome '{kind}': expected one of {', '.join(OUTCOMES)}")
        out = np.zeros((self.num_games, self.game.max_seats))
        self._run(self.game.driver.score, OUTCOMES[kind], out)
        return out

    def check(self) -> np.ndarray:
        """Return int64 (n,): 0, or the number of the first broken invariant of each game."""
        codes = np.zeros(self.num_games, np.int64)
        self._run(self.game.driver.verify, codes)
        return codes

    def random_actions(self, rngs: np.ndarray | None = None) -> np.ndarray:
        """Return int64 (n,) legal actions drawn uniformly, `WAIT` where a game is over."""
        from lusogames_env.engine.kernel.streams import sample_masks

        if rngs is not None and (rngs.shape != self.rngs.shape or rngs.dtype != np.int64):
            raise OptionError(f"rngs: expected an int64 array of shape {self.rngs.shape}")
        out = np.empty(self.num_games, np.int64)
        sample_masks(self.masks, self.rngs if rngs is None else rngs, out)
        return out

    def redeal(self, seats: np.ndarray, seeds: np.ndarray) -> None:
        """Replace, in place, what ``seats[i]`` cannot know in game i by a sample that agrees with all it knows."""
        seeds = np.asarray(seeds)
        if seeds.shape != (self.num_games,) or seeds.dtype.kind not in "iu":
            raise OptionError(f"seeds: expected {self.num_games} integers")
        self._run(self.game.driver.hide, self._seats(seats, 0), np.ascontiguousarray(seeds, np.int64))
        self.refresh()

    def state(self, i: int) -> GameState:
        """Return a copy of game `i`, 0 … n - 1."""
        if not isinstance(i, (int, np.integer)) or not 0 <= i < self.num_games:
            raise OptionError(f"game {i!r}: expected an integer from 0 to {self.num_games - 1}")
        return GameState(self.box, copy_states(self.states[i : i + 1]), self.masks[i : i + 1].copy())

    def close(self) -> None:
        """End the threads; calling it twice is fine."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def __setstate__(self, data: dict[str, Any]) -> None:
        self.__dict__.update(data)
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
