"""What a seat sees of Aljubarrota: the board and all public counts, its own families and cards, its own choice."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.aljubarrota.game import (
    ARMY,
    CARD_TOTAL,
    CARDS,
    FAMILIES,
    FIRST_FAMILY_PIECE,
    MOVE_DIR,
    OBSERVATION,
    PIECES,
    PLEDGE,
    ROUNDS,
    ROWS,
    SECOND_STEP,
    SOLITARY,
)
from lusogames_env.games.aljubarrota.rules import missing, points_spent

O_CAST, O_PORT, O_SELECTED_HEX = OBSERVATION["cast"], OBSERVATION["port"], OBSERVATION["selected_hex"]
O_PIECE_XY, O_PIECE_ALIVE = OBSERVATION["piece_xy"], OBSERVATION["piece_alive"]
O_TO_PLACE, O_SELECTED_PIECE = OBSERVATION["piece_mine_to_place"], OBSERVATION["selected_piece"]
O_MINE, O_KILLS, O_HAND = OBSERVATION["family_mine"], OBSERVATION["family_kills"], OBSERVATION["hand"]
O_HAND_SIZE, O_SPENT, O_PLEDGE = OBSERVATION["hand_size"], OBSERVATION["spent"], OBSERVATION["pledge"]
O_KNOWN, O_PASSES, O_MISSING = OBSERVATION["known_held"], OBSERVATION["passes"], OBSERVATION["missing"]
O_ROUND, O_FREE, O_TURN_SEAT = OBSERVATION["round"], OBSERVATION["free_seat"], OBSERVATION["turn_seat"]
O_TURN_KIND, O_COUNTERS, O_DECISION = OBSERVATION["turn_kind"], OBSERVATION["counters"], OBSERVATION["decision"]
O_GROUP, O_ROW_CARDS, O_UNSEEN = OBSERVATION["group"], OBSERVATION["row_cards"], OBSERVATION["unseen_cards"]
O_DECK_LEFT, O_RESERVE, O_FLAGS = OBSERVATION["deck_left"], OBSERVATION["reserve"], OBSERVATION["flags"]
O_PLAYERS, O_MODE, O_SPENT_TOTAL = OBSERVATION["players"], OBSERVATION["mode"], OBSERVATION["spent_total"]


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of a seat, float32 (1315,): nothing that this seat may not know."""
    out[:] = 0.0
    observe_castilians(state, box, out)
    observe_white_pieces(state, box, seat, out)
    observe_families_and_hand(state, seat, out)
    observe_seats(state, box, seat, out)
    observe_round(state, box, out)
    if state.actor == seat and state.over == 0:
        observe_own_choice(state, out)


@kernel
def observe_castilians(state: Any, box: Any, out: Any) -> None:
    """Write the Castilians by hex, colour and side."""
    at = O_CAST
    for here in range(box.hexes):
        for colour in range(2):
            for side in range(2):
                out[at] = state.cast[here, colour, side] / 3.0
                at += 1


@kernel
def observe_white_pieces(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write where each white piece stands, and by hex how many there are of each kind."""
    for piece in range(PIECES):
        here = state.piece_hex[piece]
        out[O_PIECE_ALIVE + piece] = here != -1
        if here >= 0:
            out[O_PIECE_XY + 2 * piece] = box.x[here] / box.x_max
            out[O_PIECE_XY + 2 * piece + 1] = box.h[here] / box.h_max
            kind = 2 + min(piece, 2)
            if piece >= FIRST_FAMILY_PIECE:
                kind = 0 if state.family_owner[(piece - FIRST_FAMILY_PIECE) // 2] == seat else 1
            out[O_PORT + 5 * int(here) + kind] += 1.0 / 3.0
        else:
            out[O_PIECE_XY + 2 * piece] = -1.0
            out[O_PIECE_XY + 2 * piece + 1] = -1.0
        out[O_TO_PLACE + piece] = state.to_place[piece] == seat


@kernel
def observe_families_and_hand(state: Any, seat: int, out: Any) -> None:
    """Write the points of all families, and the own families and cards."""
    for family in range(FAMILIES):
        out[O_MINE + family] = state.family_owner[family] == seat
        out[O_KILLS + family] = state.kills[family] / 216.0
    for value in range(3):
        out[O_HAND + value] = state.hand[seat, value] / 36.0


@kernel
def observe_seats(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write what is public of every seat, self first, then clockwise."""
    players = int(box.num_players)
    offered = state.decision >= PLEDGE
    for i in range(players):
        other = (seat + i) % players
        held = int(state.hand[other, 0]) + int(state.hand[other, 1]) + int(state.hand[other, 2])
        out[O_HAND_SIZE + i] = held / 36.0
        out[O_PASSES + i] = state.passes[other] / 36.0
        out[O_FREE + i] = state.free_player == other
        out[O_TURN_SEAT + i] = state.turn_seat == other
        shown = box.simultaneous == 0 or other == seat
        for value in range(2):
            out[O_SPENT + 2 * i + value] = state.spent[other, value + 1] / 36.0
            out[O_KNOWN + 2 * i + value] = state.known_held[other, value] / 3.0
            if shown and offered:
                out[O_PLEDGE + 2 * i + value] = state.pledged[other, value] / 3.0
    if offered:
        out[O_MISSING] = missing(state, box) / 3.0


@kernel
def observe_round(state: Any, box: Any, out: Any) -> None:
    """Write round, turn, cards, reserves and the form of the game."""
    out[O_ROUND] = state.round_no / ROUNDS
    out[O_TURN_KIND + int(state.turn_kind)] = 1.0
    out[O_COUNTERS] = state.swap_left
    out[O_COUNTERS + 1] = state.english_left / 6.0
    out[O_COUNTERS + 2] = state.sweethearts_left / 4.0
    out[O_COUNTERS + 3] = state.action_left
    for row in range(ROWS):
        out[O_ROW_CARDS + 5 * row + 1 + int(state.row_card[row])] = 1.0
    for i in range(int(state.deck_pos), CARDS):
        out[O_UNSEEN + int(state.deck[i])] += 1.0
    for card in range(4):
        out[O_UNSEEN + card] /= CARD_TOTAL[card]
    out[O_DECK_LEFT] = (CARDS - state.deck_pos) / CARDS
    for colour in range(2):
        out[O_RESERVE + colour] = state.reserve[colour] / ARMY
    out[O_FLAGS] = state.wave2
    out[O_FLAGS + 1] = state.flank
    if box.num_players >= 3:
        out[O_PLAYERS + int(box.num_players) - 3] = 1.0
    out[O_MODE + int(box.mode)] = 1.0
    if box.mode == SOLITARY:
        out[O_SPENT_TOTAL] = points_spent(state) / 90.0


@kernel
def observe_own_choice(state: Any, out: Any) -> None:
    """Write the own decision and the choice made so far, which nobody else sees (ALJ-83)."""
    decision = state.decision
    out[O_DECISION + int(decision) - 1] = 1.0
    if state.pending_hex >= 0:
        out[O_SELECTED_HEX + int(state.pending_hex)] = 1.0
    if state.pending_piece >= 0:
        out[O_SELECTED_PIECE + int(state.pending_piece)] = 1.0
    if decision in (MOVE_DIR, SECOND_STEP):
        out[O_GROUP + int(state.pending_mask) - 1] = 1.0
        for piece in range(PIECES):
            if (state.pending_group >> piece) & 1:
                out[O_SELECTED_PIECE + piece] = 1.0
