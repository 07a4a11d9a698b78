"""Many generators at once: one sfc32 per row, for batches of games and their scripted players."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import random_seed, sample_mask, seed_rng


@kernel
def seed_rows(rngs: Any, seeds: Any, stream: int) -> None:
    """Seed row i of `rngs`, int64 (n, 4), with ``seeds[i]``."""
    for i in range(rngs.shape[0]):
        seed_rng(rngs[i], seeds[i], stream)


@kernel
def next_seeds(rngs: Any, which: Any, out: Any) -> None:
    """Draw a seed into ``out[i]`` for every row with ``which[i]`` true, else write -1."""
    for i in range(rngs.shape[0]):
        out[i] = random_seed(rngs[i]) if which[i] else -1


@kernel
def sample_masks(masks: Any, rngs: Any, out: Any) -> None:
    """Draw a legal action for every row of `masks`, int8 (n, actions), into `out`; -2 where there is none."""
    for i in range(masks.shape[0]):
        choice = sample_mask(rngs[i], masks[i])
        out[i] = choice if choice >= 0 else -2
