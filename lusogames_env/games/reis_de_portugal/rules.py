"""The rules of Reis de Portugal as kernels. Section and ruling numbers (RP-…) are those of the game's README.

A set of cards is an int64 with bit `card`. A *contestant* is a seat, or with teams seat 0 or 1 for its pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import seed_rng, shuffle
from lusogames_env.games.reis_de_portugal.game import (
    ACTIONS,
    AFONSO_HENRIQUES,
    BATTLE,
    BESIEGING,
    CARDS,
    CONSPIRACY,
    CUTS,
    DRAWING,
    FILIPINA,
    FOG,
    FOOL,
    INTRIGUE,
    MAX_HAND,
    PASSING,
    PILE,
    PLAYING,
    REPLACING,
    ROUNDS,
    SEATS,
    SEBASTIAO,
    SECONDING,
    SIEGE,
)

ALL_CARDS = (1 << CARDS) - 1
NOBODY = NO_CARD = NO_BONUS = NO_DYNASTY = -1
ENDED, NEXT_FLUSH = -1, 6  # values of `phase` in which nobody decides; NEXT_FLUSH never outlasts a step
ANY_DYNASTY = -1
NO_RANK = -100  # below every tie rank

PLAY, PLAY_AS_9 = ACTIONS["play"], ACTIONS["play_as_9"]
CASTLE, CASTLE_AS_9 = ACTIONS["castle"], ACTIONS["castle_as_9"]
NEW_CASTLE, PASS = ACTIONS["new_castle"], ACTIONS["pass"]
SECOND, SECOND_AS_9 = ACTIONS["second"], ACTIONS["second_as_9"]
BEFORE_WALL, BEFORE_WALL_AS_9 = ACTIONS["before_wall"], ACTIONS["before_wall_as_9"]
TAKE = ACTIONS["take"]

# 37 is prime and 2 one of its primitive roots: the 36 single-card sets leave 36 different remainders.
CARD_OF_REMAINDER = np.zeros(37, np.int64)
for _card in range(CARDS):
    CARD_OF_REMAINDER[(1 << _card) % 37] = _card
CARD_OF_REMAINDER.flags.writeable = False


# --- Sets of cards ------------------------------------------------------------------------------------------------


@kernel
def bit(card: int) -> int:
    """Return the set of one card."""
    return 1 << int(card)


@kernel
def lowest(cards: int) -> int:
    """Return the lowest card id of a set that is not empty."""
    return int(CARD_OF_REMAINDER[(cards & -cards) % 37])


@kernel
def count(cards: int) -> int:
    """Return the number of cards in a set."""
    rest = int(cards)
    n = 0
    while rest != 0:
        rest &= rest - 1
        n += 1
    return n


@kernel
def highest_rank(box: Any, cards: int) -> int:
    """Return the highest tie rank in a set, `NO_RANK` if it is empty (RP-06)."""
    rest = int(cards)
    best = NO_RANK
    while rest != 0:
        best = max(best, int(box.tie_rank[lowest(rest)]))
        rest &= rest - 1
    return best


@kernel
def value_of(box: Any, card: int, as_nine: bool) -> int:
    """Return the value of a card; D. Afonso Henriques has two (RP-18)."""
    return int(box.alt_value) if as_nine else int(box.value[card])


@kernel
def house_in_force(state: Any) -> int:
    """Return the Royal House card of this round."""
    return int(state.house_order[state.round_no])


@kernel
def around(place: int, n: int) -> int:
    """Return a place below 2n as one around a table of n (a division here would be unrolled at great length)."""
    return place - n if place >= n else place


@kernel
def rotate(items: Any, n: int) -> None:
    """Move the first `n` entries one place to the left neighbour, all at once."""
    moved = items[n - 1]
    for seat in range(n - 1, 0, -1):
        items[seat] = items[seat - 1]
    items[0] = moved


# --- What a careful player knows ----------------------------------------------------------------------------------


@kernel
def deal_knowledge(state: Any, n: int) -> None:
    """Every card a seat does not see may be in any other hand and in the pile."""
    public = int(state.wall)
    for seat in range(n):
        public |= bit(state.castle[seat])
    state.may_hold[:, :] = 0
    for observer in range(n):
        unseen = ALL_CARDS & ~(public | state.hand[observer])
        for seat in range(n):
            state.may_hold[observer, seat] = unseen
        state.may_hold[observer, observer] = 0
        state.may_hold[observer, PILE] = unseen


@kernel
def forget(state: Any, observer: int, cards: int) -> None:
    """The observer knows where these cards are: they may be nowhere else."""
    for place in range(SEATS + 1):
        state.may_hold[observer, place] &= ~cards


@kernel
def make_public(state: Any, n: int, cards: int) -> None:
    """Everybody sees these cards on the table."""
    for observer in range(n):
        forget(state, observer, cards)


@kernel
def add_knowledge(state: Any, n: int, seat: int, cards: int) -> None:
    """Everybody else knows that these cards may now be in the hand of `seat`."""
    for observer in range(n):
        if observer != seat:
            state.may_hold[observer, seat] |= cards


@kernel
def note_void(state: Any, n: int, seat: int, cards: int) -> None:
    """Everybody else knows that `seat` has none of these cards in hand."""
    for observer in range(n):
        state.may_hold[observer, seat] &= ~cards


@kernel
def note_pile_empty(state: Any, n: int) -> None:
    """Once the pile is empty no card may be in it."""
    if state.pile_len == 0:
        for observer in range(n):
            state.may_hold[observer, PILE] = 0


@kernel
def note_pile_card(state: Any, n: int, seat: int, card: int) -> None:
    """`seat` took a pile card that only it saw (Battle)."""
    for observer in range(n):
        state.may_hold[observer, seat] |= state.may_hold[observer, PILE]
    state.may_hold[seat, seat] = 0
    forget(state, seat, bit(card))


@kernel
def note_rotation(state: Any, n: int) -> None:
    """All hands are about to move to the left neighbour (Fool): what may be in them moves along."""
    for observer in range(n):
        state.may_hold[observer, observer] = state.hand[observer]
        rotate(state.may_hold[observer], n)
        state.may_hold[observer, observer] = 0
        forget(state, observer, state.hand[around(observer + n - 1, n)])


@kernel
def note_exchange(state: Any, n: int) -> None:
    """Each participant is about to receive the card set aside by the one before (Intrigue)."""
    size = state.order_len
    for i in range(size):
        giver = state.order[i]
        state.may_hold[giver, giver] = bit(state.pass_card[giver])
    for observer in range(n):
        arriving = int(state.may_hold[observer, state.order[size - 1]])
        for i in range(size):
            seat = state.order[i]
            own = int(state.may_hold[observer, seat])
            state.may_hold[observer, seat] = own | arriving
            arriving = own
    for i in range(size):
        receiver = state.order[i]
        state.may_hold[receiver, receiver] = 0
        forget(state, receiver, bit(state.pass_card[state.order[around(i + size - 1, size)]]))


# --- Preparation and start of a round -----------------------------------------------------------------------------


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    """Shuffle the Royal House cards and start the first round (Game Preparation)."""
    seed_rng(state.rng, seed, 0)
    for house in range(ROUNDS):
        state.house_order[house] = house
    shuffle(state.rng, state.house_order, ROUNDS)
    start_round(state, box)
    start_flush(state, box)


@kernel
def start_round(state: Any, box: Any) -> None:
    """Shuffle and deal all King cards; find the first player (Preparation 3-6, Starting 2)."""
    n = box.num_players
    for card in range(CARDS):
        state.pile[card] = card
    shuffle(state.rng, state.pile, CARDS)
    state.pile_len = CARDS
    state.wall = 0
    state.captured[:] = 0
    state.played_by[:] = 0
    state.flushes_won[:] = 0
    state.castle[:] = NO_CARD
    for _ in range(n):
        state.wall |= bit(draw_from_pile(state))
    for seat in range(n):
        for _ in range(MAX_HAND):
            state.hand[seat] |= bit(draw_from_pile(state))
    for seat in range(n):
        state.castle[seat] = draw_from_pile(state)
    deal_knowledge(state, n)
    clear_table(state)
    state.leader = first_leader(state, box)


@kernel
def draw_from_pile(state: Any) -> int:
    """Remove the top card of the pile and return it."""
    top = state.pile_len - 1
    card = int(state.pile[top])
    state.pile[top] = NO_CARD
    state.pile_len = top
    return card


@kernel
def clear_table(state: Any) -> None:
    """Take everything that belongs to a single Flush off the table."""
    for seat in range(SEATS):
        state.face[seat] = NO_CARD
        state.face_value[seat] = 0
        state.second[seat] = NO_CARD
        state.second_value[seat] = 0
        state.siege_card[seat] = NO_CARD
        state.siege_value[seat] = 0
        state.pass_card[seat] = NO_CARD
        state.order[seat] = NOBODY
    state.order_len = 0
    state.pos = 0
    state.led = NO_DYNASTY
    state.bonus = NO_BONUS
    state.last_flush = 0


@kernel
def first_leader(state: Any, box: Any) -> int:
    """Return the seat with the lowest total, then the lowest Castle, then the higher rank (RP-07, RP-08)."""
    best, best_key = 0, 0
    for seat in range(box.num_players):
        castle = state.castle[seat]
        key = (int(state.score[seat]) * 256 + int(box.value[castle])) * 256 - int(box.tie_rank[castle])
        if seat == 0 or key < best_key:
            best, best_key = seat, key
    return best


# --- The course of a Flush ----------------------------------------------------------------------------------------


@kernel
def start_flush(state: Any, box: Any) -> None:
    """Line up all who hold a card, the leader first; with all hands empty it is the last Flush (RP-05, RP-29)."""
    n = box.num_players
    held = 0
    for seat in range(n):
        held |= state.hand[seat]
    state.last_flush = held == 0
    size = 0
    for i in range(n):
        seat = around(int(state.leader) + i, n)
        if held == 0 or state.hand[seat] != 0:
            state.order[size] = seat
            size += 1
    state.order_len = size
    state.pos = 0
    state.leader = state.order[0]
    state.actor = state.leader
    state.phase = PLAYING


@kernel
def step(state: Any, box: Any, action: int) -> None:
    """Apply one decision and all that follows from it up to the next decision or the end."""
    if state.phase == DRAWING:
        take_wall_card(state, box, action - TAKE)
    elif decide_in_flush(state, box, action):
        resolve(state, box)
    if state.phase == DRAWING:
        ask_next_to_draw(state, box)
    if state.phase == NEXT_FLUSH:
        start_flush(state, box)


@kernel
def decide_in_flush(state: Any, box: Any, action: int) -> bool:
    """Apply a decision outside the draw step; return whether the Flush is complete."""
    seat = state.actor
    phase = state.phase
    if phase == PASSING:
        state.pass_card[seat] = action - PASS
        pass_on(state, box.num_players)
        return False
    if phase == SECONDING:
        put_second(state, box, seat, action)
        return seconds_complete(state, box.num_players)
    if phase == PLAYING:
        play(state, box, seat, action)
        if action >= CASTLE and state.last_flush == 0:
            state.phase = REPLACING
            return False
    elif phase == REPLACING:
        replace_castle(state, box.num_players, seat, action - NEW_CASTLE)
    else:
        take_position(state, box, seat, action)
    if state.bonus == SIEGE and phase != BESIEGING and free_wall(state) != 0:
        state.phase = BESIEGING
        return False
    return go_to_next_player(state)


@kernel
def go_to_next_player(state: Any) -> bool:
    """Ask whoever is next in the Flush; return whether it is complete."""
    if state.bonus == INTRIGUE and state.pos == 0:
        state.phase = PASSING
        state.actor = state.order[0]
        return False
    state.pos += 1
    if state.pos < state.order_len:
        state.phase = PLAYING
        state.actor = state.order[state.pos]
        return False
    if state.bonus == BATTLE:
        state.phase = SECONDING
        state.pos = 0
        state.actor = state.order[0]
        return False
    return True


@kernel
def play(state: Any, box: Any, seat: int, action: int) -> None:
    """Put a card face up on the table, from the hand or the Castle (Starting 3)."""
    from_castle = action >= CASTLE
    as_nine = action in (PLAY_AS_9, CASTLE_AS_9)
    if from_castle:
        card = int(state.castle[seat])
        state.castle[seat] = NO_CARD
    else:
        card = AFONSO_HENRIQUES if as_nine else action - PLAY
        state.hand[seat] &= ~bit(card)
        make_public(state, box.num_players, bit(card))
    state.face[seat] = card
    state.face_value[seat] = value_of(box, card, as_nine)
    state.played_by[seat] |= bit(card)
    dynasty = box.dynasty[card]
    if state.led == NO_DYNASTY:
        state.led = dynasty
        state.bonus = bonus_in_force(state, box, card, from_castle)
    elif (
        dynasty != state.led
        and state.led != FILIPINA
        and state.last_flush == 0
        and (not from_castle or box.castle_strict != 0)
    ):
        note_void(state, box.num_players, seat, box.dynasty_cards[state.led])


@kernel
def bonus_in_force(state: Any, box: Any, card: int, from_castle: bool) -> int:
    """Return the bonus that the leader's card activates, `NO_BONUS` if none (RP-19, RP-20, RP-26)."""
    if box.advanced == 0 or state.last_flush != 0:
        return NO_BONUS
    bonus = int(box.bonus[card])
    left = count(state.hand[state.leader]) - from_castle  # a Castle played is replaced from the hand
    if bonus == INTRIGUE and (left == 0 or state.order_len == 1):
        return NO_BONUS
    if bonus == BATTLE:
        if left == 0:
            return NO_BONUS
        for i in range(1, state.order_len):
            if count(state.hand[state.order[i]]) < 2:
                return NO_BONUS
    return bonus


