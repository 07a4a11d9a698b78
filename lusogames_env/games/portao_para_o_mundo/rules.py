"""Rules of *Portão para o mundo, Lisboa*: set-up, legal actions, decisions, Check phase, final scoring.

Section names are those of the rulebook; ``PM-nn`` are the rulings listed in the README.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle
from lusogames_env.games.portao_para_o_mundo.game import (
    ACTIONS,
    BONUS_ADVENTURER,
    BONUS_MARKET,
    BONUS_SHIP,
    BRIBE,
    BROWN,
    CARD_KINDS,
    CARDS,
    CHURCHES,
    COASTS_FROM,
    CONNECTIONS,
    CREW,
    GOLD,
    GOODS,
    GREEN,
    HEXES,
    ICON_CARD,
    ICON_CREW,
    ICON_MARKET,
    ICON_REALS,
    KING_SLOTS,
    KINGS,
    LISBON,
    MARKETS,
    MEDAL,
    MOUNTAIN,
    N_ADVANCE,
    N_AFTER,
    N_BRIBE,
    N_CHURCHES,
    N_EXCH,
    N_GOODS,
    N_ICON,
    N_KEEP,
    N_LX_TURN,
    N_NOBLES,
    N_WA_ADV,
    N_WA_SHIP,
    N_WA_TURN,
    NOBLES,
    PEPPER,
    SEATS,
    SHIPS,
    SLOTS,
    SOURCE_BOX,
    SOURCE_KING,
    SPACES,
    TURN_OVER,
    TYPES,
    WEST_AFRICA,
)

DROP_OUT = ACTIONS["drop_out"]
END = ACTIONS["end"]
ADVENTURER = ACTIONS["adventurer"]
PAY_SET = ACTIONS["pay_set"]
PLAY_SHIP = ACTIONS["play"]
PLAY_ADVENTURER = PLAY_SHIP + 1
PLAY_NOBLES = PLAY_SHIP + 2
PLAY_CHURCHES = PLAY_SHIP + 3
PLAY_BRIBE = PLAY_SHIP + 4
PLAY_GOODS = PLAY_SHIP + 5
PLAY_CONNECTIONS = PLAY_SHIP + 6
KEEP = ACTIONS["keep"]
KING = ACTIONS["king"]
DELIVER = ACTIONS["deliver"]
BUILD = ACTIONS["build"]
SPACE = ACTIONS["space"]
TAKE2 = ACTIONS["take2"]
TAKE1 = ACTIONS["take1"]
HEX = ACTIONS["hex"]

NO_ACTION_SPACES = SPACES - 2  # Support from Nobles may not choose the last two spaces


# ---- Preparation ----


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    """Set the game up (Preparation; For 2 players); the order of the draws is Kings, boards, turn order, pile."""
    seed_rng(state.rng, seed, 0)
    place_kings(state, box)
    place_boards(state, box)
    draw_turn_order(state, box)
    stack_pile(state, box)
    hand_out_pieces(state, box)
    state.round_no = 1
    start_phase(state, box, WEST_AFRICA)


@kernel
def icons(state: Any, box: Any, k: int, token: int) -> int:
    """Return how many Ship or Adventurer icons King `k` shows; 0 if it is not in play."""
    face = int(state.king_face[k])
    return int(box.icons[face, token]) if face >= 0 else 0


@kernel
def place_kings(state: Any, box: Any) -> None:
    """Turn the King boards at random until enough Ships show (PM-02); with 2 players one leaves (PM-04)."""
    if box.setup_kings[0] != -2:
        for k in range(KINGS):
            state.king_face[k] = box.setup_kings[k]
    else:
        ships = -1
        while ships < box.min_ship_faces:
            ships = 0
            for k in range(KINGS):
                state.king_face[k] = 2 * k + randint(state.rng, 2)
                ships += icons(state, box, k, BONUS_SHIP) > 0
        if box.num_players == 2:
            remove_one_king(state, box)
    for k in range(KINGS):
        state.paid[k] = state.king_face[k] < 0


@kernel
def remove_one_king(state: Any, box: Any) -> None:
    """Take one of the boards with the Adventurer icon out of the game, all with equal chance (PM-04)."""
    n = 0
    for k in range(KINGS):
        if icons(state, box, k, BONUS_ADVENTURER) > 0:
            state.scratch_items[n] = k
            n += 1
    state.king_face[state.scratch_items[randint(state.rng, n)]] = -1


@kernel
def place_boards(state: Any, box: Any) -> None:
    """Put one Village between each two players and the Pepper Coasts into the middle, sides at random."""
    if box.setup_boards[0] != -2:
        for slot in range(SLOTS):
            state.slot_face[slot] = box.setup_boards[slot]
        return
    for slot in range(SLOTS):
        state.slot_face[slot] = -1
    place_kind(state, 0, int(box.num_players), 0, 4)
    place_kind(state, COASTS_FROM, 1 if box.num_players == 2 else 2, 4, 2)


@kernel
def place_kind(state: Any, slot: int, n: int, board: int, boards: int) -> None:
    """Shuffle `boards` boards from `board` on and lay `n` of them from `slot` on."""
    for i in range(boards):
        state.scratch_items[i] = board + i
    shuffle(state.rng, state.scratch_items, boards)
    for i in range(n):
        state.slot_face[slot + i] = 2 * int(state.scratch_items[i]) + randint(state.rng, 2)


@kernel
def draw_turn_order(state: Any, box: Any) -> None:
    """Put the seats on the Turn Order track at random (PM-06)."""
    for i in range(SEATS):
        state.order[i] = i if i < box.num_players else -1
    if box.setup_order[0] != -2:
        for i in range(SEATS):
            state.order[i] = box.setup_order[i]
    else:
        shuffle(state.rng, state.order, int(box.num_players))


@kernel
def stack_pile(state: Any, box: Any) -> None:
    """Shuffle the Support cards; an explicit set-up fixes the top ones."""
    fixed = 0
    for kind in range(CARD_KINDS):
        state.used[kind] = box.copies[kind]  # for a moment: copies not yet in the pile
    while fixed < CARDS and box.setup_pile[fixed] >= 0:
        state.pile[fixed] = box.setup_pile[fixed]
        state.used[state.pile[fixed]] -= 1
        fixed += 1
    n = 0
    for kind in range(CARD_KINDS):
        for _ in range(state.used[kind]):
            state.scratch_items[n] = kind
            n += 1
        state.used[kind] = 0
    shuffle(state.rng, state.scratch_items, n)
    for i in range(n):
        state.pile[fixed + i] = state.scratch_items[i]
    for i in range(CARDS):
        state.pile_by[i] = -1
    state.pile_len = CARDS
    for i in range(2):
        state.drawn[i] = -1
        state.drawn_by[i] = -1


@kernel
def hand_out_pieces(state: Any, box: Any) -> None:
    """Give every player chips and Markets; all markers, discs and Reals start at 0."""
    kings = 0
    adventurers = 0
    for k in range(KINGS):
        kings += state.king_face[k] >= 0
        adventurers += icons(state, box, k, BONUS_ADVENTURER)
    for s in range(box.num_players):
        state.front[s] = box.crew_front
        state.stock[s] = int(box.crew) - int(box.crew_front) - kings - int(box.crew_order)
        state.mstock[s] = box.markets_in_stock
        state.mfront[s] = int(box.markets) - int(box.markets_in_stock)
        state.reals[s] = box.start_reals
    state.box_adv = int(box.adventurers) - adventurers
    for m in range(MARKETS):
        state.market[m] = -1
    for slot in range(SLOTS):
        for h in range(HEXES):
            state.first[slot, h] = -1


# ---- phases and turns (Rule of Play) ----


@kernel
def start_phase(state: Any, box: Any, phase: int) -> None:
    """Begin a phase: nobody has dropped out, the first of the Turn Order is on turn."""
    state.phase = phase
    for s in range(box.num_players):
        state.dropped[s] = 0
    begin_turn(state, 0)


@kernel
def begin_turn(state: Any, place: int) -> None:
    """Give the turn to the seat on `place` of the Turn Order; resources of cards lapse (PM-50)."""
    state.turn_idx = place
    state.actor = state.order[place]
    for t in range(TYPES):
        state.virt[t] = 0
    state.returned = 0
    state.connected = 0
    state.must_place = 0
    state.ship_pending = 0
    state.node = N_WA_TURN if state.phase == WEST_AFRICA else N_LX_TURN
    state.resume = state.node


@kernel
def end_turn(state: Any, box: Any) -> None:
    """Send used Adventurers back and go on with the next seat that is still in, or with the next phase."""
    state.box_adv += state.adv_used[SOURCE_BOX]
    state.adv_used[SOURCE_KING] = 0
    state.adv_used[SOURCE_BOX] = 0
    for slot in range(SLOTS):
        state.adv_hexes[slot] = 0
    n = int(box.num_players)
    for i in range(1, n + 1):
        place = (int(state.turn_idx) + i) % n
        if state.dropped[state.order[place]] == 0:
            begin_turn(state, place)
            return
    if state.phase == WEST_AFRICA:
        land_resources(state, box)
        start_phase(state, box, LISBON)
    else:
        check_phase(state, box)


@kernel
def hand_size(state: Any, seat: int) -> int:
    """Return the number of Support cards in hand."""
    n = 0
    for kind in range(CARD_KINDS):
        n += state.hand[seat, kind]
    return n


@kernel
def go_to(state: Any, box: Any, node: int) -> None:
    """Stop at `node` if there is something to decide there; only public facts count (PM-43)."""
    seat = int(state.actor)
    cards = hand_size(state, seat)
    if node == N_EXCH and cards == 0 and not can_pay(state, seat, box.space_cost[state.noble[seat]], 0, 0):
        node = N_AFTER
    if node == N_AFTER and (cards == 0 or (box.window == 0 and state.returned <= state.connected)):
        node = TURN_OVER
    if node == TURN_OVER:
        end_turn(state, box)
    else:
        state.node = node


# ---- West Africa: where chips and Adventurers may go ----


@kernel
def slot_of(box: Any, seat: int, b: int) -> int:
    """Return the place on the table of board `b` seen from `seat`; -1 if there is none."""
    n = int(box.num_players)
    if b == 0 or b >= COASTS_FROM:
        return seat if b == 0 else b
    if b >= n:
        return -1
    slot = seat + n - 1 if b == 1 else seat + b - 1
    return slot if slot < n else slot - n


@kernel
def needs_ship(box: Any, b: int) -> bool:
    """Whether the first chip on board `b` (seen from its seat) costs a Ship: far Villages, Coasts (PM-09)."""
    return b >= COASTS_FROM and box.coast_needs_ship != 0 or 2 <= b < COASTS_FROM


@kernel
def own_hexes(state: Any, seat: int, slot: int) -> int:
    """Return the bit mask of the hexes where the seat on turn has chips or Adventurers of this turn."""
    return int(state.chips[slot, seat]) | int(state.adv_hexes[slot])


@kernel
def targets(state: Any, box: Any, b: int, slot: int, own: int, ships: int, pending: int) -> int:
    """Return the hexes of a board that Case 1 (port) or Case 2 (next to own) opens, whatever the terrain.

    With `pending` (Support from Ships used as a Ship) only boards that need one count (PM-45).
    """
    if own != 0:
        return 0 if pending != 0 else int(box.reach[own])
    ship_due = needs_ship(box, b)
    good = ship_due if pending != 0 else not ship_due or ships > 0
    return 1 << int(box.face_port[state.slot_face[slot]]) if good else 0


@kernel
def for_chips(box: Any, face: int, bits: int, front: int) -> int:
    """Keep the hexes a chip may enter: no Lake, a Mountain only with two chips."""
    if front == 0:
        return 0
    bits &= ~int(box.lakes[face])
    if front < 2:
        bits &= ~int(box.mountains[face])
    return bits


@kernel
def chip_targets(state: Any, box: Any, seat: int, b: int, ships: int, pending: int) -> int:
    """Return the hexes of board `b` where `seat` may put its chip(s)."""
    slot = slot_of(box, seat, b)
    if slot < 0 or state.slot_face[slot] < 0:
        return 0
    bits = targets(state, box, b, slot, own_hexes(state, seat, slot), ships, pending)
    return for_chips(box, int(state.slot_face[slot]), bits, int(state.front[seat]))


@kernel
def open_boards(state: Any, box: Any, seat: int, ships: int) -> int:
    """Return the bit mask of the boards on which `seat`, having `ships`, may put a chip."""
    bits = 0
    for b in range(SLOTS):
        if chip_targets(state, box, seat, b, ships, 0) != 0:
            bits |= 1 << b
    return bits


@kernel
def adventurer_targets(state: Any, box: Any, seat: int, b: int, open_now: int, open_less: int) -> int:
    """Return the hexes of board `b` for an Adventurer after which a chip can still be put (PM-21).

    `open_now` and `open_less`: `open_boards` with the Ships in front, and with one fewer.
    """
    slot = slot_of(box, seat, b)
    if slot < 0 or state.slot_face[slot] < 0:
        return 0
    own = own_hexes(state, seat, slot)
    pending = int(state.ship_pending)
    bits = targets(state, box, b, slot, own, int(state.ships[seat]), pending)
    token_due = own == 0 and pending == 0 and needs_ship(box, b)
    elsewhere = (open_less if token_due else open_now) & ~(1 << b)
    if elsewhere != 0:
        return bits
    good = 0
    for h in range(HEXES):
        if bits >> h & 1:
            next_to = int(box.reach[own | 1 << h])
            if for_chips(box, int(state.slot_face[slot]), next_to, int(state.front[seat])) != 0:
                good |= 1 << h
    return good


@kernel
def mark_hexes(mask: Any, b: int, bits: int) -> None:
    """Write the hexes of board `b` into the mask."""
    for h in range(HEXES):
        mask[HEX + HEXES * b + h] = bits >> h & 1


@kernel
def mark_chips(state: Any, box: Any, seat: int, mask: Any) -> None:
    """Write every hex a chip may go to."""
    for b in range(SLOTS):
        mark_hexes(mask, b, chip_targets(state, box, seat, b, int(state.ships[seat]), int(state.ship_pending)))


@kernel
def mark_adventurers(state: Any, box: Any, seat: int, mask: Any, write: bool) -> bool:
    """Return whether an Adventurer has anywhere to go; write the hexes if `write`."""
    if state.front[seat] == 0:
        return False
    ships = int(state.ships[seat])
    open_now = open_boards(state, box, seat, ships)
    open_less = open_boards(state, box, seat, max(0, ships - 1))
    found = False
    for b in range(SLOTS):
        bits = adventurer_targets(state, box, seat, b, open_now, open_less)
        found = found or bits != 0
        if write:
            mark_hexes(mask, b, bits)
    return found


@kernel
def ship_opens(state: Any, box: Any, seat: int) -> bool:
    """Whether Support from Ships can serve as a Ship now: a board that needs one can be entered."""
    bits = 0
    for b in range(2, SLOTS):
        bits |= chip_targets(state, box, seat, b, 0, 1)
    return bits != 0


# ---- costs (Lisbon Phase) ----


@kernel
def can_pay(state: Any, seat: int, cost: Any, pepper_only: int, bonus_pepper: int) -> bool:
    """Whether `seat` can pay `cost` (seven types, Crew) with chips on boards and in front and card resources (PM-27).

    Args:
        pepper_only: 1 for a Churches build: of the card resources only Pepper counts (PM-49).
        bonus_pepper: Pepper counted as already received.
    """
    have = int(state.front[seat])
    for t in range(TYPES):
        need = int(cost[t])
        if need == 0:
            continue
        real = int(state.res[seat, t])
        virt = 0 if pepper_only != 0 and t != PEPPER else int(state.virt[t])
        if t == PEPPER:
            virt += bonus_pepper
        if need > real + virt:
            return False
        have += min(need, real) * (2 if t == MOUNTAIN else 1)
    return have >= cost[CREW]


@kernel
def pay(state: Any, seat: int, cost: Any, pepper_only: int) -> None:
    """Pay `cost`: card resources first, but as many chips from boards as the Crew part needs (PM-27)."""
    have = int(state.front[seat])
    for t in range(TYPES):
        virt = 0 if pepper_only != 0 and t != PEPPER else int(state.virt[t])
        state.scratch_use[t] = max(0, int(cost[t]) - virt)
        have += int(state.scratch_use[t]) * (2 if t == MOUNTAIN else 1)
    for t in range(TYPES):
        while have < cost[CREW] and state.scratch_use[t] < min(int(cost[t]), int(state.res[seat, t])):
            state.scratch_use[t] += 1
            have += 2 if t == MOUNTAIN else 1
    for t in range(TYPES):
        state.res[seat, t] -= state.scratch_use[t]
        state.virt[t] -= int(cost[t]) - int(state.scratch_use[t])
    state.front[seat] = have - int(cost[CREW])
    state.stock[seat] += cost[CREW]


# ---- Lisbon board: where Markets may go ----


@kernel
def area_of(state: Any, box: Any, seat: int) -> int:
    """Return the area of the seat's Noble disc; -1 on the starting space (PM-31)."""
    return int(box.space_area[state.noble[seat]])


