"""Helpers for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng


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