@kernel
def replace_castle(state: Any, n: int, seat: int, card: int) -> None:
    """Put a hand card face up as the new Castle (Starting 3, RP-04)."""
    state.hand[seat] &= ~bit(card)
    state.castle[seat] = card
    make_public(state, n, bit(card))


@kernel
def free_wall(state: Any) -> int:
    """Return the Wall cards before which no card lies (Siege)."""
    free = int(state.wall)
    for seat in range(SEATS):
        if state.siege_card[seat] != NO_CARD:
            free &= ~bit(state.siege_card[seat])
    return free


@kernel
def take_position(state: Any, box: Any, seat: int, action: int) -> None:
    """Place the card just played before a Wall card, whose value is added (Siege, RP-27)."""
    as_nine = action == BEFORE_WALL_AS_9
    card = AFONSO_HENRIQUES if as_nine else action - BEFORE_WALL
    state.siege_card[seat] = card
    state.siege_value[seat] = value_of(box, card, as_nine)


@kernel
def pass_on(state: Any, n: int) -> None:
    """Ask the next participant for a card; when all have chosen, move them all at once (Intrigue, RP-25)."""
    state.pos += 1
    if state.pos == state.order_len:
        note_exchange(state, n)
        exchange(state)
        state.pos = 1  # the leader has played
        state.phase = PLAYING
    state.actor = state.order[state.pos]


