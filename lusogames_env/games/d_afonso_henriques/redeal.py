"""Determinization: a sample of everything a seat cannot know that agrees with all it knows (DAH-60, DAH-72)."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle, shuffle_afresh
from lusogames_env.games.d_afonso_henriques.game import CARDS, COMMIT, KEEP, MOORS_KING, SIDE
from lusogames_env.games.d_afonso_henriques.observation import unseen
from lusogames_env.games.d_afonso_henriques.rules import holds_king_slayer, total, usable_cards

CHOOSE = np.array([[comb(n, k) for k in range(CARDS + 1)] for n in range(CARDS + 1)], np.int64)
CHOOSE.flags.writeable = False

LEFT, MOST, DECK = range(3)  # rows of `scratch_counts`


@kernel
def count_unseen(state: Any, box: Any, seat: int) -> None:
    """Write the unseen cards that may lie anywhere (those known to be in a hand stay there), and the deck's share."""
    left = state.scratch_counts[LEFT]
    for kind in range(4):
        left[kind] = unseen(state, box, seat, kind)
        for other in range(box.num_players):
            if other != seat:
                left[kind] -= state.known[other, kind]
        room = state.deck_at_shuffle[kind] - state.deck_gone[seat, kind]
        state.scratch_counts[MOST, kind] = min(room, left[kind])


@kernel
def pick_deck(state: Any, stop: int) -> int:
    """Count the ways to choose single unseen cards for the deck, composition by composition.

    Returns the number of all ways; with `stop` >= 0 it ends at the composition that holds way `stop` and writes it.
    """
    left, most, deck = state.scratch_counts[LEFT], state.scratch_counts[MOST], state.scratch_counts[DECK]
    n = int(state.pdeck_n)
    ways = 0
    for a in range(min(most[0], n) + 1):
        for b in range(min(most[1], n - a) + 1):
            for c in range(min(most[2], n - a - b) + 1):
                d = n - a - b - c
                if d > most[3]:
                    continue
                ways += CHOOSE[left[0], a] * CHOOSE[left[1], b] * CHOOSE[left[2], c] * CHOOSE[left[3], d]
                if 0 <= stop < ways:
                    deck[0] = a
                    deck[1] = b
                    deck[2] = c
                    deck[3] = d
                    return ways
    return ways


@kernel
def shuffled(rng: Any, counts: Any, out: Any) -> int:
    """Write the cards of these counts into `out` in random order; return how many."""
    n = 0
    for kind in range(4):
        for _ in range(counts[kind]):
            out[n] = kind
            n += 1
    shuffle(rng, out, n)
    return n


@kernel
def deal_hand(state: Any, other: int, first: int) -> int:
    """Give a seat the cards from `first` on in place of those not known to be in its hand; return the next one."""
    free = 0
    for kind in range(4):
        free += state.hand[other, kind] - state.known[other, kind]
        state.hand[other, kind] = state.known[other, kind]
    for i in range(first, first + free):
        state.hand[other, state.scratch_cards[i]] += 1
    return first + free


@kernel
def deal_draw(state: Any, first: int) -> None:
    """Give the seat on turn the cards from `first` on in place of those it has drawn."""
    n = total(state.drawn)
    for kind in range(4):
        state.drawn[kind] = 0
    for i in range(first, first + n):
        state.drawn[state.scratch_cards[i]] += 1


@kernel
def redeal_knowledge(state: Any, other: int) -> None:
    """Another seat knows of as many cards as before that they left the deck, but of random ones (DAH-72)."""
    known = total(state.deck_gone[other])
    gone = state.scratch_counts[LEFT]
    for kind in range(4):
        state.deck_gone[other, kind] = 0
        gone[kind] = state.deck_at_shuffle[kind] - state.scratch_counts[DECK, kind]
    shuffled(state.scratch_rng, gone, state.scratch_cards)
    for i in range(known):
        state.deck_gone[other, state.scratch_cards[i]] += 1


@kernel
def redeal_portuguese(state: Any, box: Any, seat: int) -> None:
    """Draw anew the deck, the other hands and another seat's draw; every placing of the unseen cards is as likely."""
    count_unseen(state, box, seat)
    pick_deck(state, randint(state.scratch_rng, pick_deck(state, -1)))
    for kind in range(4):
        state.scratch_counts[LEFT, kind] -= state.scratch_counts[DECK, kind]
    shuffled(state.scratch_rng, state.scratch_counts[DECK], state.pdeck)
    shuffled(state.scratch_rng, state.scratch_counts[LEFT], state.scratch_cards)
    next_card = 0
    for other in range(box.num_players):
        if other != seat:
            next_card = deal_hand(state, other, next_card)
    if state.actor != seat and state.node in (KEEP, SIDE):
        deal_draw(state, next_card)
    for other in range(box.num_players):
        if other != seat:
            redeal_knowledge(state, other)


@kernel
def betrayed_kind(state: Any, box: Any, seat: int) -> int:
    """Portuguese kind that another seat must hold, as it chose the Moors King with too few cards; -1 if none.

    Drawn among the unseen cards that may face him alone.
    """
    if state.node != COMMIT or state.actor == seat or box.role[state.target_kind] != MOORS_KING:
        return -1
    cards = usable_cards(state, box, state.actor) + total(state.committed) + state.warrior_in
    surely = holds_king_slayer(state.committed, box) or holds_king_slayer(state.known[state.actor], box)
    if cards >= box.king_cards or surely:
        return -1
    count_unseen(state, box, seat)
    slayers = 0
    for kind in range(4):
        slayers += int(state.scratch_counts[LEFT, kind]) if box.alone[kind] != 0 else 0
    pick = randint(state.scratch_rng, slayers)
    kind = 0
    while box.alone[kind] == 0 or pick >= state.scratch_counts[LEFT, kind]:
        pick -= int(state.scratch_counts[LEFT, kind]) if box.alone[kind] != 0 else 0
        kind += 1
    return kind


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Replace what `seat` cannot know: other hands, another seat's draw, both deck orders, the generator.

    The open top of the Moors deck and the used Moors pile, whose order all have seen, stay.
    """
    seed_rng(state.scratch_rng, seed, 2)
    kind = betrayed_kind(state, box, seat)
    if kind >= 0:
        state.known[state.actor, kind] += 1
    redeal_portuguese(state, box, seat)
    if kind >= 0:
        state.known[state.actor, kind] -= 1
    if state.mdeck_n > 1:
        shuffle_afresh(state.scratch_rng, state.mdeck, state.mdeck_n - 1)
    seed_rng(state.rng, seed, 1)
