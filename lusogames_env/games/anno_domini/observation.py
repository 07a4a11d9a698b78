"""What a seat of Anno Domini sees: everything but the order of the never-drawn cards (AD-53)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.game import RUNNING
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.anno_domini.game import (
    ARCHITECT_PLACE,
    CARDS,
    CATHEDRALS,
    DECK,
    DICE,
    FREE,
    KEPT_CARDS,
    NONE,
    OBSERVATION,
    POPE,
    SEATS,
    TERRITORIES,
)
from lusogames_env.games.anno_domini.rules import attacks_left, early

O_OWNER = OBSERVATION["board_owner"]
O_CASTLES = OBSERVATION["board_castles"]
O_CATHEDRAL = OBSERVATION["board_cathedral"]
O_MONEY = OBSERVATION["money"]
O_MONEY_BIG = OBSERVATION["money_big"]
O_DEBT = OBSERVATION["debt"]
O_TERRITORIES = OBSERVATION["territories"]
O_CATHEDRALS = OBSERVATION["cathedrals"]
O_SUPPLY = OBSERVATION["supply"]
O_ALIVE = OBSERVATION["alive"]
O_IS_POPE = OBSERVATION["is_pope"]
O_KEPT = OBSERVATION["kept"]
O_YET_TO_PLAY = OBSERVATION["yet_to_play"]
O_DECISION = OBSERVATION["decision"]
O_ACTOR = OBSERVATION["actor"]
O_ATTACKS_LEFT = OBSERVATION["attacks_left"]
O_ATTACKS_MADE = OBSERVATION["attacks_made"]
O_ROLLED = OBSERVATION["rolled"]
O_CONQUERED = OBSERVATION["conquered"]
O_DRAWN = OBSERVATION["drawn"]
O_SEL_FROM = OBSERVATION["sel_from"]
O_SEL_TO = OBSERVATION["sel_to"]
O_SEL_SRC = OBSERVATION["sel_src"]
O_SEL_OPP = OBSERVATION["sel_opp"]
O_USED_CARD = OBSERVATION["used_card"]
O_ROUND = OBSERVATION["round"]
O_EARLY = OBSERVATION["early"]
O_GOAL = OBSERVATION["goal"]
O_MANDATORY = OBSERVATION["mandatory_event"]
O_POPE_STEALABLE = OBSERVATION["pope_stealable"]
O_NO_ATTACK = OBSERVATION["no_attack"]
O_UNSEEN_COUNTS = OBSERVATION["unseen_counts"]
O_UNSEEN_LEFT = OBSERVATION["unseen_left"]
O_DECK_LENGTH = OBSERVATION["deck_length"]
O_NEXT_KNOWN = OBSERVATION["next_known"]
O_DECK_KNOWN = OBSERVATION["deck_known"]
O_LAST_EVENT = OBSERVATION["last_event"]

DECK_TYPES = CARDS - 1  # the Pope is never in the deck
MOST_ATTACKS = 27
MOST_CASTLES = 80
NEXT = 4
CASTLE_SHARES = (np.arange(DICE + 1) / DICE).astype(np.float32)
PLACE_SHARES = (np.arange(1, DECK_TYPES + 1) / DECK_TYPES).astype(np.float32)


@kernel
def place_of(card: int) -> int:
    """Return the place of a card other than the Pope in the list of such cards."""
    return card - 1 if card > POPE else card


@kernel
def share(value: float, most: float) -> float:
    """Return the share of `most`, at most 1."""
    return min(float(value), most) / most


@kernel
def write_board(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the board, and what each player has on it."""
    territories, cathedrals, castles = 0, 0, 0  # sixteen bits for each player: counted in registers
    for t in range(TERRITORIES):
        here = int(state.castles[t])
        holy = int(state.cathedral[t])
        owner = int(state.owner[t])
        p = SEATS if owner == FREE else (owner - seat + SEATS) % SEATS
        out[O_CASTLES + t] = CASTLE_SHARES[here]
        out[O_CATHEDRAL + t] = holy
        out[O_OWNER + 5 * t + p] = 1.0
        if p < SEATS:
            territories += 1 << (16 * p)
            cathedrals += holy << (16 * p)
            castles += here << (16 * p)
    for p in range(SEATS):
        out[O_TERRITORIES + p] = ((territories >> (16 * p)) & 0xFFFF) / TERRITORIES
        out[O_CATHEDRALS + p] = ((cathedrals >> (16 * p)) & 0xFFFF) / CATHEDRALS
        out[O_SUPPLY + p] = (int(box.castles_per_player) - ((castles >> (16 * p)) & 0xFFFF)) / MOST_CASTLES