@kernel
def exchange(state: Any) -> None:
    """Move every card set aside to the next participant clockwise."""
    size = state.order_len
    for i in range(size):
        giver = state.order[i]
        card = bit(state.pass_card[giver])
        state.hand[giver] &= ~card
        state.hand[state.order[around(i + 1, size)]] |= card
    for seat in range(SEATS):
        state.pass_card[seat] = NO_CARD


@kernel
def put_second(state: Any, box: Any, seat: int, action: int) -> None:
    """Put a second card face down (Battle)."""
    as_nine = action == SECOND_AS_9
    card = AFONSO_HENRIQUES if as_nine else action - SECOND
    state.hand[seat] &= ~bit(card)
    state.second[seat] = card
    state.second_value[seat] = value_of(box, card, as_nine)


@kernel
def seconds_complete(state: Any, n: int) -> bool:
    """Ask the next participant for a second card; after the last one reveal them all and return True."""
    state.pos += 1
    if state.pos < state.order_len:
        state.actor = state.order[state.pos]
        return False
    for i in range(state.order_len):
        seat = state.order[i]
        state.played_by[seat] |= bit(state.second[seat])
        make_public(state, n, bit(state.second[seat]))
    return True


# --- Who wins a Flush ---------------------------------------------------------------------------------------------


