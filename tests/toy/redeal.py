"""Determinizations of Toy."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import seed_rng, shuffle_afresh


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Deal the cards of the deck and of the other hands anew: all orders are equally likely."""
    seed_rng(state.scratch_rng, seed, 4)
    seed_rng(state.rng, seed, 1)
    n = 0
    for i in range(state.deck_n):
        state.scratch_pool[n] = state.deck[i]
        n += 1
    for other in range(box.num_players):
        if other != seat:
            state.scratch_pool[n] = state.hand[other]
            n += 1
    shuffle_afresh(state.scratch_rng, state.scratch_pool, n)
    for i in range(state.deck_n):
        state.deck[i] = state.scratch_pool[i]
    n = int(state.deck_n)
    for other in range(box.num_players):
        if other != seat:
            state.hand[other] = state.scratch_pool[n]
            n += 1