@kernel
def room_in(state: Any, box: Any, area: int) -> bool:
    """Whether the area has an empty Market space."""
    room = 0
    for m in range(MARKETS):
        room += box.market_area[m] == area and state.market[m] < 0
    return room > 0


@kernel
def can_build_in(state: Any, box: Any, seat: int, area: int, pepper_only: int, bonus_pepper: int) -> bool:
    """Whether the Build action is allowed and payable in `area` (its empty spaces aside)."""
    if area < 0 or state.mfront[seat] == 0 or box.area_build[area] == 0:
        return False
    return can_pay(state, seat, box.area_cost[area], pepper_only, bonus_pepper)


@kernel
def mark_builds(state: Any, box: Any, area: int, mask: Any) -> bool:
    """Write the empty Market spaces of `area` into the mask; return whether there are any."""
    found = False
    for m in range(MARKETS):
        if box.market_area[m] == area and state.market[m] < 0:
            mask[BUILD + m] = 1
            found = True
    return found


@kernel
def mark_church_builds(state: Any, box: Any, seat: int, bonus_pepper: int, mask: Any, write: bool) -> bool:
    """Return whether Support from Churches has a build, from the disc back to the start; write them if `write`."""
    found = False
    for area in range(area_of(state, box, seat) + 1):
        if can_build_in(state, box, seat, area, 1, bonus_pepper) and room_in(state, box, area):
            found = True
            if write:
                mark_builds(state, box, area, mask)
    return found