@kernel
def write_player(state: Any, box: Any, seat: int, p: int, out: Any) -> None:
    """Write money, debts and cards of the `p`-th seat clockwise of the observer."""
    q = (seat + p) % SEATS
    out[O_MONEY + p] = share(state.money[q], 5000.0)
    out[O_MONEY_BIG + p] = share(state.money[q], 1_000_000.0)
    for d in range(SEATS):
        owed = state.debt[q, (seat + d) % SEATS]
        if owed > 0:
            out[O_DEBT + SEATS * p + d] = share(owed, 500.0)
    out[O_ALIVE + p] = state.alive[q]
    out[O_IS_POPE + p] = state.kept[q, POPE]
    for card in range(KEPT_CARDS):
        copies = int(state.kept[q, card])
        if copies > 0 and card != POPE:
            out[O_KEPT + (KEPT_CARDS - 1) * p + place_of(card)] = copies / int(box.copies[card])


@kernel
def write_turn(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write who is on turn, what is asked and what has happened in the turn."""
    out[O_ATTACKS_MADE] = share(state.attacks_made, MOST_ATTACKS)
    out[O_ROLLED] = state.rolled
    out[O_CONQUERED] = state.conquered
    out[O_DRAWN] = state.drawn
    out[O_LAST_EVENT + max(0, int(state.last_event) - 1)] = 1.0
    if state.over != RUNNING:
        return
    actor = int(state.actor)
    out[O_ACTOR + (actor - seat + SEATS) % SEATS] = 1.0
    out[O_DECISION + int(state.decision)] = 1.0
    if state.round_number == 0:
        return
    out[O_ATTACKS_LEFT] = share(attacks_left(state, box, actor), MOST_ATTACKS)
    place = 0
    for i in range(int(state.order_pos), SEATS):
        p = int(state.order[i])
        if p >= 0 and state.alive[p] != 0:
            place += 1
            out[O_YET_TO_PLAY + (p - seat + SEATS) % SEATS] = place / SEATS


@kernel
def write_choice(state: Any, out: Any) -> None:
    """Write the choice being made."""
    if state.sel_from != NONE:
        out[O_SEL_FROM + int(state.sel_from)] = 1.0
    if state.sel_to != NONE:
        out[O_SEL_TO + int(state.sel_to)] = 1.0
    if state.sel_src != NONE:
        out[O_SEL_SRC + int(state.sel_src)] = 1.0
    if state.decision == ARCHITECT_PLACE:
        for t in range(TERRITORIES):
            out[O_SEL_SRC + t] = state.arch_done[t]
    if state.sel_opp != NONE:
        out[O_SEL_OPP + (int(state.sel_opp) - int(state.actor) + SEATS) % SEATS - 1] = 1.0
    if state.used_card != NONE:
        out[O_USED_CARD + int(state.used_card) - KEPT_CARDS] = 1.0


@kernel
def write_game(state: Any, box: Any, out: Any) -> None:
    """Write round, goal and options."""
    out[O_ROUND] = int(state.round_number) / int(box.max_rounds)
    out[O_EARLY] = 1.0 if early(state, box) else 0.0
    out[O_GOAL] = int(box.goal) / CATHEDRALS
    out[O_MANDATORY] = box.mandatory_event
    out[O_POPE_STEALABLE] = box.pope_stealable
    out[O_NO_ATTACK] = box.no_attack


@kernel
def write_deck(state: Any, box: Any, out: Any) -> None:
    """Write what is known of the deck: how many cards of each kind are unseen, and every card that has gone under."""
    unseen = int(state.unseen_left)
    size = int(state.deck_size)
    for i in range(unseen):  # counted, so that their order does not matter
        out[O_UNSEEN_COUNTS + place_of(int(state.deck[i]))] += 1.0
    for card in range(CARDS):
        at = O_UNSEEN_COUNTS + place_of(card)
        if card != POPE and out[at] > 0.0:
            out[at] = float(out[at]) / int(box.copies[card])
    out[O_UNSEEN_LEFT] = unseen / DECK
    out[O_DECK_LENGTH] = size / DECK
    for i in range(unseen, size):
        place = place_of(int(state.deck[i]))
        out[O_DECK_KNOWN + i] = PLACE_SHARES[place]
        if i < NEXT:
            out[O_NEXT_KNOWN + DECK_TYPES * i + place] = 1.0


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of `seat`, float32 (622,), every value in 0 … 1."""
    out[:] = 0.0
    write_board(state, box, seat, out)
    for p in range(SEATS):
        write_player(state, box, seat, p, out)
    write_turn(state, box, seat, out)
    write_choice(state, out)
    write_game(state, box, out)
    write_deck(state, box, out)
