"""The rule-based player: looks one card ahead with public data and its own hand, and draws no lots."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.reis_de_portugal.game import (
    AFONSO_HENRIQUES,
    BATTLE,
    BRAGANCA,
    CONSPIRACY,
    DRAWING,
    FILIPINA,
    PASSING,
    PLAYING,
    REPLACING,
    SEBASTIAO,
    SECONDING,
    SIEGE,
)
from lusogames_env.games.reis_de_portugal.rules import (
    ANY_DYNASTY,
    BEFORE_WALL,
    BEFORE_WALL_AS_9,
    CASTLE,
    CASTLE_AS_9,
    NEW_CASTLE,
    NO_CARD,
    NO_DYNASTY,
    NOBODY,
    PASS,
    PLAY,
    PLAY_AS_9,
    SECOND,
    SECOND_AS_9,
    TAKE,
    around,
    bit,
    bonus_in_force,
    captured_by,
    contending_dynasty,
    contestants,
    house_in_force,
    lowest,
    strength,
    value_of,
)

TRUMP_WORTH = 10  # what being a trump adds to the value of a card
MAJORITY_SHARE, BRAGANCA_SHARE = 0.33, 0.22  # worth of one card of a scoring dynasty, in its VP
LATER_CARD = 0.25  # worth of a card still to be played
STAYS_AHEAD = 0.75  # chance that one more player does not beat a sure card
TRUMP_CHANCE = 0.5
LEAST, MOST = 0.05, 0.95  # bounds of a chance that is not certain
STRONG_CARD, CASTLE_PLAY = 0.03, 0.05  # cost of giving away a point of strength, and the Castle
NO_FLUSH_EARLY, NO_FLUSH_LATE, LATE = 0.6, 1.2, 3  # cost of the first Flush won, by Flushes played this round
SIEGE_GUESS = 3  # value a Wall card will add


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """Return the choice of the only kind of player, 0 ``heuristic``."""
    seat = int(state.actor)
    hand = int(state.hand[seat])
    if state.phase == PLAYING:
        return best_play(state, box, mask, seat)
    if state.phase == REPLACING:
        return NEW_CASTLE + strongest(state, box, hand)
    if state.phase == PASSING:
        kings = hand & int(box.dynasty_cards[FILIPINA])
        return PASS + weakest(state, box, kings if kings != 0 else hand)
    if state.phase == DRAWING:
        wall = int(state.wall)
        others = wall & ~int(box.dynasty_cards[FILIPINA])
        return TAKE + strongest(state, box, others if others != 0 else wall)
    wanted = worth_of_table(state, box, seat) > 0.0
    if state.phase == SECONDING:
        can_win = state.led == FILIPINA or box.dynasty[state.face[seat]] == state.led
        return best_value(box, mask, SECOND, SECOND_AS_9, wanted and can_win)
    return best_value(box, mask, BEFORE_WALL, BEFORE_WALL_AS_9, wanted)


@kernel
def power(state: Any, box: Any, card: int, value: int) -> int:
    """Return the strength of a card in hand: its value, and more if it is a trump."""
    trump = box.dynasty[card] == box.trump[house_in_force(state)]
    return value + TRUMP_WORTH if trump else value


@kernel
def strongest(state: Any, box: Any, cards: int) -> int:
    """Return the strongest card of a set, D. Afonso Henriques as 9; of equals the lowest number."""
    rest = cards
    best, best_power = NO_CARD, 0
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        own = power(state, box, card, value_of(box, card, card == AFONSO_HENRIQUES))
        if best == NO_CARD or own > best_power:
            best, best_power = card, own
    return best


@kernel
def weakest(state: Any, box: Any, cards: int) -> int:
    """Return the weakest card of a set, D. Afonso Henriques as 9; of equals the lowest number."""
    rest = cards
    best, best_power = NO_CARD, 0
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        own = power(state, box, card, value_of(box, card, card == AFONSO_HENRIQUES))
        if best == NO_CARD or own < best_power:
            best, best_power = card, own
    return best


@kernel
def best_value(box: Any, mask: Any, first: int, as_nine: int, high: bool) -> int:
    """Return the legal action of a block with the highest value, or with the lowest."""
    best, best_value = -1, 0
    for action in range(first, as_nine + 1):
        if mask[action] != 0:
            nine = action == as_nine
            value = value_of(box, AFONSO_HENRIQUES if nine else action - first, nine)
            if best == -1 or (value > best_value if high else value < best_value):
                best, best_value = action, value
    return best


@kernel
def worth(state: Any, box: Any, seat: int, cards: int) -> float:
    """Return what capturing these cards is worth to the seat, in points."""
    house = house_in_force(state)
    kings = int(box.dynasty_cards[FILIPINA])
    owned = captured_by(state, box, around(seat, contestants(box))) & kings
    total = 0.0
    rest = cards
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        dynasty = int(box.dynasty[card])
        if dynasty == FILIPINA:
            others = kings & ~bit(card)
            total += float(box.vp[card]) if owned & others != others else -float(vp_of(box, others))
        else:
            total += int(box.house_vp[house, dynasty]) * (BRAGANCA_SHARE if dynasty == BRAGANCA else MAJORITY_SHARE)
            if card == SEBASTIAO:
                total += float(box.vp[card])
    return total


@kernel
def vp_of(box: Any, cards: int) -> int:
    """Return the printed points of a set of cards."""
    rest = cards
    total = 0
    while rest != 0:
        total += int(box.vp[lowest(rest)])
        rest &= rest - 1
    return total


@kernel
def cards_face_up(state: Any) -> int:
    """Return the face-up cards of this Flush as a set."""
    cards = 0
    for i in range(state.order_len):
        card = state.face[state.order[i]]
        if card != NO_CARD:
            cards |= bit(card)
    return cards


@kernel
def worth_of_table(state: Any, box: Any, seat: int) -> float:
    """Return what winning the Flush as it lies is worth, with a guess for the cards still to come."""
    still_to_play = 0 if state.phase == SECONDING else int(state.order_len) - 1 - int(state.pos)
    cards = cards_face_up(state)
    if state.last_flush != 0:
        cards |= int(state.wall)
    return worth(state, box, seat, cards) + LATER_CARD * still_to_play


@kernel
def best_play(state: Any, box: Any, mask: Any, seat: int) -> int:
    """Return the card with the best balance of the chance to win and of what winning and losing mean."""
    table_worth = worth_of_table(state, box, seat)
    best, best_gain = -1, 0.0
    for action in range(CASTLE_AS_9 + 1):
        if mask[action] != 0:
            gain = gain_of_play(state, box, seat, action, table_worth)
            if best == -1 or gain > best_gain:
                best, best_gain = action, gain
    return best


@kernel
def gain_of_play(state: Any, box: Any, seat: int, action: int, table_worth: float) -> float:
    """Return the expected gain of one way to play a card."""
    from_castle = action >= CASTLE
    as_nine = action in (PLAY_AS_9, CASTLE_AS_9)
    card = AFONSO_HENRIQUES if as_nine else action - PLAY
    if from_castle:
        card = int(state.castle[seat])
    value = value_of(box, card, as_nine)
    own_worth = worth(state, box, seat, bit(card))
    chance = chance_to_win(state, box, seat, card, value, from_castle)
    gain = chance * (table_worth + own_worth) - (1.0 - chance) * max(0.0, own_worth)
    gain -= STRONG_CARD * power(state, box, card, value)
    if from_castle:
        gain -= CASTLE_PLAY
    if box.teams == 0 and state.flushes_won[seat] == 0:
        played = 0
        for other in range(box.num_players):
            played += int(state.flushes_won[other])
        gain -= chance * (NO_FLUSH_LATE if played >= LATE else NO_FLUSH_EARLY)
    return gain


@kernel
def chance_to_win(state: Any, box: Any, seat: int, card: int, value: int, from_castle: bool) -> float:
    """Return a guess of the chance that the seat (with teams also its partner) wins the Flush after this card."""
    leading = state.led == NO_DYNASTY
    led = int(box.dynasty[card]) if leading else int(state.led)
    bonus = bonus_in_force(state, box, card, from_castle) if leading else int(state.bonus)
    to_come = int(state.order_len) - 1 - int(state.pos)
    dynasty = dynasty_ahead(state, box, led, bonus, card)
    ahead = provisional_winner(state, box, seat, card, value, led, bonus, dynasty)
    if box.teams != 0 and ahead == (seat + 2) % 4:
        return 1.0 if to_come == 0 else 0.5
    if ahead != seat:
        return 0.0
    if to_come == 0:
        return 1.0
    share = value / 9.0
    chance = 1.0 - share if bonus == CONSPIRACY else share
    for _ in range(to_come):
        chance *= STAYS_AHEAD
    if dynasty != ANY_DYNASTY and dynasty == box.trump[house_in_force(state)] and bonus != BATTLE:
        chance += TRUMP_CHANCE
    return min(MOST, max(LEAST, chance))


@kernel
def dynasty_ahead(state: Any, box: Any, led: int, bonus: int, card: int) -> int:
    """Return the dynasty that can win once `card` lies on the table too."""
    played = 1 << int(box.dynasty[card])
    for i in range(state.pos):
        played |= 1 << int(box.dynasty[state.face[state.order[i]]])
    return contending_dynasty(box, house_in_force(state), led, bonus, state.last_flush != 0, played)


@kernel
def provisional_winner(
    state: Any, box: Any, seat: int, card: int, value: int, led: int, bonus: int, dynasty: int
) -> int:
    """Return who is ahead once `seat` has played `card`; second cards are not on the table yet."""
    best, best_key = NOBODY, 0
    for i in range(state.pos + 1):
        other = int(state.order[i])
        lying = card if other == seat else int(state.face[other])
        if dynasty == ANY_DYNASTY or box.dynasty[lying] == dynasty:
            strong = value if other == seat else int(state.face_value[other]) + int(state.siege_value[other])
            if other == seat and bonus == SIEGE:
                strong += SIEGE_GUESS
            key = strength(box, led, bonus, strong, int(box.tie_rank[lying]))
            if best == NOBODY or key > best_key:
                best, best_key = other, key
    return best
