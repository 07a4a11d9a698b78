"""Determinizations of *Portão para o mundo, Lisboa*: what a seat cannot know, dealt anew."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import seed_rng, shuffle_afresh
from lusogames_env.games.portao_para_o_mundo.game import CARD_KINDS


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Permute all cards `seat` cannot see uniformly over their places.

    These are the pile, the other hands and, while another seat is in KEEP, the drawn pair; cards that `seat` returned
    itself (`pile_by`, `drawn_by`) stay where they are, since it remembers them (PM-67, PM-68).
    """
    n = gather(state, box, seat)
    seed_rng(state.scratch_rng, seed, 0)
    shuffle_afresh(state.scratch_rng, state.scratch_items, n)
    deal_out(state, box, seat)
    seed_rng(state.rng, seed, 1)


@kernel
def gather(state: Any, box: Any, seat: int) -> int:
    """Collect the unseen cards into `scratch_items`; return how many there are."""
    n = 0
    for i in range(state.pile_len):
        if state.pile_by[i] != seat:
            state.scratch_items[n] = state.pile[i]
            n += 1
    for i in range(2):
        if state.drawn[i] >= 0 and state.actor != seat and state.drawn_by[i] != seat:
            state.scratch_items[n] = state.drawn[i]
            n += 1
    for s in range(box.num_players):
        if s != seat:
            for kind in range(CARD_KINDS):
                for _ in range(state.hand[s, kind]):
                    state.scratch_items[n] = kind
                    n += 1
    return n


@kernel
def deal_out(state: Any, box: Any, seat: int) -> None:
    """Lay the shuffled `scratch_items` on the places `gather` took them from, in the same order."""
    n = 0
    for i in range(state.pile_len):
        if state.pile_by[i] != seat:
            state.pile[i] = state.scratch_items[n]
            n += 1
    for i in range(2):
        if state.drawn[i] >= 0 and state.actor != seat and state.drawn_by[i] != seat:
            state.drawn[i] = state.scratch_items[n]
            n += 1
    for s in range(box.num_players):
        if s != seat:
            size = 0
            for kind in range(CARD_KINDS):
                size += state.hand[s, kind]
                state.hand[s, kind] = 0
            for _ in range(size):
                state.hand[s, state.scratch_items[n]] += 1
                n += 1