@kernel
def contending_dynasty(box: Any, house: int, led: int, bonus: int, last: bool, played: int) -> int:
    """Return the dynasty whose cards can win, or `ANY_DYNASTY`; `played` is the set of dynasties on the table."""
    if last or led == FILIPINA:
        return ANY_DYNASTY
    if bonus in (BATTLE, CUTS):
        return led
    trump = int(box.trump[house])
    if played >> trump & 1:
        return trump
    if bonus == CONSPIRACY and box.conspiracy_all != 0:
        return ANY_DYNASTY
    return led


@kernel
def strength(box: Any, led: int, bonus: int, value: int, rank: int) -> int:
    """Return the key by which the contending cards compare: the largest wins."""
    if bonus == CONSPIRACY:
        return -(value * 256 + rank)
    if bonus == CUTS and box.cuts_by_rank != 0 and led != FILIPINA:
        return rank
    return value * 256 + rank


@kernel
def flush_winner(state: Any, box: Any) -> int:
    """Return the seat that wins the complete Flush (General Rules, the bonuses, RP-05, RP-14, RP-21 … RP-30)."""
    played = 0
    for i in range(state.order_len):
        played |= 1 << int(box.dynasty[state.face[state.order[i]]])
    dynasty = contending_dynasty(box, house_in_force(state), state.led, state.bonus, state.last_flush != 0, played)
    best, best_key = NOBODY, 0
    for i in range(state.order_len):
        seat = int(state.order[i])
        card = state.face[seat]
        if dynasty == ANY_DYNASTY or box.dynasty[card] == dynasty:
            value = int(state.face_value[seat]) + int(state.siege_value[seat])
            rank = int(box.tie_rank[card])
            if state.bonus == BATTLE:
                value += int(state.second_value[seat])
                rank = max(rank, int(box.tie_rank[state.second[seat]]))
            key = strength(box, state.led, state.bonus, value, rank)
            if best == NOBODY or key > best_key:
                best, best_key = seat, key
    return best


@kernel
def cards_put_down(state: Any, seat: int) -> int:
    """Return the face-up and second card of a seat as a set."""
    cards = 0
    if state.face[seat] != NO_CARD:
        cards |= bit(state.face[seat])
    if state.second[seat] != NO_CARD:
        cards |= bit(state.second[seat])
    return cards


@kernel
def resolve(state: Any, box: Any) -> None:
    """Give the Flush to its winner, then let the Fool and the draw step follow, or end the round."""
    winner = flush_winner(state, box)
    state.flushes_won[winner] += 1
    state.leader = winner
    fool_played = capture(state, winner) & bit(FOOL)
    if state.last_flush != 0:
        state.captured[winner] |= state.wall
        state.wall = 0
        end_round(state, box)
        return
    bonus = state.bonus
    clear_table(state)
    if fool_played != 0:
        move_hands_left(state, box.num_players)
    prepare_draw(state, box, bonus)


