"""Rule-based players of Toy."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import sample_mask

from .game import CARDS
from .rules import DRAW, KEEP, STAY

HEURISTIC = 0


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """`heuristic` stays and draws with a card below the average; `shaky` does anything."""
    if kind != HEURISTIC:
        return sample_mask(rng, mask)
    if mask[STAY] == 1:
        return STAY
    total = 0
    for card in range(CARDS):
        total += box.value[card]
    below_average = box.value[state.hand[state.actor]] * CARDS < total
    return DRAW if below_average and mask[DRAW] == 1 else KEEP
