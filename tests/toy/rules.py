"""Rules of Toy.

Each seat holds one hidden card of six. A turn is two decisions of one seat: STAY or FOLD (out for good); who stays may
DRAW (lay the card aside face up, take the top of the deck) or KEEP. With one seat left, or when a round ends with an
empty deck, the game is over; at `max_rounds` it is cut off. The highest card among those who are in wins.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import seed_rng, shuffle

from .game import ACTIONS, CARDS, MAX_ROUNDS, SEATS, TOP_VALUE

STAY = ACTIONS["ante"]
FOLD = STAY + 1
DRAW = ACTIONS["swap"]
KEEP = DRAW + 1
WIN, PLACEMENT, MARGIN = 0, 1, 2


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    seed_rng(state.rng, seed, 0)
    for card in range(CARDS):
        state.deck[card] = card
    shuffle(state.rng, state.deck, CARDS)
    state.deck_n = CARDS
    for seat in range(SEATS):
        state.hand[seat] = -1
        if seat < box.num_players:
            state.hand[seat] = draw(state)
            state.alive[seat] = 1
    state.actor = box.first_seat


@kernel
def draw(state: Any) -> int:
    """Take the top card of the deck."""
    state.deck_n -= 1
    card = state.deck[state.deck_n]
    state.deck[state.deck_n] = -1
    return card


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    for action in range(mask.shape[0]):
        mask[action] = 0
    if state.over != 0:
        return 0
    if state.swap == 0:
        mask[STAY] = 1
        mask[FOLD] = box.folding
        return 1 + box.folding
    mask[KEEP] = 1
    mask[DRAW] = state.deck_n > 0
    return 1 + mask[DRAW]


@kernel
def step(state: Any, box: Any, action: int) -> None:
    seat = state.actor
    if action == STAY:
        state.swap = 1
        return
    if action == FOLD:
        state.alive[seat] = 0
    elif action == DRAW:
        state.used[state.hand[seat]] = 1
        state.hand[seat] = draw(state)
    pass_turn(state, box)


@kernel
def pass_turn(state: Any, box: Any) -> None:
    """Give the turn to the next seat that is in, or end the game."""
    state.swap = 0
    if seats_in(state) == 1:
        finish(state, 1)
        return
    seat = (state.actor + 1) % box.num_players
    round_over = seat == box.first_seat
    while state.alive[seat] == 0:
        seat = (seat + 1) % box.num_players
        round_over = round_over or seat == box.first_seat
    state.actor = seat
    state.rounds += round_over
    if round_over and state.deck_n == 0:
        finish(state, 1)
    elif state.rounds >= box.max_rounds:
        finish(state, 2)


@kernel
def finish(state: Any, how: int) -> None:
    state.over = how
    state.actor = -1


@kernel
def seats_in(state: Any) -> int:
    """Count the seats that are in."""
    n = 0
    for seat in range(SEATS):
        n += state.alive[seat]
    return n


@kernel
def score(state: Any, box: Any, seat: int) -> int:
    """Value of the card of a seat that is in, else 0."""
    return box.value[state.hand[seat]] * state.alive[seat]


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    n = box.num_players
    for seat in range(n):
        own = score(state, box, seat)
        better, equal, others = 0, 0, 0
        for other in range(n):
            better += score(state, box, other) > own
            equal += score(state, box, other) == own
            others += score(state, box, other)
        others -= own
        if kind == WIN:
            out[seat] = (n - equal) / (equal * (n - 1)) if better == 0 else -1.0 / (n - 1)
        elif kind == PLACEMENT:
            out[seat] = 1.0 - (2.0 * better + equal - 1) / (n - 1)
        elif kind == MARGIN:
            out[seat] = (own - others / (n - 1)) / TOP_VALUE
        else:
            out[seat] = own


@kernel
def check(state: Any, box: Any) -> int:
    if not in_range(state, box):
        return 1
    if not cards_complete(state, box):
        return 2
    if state.over == 0 and (state.actor < 0 or state.alive[state.actor] == 0):
        return 3
    if state.over != 0 and state.actor != -1:
        return 3
    n = seats_in(state)
    return 4 if n < 1 or (n == 1 and state.over == 0) else 0


@kernel
def in_range(state: Any, box: Any) -> bool:
    for seat in range(SEATS):
        exists = seat < box.num_players
        if state.alive[seat] < 0 or state.alive[seat] > exists:
            return False
        if exists != (0 <= state.hand[seat] < CARDS) or (not exists and state.hand[seat] != -1):
            return False
    if state.actor < -1 or state.actor >= box.num_players or state.swap < 0 or state.swap > 1:
        return False
    if state.over < 0 or state.over > 2 or state.deck_n < 0 or state.deck_n > CARDS:
        return False
    return 0 <= state.rounds <= MAX_ROUNDS


@kernel
def cards_complete(state: Any, box: Any) -> bool:
    for card in range(CARDS):
        if state.used[card] < 0 or state.used[card] > 1:
            return False
        if (card < state.deck_n) != (0 <= state.deck[card] < CARDS):
            return False
        found = int(state.used[card])
        for seat in range(box.num_players):
            found += state.hand[seat] == card
        for i in range(state.deck_n):
            found += state.deck[i] == card
        if found != 1:
            return False
    return True
