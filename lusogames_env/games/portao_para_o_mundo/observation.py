"""Observation of *Portão para o mundo, Lisboa*: what a seat may know, as one float32 vector (`OBSERVATION`)."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.portao_para_o_mundo.game import (
    BOARD_COLUMNS,
    BONUS_ADVENTURER,
    BONUS_SHIP,
    CARD_KINDS,
    HEX_COLUMNS,
    HEXES,
    KING_COLUMNS,
    KING_SLOTS,
    KINGS,
    MARKETS,
    N_AFTER,
    N_BRIBE,
    N_EXCH,
    N_ICON,
    N_KEEP,
    N_NOBLES,
    OBSERVATION,
    SEAT_COLUMNS,
    SEATS,
    SLOTS,
    TYPES,
    YELLOW,
)
from lusogames_env.games.portao_para_o_mundo.rules import hand_size, icons, needs_ship, slot_of

O_PHASE = OBSERVATION["phase"]
O_NODE = OBSERVATION["node"]
O_ACTING = OBSERVATION["acting"]
O_RETURNS_TO = OBSERVATION["returns_to"]
O_ROUND = OBSERVATION["round"]
O_NUM_PLAYERS = OBSERVATION["num_players"]
O_OPTIONS = OBSERVATION["options"]
O_TURN_ORDER = OBSERVATION["turn_order"]
O_DROPPED = OBSERVATION["dropped"]
O_TURN_FLAGS = OBSERVATION["turn_flags"]
O_VIRT = OBSERVATION["virt"]
O_SEATS = OBSERVATION["seats"]
O_KINGS = OBSERVATION["kings"]
O_BOARDS = OBSERVATION["boards"]
O_MARKET = OBSERVATION["market"]
O_HAND = OBSERVATION["hand"]
O_USED = OBSERVATION["used"]
O_PILE_LEN = OBSERVATION["pile_len"]
O_DRAWN = OBSERVATION["drawn"]
O_MINE_IN_PILE = OBSERVATION["mine_in_pile"]
O_TOP_TWO = OBSERVATION["top_two"]
O_SUPPLY = OBSERVATION["supply"]

THIRD, FIFTH, ELEVENTH, TWELFTH, CARD = 1 / 3, 1 / 5, 1 / 11, 1 / 12, 1 / 28  # a product is faster than a division


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of `seat`, float32 (1510,): the fields in the order of `OBSERVATION`."""
    for i in range(O_BOARDS):
        out[i] = 0.0
    for i in range(O_MARKET, out.shape[0]):
        out[i] = 0.0
    write_turn(state, box, seat, out)
    for s in range(box.num_players):
        o = O_SEATS + relative(box, seat, s) * SEAT_COLUMNS
        write_seat(state, box, s, out[o : o + SEAT_COLUMNS])
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            o = O_KINGS + k * KING_COLUMNS
            write_king(state, box, seat, k, out[o : o + KING_COLUMNS])
    for b in range(SLOTS):
        o = O_BOARDS + b * BOARD_COLUMNS
        write_board(state, box, seat, b, out[o : o + BOARD_COLUMNS])
    write_markets(state, box, seat, out)
    write_cards(state, box, seat, out)
    write_supply(state, box, out)


@kernel
def relative(box: Any, seat: int, other: int) -> int:
    """Return how many seats clockwise `other` sits from `seat`."""
    j = other - seat
    return j if j >= 0 else j + int(box.num_players)


@kernel
def write_turn(state: Any, box: Any, seat: int, out: Any) -> None:
    """Phase, node, who is to act, round, options, Turn Order, flags of the turn."""
    node = int(state.node)
    if state.over == 0:
        out[O_PHASE + int(state.phase)] = 1.0
        out[O_NODE + node] = 1.0
        out[O_ACTING + relative(box, seat, int(state.actor))] = 1.0
        if node in (N_KEEP, N_BRIBE) or N_NOBLES <= node <= N_ICON:
            resume = int(state.resume)
            out[O_RETURNS_TO + (1 if resume == N_AFTER else 2 if resume == N_EXCH else 0)] = 1.0
        out[O_TURN_FLAGS] = state.must_place
        out[O_TURN_FLAGS + 1] = state.ship_pending
        on_boards = int(state.adv_used[0]) + int(state.adv_used[1])
        out[O_TURN_FLAGS + 2] = on_boards * THIRD
        out[O_TURN_FLAGS + 3] = min(1.0, (int(state.returned) - int(state.connected)) / 4.0)
        for t in range(TYPES):
            out[O_VIRT + t] = min(1.0, int(state.virt[t]) / 8.0)
    out[O_ROUND] = int(state.round_no) / float(box.max_rounds)
    out[O_NUM_PLAYERS + int(box.num_players) - 2] = 1.0
    out[O_OPTIONS] = box.coast_needs_ship
    out[O_OPTIONS + 1] = box.adventurer_draws_gold
    out[O_OPTIONS + 2] = box.nobles_takes_action
    out[O_OPTIONS + 3] = box.window
    for i in range(box.num_players):
        j = relative(box, seat, int(state.order[i]))
        out[O_TURN_ORDER + j * SEATS + i] = 1.0
        out[O_DROPPED + j] = state.dropped[state.order[i]]