@kernel
def capture(state: Any, winner: int) -> int:
    """Give the cards on the table to the winner, but D. Sebastião with the Fog to the Fog's player (RP-17)."""
    pair = bit(SEBASTIAO) | bit(FOG)
    cards = 0
    fog_player = winner
    for seat in range(SEATS):
        put_down = cards_put_down(state, seat)
        cards |= put_down
        if put_down & bit(FOG):
            fog_player = seat
    if cards & pair == pair:
        state.captured[fog_player] |= pair
        state.captured[winner] |= cards & ~pair
    else:
        state.captured[winner] |= cards
    return cards


@kernel
def move_hands_left(state: Any, n: int) -> None:
    """The Fool: all hands go to the left neighbour; if all are empty, all Castles do (RP-16)."""
    held = 0
    for seat in range(n):
        held |= state.hand[seat]
    if held == 0:
        rotate(state.castle, n)
    else:
        note_rotation(state, n)
        rotate(state.hand, n)


# --- The draw step ------------------------------------------------------------------------------------------------


@kernel
def prepare_draw(state: Any, box: Any, bonus: int) -> None:
    """Line up who takes a Wall card, the winner last; after a Battle each first gets a pile card (RP-02, RP-23)."""
    n = box.num_players
    if state.pile_len == 0:
        state.phase = NEXT_FLUSH
        return
    size = n - 1 if bonus == SIEGE and box.siege_winner_draws == 0 else n
    for i in range(size):
        state.order[i] = around(int(state.leader) + 1 + i, n)
    state.order_len = size
    state.phase = DRAWING
    if bonus == BATTLE:
        for i in range(size):
            if state.pile_len > 0:
                seat = state.order[i]
                card = draw_from_pile(state)
                state.hand[seat] |= bit(card)
                note_pile_card(state, n, seat, card)
        if state.pile_len == 0:
            state.pos = size  # nobody takes a Wall card


@kernel
def take_wall_card(state: Any, box: Any, card: int) -> None:
    """Take one Wall card into the hand, openly (Starting 4)."""
    seat = state.actor
    state.wall &= ~bit(card)
    state.hand[seat] |= bit(card)
    add_knowledge(state, box.num_players, seat, bit(card))
    state.pos += 1


@kernel
def ask_next_to_draw(state: Any, box: Any) -> None:
    """Ask the next seat to take a Wall card; after the last one refill the Wall (Starting 4-5)."""
    if state.pos < state.order_len and state.wall != 0:
        state.actor = state.order[state.pos]
        return
    n = box.num_players
    missing = n - count(state.wall)
    for _ in range(missing):
        if state.pile_len > 0:
            card = bit(draw_from_pile(state))
            state.wall |= card
            make_public(state, n, card)
    note_pile_empty(state, n)
    clear_table(state)
    state.phase = NEXT_FLUSH


# --- End of the round and of the game -----------------------------------------------------------------------------


@kernel
def end_round(state: Any, box: Any) -> None:
    """Score the round; deal the next one or end the game (End of the Round)."""
    score_round(state, box)
    if state.round_no == ROUNDS - 1:
        clear_table(state)
        state.phase = ENDED
        state.actor = NOBODY
        state.over = 1
        return
    state.round_no += 1
    start_round(state, box)
    state.phase = NEXT_FLUSH


@kernel
def contestants(box: Any) -> int:
    """Return the number of contestants: two teams, or the seats."""
    return 2 if box.teams != 0 else int(box.num_players)


@kernel
def captured_by(state: Any, box: Any, contestant: int) -> int:
    """Return the cards captured by a seat, with teams by both partners (RP-33)."""
    if box.teams != 0:
        return state.captured[contestant] | state.captured[contestant + 2]
    return int(state.captured[contestant])


@kernel
def score_round(state: Any, box: Any) -> None:
    """Write the points of this round and add them to the totals, doubled in the third, never below zero."""
    house = house_in_force(state)
    factor = 2 if state.round_no == ROUNDS - 1 else 1
    m = contestants(box)
    for contestant in range(m):
        points = round_points(state, box, house, contestant)
        for seat in range(contestant, box.num_players, m):
            state.points[state.round_no, seat] = points
            state.score[seat] = max(0, int(state.score[seat]) + factor * points)


@kernel
def round_points(state: Any, box: Any, house: int, contestant: int) -> int:
    """Return the points of one contestant in this round, before doubling (How to Score)."""
    cards = captured_by(state, box, contestant)
    points = no_flush_points(state, box, house, contestant) + filipina_points(box, cards)
    for dynasty in range(4):
        vp = int(box.house_vp[house, dynasty])
        if vp != 0 and majority_winner(state, box, dynasty) == contestant:
            points += vp
    if cards & bit(SEBASTIAO):
        points += int(box.vp[SEBASTIAO])
    return points


@kernel
def majority_winner(state: Any, box: Any, dynasty: int) -> int:
    """Return the contestant with most captured cards of a dynasty, then with the highest rank in it (RP-11)."""
    best, best_key = NOBODY, 0
    for contestant in range(contestants(box)):
        cards = captured_by(state, box, contestant) & box.dynasty_cards[dynasty]
        if cards != 0:
            key = count(cards) * 256 + highest_rank(box, cards)
            if best == NOBODY or key > best_key:
                best, best_key = contestant, key
    return best