# ---- legal actions ----


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    """Write the mask of the seat on turn, int8 (140,), and return the number of legal actions."""
    for a in range(mask.shape[0]):
        mask[a] = 0
    if state.over != 0:
        return 0
    seat = int(state.actor)
    node = int(state.node)
    if node <= N_WA_SHIP:
        mark_west_africa(state, box, seat, node, mask)
    elif node == N_LX_TURN:
        mark_lisbon(state, box, seat, mask)
    elif node == N_KEEP:
        for i in range(2):
            mask[KEEP + state.drawn[i]] = 1
    elif node == N_AFTER:
        mask[END] = 1
    elif node == N_EXCH:
        mask[END] = 1
        mask[PAY_SET] = can_pay(state, seat, box.space_cost[state.noble[seat]], 0, 0)
    elif node == N_ADVANCE:
        mark_kings(state, box, seat, 1, mask)
    elif node == N_BRIBE:
        mark_kings(state, box, seat, int(box.bribe_steps), mask)
    elif node == N_NOBLES:
        for s in range(NO_ACTION_SPACES):
            mask[SPACE + s] = s != state.noble[seat]
    elif node == N_CHURCHES:
        mark_church_builds(state, box, seat, 0, mask, True)
    elif node == N_GOODS:
        for t in range(TYPES):
            mask[TAKE2 + t] = t != PEPPER
            mask[TAKE1 + t] = t != PEPPER
    else:
        mark_builds(state, box, area_of(state, box, seat), mask)
    if node in (N_WA_TURN, N_LX_TURN, N_AFTER, N_EXCH):
        mark_cards(state, box, seat, node, mask)
    n = 0
    for a in range(mask.shape[0]):
        n += int(mask[a])
    return n


