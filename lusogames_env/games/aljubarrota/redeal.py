"""Samples of what a seat of Aljubarrota cannot know.

Hidden are: the order of the movement deck, the families and Victory Point cards of the others and in the box, the
pieces the others still have to place, half-made choices, and with simultaneous pledges the answers to an open offer.
After the end all hands have been counted openly: then only the deck and the generator are renewed.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle, shuffle_afresh
from lusogames_env.games.aljubarrota.game import (
    CARDS,
    FAMILIES,
    FIRST_FAMILY_PIECE,
    MENU,
    PIECES,
    PLACE_HEX,
    PLEDGE,
    PLEDGE_ONES,
    PLEDGE_TWOS,
    SECOND_STEP,
    SETUP,
    SOLITARY,
    VP_TOTAL,
)
from lusogames_env.games.aljubarrota.rules import can_pledge, cost, forget_choice, offer_seat

TRIES = 200  # deals drawn before the certain cards are dealt first


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Replace what `seat` cannot know by a sample that agrees with all it knows."""
    rng = state.scratch_rng
    seed_rng(rng, seed, 2)
    seed_rng(state.rng, seed, 1)
    shuffle_undrawn(state, rng)
    if state.over != 0 or box.mode == SOLITARY:
        return
    redeal_families(state, rng, seat)
    redeal_pieces(state, rng, seat)
    redeal_hands(state, box, rng, seat)
    if state.actor != seat:
        redeal_choice(state, rng)
    if state.decision == PLEDGE and box.simultaneous != 0:
        redeal_answers(state, box, rng, seat)


@kernel
def shuffle_undrawn(state: Any, rng: Any) -> None:
    """Shuffle the movement cards not yet drawn."""
    n = CARDS - int(state.deck_pos)
    shuffle_afresh(rng, state.deck[int(state.deck_pos) :], n)


@kernel
def redeal_families(state: Any, rng: Any, seat: int) -> None:
    """Deal the families that are not the seat's own anew, each owner as many as before."""
    items = state.scratch_items
    n = 0
    for family in range(FAMILIES):
        if state.family_owner[family] != seat:
            items[n] = state.family_owner[family]
            n += 1
    shuffle_afresh(rng, items, n)
    n = 0
    for family in range(FAMILIES):
        if state.family_owner[family] != seat:
            state.family_owner[family] = items[n]
            n += 1


@kernel
def redeal_pieces(state: Any, rng: Any, seat: int) -> None:
    """Deal the unplaced pieces of the others anew, each holder as many as before."""
    items = state.scratch_items
    n = 0
    for piece in range(FIRST_FAMILY_PIECE, PIECES):
        if state.to_place[piece] >= 0 and state.to_place[piece] != seat:
            items[n] = state.to_place[piece]
            n += 1
    shuffle_afresh(rng, items, n)
    n = 0
    for piece in range(FIRST_FAMILY_PIECE, PIECES):
        if state.to_place[piece] >= 0 and state.to_place[piece] != seat:
            state.to_place[piece] = items[n]
            n += 1


@kernel
def redeal_hands(state: Any, box: Any, rng: Any, seat: int) -> None:
    """Deal the unseen Victory Point cards anew; each other seat holds at least the cards it is known to hold.

    Deals are drawn until one fits, so that all that fit are equally likely; if none of `TRIES` does, the certain cards
    are dealt first.
    """
    note_certain_cards(state, box, seat)
    for attempt in range(TRIES + 1):
        if deal_unseen(state, box, rng, seat, attempt == TRIES):
            return


@kernel
def note_certain_cards(state: Any, box: Any, seat: int) -> None:
    """Note how many 1-cards and 2-cards each other seat certainly holds, and in column 0 how many cards."""
    need = state.scratch_need
    need[:, :] = 0
    for other in range(box.num_players):
        for value in range(3):
            need[other, 0] += int(state.hand[other, value])
        for value in range(2):
            shown = int(state.known_held[other, value])
            if state.decision == PLEDGE and box.simultaneous == 0:
                shown = max(shown, int(state.pledged[other, value]))
            need[other, value + 1] = shown


@kernel
def deal_unseen(state: Any, box: Any, rng: Any, seat: int, certain_first: bool) -> bool:
    """Deal the unseen cards once; return whether every seat got the cards it must hold."""
    need, items = state.scratch_need, state.scratch_items
    players = int(box.num_players)
    n = 0
    for value in range(3):
        left = VP_TOTAL[value] - int(state.hand[seat, value])
        for other in range(players):
            left -= int(state.spent[other, value])
            if certain_first and other != seat and value > 0:
                left -= int(need[other, value])
        for _ in range(left):
            items[n] = value
            n += 1
    shuffle(rng, items, n)
    good = True
    at = 0
    for other in range(players):
        if other == seat:
            continue
        size = int(need[other, 0])
        state.hand[other, :] = 0
        if certain_first:
            for value in range(1, 3):
                state.hand[other, value] = need[other, value]
                size -= int(need[other, value])
        for _ in range(size):
            state.hand[other, items[at]] += 1
            at += 1
        good = good and state.hand[other, 1] >= need[other, 1] and state.hand[other, 2] >= need[other, 2]
    return good


@kernel
def redeal_choice(state: Any, rng: Any) -> None:
    """Take back a half-made choice of the seat on turn; a piece picked for placing becomes any of its pieces."""
    if state.decision == PLACE_HEX:
        n = 0
        for piece in range(PIECES):
            n += state.to_place[piece] == state.actor
        n = randint(rng, n)
        for piece in range(PIECES):
            if state.to_place[piece] == state.actor:
                if n == 0:
                    state.pending_piece = piece
                n -= 1
    elif (
        state.turn_kind != SETUP and state.decision > MENU and state.decision < PLEDGE and state.decision != SECOND_STEP
    ):
        state.decision = MENU
        forget_choice(state)


@kernel
def redeal_answers(state: Any, box: Any, rng: Any, seat: int) -> None:
    """Replace the hidden answers of an open offer by answers that the new hands allow, all equally likely."""
    for n in range(state.asked):
        other = offer_seat(state, box, n)
        if other == seat:
            continue
        choices = 1
        for kind in range(6):
            choices += can_pledge(state, box, other, kind, cost(state))
        choice = randint(rng, choices) - 1
        state.pledged[other, :] = 0
        for kind in range(6):
            if can_pledge(state, box, other, kind, cost(state)):
                if choice == 0:
                    state.pledged[other, 0] = PLEDGE_ONES[kind]
                    state.pledged[other, 1] = PLEDGE_TWOS[kind]
                choice -= 1