@kernel
def no_flush_points(state: Any, box: Any, house: int, contestant: int) -> int:
    """Return the points for having won no Flush (RP-12; teams RP-33)."""
    without = 0
    partners = 0
    for seat in range(contestant, box.num_players, contestants(box)):
        partners += 1
        without += state.flushes_won[seat] == 0
    vp = int(box.no_flush_vp[house])
    if box.no_flush_by_player != 0:
        return without * vp
    return vp if without == partners else 0


@kernel
def filipina_points(box: Any, cards: int) -> int:
    """Return the printed points of the captured Filipina cards, 0 for all three (RP-13)."""
    kings = cards & int(box.dynasty_cards[FILIPINA])
    if kings == box.dynasty_cards[FILIPINA]:
        return 0
    points = 0
    while kings != 0:
        points += int(box.vp[lowest(kings)])
        kings &= kings - 1
    return points


@kernel
def standing(state: Any, box: Any, contestant: int) -> int:
    """Return a number that orders the contestants: total, then the highest King captured in the round (RP-31)."""
    return int(state.score[contestant]) * 1024 + highest_rank(box, captured_by(state, box, contestant))


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    """Write the utility of every seat: 0 win, 1 placement, 2 margin, 3 total; before the end as if it ended now."""
    n = box.num_players
    m = contestants(box)
    total = 0
    leaders = 0
    for contestant in range(m):
        total += int(state.score[contestant])
        leaders += better_than(state, box, contestant) == 0
    for seat in range(n):
        contestant = around(seat, m)
        score = int(state.score[contestant])
        better = better_than(state, box, contestant)
        if kind == 0:
            out[seat] = (m / leaders - 1.0) / (m - 1.0) if better == 0 else -1.0 / (m - 1.0)
        elif kind == 1:
            place = better + (level_with(state, box, contestant) - 1) / 2.0
            out[seat] = 1.0 - 2.0 * place / (m - 1.0)
        elif kind == 2:
            out[seat] = (score - (total - score) / (m - 1.0)) / float(box.score_cap)
        else:
            out[seat] = score


@kernel
def better_than(state: Any, box: Any, contestant: int) -> int:
    """Return how many contestants stand above this one."""
    own = standing(state, box, contestant)
    n = 0
    for other in range(contestants(box)):
        n += standing(state, box, other) > own
    return n


@kernel
def level_with(state: Any, box: Any, contestant: int) -> int:
    """Return how many contestants share the place of this one, itself included."""
    own = standing(state, box, contestant)
    n = 0
    for other in range(contestants(box)):
        n += standing(state, box, other) == own
    return n


# --- What is legal ------------------------------------------------------------------------------------------------


@kernel
def playable(state: Any, box: Any, seat: int) -> int:
    """Return the hand cards that may be played: cards of the led dynasty if there are any (Assist)."""
    hand = int(state.hand[seat])
    if state.led == NO_DYNASTY or state.led == FILIPINA:
        return hand
    following = hand & int(box.dynasty_cards[state.led])
    return following if following != 0 else hand


@kernel
def castle_playable(state: Any, box: Any, seat: int) -> bool:
    """Return whether the Castle may be played: always, or under `strict` only if it follows when the hand could."""
    if box.castle_strict == 0 or state.led == NO_DYNASTY or state.led == FILIPINA or state.last_flush != 0:
        return True
    led = int(box.dynasty_cards[state.led])
    return (int(state.hand[seat]) & led) == 0 or (bit(state.castle[seat]) & led) != 0


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    """Write the legal actions of the seat on turn and return their number (at most 7)."""
    mask[:] = 0
    if state.over != 0:
        return 0
    seat = state.actor
    phase = state.phase
    cards = int(state.hand[seat])
    first, as_nine = NEW_CASTLE, -1
    if phase == PLAYING:
        cards, first, as_nine = playable(state, box, seat), PLAY, PLAY_AS_9
    elif phase == PASSING:
        first = PASS
    elif phase == SECONDING:
        first, as_nine = SECOND, SECOND_AS_9
    elif phase == BESIEGING:
        cards, first, as_nine = free_wall(state), BEFORE_WALL, BEFORE_WALL_AS_9
    elif phase == DRAWING:
        cards, first = int(state.wall), TAKE
    n = 0
    if as_nine >= 0 and cards & bit(AFONSO_HENRIQUES):
        mask[as_nine] = 1
        n += 1
    while cards != 0:
        mask[first + lowest(cards)] = 1
        cards &= cards - 1
        n += 1
    if phase == PLAYING and castle_playable(state, box, seat):
        mask[CASTLE] = 1
        n += 1
        if state.castle[seat] == AFONSO_HENRIQUES:
            mask[CASTLE_AS_9] = 1
            n += 1
    return n