@kernel
def mark_west_africa(state: Any, box: Any, seat: int, node: int, mask: Any) -> None:
    """WA_TURN: drop out, place, use an Adventurer; WA_ADV: where it goes; WA_SHIP: the entry a card pays for."""
    if node == N_WA_ADV:
        mark_adventurers(state, box, seat, mask, True)
        return
    mask[DROP_OUT] = node == N_WA_TURN and state.must_place == 0
    mark_chips(state, box, seat, mask)
    if state.advs[seat] > 0:
        mask[ADVENTURER] = mark_adventurers(state, box, seat, mask, False)


@kernel
def mark_lisbon(state: Any, box: Any, seat: int, mask: Any) -> None:
    """LX_TURN: drop out, an action on a King board, Build a Market, or advance the Noble disc."""
    mask[DROP_OUT] = 1
    for k in range(KINGS):
        face = int(state.king_face[k])
        if face >= 0:
            for i in range(KING_SLOTS + 1):
                t = PEPPER if i == KING_SLOTS else int(box.wants[face, i])
                mask[DELIVER + (KING_SLOTS + 1) * k + i] = int(state.res[seat, t]) + int(state.virt[t]) >= 1
    area = area_of(state, box, seat)
    if can_build_in(state, box, seat, area, 0, 0):
        mark_builds(state, box, area, mask)
    for s in range(int(state.noble[seat]) + 1, SPACES):
        if can_pay(state, seat, box.space_cost[s], 0, 0):
            mask[SPACE + s] = can_stop_at(state, box, seat, s)


@kernel
def can_stop_at(state: Any, box: Any, seat: int, s: int) -> bool:
    """Whether the icon of space `s` can be carried out; only a Market icon can fail (PM-38, PM-39, PM-40)."""
    if box.space_icon[s] != ICON_MARKET:
        return True
    return state.mfront[seat] > 0 and room_in(state, box, int(box.space_area[s]))


@kernel
def mark_kings(state: Any, box: Any, seat: int, steps: int, mask: Any) -> None:
    """Write the Kings on whose track the seat can go `steps` spaces."""
    for k in range(KINGS):
        mask[KING + k] = state.king_face[k] >= 0 and int(state.pos[k, seat]) + steps <= box.last


@kernel
def can_advance(state: Any, box: Any, seat: int, steps: int) -> bool:
    """Whether some King track has `steps` free spaces before the seat's marker."""
    free = 0
    for k in range(KINGS):
        free += state.king_face[k] >= 0 and int(state.pos[k, seat]) + steps <= box.last
    return free > 0


@kernel
def mark_cards(state: Any, box: Any, seat: int, node: int, mask: Any) -> None:
    """Write the Support cards that can be played here and applied in full (PM-43 … PM-53)."""
    hand = state.hand[seat]
    in_lisbon = state.phase == LISBON
    if node == N_WA_TURN and hand[SHIPS] > 0:
        mask[PLAY_SHIP] = ship_opens(state, box, seat)
        mask[PLAY_ADVENTURER] = state.box_adv > 0 and mark_adventurers(state, box, seat, mask, False)
    if node != N_EXCH:
        mask[PLAY_NOBLES] = hand[NOBLES] > 0
        if hand[BRIBE] > 0 and state.reals[seat] >= box.bribe_cost:
            mask[PLAY_BRIBE] = can_advance(state, box, seat, int(box.bribe_steps))
        if in_lisbon and hand[CHURCHES] > 0:
            mask[PLAY_CHURCHES] = mark_church_builds(state, box, seat, 1, mask, False)
    if hand[GOODS] > 0:
        mask[PLAY_GOODS] = node in (N_LX_TURN, N_EXCH)
    if in_lisbon and node != N_LX_TURN and hand[CONNECTIONS] > 0:
        # the stock can only be empty if another card took the chip meanwhile
        mask[PLAY_CONNECTIONS] = state.returned > state.connected and state.stock[seat] > 0


@kernel
def skippable(state: Any, box: Any) -> bool:
    """Under `skip_forced`: silence must not tell what a hand or a drawn pair holds."""
    node = int(state.node)
    if node == N_KEEP:
        return False
    if node in (N_WA_TURN, N_LX_TURN, N_AFTER, N_EXCH):
        return hand_size(state, int(state.actor)) == 0
    return True


# ---- decisions ----


