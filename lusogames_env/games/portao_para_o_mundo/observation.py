"""Observation of *Portão para o mundo, Lisboa*: what a seat may know, as one float32 vector (`OBSERVATION`)."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.portao_para_o_mundo.game import (
    BOARD_COLUMNS,
    BONUS_ADVENTURER,
    BONUS_SHIP,
    BROWN,
    CARD_KINDS,
    GREEN,
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
)
from lusogames_env.games.portao_para_o_mundo.rules import count_bonus, hand_size, needs_ship, slot_of

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


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of `seat`, float32 (1510,): the spec's fields in the order of `OBSERVATION`."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    write_turn(state, box, seat, out)
    for j in range(box.num_players):
        write_seat(state, box, (seat + j) % int(box.num_players), out, O_SEATS + j * SEAT_COLUMNS)
    write_built(state, box, seat, out)
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            write_king(state, box, seat, k, out, O_KINGS + k * KING_COLUMNS)
    for b in range(SLOTS):
        slot = slot_of(box, seat, b)
        if slot >= 0 and state.slot_face[slot] >= 0:
            write_board(state, box, seat, b, slot, out, O_BOARDS + b * BOARD_COLUMNS)
    write_cards(state, seat, out)
    write_supply(state, box, out)


@kernel
def relative(box: Any, seat: int, other: int) -> int:
    """Return how many seats clockwise `other` sits from `seat`."""
    n = int(box.num_players)
    return (other - seat + n) % n


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
        out[O_TURN_FLAGS + 2] = on_boards / 3.0
        out[O_TURN_FLAGS + 3] = min(1.0, (int(state.returned) - int(state.connected)) / 4.0)
        for t in range(TYPES):
            out[O_VIRT + t] = state.virt[t] / 8.0
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
def write_seat(state: Any, box: Any, s: int, out: Any, o: int) -> None:
    """What lies in front of seat `s`: 42 columns from `o`; the chips on boards are what the other places leave over."""
    out[o] = min(2.0, int(state.reals[s]) / 100.0)
    kings = KINGS - (1 if box.num_players == 2 else 0)
    outside = int(box.crew) - kings - int(box.crew_order) - int(state.stock[s])
    out[o + 1] = state.front[s] / 11.0
    out[o + 2] = state.stock[s] / 11.0
    out[o + 3] = (outside - int(state.front[s]) - int(state.ind[s])) / 11.0
    out[o + 4] = state.ind[s] / 11.0
    out[o + 5] = outside / 11.0
    out[o + 6 + int(state.noble[s])] = 1.0
    out[o + 27] = state.mfront[s] / 5.0
    out[o + 28] = state.mstock[s] / 5.0
    out[o + 32] = state.ships[s] / 3.0
    out[o + 33] = state.advs[s] / 3.0
    out[o + 34] = hand_size(state, s) / 28.0
    for t in range(TYPES):
        out[o + 35 + t] = state.res[s, t] / 11.0


@kernel
def write_built(state: Any, box: Any, seat: int, out: Any) -> None:
    """Owners of the Market spaces, and the Markets built by colour in the seat blocks."""
    for m in range(MARKETS):
        owner = int(state.market[m])
        if owner < 0:
            out[O_MARKET + 5 * m] = 1.0
        else:
            j = relative(box, seat, owner)
            out[O_MARKET + 5 * m + 1 + j] = 1.0
            colour = int(box.area_colour[box.market_area[m]])
            share = 0.2 if colour in (BROWN, GREEN) else 1.0
            out[O_SEATS + j * SEAT_COLUMNS + 29 + colour] += share


@kernel
def write_king(state: Any, box: Any, seat: int, k: int, out: Any, o: int) -> None:
    """King `k`: 46 columns from `o`."""
    face = int(state.king_face[k])
    out[o] = 1.0
    out[o + 1] = state.paid[k]
    for i in range(KING_SLOTS):
        out[o + 2 + i * TYPES + int(box.wants[face, i])] = 1.0
        out[o + 23 + i * 4 + int(box.bonus[face, i])] = 1.0
        out[o + 39 + i] = state.delivered[k, i]
    for rank in range(SEATS):
        out[o + 35 + rank] = box.payout[face, rank] / 12.0
    last = float(box.last)
    for s in range(box.num_players):
        out[o + 42 + relative(box, seat, s)] = state.pos[k, s] / last


@kernel
def write_board(state: Any, box: Any, seat: int, b: int, slot: int, out: Any, o: int) -> None:
    """West Africa board `b` seen from `seat`: 164 columns from `o`, of them 18 for each hex."""
    face = int(state.slot_face[slot])
    out[o] = 1.0
    out[o + 1] = 1.0 if needs_ship(box, b) else 0.0
    for h in range(HEXES):
        out[o + 2 + h * HEX_COLUMNS + 1 + int(box.face_hex[face, h])] = 1.0
    out[o + 2 + int(box.face_port[face]) * HEX_COLUMNS + 8] = 1.0
    for s in range(box.num_players):
        own = int(state.chips[slot, s])
        if own != 0:
            j = relative(box, seat, s)
            for h in range(HEXES):
                if own >> h & 1:
                    out[o + 2 + h * HEX_COLUMNS + 13 + j] = 1.0
                    if state.first[slot, h] == s:
                        out[o + 2 + h * HEX_COLUMNS + 9 + j] = 1.0
    adventurers = int(state.adv_hexes[slot])
    if adventurers != 0:
        for h in range(HEXES):
            out[o + 2 + h * HEX_COLUMNS + 17] = adventurers >> h & 1


@kernel
def write_cards(state: Any, seat: int, out: Any) -> None:
    """Own hand, used cards, pile; a drawn pair only for its seat; of the pile what the observer returned (PM-67)."""
    for kind in range(CARD_KINDS):
        out[O_HAND + kind] = state.hand[seat, kind] / 4.0
        out[O_USED + kind] = state.used[kind] / 4.0
    out[O_PILE_LEN] = state.pile_len / 28.0
    if state.node == N_KEEP and state.over == 0 and state.actor == seat:
        for i in range(2):
            out[O_DRAWN + int(state.drawn[i])] += 0.5
    for i in range(state.pile_len):
        mine = state.pile_by[i] == seat
        if mine:
            out[O_MINE_IN_PILE + int(state.pile[i])] += 0.25
        if i < 2:
            out[O_TOP_TWO + 8 * i + (1 + int(state.pile[i]) if mine else 0)] = 1.0
    for i in range(state.pile_len, 2):
        out[O_TOP_TWO + 8 * i] = 1.0


@kernel
def write_supply(state: Any, box: Any, out: Any) -> None:
    """Ships and Adventurers on the Kings, and Adventurers in the box."""
    ships = 0
    adventurers = -int(state.adv_used[0])
    for k in range(KINGS):
        ships += count_bonus(box, int(state.king_face[k]), BONUS_SHIP)
        adventurers += count_bonus(box, int(state.king_face[k]), BONUS_ADVENTURER)
    for s in range(SEATS):
        ships -= int(state.ships[s])
        adventurers -= int(state.advs[s])
    out[O_SUPPLY] = ships / 3.0
    out[O_SUPPLY + 1] = adventurers / 3.0
    out[O_SUPPLY + 2] = state.box_adv / 3.0
