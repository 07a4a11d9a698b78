"""A sample of everything a seat cannot know."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle
from lusogames_env.games.reis_de_portugal.game import AFONSO_HENRIQUES, CARDS, PILE, ROUNDS, SEATS
from lusogames_env.games.reis_de_portugal.rules import (
    NO_CARD,
    bit,
    count,
    held_hidden,
    lowest,
    value_of,
)

SWAPS = 8  # tried swaps per card, which even out the first deal


@kernel
def redeal(state: Any, box: Any, seat: int, seed: int) -> None:
    """Replace all that `seat` cannot know by a sample that agrees with all it knows.

    The hidden cards are dealt by a random matching between cards and places, evened out by random swaps; what the
    state really holds does not enter. Unrevealed Royal House cards and the generator are drawn anew.
    """
    seed_rng(state.rng, seed, 1)
    seed_rng(state.scratch_rng, seed, 2)
    shuffle_houses(state)
    n = collect_hidden(state, box, seat)
    shuffle(state.scratch_rng, state.scratch_cards, n)
    for i in range(n):
        place_card(state, seat, state.scratch_cards[i])
    even_out(state, seat, n)
    deal_out(state, box, seat, n)
    for other in range(box.num_players):
        if other != seat:
            guess_knowledge(state, box.num_players, seat, other)


@kernel
def shuffle_houses(state: Any) -> None:
    """Shuffle the Royal House cards not yet revealed (only the last two can be unknown)."""
    if state.round_no == 0:
        one, other = state.house_order[1], state.house_order[ROUNDS - 1]
        first = 1 if randint(state.scratch_rng, 2) == 1 else ROUNDS - 1
        state.house_order[first] = min(one, other)  # by number: the true order does not enter
        state.house_order[ROUNDS - first] = max(one, other)


@kernel
def collect_hidden(state: Any, box: Any, seat: int) -> int:
    """List the cards hidden from `seat` in id order, note the room at every place; return how many there are."""
    hidden = 0
    for place in range(SEATS + 1):
        state.scratch_room[place] = 0
    for other in range(box.num_players):
        if other != seat:
            held = held_hidden(state, other)
            hidden |= held
            state.scratch_room[other] = count(held)
    for i in range(state.pile_len):
        hidden |= bit(state.pile[i])
    state.scratch_room[PILE] = state.pile_len
    n = 0
    while hidden != 0:
        state.scratch_cards[n] = lowest(hidden)
        hidden &= hidden - 1
        n += 1
    for card in range(CARDS):
        state.scratch_place[card] = -1
    return n


@kernel
def allowed(state: Any, seat: int, card: int, place: int) -> bool:
    """Return whether `seat` thinks that the card may be at this place."""
    return place != seat and (state.may_hold[seat, place] >> int(card)) & 1 != 0


@kernel
def place_card(state: Any, seat: int, card: int) -> None:
    """Put a card at a random allowed place with room; if there is none, make room by moving others on."""
    room = 0
    for place in range(SEATS + 1):
        room += state.scratch_room[place] > 0 and allowed(state, seat, card, place)
    if room > 0:
        chosen = randint(state.scratch_rng, room)
        for place in range(SEATS + 1):
            if state.scratch_room[place] > 0 and allowed(state, seat, card, place):
                if chosen == 0:
                    put(state, card, place)
                    return
                chosen -= 1
    else:
        make_room(state, seat, card)


@kernel
def put(state: Any, card: int, place: int) -> None:
    """Assign a card to a place with room."""
    state.scratch_place[card] = place
    state.scratch_room[place] -= 1


@kernel
def make_room(state: Any, seat: int, card: int) -> None:
    """Find an augmenting path: `via[p]` is the card that could come to place p from a place reached before."""
    for place in range(SEATS + 1):
        state.scratch_via[place] = card if allowed(state, seat, card, place) else NO_CARD
    for _ in range(SEATS):
        for other in range(CARDS):
            at = state.scratch_place[other]
            if at >= 0 and state.scratch_via[at] != NO_CARD:
                for place in range(SEATS + 1):
                    if state.scratch_via[place] == NO_CARD and allowed(state, seat, other, place):
                        state.scratch_via[place] = other
    for place in range(SEATS + 1):
        if state.scratch_room[place] > 0 and state.scratch_via[place] != NO_CARD:
            shift_along(state, card, place)
            return
    for place in range(SEATS + 1):  # only in a record whose knowledge is not sound
        if state.scratch_room[place] > 0:
            put(state, card, place)
            return


@kernel
def shift_along(state: Any, card: int, end: int) -> None:
    """Move every card of the path one place on; the new card takes the place set free."""
    state.scratch_room[end] -= 1
    place = end
    for _ in range(SEATS + 1):
        moved = state.scratch_via[place]
        before = state.scratch_place[moved]
        state.scratch_place[moved] = place
        if moved == card:
            return
        place = before


@kernel
def even_out(state: Any, seat: int, n: int) -> None:
    """Swap random pairs of cards where both may be: a walk towards the uniform distribution over all deals."""
    if n < 2:
        return
    for _ in range(SWAPS * n):
        a = state.scratch_cards[randint(state.scratch_rng, n)]
        b = state.scratch_cards[randint(state.scratch_rng, n)]
        place_a, place_b = state.scratch_place[a], state.scratch_place[b]
        if place_a != place_b and allowed(state, seat, a, place_b) and allowed(state, seat, b, place_a):
            state.scratch_place[a] = place_b
            state.scratch_place[b] = place_a


@kernel
def deal_out(state: Any, box: Any, seat: int, n: int) -> None:
    """Write the sampled hands, second cards, set-aside cards and pile into the state."""
    shuffle(state.scratch_rng, state.scratch_cards, n)
    for other in range(box.num_players):
        if other != seat:
            state.hand[other] = 0
    top = 0
    for i in range(n):
        card = state.scratch_cards[i]
        place = state.scratch_place[card]
        if place == PILE:
            state.pile[top] = card
            top += 1
        else:
            state.hand[place] |= bit(card)
    for other in range(box.num_players):
        if other != seat:
            if state.second[other] != NO_CARD:
                choose_second(state, box, other)
            if state.pass_card[other] != NO_CARD:
                state.pass_card[other] = random_card(state, state.hand[other])


@kernel
def choose_second(state: Any, box: Any, other: int) -> None:
    """Take a random one of the dealt cards as the face-down second card; no. 1 with either value."""
    card = random_card(state, state.hand[other])
    as_nine = card == AFONSO_HENRIQUES and randint(state.scratch_rng, 2) == 1
    state.hand[other] &= ~bit(card)
    state.second[other] = card
    state.second_value[other] = value_of(box, card, as_nine)


@kernel
def random_card(state: Any, cards: int) -> int:
    """Return a random card of a set that is not empty."""
    rest = int(cards)
    for _ in range(randint(state.scratch_rng, count(rest))):
        rest &= rest - 1
    return lowest(rest)


@kernel
def guess_knowledge(state: Any, n: int, seat: int, observer: int) -> None:
    """Let another observer think what `seat` can be sure it may think, not what it really knows.

    It excludes a place only where `seat` excludes it, too; of the cards of `seat` it may think that they are anywhere.
    """
    own = held_hidden(state, seat)
    hidden = 0
    for other in range(n):
        if other != observer:
            hidden |= held_hidden(state, other)
    for i in range(state.pile_len):
        hidden |= bit(state.pile[i])
    for place in range(SEATS + 1):
        there = hidden if place == seat else hidden & (int(state.may_hold[seat, place]) | own)
        possible = place == PILE or (place < n and place != observer)
        state.may_hold[observer, place] = there if possible else 0