@kernel
def skippable(state: Any, box: Any) -> bool:
    """A skipped decision was forced: that must follow from what everybody sees, or the silence would leak.

    A single second card could be told from D. Afonso Henriques, and under `strict` one playable card from several.
    """
    if state.phase == PLAYING:
        return state.last_flush != 0
    return state.phase != SECONDING


# --- Invariants ---------------------------------------------------------------------------------------------------


@kernel
def check(state: Any, box: Any) -> int:
    """Return 0, or the number of the first broken invariant of `GAME.invariants`."""
    if not ranges_hold(state, box):
        return 1
    if not houses_hold(state):
        return 11
    if not partition_holds(state, box):
        return 2
    if not castles_hold(state, box):
        return 3
    if not sizes_hold(state, box):
        return 4
    if not extras_hold(state, box):
        return 8
    if not scores_hold(state, box):
        return 9
    if not knowledge_holds(state, box):
        return 10
    if state.over != 0:
        return 0
    if state.phase == PLAYING and state.pos == 0:
        return flush_start_fault(state, box)
    if not choice_holds(state):
        return 7
    return 0


@kernel
def is_card(card: int) -> bool:
    """Return whether a number is a card id or `NO_CARD`."""
    return NO_CARD <= card < CARDS


@kernel
def is_set(cards: int) -> bool:
    """Return whether a number is a set of cards."""
    return 0 <= cards <= ALL_CARDS


@kernel
def ranges_hold(state: Any, box: Any) -> bool:
    """Bounds of every field, before any of them is used as an index."""
    n = box.num_players
    if not (0 <= state.over <= 1 and 0 <= state.round_no < ROUNDS and 0 <= state.last_flush <= 1):
        return False
    if not (-1 <= state.led < 4 and -1 <= state.bonus < 5 and 0 <= state.leader < n and 0 <= state.pile_len <= CARDS):
        return False
    if not (0 <= state.order_len <= n and 0 <= state.pos <= state.order_len and is_set(state.wall)):
        return False
    for house in range(ROUNDS):
        if not 0 <= state.house_order[house] < ROUNDS:
            return False
    for card in range(CARDS):
        if not is_card(state.pile[card]) or (state.pile[card] == NO_CARD) != (card >= state.pile_len):
            return False
    for seat in range(SEATS):
        if not (seat_ranges_hold(state, n, seat) and values_fit(state, box, seat)):
            return False
    if state.over == 1:
        return state.actor == NOBODY and state.phase == ENDED and state.order_len == 0
    if not (PLAYING <= state.phase <= DRAWING and state.pos < state.order_len):
        return False
    return state.actor == state.order[state.pos]


@kernel
def seat_ranges_hold(state: Any, n: int, seat: int) -> bool:
    """Bounds of the entries of one seat; an absent seat has nothing."""
    if not (is_card(state.castle[seat]) and is_card(state.face[seat]) and is_card(state.second[seat])):
        return False
    if not (is_card(state.siege_card[seat]) and is_card(state.pass_card[seat])):
        return False
    if not (is_set(state.hand[seat]) and is_set(state.captured[seat]) and is_set(state.played_by[seat])):
        return False
    for place in range(SEATS + 1):
        if not is_set(state.may_hold[seat, place]):
            return False
    for i in range(seat):
        if state.order[seat] != NOBODY and state.order[seat] == state.order[i]:
            return False
    if not NOBODY <= state.order[seat] < n or (state.order[seat] == NOBODY) != (seat >= state.order_len):
        return False
    if seat < n:
        return True
    held = state.hand[seat] | state.captured[seat] | state.played_by[seat]
    for place in range(SEATS + 1):
        held |= state.may_hold[seat, place]
    highest = max(state.castle[seat], state.face[seat], state.second[seat], state.siege_card[seat])
    return held == 0 and highest == NO_CARD


@kernel
def values_fit(state: Any, box: Any, seat: int) -> bool:
    """The values on the table are those of their cards."""
    face = value_fits(box, state.face[seat], state.face_value[seat])
    second = value_fits(box, state.second[seat], state.second_value[seat])
    return face and second and value_fits(box, state.siege_card[seat], state.siege_value[seat])


@kernel
def value_fits(box: Any, card: int, value: int) -> bool:
    """Return whether a card can have this value; without a card it is 0."""
    if card == NO_CARD:
        return value == 0
    return value == box.value[card] or (card == AFONSO_HENRIQUES and value == box.alt_value)


@kernel
def houses_hold(state: Any) -> bool:
    """Each Royal House card is used once."""
    used = 0
    for house in range(ROUNDS):
        used |= 1 << int(state.house_order[house])
    return used == 7


