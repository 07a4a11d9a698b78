"""What a seat sees, as a flat float32 vector (fields and scales in `game.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.reis_de_portugal.game import (
    CARDS,
    DRAWING,
    FILIPINA,
    MAX_HAND,
    OBSERVATION,
    PILE,
    ROUNDS,
)
from lusogames_env.games.reis_de_portugal.rules import NO_BONUS, NO_CARD, NO_DYNASTY, around, count, house_in_force

O_PHASE, O_PLAYERS, O_FLAGS = OBSERVATION["phase"], OBSERVATION["n_players"], OBSERVATION["rule_flags"]
O_ROUND, O_TRUMP, O_VP = OBSERVATION["round"], OBSERVATION["trump"], OBSERVATION["dynasty_vp"]
O_HOUSES, O_HAND, O_CASTLES = OBSERVATION["houses_to_come"], OBSERVATION["hand"], OBSERVATION["castles"]
O_WALL, O_PILE, O_HANDS = OBSERVATION["wall"], OBSERVATION["pile_count"], OBSERVATION["hand_counts"]
O_LEADER, O_IN_FLUSH, O_LED = OBSERVATION["leader"], OBSERVATION["in_flush"], OBSERVATION["led_dynasty"]
O_BONUS, O_LAST, O_FACE = OBSERVATION["bonus"], OBSERVATION["last_flush"], OBSERVATION["face"]
O_FACE_VALUE, O_SIEGE, O_SIEGE_VALUE = OBSERVATION["face_value"], OBSERVATION["siege_card"], OBSERVATION["siege_value"]
O_SECOND_DOWN, O_OWN_SECOND = OBSERVATION["second_down"], OBSERVATION["own_second"]
O_OWN_SECOND_VALUE = OBSERVATION["own_second_value"]
O_PASS_SET, O_OWN_PASS = OBSERVATION["pass_set"], OBSERVATION["own_pass"]
O_CAPTURED, O_WON, O_SCORES = OBSERVATION["captured"], OBSERVATION["flushes_won"], OBSERVATION["scores"]
O_PLAYED, O_MAY_HOLD, O_ACTOR = OBSERVATION["played_by"], OBSERVATION["may_hold"], OBSERVATION["actor"]

PILE_SCALE = 22  # the largest pile, with two players
FLUSH_SCALE = 20

# Row k holds the bits of k: a set of 36 cards is nine such rows, each copied as one vector of the processor.
NIBBLES = np.array([[k >> i & 1 for i in range(4)] for k in range(16)], np.float32)
NIBBLES.flags.writeable = False


@kernel
def write_set(out: Any, start: int, cards: int) -> None:
    """Write a set of cards as 36 numbers 0 or 1."""
    for part in range(CARDS // 4):
        bits = cards >> (4 * part) & 15
        for i in range(4):
            out[start + 4 * part + i] = NIBBLES[bits, i]


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of `seat`, float32 of shape (1088,); row r of a field is the seat r places clockwise."""
    out[:] = 0.0
    write_table(state, box, out)
    write_own(state, box, seat, out)
    n = box.num_players
    for row in range(n):
        write_seat(state, box, seat, row, around(seat + row, n), out)
    if state.over == 0:
        out[O_ACTOR + around(state.actor + n - seat, n)] = 1.0
    out[O_LEADER + around(int(state.leader) + n - seat, n)] = 1.0
    first = state.pos if state.phase == DRAWING else 0
    for i in range(first, state.order_len):
        out[O_IN_FLUSH + around(int(state.order[i]) + n - seat, n)] = 1.0


@kernel
def write_table(state: Any, box: Any, out: Any) -> None:
    """Write what is the same for all seats."""
    if state.over == 0:
        out[O_PHASE + int(state.phase)] = 1.0
    out[O_PLAYERS + box.num_players - 2] = 1.0
    out[O_FLAGS] = box.advanced
    out[O_FLAGS + 1] = box.teams
    out[O_FLAGS + 2] = 1 - box.castle_strict
    out[O_FLAGS + 3] = box.siege_winner_draws
    out[O_FLAGS + 4] = box.conspiracy_all
    out[O_FLAGS + 5] = box.cuts_by_rank
    out[O_FLAGS + 6] = box.no_flush_by_player
    out[O_ROUND + int(state.round_no)] = 1.0
    house = house_in_force(state)
    for dynasty in range(4):
        if dynasty != FILIPINA:
            place = dynasty - (dynasty > FILIPINA)
            out[O_TRUMP + place] = box.trump[house] == dynasty
            out[O_VP + place] = int(box.house_vp[house, dynasty]) / int(box.vp_scale)
    for later in range(state.round_no + 1, ROUNDS):
        out[O_HOUSES + int(state.house_order[later])] = 1.0
    write_set(out, O_WALL, int(state.wall))
    out[O_PILE] = int(state.pile_len) / PILE_SCALE
    if state.led != NO_DYNASTY:
        out[O_LED + int(state.led)] = 1.0
    if state.bonus != NO_BONUS:
        out[O_BONUS + int(state.bonus)] = 1.0
    out[O_LAST] = state.last_flush


@kernel
def write_own(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write what only the observer sees."""
    write_set(out, O_HAND, int(state.hand[seat]))
    if state.second[seat] != NO_CARD:
        out[O_OWN_SECOND + int(state.second[seat])] = 1.0
        out[O_OWN_SECOND_VALUE] = int(state.second_value[seat]) / int(box.value_scale)
    if state.pass_card[seat] != NO_CARD:
        out[O_OWN_PASS + int(state.pass_card[seat])] = 1.0


@kernel
def write_seat(state: Any, box: Any, observer: int, row: int, seat: int, out: Any) -> None:
    """Write what the observer sees of one seat into row `row` of the fields; row 0 of `may_hold` is the pile."""
    if state.castle[seat] != NO_CARD:
        out[O_CASTLES + CARDS * row + int(state.castle[seat])] = 1.0
    if state.face[seat] != NO_CARD:
        out[O_FACE + CARDS * row + int(state.face[seat])] = 1.0
        out[O_FACE_VALUE + row] = int(state.face_value[seat]) / int(box.value_scale)
    if state.siege_card[seat] != NO_CARD:
        out[O_SIEGE + CARDS * row + int(state.siege_card[seat])] = 1.0
        out[O_SIEGE_VALUE + row] = int(state.siege_value[seat]) / int(box.value_scale)
    out[O_HANDS + row] = count(state.hand[seat]) / MAX_HAND
    out[O_SECOND_DOWN + row] = state.second[seat] != NO_CARD
    out[O_PASS_SET + row] = state.pass_card[seat] != NO_CARD
    out[O_WON + row] = min(int(state.flushes_won[seat]), FLUSH_SCALE) / FLUSH_SCALE
    out[O_SCORES + row] = int(state.score[seat]) / int(box.score_cap)
    write_set(out, O_CAPTURED + CARDS * row, int(state.captured[seat]))
    write_set(out, O_PLAYED + CARDS * row, int(state.played_by[seat]))
    place = PILE if row == 0 else seat
    write_set(out, O_MAY_HOLD + CARDS * row, int(state.may_hold[observer, place]))
