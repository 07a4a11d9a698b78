"""What a seat sees of Toy."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel

from .game import CARDS, MAX_ROUNDS, OBSERVATION

O_SWAP, O_ROUND, O_DECK = OBSERVATION["swap"], OBSERVATION["rounds"], OBSERVATION["deck"]
O_OWN, O_ALIVE, O_ACTOR = OBSERVATION["own"], OBSERVATION["alive"], OBSERVATION["actor"]
O_USED = OBSERVATION["used"]


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    for i in range(out.shape[0]):
        out[i] = 0.0
    out[O_SWAP] = state.swap
    out[O_ROUND] = state.rounds / MAX_ROUNDS
    out[O_DECK] = state.deck_n / CARDS
    out[O_OWN + state.hand[seat]] = 1.0
    for place in range(box.num_players):
        other = (seat + place) % box.num_players
        out[O_ALIVE + place] = state.alive[other]
        out[O_ACTOR + place] = state.actor == other
    for card in range(CARDS):
        out[O_USED + card] = state.used[card]