@kernel
def partition_holds(state: Any, box: Any) -> bool:
    """Every card is in exactly one place."""
    union = int(state.wall)
    total = count(state.wall)
    for i in range(state.pile_len):
        union |= bit(state.pile[i])
        total += 1
    for seat in range(box.num_players):
        union |= state.hand[seat] | state.captured[seat] | cards_put_down(state, seat)
        total += count(state.hand[seat]) + count(state.captured[seat])
        total += state.face[seat] != NO_CARD
        total += state.second[seat] != NO_CARD
        if state.castle[seat] != NO_CARD:
            union |= bit(state.castle[seat])
            total += 1
    return union == ALL_CARDS and total == CARDS


@kernel
def castles_hold(state: Any, box: Any) -> bool:
    """One Castle per seat, except while it is being replaced, once played in the last Flush, and after the end."""
    for seat in range(box.num_players):
        replacing = state.phase == REPLACING and seat == state.actor
        gone = state.over != 0 or replacing or (state.last_flush != 0 and state.face[seat] != NO_CARD)
        if (state.castle[seat] == NO_CARD) != gone:
            return False
    return True


@kernel
def sizes_hold(state: Any, box: Any) -> bool:
    """Hands, Wall and pile are not too large."""
    n = box.num_players
    for seat in range(n):
        if count(state.hand[seat]) > MAX_HAND:
            return False
    return count(state.wall) <= n and state.pile_len <= CARDS - 7 * n


@kernel
def extras_hold(state: Any, box: Any) -> bool:
    """Second cards, siege positions and cards set aside lie only where their bonus allows."""
    positions = 0
    taken = 0
    for seat in range(box.num_players):
        if state.second[seat] != NO_CARD and state.bonus != BATTLE:
            return False
        passing = state.pass_card[seat] != NO_CARD
        if passing and (state.bonus != INTRIGUE or not state.hand[seat] & bit(state.pass_card[seat])):
            return False
        if state.siege_card[seat] != NO_CARD:
            positions |= bit(state.siege_card[seat])
            taken += 1
    if taken > 0 and state.bonus != SIEGE:
        return False
    return count(positions) == taken and positions & ~state.wall == 0


@kernel
def scores_hold(state: Any, box: Any) -> bool:
    """Totals and round points lie in their range; partners share both."""
    m = contestants(box)
    highest = box.score_cap // (ROUNDS + 1)
    lowest_points = worst_filipina_points(box)
    for seat in range(box.num_players):
        if not 0 <= state.score[seat] <= box.score_cap or state.score[seat] != state.score[around(seat, m)]:
            return False
        if not 0 <= state.flushes_won[seat] <= CARDS:
            return False
        for number in range(ROUNDS):
            if not lowest_points <= state.points[number, seat] <= highest:
                return False
    return True


@kernel
def worst_filipina_points(box: Any) -> int:
    """Return the least that two of the three Filipina cards can bring."""
    total, best = 0, -100
    kings = int(box.dynasty_cards[FILIPINA])
    while kings != 0:
        vp = int(box.vp[lowest(kings)])
        total += vp
        best = max(best, vp)
        kings &= kings - 1
    return total - best


@kernel
def knowledge_holds(state: Any, box: Any) -> bool:
    """Every hidden card is where its observer thinks it may be, and nothing he sees is thought to be hidden."""
    n = box.num_players
    pile = 0
    for i in range(state.pile_len):
        pile |= bit(state.pile[i])
    for observer in range(n):
        hidden = pile
        if pile & ~state.may_hold[observer, PILE]:
            return False
        for seat in range(n):
            if seat != observer:
                held = held_hidden(state, seat)
                hidden |= held
                if held & ~state.may_hold[observer, seat]:
                    return False
        for place in range(SEATS + 1):
            if state.may_hold[observer, place] & ~hidden:
                return False
    return True


@kernel
def held_hidden(state: Any, seat: int) -> int:
    """Return the cards of a seat that only it knows: the hand and the face-down second card."""
    cards = int(state.hand[seat])
    if state.second[seat] != NO_CARD:
        cards |= bit(state.second[seat])
    return cards


@kernel
def flush_start_fault(state: Any, box: Any) -> int:
    """Return the broken invariant of a Flush about to start, or 0."""
    n = box.num_players
    held = 0
    equal = True
    for seat in range(n):
        held |= state.hand[seat]
        equal = equal and count(state.hand[seat]) == count(state.hand[0])
    if held == 0 and state.pile_len > 0:
        return 6
    if state.last_flush != (held == 0):
        return 12
    full = count(state.wall) == n
    if not full and state.pile_len > 0:
        return 5
    if box.siege_winner_draws != 0 and not (equal and full and state.pile_len % n == 0):
        return 5
    if held != 0 and state.hand[state.actor] == 0:
        return 7
    return 0


@kernel
def choice_holds(state: Any) -> bool:
    """The seat on turn has at least one legal action."""
    if state.phase == DRAWING:
        return state.wall != 0
    if state.phase == BESIEGING:
        return free_wall(state) != 0
    return state.hand[state.actor] != 0 or (state.phase == PLAYING and state.last_flush != 0)