@kernel
def write_seat(state: Any, box: Any, s: int, row: Any) -> None:
    """What lies in front of seat `s`, 42 columns; the chips on boards are what the other places leave over."""
    kings = KINGS - (1 if box.num_players == 2 else 0)
    outside = int(box.crew) - kings - int(box.crew_order) - int(state.stock[s])
    row[0] = min(1.0, int(state.reals[s]) * 0.005)
    row[1] = state.front[s] * ELEVENTH
    row[2] = state.stock[s] * ELEVENTH
    row[3] = (outside - int(state.front[s]) - int(state.ind[s])) * ELEVENTH
    row[4] = state.ind[s] * ELEVENTH
    row[5] = outside * ELEVENTH
    row[6 + int(state.noble[s])] = 1.0
    row[27] = state.mfront[s] * FIFTH
    row[28] = state.mstock[s] * FIFTH
    row[32] = state.ships[s] * THIRD
    row[33] = state.advs[s] * THIRD
    row[34] = hand_size(state, s) * CARD
    for t in range(TYPES):
        row[35 + t] = state.res[s, t] * ELEVENTH


@kernel
def write_markets(state: Any, box: Any, seat: int, out: Any) -> None:
    """Owners of the Market spaces, and the Markets built by colour in the seat blocks."""
    owners = out[O_MARKET:O_HAND]
    seats = out[O_SEATS:O_KINGS]
    for m in range(MARKETS):
        owner = int(state.market[m])
        if owner < 0:
            owners[5 * m] = 1.0
        else:
            j = relative(box, seat, owner)
            owners[5 * m + 1 + j] = 1.0
            colour = int(box.area_colour[box.market_area[m]])
            seats[j * SEAT_COLUMNS + 29 + colour] += 1.0
    for j in range(box.num_players):
        for colour in range(YELLOW):
            count = int(seats[j * SEAT_COLUMNS + 29 + colour])
            seats[j * SEAT_COLUMNS + 29 + colour] = count * FIFTH


@kernel
def write_king(state: Any, box: Any, seat: int, k: int, row: Any) -> None:
    """King `k`, 46 columns."""
    face = int(state.king_face[k])
    row[0] = 1.0
    row[1] = state.paid[k]
    for i in range(KING_SLOTS):
        row[2 + i * TYPES + int(box.wants[face, i])] = 1.0
        row[23 + i * 4 + int(box.bonus[face, i])] = 1.0
        row[39 + i] = state.delivered[k, i]
    for rank in range(SEATS):
        row[35 + rank] = min(1.0, int(box.payout[face, rank]) * TWELFTH)
    space = 1.0 / int(box.last)
    for s in range(box.num_players):
        row[42 + relative(box, seat, s)] = state.pos[k, s] * space


@kernel
def write_board(state: Any, box: Any, seat: int, b: int, row: Any) -> None:
    """West Africa board `b` seen from `seat`, 164 columns: in use, Ship due, then 18 for each hex."""
    slot = slot_of(box, seat, b)
    if slot < 0 or state.slot_face[slot] < 0:
        for i in range(BOARD_COLUMNS):
            row[i] = 0.0
        return
    row[0] = 1.0
    row[1] = 1.0 if needs_ship(box, b) else 0.0
    hexes = row[2:BOARD_COLUMNS]
    shown = box.face_obs[state.slot_face[slot]]
    for i in range(HEXES * HEX_COLUMNS):
        hexes[i] = shown[i]
    for s in range(box.num_players):
        own = int(state.chips[slot, s])
        if own != 0:
            j = relative(box, seat, s)
            for h in range(HEXES):
                if own >> h & 1:
                    hexes[h * HEX_COLUMNS + 13 + j] = 1.0
                    if state.first[slot, h] == s:
                        hexes[h * HEX_COLUMNS + 9 + j] = 1.0
    adventurers = int(state.adv_hexes[slot])
    if adventurers != 0:
        for h in range(HEXES):
            hexes[h * HEX_COLUMNS + 17] = adventurers >> h & 1


@kernel
def write_cards(state: Any, box: Any, seat: int, out: Any) -> None:
    """Own hand, used cards, pile; a drawn pair only for its seat; of the pile what the observer returned (PM-67)."""
    for kind in range(CARD_KINDS):
        out[O_HAND + kind] = state.hand[seat, kind] * box.card_share[kind]
        out[O_USED + kind] = state.used[kind] * box.card_share[kind]
    out[O_PILE_LEN] = state.pile_len * CARD
    if state.node == N_KEEP and state.over == 0 and state.actor == seat:
        for i in range(2):
            out[O_DRAWN + int(state.drawn[i])] += 0.5
    for i in range(state.pile_len):
        mine = state.pile_by[i] == seat
        if mine:
            out[O_MINE_IN_PILE + int(state.pile[i])] += 1.0
        if i < 2:
            out[O_TOP_TWO + 8 * i + (1 + int(state.pile[i]) if mine else 0)] = 1.0
    for i in range(state.pile_len, 2):
        out[O_TOP_TWO + 8 * i] = 1.0
    for kind in range(CARD_KINDS):
        out[O_MINE_IN_PILE + kind] = int(out[O_MINE_IN_PILE + kind]) * box.card_share[kind]


@kernel
def write_supply(state: Any, box: Any, out: Any) -> None:
    """Ships and Adventurers on the Kings, and Adventurers in the box."""
    ships = 0
    adventurers = -int(state.adv_used[0])
    for k in range(KINGS):
        ships += icons(state, box, k, BONUS_SHIP)
        adventurers += icons(state, box, k, BONUS_ADVENTURER)
    for s in range(SEATS):
        ships -= int(state.ships[s])
        adventurers -= int(state.advs[s])
    out[O_SUPPLY] = ships * THIRD
    out[O_SUPPLY + 1] = adventurers * THIRD
    out[O_SUPPLY + 2] = state.box_adv * THIRD
