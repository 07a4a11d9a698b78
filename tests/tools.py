"""Helpers for tests."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lusogames_env.engine import Box, Game
from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng
from lusogames_env.engine.state import OUTCOMES, GameState

ROOT = Path(__file__).resolve().parent.parent
TOY = "tests.toy"


@kernel
def _find_seed(rng: Any, bounds: Any, values: Any, limit: int) -> int:
    for seed in range(limit):
        seed_rng(rng, seed, 7)
        hit = True
        for i in range(bounds.shape[0]):
            if randint(rng, bounds[i]) != values[i]:
                hit = False
                break
        if hit:
            return seed
    return -1


def force_draws(record: Any, draws: Sequence[tuple[int, int]]) -> None:
    """Set ``record.rng`` so that the next calls of ``randint(rng, n)`` give the values of ``(n, value)`` in order."""
    bounds = np.array([n for n, _ in draws], np.int64)
    values = np.array([value for _, value in draws], np.int64)
    rng = np.zeros(4, np.int64)
    seed = _find_seed(rng, bounds, values, 50_000_000)
    if seed < 0:
        raise ValueError(f"no seed found that draws {list(draws)}")
    seed_rng(rng, seed, 7)
    record.rng[:] = rng


# ---- what the generic tests run over ----


def packages() -> list[str]:
    """Packages of all games, those of the suite and the toy."""
    from lusogames_env.games import game_names

    return [f"lusogames_env.games.{name}" for name in game_names()] + [TOY]


def load_game(package: str) -> Game:
    """Return the game of a package."""
    return importlib.import_module(f"{package}.game").GAME


@dataclass(frozen=True)
class Case:
    """A game under one of its variants."""

    package: str
    variant: str

    @property
    def id(self) -> str:
        """Name of the case in test reports."""
        return f"{self.game.name}-{self.variant}"

    @property
    def game(self) -> Game:
        """The game."""
        return load_game(self.package)

    @property
    def options(self) -> dict[str, Any]:
        """The variant's options."""
        return self.game.variants[self.variant]

    @cached_property
    def box(self) -> Box:
        """The box all games of this case are played with."""
        return self.game.new_box(**self.options)

    def new(self, seed: int) -> GameState:
        """Start a game."""
        return GameState.from_box(self.box, seed)

    def position(self, seed: int, plies: int) -> GameState:
        """Return a position reached after at most `plies` plies, the game still running.

        Every other seed mixes the rule-based player's moves in: uniform play alone never sees some late positions.
        """
        state, generator = self.new(seed), np.random.default_rng(seed)
        skill = 0.8 * (seed % 2)
        for i in range(plies):
            before = state.clone()
            skilled = generator.random() < skill
            state.apply(state.bot_action(self.game.bots[0], seed=i) if skilled else random_action(state, generator))
            if state.over:
                return before
        return state

    def positions(self, seed: int, n: int) -> Iterator[GameState]:
        """Yield `n` running positions of random games, spread over the length of a game."""
        length = len(self.actions)
        for i in range(n):
            yield self.position(seed + i, (length * i) // n)

    @cached_property
    def actions(self) -> list[int]:
        """A whole random game with seed 0, as actions."""
        return [action for _, action in random_game(self.new(0), 0)]


@cache
def all_cases(only: tuple[str, ...] = ()) -> list[Case]:
    """Return every game under every variant; `only` names the games to keep, all if empty."""
    chosen = [package for package in packages() if not only or package.rpartition(".")[2] in only]
    return [Case(package, variant) for package in chosen for variant in load_game(package).variants]


def zero_sum(box: Box) -> bool:
    """Return whether the seats play against each other: not alone, and in no mode in which all can lose together."""
    return box.num_players > 1 and "mode" not in box.options


# ---- random play ----


def random_action(state: GameState, generator: np.random.Generator) -> int:
    """Return a uniformly drawn legal action."""
    return int(generator.choice(state.legal_actions()))


def mixed_actions(batch: Batch) -> np.ndarray:
    """Return int64 (n,) actions: uniform in some games, those of each rule-based player in others; -2 after the end."""
    n, players = batch.num_games, 1 + len(batch.game.bots)
    actions, kinds = np.full(n, WAIT, np.int64), np.arange(n) % players - 1
    batch.game.driver.decide(batch.states, 0, n, batch.box.array, batch.masks, kinds, batch.rngs, actions)
    return actions


def random_game(state: GameState, seed: int) -> Iterator[tuple[GameState, int]]:
    """Play `state` to its end in place; yield it before each action, with the action."""
    generator = np.random.default_rng(seed)
    while not state.over:
        action = random_action(state, generator)
        yield state, action
        state.apply(action)


def bits(states: np.ndarray) -> bytes:
    """Return records as bytes without what lies between their fields, which copying does not keep."""
    return b"".join(np.ascontiguousarray(states[name]).tobytes() for name in states.dtype.names or ())


def same_bits(a: GameState, b: GameState) -> bool:
    """Return whether two states agree in everything that can be seen of them."""
    seats = range(a.box.num_players)
    return (
        a == b
        and a.hash() == b.hash()
        and a.mask.tobytes() == b.mask.tobytes()
        and all(a.observation(seat).tobytes() == b.observation(seat).tobytes() for seat in seats)
        and all(a.outcome(kind).tobytes() == b.outcome(kind).tobytes() for kind in OUTCOMES)
    )


def same_future(a: GameState, b: GameState, seed: int, plies: int = 40) -> bool:
    """Play both on with equal actions and return whether they stay equal to the bit; changes neither."""
    a, b = a.clone(), b.clone()
    generator = np.random.default_rng(seed)
    for _ in range(plies):
        if not same_bits(a, b):
            return False
        if a.over:
            return True
        action = random_action(a, generator)
        a.apply(action)
        b.apply(action)
    return same_bits(a, b)


# ---- traces: a game as a list of digests, to compare processes and modes ----


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _closely(state: GameState, i: int) -> dict[str, str]:
    """Digest what costs more: observations, outcomes, redealt states and bots of the position."""
    seats, game = range(state.box.num_players), state.game
    seen = b"".join(state.observation(seat).tobytes() for seat in seats)
    scores = b"".join(state.outcome(kind).tobytes() for kind in OUTCOMES)
    dealt = b"".join(state.redealt(seat, 1000 + i)._clean().tobytes() for seat in seats)
    parts = {"observation": _digest(seen), "outcome": _digest(scores), "redeal": _digest(dealt)}
    parts["text"] = _digest("\n".join(state.text(seat) for seat in (None, *seats)).encode())
    if not state.over:
        parts["bots"] = str([state.bot_action(bot, seed=i) for bot in game.bots])
    return parts


def trace(
    package: str, options: dict[str, Any], seed: int, actions: Sequence[int], every: int = 1
) -> list[dict[str, str]]:
    """Play `actions` and return what each position looks like; closely at every `every`-th ply and at the end."""
    state, rows = GameState.new(load_game(package), seed, **options), []
    for i in range(len(actions) + 1):
        clean, mask = state._clean().tobytes(), state.mask.tobytes()
        row = {"state": _digest(clean), "mask": _digest(mask), "check": str(state.check())}
        rows.append(row | _closely(state, i) if i % every == 0 or i == len(actions) else row)
        if i < len(actions):
            state.apply(int(actions[i]))
    return rows


def trace_elsewhere(jobs: list[dict[str, Any]], **environ: str) -> list[list[dict[str, str]]]:
    """Return ``[trace(**job) for job in jobs]`` as a new process with other environment variables computes it."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.tools"],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "LUSOGAMES_QUIET": "1", **environ},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


def first_difference(ours: list[dict[str, str]], theirs: list[dict[str, str]]) -> str | None:
    """Return where two traces part, or None."""
    for ply, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        parts = [key for key in a if a[key] != b.get(key)]
        if parts or set(a) != set(b):
            return f"ply {ply}: {', '.join(parts)} differ"
    return None


if __name__ == "__main__":
    print(json.dumps([trace(**job) for job in json.load(sys.stdin)]))
