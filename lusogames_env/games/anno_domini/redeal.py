"""A sample of what a seat of Anno Domini cannot know."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import seed_rng, shuffle_afresh


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Shuffle the cards nobody has seen, on top of the deck, and renew the generator; the same for every seat.

    Which cards they are is public (all others lie open or were seen going under the deck), only their order is hidden.
    """
    seed_rng(state.scratch_rng, seed, 2)
    shuffle_afresh(state.scratch_rng, state.deck, int(state.unseen_left))
    seed_rng(state.rng, seed, 1)