@kernel
def step(state: Any, box: Any, action: int) -> None:
    """Apply one legal action and all that follows by itself up to the next decision or the end."""
    seat = int(state.actor)
    if action == DROP_OUT:
        state.dropped[seat] = 1
        node = TURN_OVER
    elif action == END:
        node = N_AFTER if state.node == N_EXCH else TURN_OVER
    elif action == ADVENTURER:
        state.advs[seat] -= 1
        state.adv_used[SOURCE_KING] += 1
        node = N_WA_ADV
    elif action == PAY_SET:
        node = exchange(state, box, seat)
    elif action < KEEP:
        node = play_card(state, box, seat, action)
    elif action < KING:
        node = keep_card(state, seat, action - KEEP)
    elif action < DELIVER:
        node = choose_king(state, box, seat, action - KING)
    elif action < BUILD:
        node = deliver(state, box, seat, (action - DELIVER) // (KING_SLOTS + 1), (action - DELIVER) % (KING_SLOTS + 1))
    elif action < SPACE:
        node = build(state, box, seat, action - BUILD)
    elif action < TAKE2:
        node = move_noble(state, box, seat, action - SPACE)
    elif action < HEX:
        state.virt[(action - TAKE2) % TYPES] += 2 if action < TAKE1 else 1
        node = int(state.resume)
    else:
        node = place(state, box, seat, (action - HEX) // HEXES, (action - HEX) % HEXES)
    go_to(state, box, node)


@kernel
def place(state: Any, box: Any, seat: int, b: int, h: int) -> int:
    """Put chip(s), or the Adventurer just used, on hex `h` of board `b` (West Africa Phase)."""
    slot = slot_of(box, seat, b)
    face = int(state.slot_face[slot])
    kind = int(box.face_hex[face, h])
    if own_hexes(state, seat, slot) == 0 and needs_ship(box, b):
        if state.ship_pending != 0:
            state.ship_pending = 0
        else:
            state.ships[seat] -= 1
    empty = state.first[slot, h] < 0
    if state.node == N_WA_ADV:
        state.adv_hexes[slot] |= 1 << h
        state.must_place = 1
        state.resume = N_WA_TURN
        draws = empty and kind == GOLD and box.adventurer_draws_gold != 0
    else:
        state.chips[slot, seat] |= 1 << h
        state.front[seat] -= 2 if kind == MOUNTAIN else 1
        if empty:
            state.first[slot, h] = seat
        state.must_place = 0
        state.resume = N_AFTER
        draws = empty and kind == GOLD
    return draw_cards(state, seat) if draws else int(state.resume)


@kernel
def draw_cards(state: Any, seat: int) -> int:
    """Draw two cards to choose from; the last one is kept, from an empty pile nobody gets any (PM-19)."""
    n = min(2, int(state.pile_len))
    if n == 1:
        state.hand[seat, state.pile[0]] += 1
    elif n == 2:
        for i in range(2):
            state.drawn[i] = state.pile[i]
            state.drawn_by[i] = state.pile_by[i]
    state.pile_len -= n
    for i in range(CARDS):
        state.pile[i] = state.pile[i + n] if i < state.pile_len else -1
        state.pile_by[i] = state.pile_by[i + n] if i < state.pile_len else -1
    return N_KEEP if n == 2 else int(state.resume)


@kernel
def keep_card(state: Any, seat: int, kind: int) -> int:
    """Keep one of the two drawn cards and return the other face-down to the bottom of the pile."""
    other = state.drawn[1] if state.drawn[0] == kind else state.drawn[0]
    state.hand[seat, kind] += 1
    state.pile[state.pile_len] = other
    state.pile_by[state.pile_len] = seat
    state.pile_len += 1
    for i in range(2):
        state.drawn[i] = -1
        state.drawn_by[i] = -1
    return int(state.resume)


@kernel
def take_market(state: Any, box: Any, seat: int) -> None:
    """Take an own Market from the stock, or one Real if there is none left (PM-35, PM-46)."""
    if state.mstock[seat] > 0:
        state.mstock[seat] -= 1
        state.mfront[seat] += 1
    else:
        state.reals[seat] += box.no_market_reals


@kernel
def take_crew(state: Any, seat: int) -> None:
    """Take one chip from the stock to the front, if there is one (PM-38)."""
    if state.stock[seat] > 0:
        state.stock[seat] -= 1
        state.front[seat] += 1


@kernel
def play_card(state: Any, box: Any, seat: int, action: int) -> int:
    """Play a Support card: it goes to the box, its first effect happens; return where its choice is made."""
    kind = max(SHIPS, action - PLAY_ADVENTURER)
    state.hand[seat, kind] -= 1
    state.used[kind] += 1
    state.resume = state.node
    if action == PLAY_SHIP:
        take_market(state, box, seat)
        state.ship_pending = 1
        return N_WA_SHIP
    if action == PLAY_ADVENTURER:
        take_market(state, box, seat)
        state.box_adv -= 1
        state.adv_used[SOURCE_BOX] += 1
        return N_WA_ADV
    if action == PLAY_NOBLES:
        return N_NOBLES
    if action == PLAY_CHURCHES:
        state.virt[PEPPER] += 1
        return N_CHURCHES
    if action == PLAY_BRIBE:
        state.reals[seat] -= box.bribe_cost
        return N_BRIBE
    if action == PLAY_GOODS:
        return N_GOODS
    state.connected += 1
    state.stock[seat] -= 1
    state.front[seat] += 1
    return int(state.node)


@kernel
def advance_marker(state: Any, box: Any, seat: int, k: int, steps: int) -> None:
    """Move the marker up a King track; it stays on the last space (PM-34)."""
    state.pos[k, seat] = min(int(box.last), int(state.pos[k, seat]) + steps)


@kernel
def choose_king(state: Any, box: Any, seat: int, k: int) -> int:
    """Carry out the ADVANCE bonus or a Bribe on the track of King `k`."""
    if state.node == N_BRIBE:
        advance_marker(state, box, seat, k, int(box.bribe_steps))
        return int(state.resume)
    advance_marker(state, box, seat, k, 1)
    return N_AFTER


@kernel
def deliver(state: Any, box: Any, seat: int, k: int, i: int) -> int:
    """Bring a resource to King `k`: marker up one space, and the bonus for the first of its type."""
    face = int(state.king_face[k])
    t = PEPPER if i == KING_SLOTS else int(box.wants[face, i])
    if state.virt[t] > 0:
        state.virt[t] -= 1  # a card leaves no chip on the King board (PM-32)
    else:
        state.res[seat, t] -= 1
        state.ind[seat] += 1
        state.front[seat] += t == MOUNTAIN
    advance_marker(state, box, seat, k, 1)
    if i == KING_SLOTS or state.delivered[k, i] != 0:
        return N_AFTER
    state.delivered[k, i] = 1
    bonus = int(box.bonus[face, i])
    if bonus == BONUS_SHIP:
        state.ships[seat] += 1
    elif bonus == BONUS_ADVENTURER:
        state.advs[seat] += 1
    elif bonus == BONUS_MARKET:
        take_market(state, box, seat)
    elif can_advance(state, box, seat, 1):
        return N_ADVANCE
    return N_AFTER


@kernel
def build(state: Any, box: Any, seat: int, m: int) -> int:
    """Build a Market on space `m`: the action, Support from Churches, or a Market icon (already paid)."""
    node = int(state.node)
    if node != N_ICON:
        cost = box.area_cost[box.market_area[m]]
        pay(state, seat, cost, 1 if node == N_CHURCHES else 0)
        if node == N_LX_TURN:
            state.returned += cost[CREW]  # chips paid for a card do not serve another card (PM-52)
    state.mfront[seat] -= 1
    state.market[m] = seat
    state.reals[seat] += box.market_reals[m]
    return N_AFTER if node == N_LX_TURN else int(state.resume)


@kernel
def exchange(state: Any, box: Any, seat: int) -> int:
    """Pay the set of the disc's space for its Reals (Reals icon)."""
    s = int(state.noble[seat])
    pay(state, seat, box.space_cost[s], 0)
    state.returned += box.space_cost[s, CREW]
    state.reals[seat] += box.space_reals[s]
    return N_EXCH


@kernel
def move_noble(state: Any, box: Any, seat: int, s: int) -> int:
    """Move the Noble disc to space `s`: by the action, paying and taking its icon, or by Support from Nobles."""
    by_card = state.node == N_NOBLES
    icon = int(box.space_icon[s])
    state.noble[seat] = s
    if by_card:
        if box.nobles_takes_action == 0:
            return int(state.resume)
        if icon == ICON_REALS or (icon == ICON_MARKET and not can_stop_at(state, box, seat, s)):
            return int(state.resume)
    else:
        state.resume = N_AFTER
        if icon == ICON_REALS:
            return exchange(state, box, seat)
        pay(state, seat, box.space_cost[s], 0)
        state.returned += box.space_cost[s, CREW]
    if icon == ICON_MARKET:
        return N_ICON
    if icon == ICON_CARD:
        return draw_cards(state, seat)
    if icon == ICON_CREW:
        take_crew(state, seat)
    return int(state.resume)


# ---- start of the Lisbon Phase ----


@kernel
def land_resources(state: Any, box: Any) -> None:
    """Ships and Adventurers go back for a Real each; of the chips only the first of each hex stays, as a resource."""
    for s in range(box.num_players):
        state.reals[s] += int(state.ships[s]) + int(state.advs[s])
        state.ships[s] = 0
        state.advs[s] = 0
    for slot in range(SLOTS):
        face = int(state.slot_face[slot])
        if face < 0:
            continue
        for s in range(box.num_players):
            own = int(state.chips[slot, s])
            state.chips[slot, s] = 0
            for h in range(HEXES):
                if own >> h & 1:
                    kind = int(box.face_hex[face, h])
                    if state.first[slot, h] == s:
                        state.res[s, kind] += 1
                    else:
                        state.front[s] += 2 if kind == MOUNTAIN else 1
        for h in range(HEXES):
            state.first[slot, h] = -1


# ---- Check phase ----


@kernel
def check_phase(state: Any, box: Any) -> None:
    """Income, chips back, new turn order, and either the next round or the end (Check phase 1-4)."""
    unpaid = 0
    for k in range(KINGS):
        if state.paid[k] == 0 and reached_trigger(state, box, k):
            pay_income(state, box, k)
            state.paid[k] = 1
        unpaid += state.paid[k] == 0
    return_chips(state, box)
    update_turn_order(state, box)
    if unpaid == 0:
        final_scoring(state, box, 1)
    elif state.round_no >= box.max_rounds:
        final_scoring(state, box, 2)
    else:
        state.round_no += 1
        start_phase(state, box, WEST_AFRICA)


@kernel
def reached_trigger(state: Any, box: Any, k: int) -> bool:
    """Whether any marker has reached or passed the yellow mark of King `k`."""
    furthest = 0
    for s in range(box.num_players):
        furthest = max(furthest, int(state.pos[k, s]))
    return furthest >= box.trigger


@kernel
def share_at(state: Any, box: Any, k: int, seat: int, p: int) -> int:
    """Return what King `k` pays `seat` if its marker stood on space `p` (PM-55): ties share, rounded down."""
    if p <= 0 or state.king_face[k] < 0:
        return 0
    ahead = 0
    level = 1
    for s in range(box.num_players):
        if s != seat:
            ahead += state.pos[k, s] > p
            level += state.pos[k, s] == p
    total = 0
    for rank in range(ahead, ahead + level):
        total += int(box.payout[state.king_face[k], rank])
    return total // level


@kernel
def pay_income(state: Any, box: Any, k: int) -> None:
    """King `k` pays every seat its share."""
    for s in range(box.num_players):
        state.reals[s] += share_at(state, box, k, s, int(state.pos[k, s]))


@kernel
def return_chips(state: Any, box: Any) -> None:
    """Unused resource chips and signs of delivery return in front of their players; King markers stay."""
    for s in range(box.num_players):
        back = int(state.ind[s]) + int(state.res[s, MOUNTAIN])
        for t in range(TYPES):
            back += state.res[s, t]
            state.res[s, t] = 0
        state.front[s] += back
        state.ind[s] = 0
    for k in range(KINGS):
        for i in range(KING_SLOTS):
            state.delivered[k, i] = 0


@kernel
def update_turn_order(state: Any, box: Any) -> None:
    """Fewest chips in front go first; ties keep their order (PM-57): a stable insertion sort."""
    for i in range(1, box.num_players):
        seat = state.order[i]
        j = i - 1
        while j >= 0 and state.front[state.order[j]] > state.front[seat]:
            state.order[j + 1] = state.order[j]
            j -= 1
        state.order[j + 1] = seat


# ---- End of Game ----


@kernel
def final_scoring(state: Any, box: Any, over: int) -> None:
    """Second income of every King, Market bonuses, medals, and a Real per piece in front (End of Game)."""
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            pay_income(state, box, k)
    pay_majority(state, box, BROWN, int(box.brown_majority))
    pay_majority(state, box, GREEN, int(box.green_majority))
    for s in range(box.num_players):
        state.reals[s] += int(box.medal) * int(state.hand[s, MEDAL])
        state.reals[s] += int(box.per_ship) * int(state.ships[s]) + int(box.per_adventurer) * int(state.advs[s])
        state.reals[s] += int(box.per_market) * int(state.mfront[s])
    state.over = over
    state.actor = -1


@kernel
def built(state: Any, box: Any, seat: int, colour: int) -> int:
    """Return how many Markets the seat has in the areas of a colour."""
    n = 0
    for m in range(MARKETS):
        n += state.market[m] == seat and box.area_colour[box.market_area[m]] == colour
    return n


@kernel
def pay_majority(state: Any, box: Any, colour: int, amount: int) -> None:
    """The seats with the most Markets of a colour, at least one, receive `amount` each (PM-58)."""
    most = 1
    for s in range(box.num_players):
        most = max(most, built(state, box, s, colour))
    for s in range(box.num_players):
        if built(state, box, s, colour) == most:
            state.reals[s] += amount


@kernel
def place_of(state: Any, box: Any, seat: int) -> int:
    """Return the seat's place on the Turn Order track, from 0."""
    for i in range(box.num_players):
        if state.order[i] == seat:
            return i
    return 0


@kernel
def rank_of(state: Any, box: Any, seat: int) -> int:
    """Return the rank by Reals, 0 the best; of tied seats the one higher up on the Turn Order track is better."""
    rank = 0
    for s in range(box.num_players):
        if state.reals[s] > state.reals[seat]:
            rank += 1
        elif s != seat and state.reals[s] == state.reals[seat]:
            rank += place_of(state, box, s) < place_of(state, box, seat)
    return rank


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    """Write float64 utilities per seat; before the end by the Reals so far.

    Kind 0 win: +1 for the winner, ``-1 / (n - 1)`` for the others. 1 placement: ``1 - 2 rank / (n - 1)``.
    2 margin: own Reals minus the mean of the others, / 40, clipped to -1 … 1. 3 raw: Reals.
    """
    n = int(box.num_players)
    total = 0
    for s in range(n):
        total += state.reals[s]
    for s in range(n):
        reals = int(state.reals[s])
        if kind == 0:
            out[s] = 1.0 if rank_of(state, box, s) == 0 else -1.0 / (n - 1)
        elif kind == 1:
            out[s] = 1.0 - 2.0 * rank_of(state, box, s) / (n - 1)
        elif kind == 2:
            out[s] = min(1.0, max(-1.0, (reals - (total - reals) / (n - 1)) / 40.0))
        else:
            out[s] = reals


# ---- invariants ----


@kernel
def check(state: Any, box: Any) -> int:
    """Return 0, or the number of the first broken invariant (`GAME.invariants`). Bounds come first."""
    if not within_bounds(state, box):
        return 5
    if not faces_fit(state, box):
        return 7
    if not order_fits(state, box):
        return 9
    if not hexes_fit(state, box):
        return 6
    for s in range(SEATS):
        if s < box.num_players:
            if chips_of(state, box, s) != box.crew:
                return 1
            if markets_of(state, s) != box.markets:
                return 2
        elif not seat_is_empty(state, s):
            return 5
    if not tokens_add_up(state, box):
        return 3
    if not cards_add_up(state, box):
        return 4
    if not phase_fits(state, box):
        return 8
    if not flags_fit(state, box):
        return 11
    if (state.node == N_KEEP and state.over == 0) != (state.drawn[0] >= 0):
        return 12
    if not node_fits(state, box):
        return 10
    return 0


@kernel
def inside(array: Any, low: int, high: int) -> bool:
    """Whether every entry of a flat array is in ``low … high``."""
    outside = 0
    for i in range(array.shape[0]):
        outside += array[i] < low or array[i] > high
    return outside == 0


@kernel
def within_bounds(state: Any, box: Any) -> bool:
    """Whether every field is in its range, so that the other tests may use it as an index."""
    n = int(box.num_players)
    good = state.over >= 0 and state.over <= 2 and state.ply >= 0
    good = good and (state.actor >= 0 and state.actor < n if state.over == 0 else state.actor == -1)
    good = good and state.round_no >= 1 and state.round_no <= box.max_rounds
    good = good and state.phase >= 0 and state.phase <= 1 and state.node >= 0 and state.node < TURN_OVER
    good = good and state.resume >= 0 and state.resume < TURN_OVER
    good = good and state.turn_idx >= 0 and state.turn_idx < n
    good = good and inside(state.order, -1, n - 1) and inside(state.dropped, 0, 1)
    good = good and inside(state.slot_face, -1, 11) and inside(state.king_face, -1, 7) and inside(state.paid, 0, 1)
    for k in range(KINGS):
        good = good and inside(state.delivered[k], 0, 1) and inside(state.pos[k], 0, int(box.last))
    for slot in range(SLOTS):
        good = good and inside(state.first[slot], -1, n - 1) and inside(state.chips[slot], 0, (1 << HEXES) - 1)
    good = good and inside(state.adv_hexes, 0, (1 << HEXES) - 1) and inside(state.adv_used, 0, 12)
    good = good and inside(state.front, 0, 30) and inside(state.stock, 0, 30) and inside(state.ind, 0, 30)
    good = good and inside(state.ships, 0, 12) and inside(state.advs, 0, 12)
    good = good and state.box_adv >= 0 and state.box_adv <= 12
    good = good and inside(state.mfront, 0, MARKETS) and inside(state.mstock, 0, MARKETS)
    good = good and inside(state.market, -1, n - 1) and inside(state.noble, 0, SPACES - 1)
    good = good and inside(state.reals, 0, 1 << 30)
    for s in range(SEATS):
        good = good and inside(state.hand[s], 0, CARDS) and inside(state.res[s], 0, 30)
    good = good and inside(state.used, 0, CARDS) and inside(state.virt, 0, CARDS * 2)
    good = good and state.pile_len >= 0 and state.pile_len <= CARDS
    for i in range(CARDS):
        low = 0 if good and i < state.pile_len else -1
        high = CARD_KINDS - 1 if good and i < state.pile_len else -1
        good = good and state.pile[i] >= low and state.pile[i] <= high
        good = good and state.pile_by[i] >= -1 and state.pile_by[i] < (n if i < state.pile_len else 0)
    good = good and inside(state.drawn, -1, CARD_KINDS - 1) and inside(state.drawn_by, -1, n - 1)
    good = good and state.returned >= 0 and state.connected >= 0 and state.connected <= state.returned
    return good and 0 <= state.must_place <= 1 and 0 <= state.ship_pending <= 1


@kernel
def faces_fit(state: Any, box: Any) -> bool:
    """Whether the right boards lie on the table, each once, and the Kings in play are those of the player count."""
    n = int(box.num_players)
    boards = 0
    for slot in range(SLOTS):
        face = int(state.slot_face[slot])
        used = slot < n or slot == COASTS_FROM or (slot > COASTS_FROM and n > 2)
        if (face >= 0) != used or (face >= 0 and (face >= 8) != (slot >= COASTS_FROM)):
            return False
        if face >= 0:
            if boards >> (face // 2) & 1:
                return False
            boards |= 1 << (face // 2)
    missing = 0
    for k in range(KINGS):
        face = int(state.king_face[k])
        if face < 0:
            missing += 1
            if state.paid[k] == 0 or not inside(state.pos[k], 0, 0) or not inside(state.delivered[k], 0, 0):
                return False
        elif face // 2 != k:
            return False
    return missing == (1 if n == 2 else 0)


@kernel
def order_fits(state: Any, box: Any) -> bool:
    """Whether the Turn Order is a permutation and shows the seat on turn, who has not dropped out."""
    n = int(box.num_players)
    seen = 0
    for i in range(SEATS):
        if i < n:
            if state.order[i] < 0:
                return False
            seen |= 1 << int(state.order[i])
        elif state.order[i] != -1 or state.dropped[i] != 0:
            return False
    if seen != (1 << n) - 1:
        return False
    if state.over != 0:
        return True
    return state.order[state.turn_idx] == state.actor and state.dropped[state.actor] == 0


@kernel
def hexes_fit(state: Any, box: Any) -> bool:
    """Whether the first seats of the hexes agree with the chips there; no chips on a Lake or an unused place."""
    for slot in range(SLOTS):
        face = int(state.slot_face[slot])
        anyone = 0
        for s in range(SEATS):
            anyone |= int(state.chips[slot, s])
            if s >= box.num_players and state.chips[slot, s] != 0:
                return False
        if (anyone & int(box.lakes[face]) if face >= 0 else anyone | int(state.adv_hexes[slot])) != 0:
            return False
        for h in range(HEXES):
            first = int(state.first[slot, h])
            if (first >= 0) != (anyone >> h & 1 != 0):
                return False
            if first >= 0 and int(state.chips[slot, first]) >> h & 1 == 0:
                return False
    return True


@kernel
def count_bits(bits: int) -> int:
    """Return how many of the nine lowest bits are set."""
    n = 0
    for h in range(HEXES):
        n += bits >> h & 1
    return n


@kernel
def chips_of(state: Any, box: Any, seat: int) -> int:
    """Return all chips of a colour, wherever they lie."""
    n = int(state.front[seat]) + int(state.stock[seat]) + int(state.ind[seat]) + int(box.crew_order)
    for k in range(KINGS):
        n += state.king_face[k] >= 0
    for slot in range(SLOTS):
        if state.slot_face[slot] >= 0:
            own = int(state.chips[slot, seat])
            n += count_bits(own) + count_bits(own & int(box.mountains[state.slot_face[slot]]))
    for t in range(TYPES):
        n += int(state.res[seat, t]) * (2 if t == MOUNTAIN else 1)
    return n


@kernel
def markets_of(state: Any, seat: int) -> int:
    """Return all Markets of a colour, wherever they lie."""
    n = int(state.mfront[seat]) + int(state.mstock[seat])
    for m in range(MARKETS):
        n += state.market[m] == seat
    return n


@kernel
def seat_is_empty(state: Any, seat: int) -> bool:
    """Whether a seat nobody sits on has nothing."""
    things = int(state.front[seat]) + int(state.stock[seat]) + int(state.ind[seat]) + int(state.ships[seat])
    things += int(state.advs[seat]) + int(state.mfront[seat]) + int(state.mstock[seat]) + int(state.noble[seat])
    for k in range(KINGS):
        things += int(state.pos[k, seat])
    return things == 0 and state.reals[seat] == 0 and hand_size(state, seat) == 0 and inside(state.res[seat], 0, 0)


@kernel
def tokens_add_up(state: Any, box: Any) -> bool:
    """Whether no more Ships and Adventurers are about than the Kings show and the box holds."""
    ship_icons = 0
    adventurer_icons = 0
    for k in range(KINGS):
        ship_icons += icons(state, box, k, BONUS_SHIP)
        adventurer_icons += icons(state, box, k, BONUS_ADVENTURER)
    ships = 0
    adventurers = int(state.adv_used[SOURCE_KING])
    for s in range(SEATS):
        ships += state.ships[s]
        adventurers += state.advs[s]
    placed = 0
    for slot in range(SLOTS):
        placed += count_bits(int(state.adv_hexes[slot]))
    if state.node == N_WA_ADV and state.over == 0:
        placed += 1
    if placed != int(state.adv_used[SOURCE_KING]) + int(state.adv_used[SOURCE_BOX]):
        return False
    in_box = int(state.box_adv) + int(state.adv_used[SOURCE_BOX])
    return ships <= ship_icons and adventurers <= adventurer_icons and in_box == box.adventurers - adventurer_icons


@kernel
def cards_add_up(state: Any, box: Any) -> bool:
    """Whether every kind has as many cards as printed, wherever they lie."""
    for kind in range(CARD_KINDS):
        n = int(state.used[kind])
        for s in range(SEATS):
            n += state.hand[s, kind]
        for i in range(state.pile_len):
            n += state.pile[i] == kind
        for i in range(2):
            n += state.drawn[i] == kind
        if n != box.copies[kind]:
            return False
    return (state.drawn[0] >= 0) == (state.drawn[1] >= 0)


@kernel
def phase_fits(state: Any, box: Any) -> bool:
    """Whether West Africa shows no resources or deliveries, and Lisbon no chips or Adventurers on hexes."""
    for s in range(SEATS):
        if state.phase == WEST_AFRICA and (state.ind[s] != 0 or not inside(state.res[s], 0, 0)):
            return False
    for k in range(KINGS):
        if state.phase == WEST_AFRICA and not inside(state.delivered[k], 0, 0):
            return False
    for slot in range(SLOTS):
        if state.phase == LISBON and (state.adv_hexes[slot] != 0 or not inside(state.chips[slot], 0, 0)):
            return False
    return True


@kernel
def flags_fit(state: Any, box: Any) -> bool:
    """Whether the flags of a turn stand only where they can arise."""
    if state.phase == WEST_AFRICA:
        if state.returned != 0 or not inside(state.virt, 0, 0):
            return False
        placed = 0
        for slot in range(SLOTS):
            placed |= int(state.adv_hexes[slot])
        if state.must_place != 0 and (placed == 0 or state.node > N_KEEP and state.node <= N_ADVANCE):
            return False
    elif state.must_place != 0 or state.adv_used[0] + state.adv_used[1] != 0:
        return False
    pending = state.ship_pending != 0
    return (state.node == N_WA_SHIP) == pending or (state.node == N_WA_ADV and pending)


@kernel
def node_fits(state: Any, box: Any) -> bool:
    """Whether the node belongs to the phase, leads back to a node that can wait, and has a legal action."""
    if state.over != 0:
        return True
    seat = int(state.actor)
    node = int(state.node)
    west = state.phase == WEST_AFRICA
    if node <= N_WA_SHIP and not west:
        return False
    if west and node in (N_LX_TURN, N_ADVANCE, N_CHURCHES, N_GOODS, N_EXCH):
        return False
    if node in (N_KEEP, N_BRIBE) or N_NOBLES <= node <= N_ICON:
        resume = int(state.resume)
        turn = N_WA_TURN if west else N_LX_TURN
        if resume not in (turn, N_AFTER) and (resume != N_EXCH or node != N_GOODS):
            return False
    if node == N_WA_TURN:
        return state.must_place == 0 or open_boards(state, box, seat, int(state.ships[seat])) != 0
    if node == N_WA_SHIP:
        return ship_opens(state, box, seat)
    if node == N_WA_ADV:
        return mark_adventurers(state, box, seat, state.scratch_items, False)
    if node == N_ADVANCE:
        return can_advance(state, box, seat, 1)
    if node == N_BRIBE:
        return can_advance(state, box, seat, int(box.bribe_steps))
    if node == N_CHURCHES:
        return mark_church_builds(state, box, seat, 0, state.scratch_items, False)
    if node == N_ICON:
        return state.mfront[seat] > 0 and room_in(state, box, area_of(state, box, seat))
    if node == N_EXCH:
        return box.space_icon[state.noble[seat]] == ICON_REALS
    return True
