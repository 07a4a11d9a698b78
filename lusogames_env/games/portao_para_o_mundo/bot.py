"""Rule-based players of *Portão para o mundo, Lisboa*: one-step greedy, from open information and the own hand.

Kind 0 ``heuristic`` values Markets as the printed numbers suggest; kind 1 ``kings`` leaves its Market terms out and
lives on the Kings. All values are in Reals.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.portao_para_o_mundo.game import (
    BONUS_ADVENTURER,
    BONUS_MARKET,
    BONUS_SHIP,
    BRIBE,
    CARD_KINDS,
    CHURCHES,
    COASTS_FROM,
    CONNECTIONS,
    CREW,
    GOLD,
    GOODS,
    HEXES,
    ICON_CARD,
    ICON_CREW,
    ICON_MARKET,
    ICON_REALS,
    KING_SLOTS,
    KINGS,
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
    N_NOBLES,
    N_WA_ADV,
    N_WA_SHIP,
    N_WA_TURN,
    NOBLES,
    PEPPER,
    SHIPS,
    SLOTS,
    SPACES,
    TYPES,
)
from lusogames_env.games.portao_para_o_mundo.rules import (
    ADVENTURER,
    BUILD,
    DELIVER,
    DROP_OUT,
    END,
    HEX,
    KEEP,
    KING,
    NO_ACTION_SPACES,
    PAY_SET,
    PLAY_BRIBE,
    PLAY_CHURCHES,
    PLAY_CONNECTIONS,
    PLAY_GOODS,
    PLAY_NOBLES,
    PLAY_SHIP,
    SPACE,
    TAKE2,
    area_of,
    chip_targets,
    for_chips,
    needs_ship,
    own_hexes,
    share_at,
    slot_of,
)

KEEP_ORDER = (MEDAL, SHIPS, BRIBE, CHURCHES, GOODS, NOBLES, CONNECTIONS)
NOTHING = -1000.0
AHEAD = 6  # spaces of the Lisbon track that count as near
WORTH_A_CHIP = 0.8  # a hex worth less is not taken


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """Return the action of rule-based player `kind` (0 heuristic, 1 kings) for the seat on turn; draws no chance."""
    seat = int(state.actor)
    node = int(state.node)
    markets = kind == 0
    if node <= N_WA_SHIP:
        return west_africa(state, box, seat, node, markets, mask)
    if node == N_KEEP:
        for i in range(CARD_KINDS):
            if mask[KEEP + KEEP_ORDER[i]] != 0:
                return KEEP + KEEP_ORDER[i]
    if node in (N_ADVANCE, N_BRIBE):
        return best_king(state, box, seat, 1 if node == N_ADVANCE else int(box.bribe_steps), mask)
    if node == N_NOBLES:
        return SPACE + better_space(state, box, seat, mask)
    if node in (N_CHURCHES, N_ICON):
        return richest_market(box, mask)
    if node == N_GOODS:
        return best_goods(state, box, seat, markets)
    action = card_to_play(state, box, seat, mask)
    if action >= 0:
        return action
    if node == N_AFTER:
        return END
    if node == N_EXCH:
        good = mask[PAY_SET] != 0 and box.space_reals[state.noble[seat]] > 1.5 + 0.5 * chip_worth(state)
        return PAY_SET if good else END
    return lisbon(state, box, seat, markets, mask)


# ---- what things are worth ----


@kernel
def chip_worth(state: Any) -> float:
    """Return the worth of a Crew chip: 4 while at most one King has paid, 2.5 with two, then 1."""
    paid = 0
    for k in range(KINGS):
        paid += state.king_face[k] >= 0 and state.paid[k] != 0
    return 4.0 if paid <= 1 else 2.5 if paid == 2 else 1.0


@kernel
def gain(state: Any, box: Any, seat: int, k: int, steps: int) -> float:
    """Return the worth of `steps` more spaces on the track of King `k`: the better share, and 1 per space."""
    if state.king_face[k] < 0:
        return NOTHING
    now = int(state.pos[k, seat])
    then = min(int(box.last), now + steps)
    weight = 0.6 if state.paid[k] != 0 else 1.2
    return weight * (share_at(state, box, k, seat, then) - share_at(state, box, k, seat, now)) + (then - now)


@kernel
def bonus_worth(state: Any, seat: int, bonus: int, markets: bool) -> float:
    """Return the worth of a King's bonus."""
    if bonus == BONUS_MARKET:
        return 4.0 if markets and state.mfront[seat] < 2 else 1.0
    if bonus == BONUS_SHIP:
        return 3.0
    return 1.5 if bonus == BONUS_ADVENTURER else 2.0


@kernel
def delivery_worth(state: Any, box: Any, seat: int, k: int, i: int, markets: bool) -> float:
    """Return the worth of bringing the King's type `i` (3 = Pepper) to King `k`."""
    worth = gain(state, box, seat, k, 1)
    if i < KING_SLOTS and state.delivered[k, i] == 0:
        worth += bonus_worth(state, seat, int(box.bonus[state.king_face[k], i]), markets)
    return worth


@kernel
def best_market(state: Any, box: Any, area: int) -> int:
    """Return the highest number on an empty Market space of `area`, 0 if there is none."""
    best = 0
    for m in range(MARKETS):
        if box.market_area[m] == area and state.market[m] < 0:
            best = max(best, int(box.market_reals[m]))
    return best


@kernel
def pepper_worth(state: Any, box: Any, seat: int, spaces: int) -> float:
    """Return what one Pepper earns in the best Market to be built from the disc or up to `spaces` further on."""
    best = 0.0
    if state.mfront[seat] == 0:
        return best
    disc = int(state.noble[seat])
    seen = -1
    for s in range(max(1, disc), min(SPACES, disc + spaces + 1)):
        area = int(box.space_area[s])
        need = int(box.area_cost[area, PEPPER])
        if area != seen and box.area_build[area] != 0 and need > 0:
            best = max(best, (best_market(state, box, area) - 1.5) / need)
        seen = area
    return best


@kernel
def value_types(state: Any, box: Any, seat: int, markets: bool) -> None:
    """Write the worth of one resource of each type into `scratch_worth`."""
    worth = state.scratch_worth
    for t in range(TYPES):
        worth[t] = 0.0
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            for i in range(KING_SLOTS + 1):
                t = PEPPER if i == KING_SLOTS else int(box.wants[state.king_face[k], i])
                worth[t] = max(worth[t], delivery_worth(state, box, seat, k, i, markets))
    disc = int(state.noble[seat])
    for s in range(disc + 1, min(SPACES, disc + AHEAD + 1)):
        icon = int(box.space_icon[s])
        if icon in (ICON_CREW, ICON_CARD):
            for t in range(TYPES):
                if box.space_cost[s, t] > 0:
                    worth[t] = max(worth[t], (3.0 if icon == ICON_CREW else 2.5) - 0.3 * (s - disc))
    if markets:
        worth[PEPPER] = max(worth[PEPPER], pepper_worth(state, box, seat, 2))


# ---- West Africa ----


@kernel
def free_worth(state: Any, box: Any, face: int, h: int) -> float:
    """Return the worth of being first on hex `h` of a face."""
    t = int(box.face_hex[face, h])
    if t < 0:
        return 0.0
    if t == MOUNTAIN:
        return 0.65 * state.scratch_worth[t]
    return state.scratch_worth[t] + (3.0 if t == GOLD and state.pile_len > 0 else 0.0)


@kernel
def hex_worth(state: Any, box: Any, seat: int, b: int, h: int) -> float:
    """Return the worth of a chip on hex `h` of board `b`: the hex, its best free neighbour, opening a far board."""
    slot = slot_of(box, seat, b)
    face = int(state.slot_face[slot])
    own = own_hexes(state, seat, slot)
    worth = free_worth(state, box, face, h) if state.first[slot, h] < 0 else -0.2
    if state.front[seat] > (2 if box.face_hex[face, h] == MOUNTAIN else 1):
        near = int(box.reach[1 << h]) & ~own
        best = 0.0
        for g in range(HEXES):
            if near >> g & 1 and state.first[slot, g] < 0:
                best = max(best, free_worth(state, box, face, g))
        worth += 0.35 * best
    return worth + (1.0 if own == 0 and needs_ship(box, b) else 0.0)


@kernel
def follow_up(state: Any, box: Any, seat: int, b: int, h: int) -> float:
    """Return the worth of the best chip that an Adventurer on hex `h` of board `b` makes possible there."""
    slot = slot_of(box, seat, b)
    face = int(state.slot_face[slot])
    bits = for_chips(box, face, int(box.reach[own_hexes(state, seat, slot) | 1 << h]), int(state.front[seat]))
    best = NOTHING
    for g in range(HEXES):
        if bits >> g & 1:
            best = max(best, hex_worth(state, box, seat, b, g))
    return best


@kernel
def adventurer_reach(state: Any, box: Any, seat: int, b: int) -> int:
    """Return the hexes of board `b` where an Adventurer could be put without a Ship."""
    slot = slot_of(box, seat, b)
    if slot < 0 or state.slot_face[slot] < 0:
        return 0
    return int(box.reach[own_hexes(state, seat, slot)])


@kernel
def west_africa(state: Any, box: Any, seat: int, node: int, markets: bool, mask: Any) -> int:
    """WA_TURN, WA_ADV, WA_SHIP: the best hex, or drop out."""
    value_types(state, box, seat, markets)
    best = NOTHING
    best_hex = -1
    for i in range(SLOTS * HEXES):
        if mask[HEX + i] != 0:
            if node == N_WA_ADV:
                worth = follow_up(state, box, seat, i // HEXES, i % HEXES)
            else:
                worth = hex_worth(state, box, seat, i // HEXES, i % HEXES)
            if worth > best or best_hex < 0:
                best = worth
                best_hex = i
    if node != N_WA_TURN:
        return HEX + best_hex
    action = card_to_play(state, box, seat, mask)
    if action >= 0:
        return action
    if mask[PLAY_SHIP] != 0 and (coast_opens(state, box, seat, 4) or coast_opens(state, box, seat, 5)):
        return PLAY_SHIP
    if mask[ADVENTURER] != 0:
        for b in range(SLOTS):
            bits = adventurer_reach(state, box, seat, b)
            for h in range(HEXES):
                if bits >> h & 1 and follow_up(state, box, seat, b, h) > max(best, WORTH_A_CHIP):
                    return ADVENTURER
    if mask[DROP_OUT] != 0 and best <= WORTH_A_CHIP:
        return DROP_OUT
    return HEX + best_hex


@kernel
def coast_opens(state: Any, box: Any, seat: int, b: int) -> bool:
    """Whether a Ship from a card would open Pepper Coast `b`."""
    return b >= COASTS_FROM and chip_targets(state, box, seat, b, 0, 1) != 0


# ---- Lisbon ----


@kernel
def card_to_play(state: Any, box: Any, seat: int, mask: Any) -> int:
    """Return the Support card action to take now (Ships apart), or -1."""
    if mask[PLAY_CHURCHES] != 0:
        return PLAY_CHURCHES
    if mask[PLAY_CONNECTIONS] != 0:
        return PLAY_CONNECTIONS
    if mask[PLAY_BRIBE] != 0:
        for k in range(KINGS):
            if gain(state, box, seat, k, 2) > 3.5 and int(state.pos[k, seat]) + int(box.bribe_steps) <= box.last:
                return PLAY_BRIBE
    if mask[DROP_OUT] != 0 and mask[PLAY_GOODS] != 0 and no_resource_left(state, seat) and bonus_open(state):
        return PLAY_GOODS
    if mask[DROP_OUT] != 0 and mask[PLAY_NOBLES] != 0 and better_space(state, box, seat, mask) >= 0:
        return PLAY_NOBLES
    return -1


@kernel
def no_resource_left(state: Any, seat: int) -> bool:
    """Whether the seat has no resource, on the boards or from cards."""
    left = 0
    for t in range(TYPES):
        left += int(state.res[seat, t]) + int(state.virt[t])
    return left == 0


@kernel
def bonus_open(state: Any) -> bool:
    """Whether some King still has a bonus to give this round."""
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            for i in range(KING_SLOTS):
                if state.delivered[k, i] == 0:
                    return True
    return False


@kernel
def builds_with(state: Any, box: Any, seat: int, area: int, pepper: int) -> int:
    """Return the Reals of the best Market that `pepper` Pepper pays for in `area`, 0 if none."""
    if area < 0 or box.area_build[area] == 0 or pepper < box.area_cost[area, PEPPER]:
        return 0
    if int(state.front[seat]) + pepper < box.area_cost[area, CREW]:
        return 0
    return best_market(state, box, area)


@kernel
def better_space(state: Any, box: Any, seat: int, mask: Any) -> int:
    """Return the first space of an area with a better Market to build than in the disc's, -1 if there is none.

    In the node NOBLES some space must be chosen: then the furthest one if nothing is better.
    """
    pepper = int(state.res[seat, PEPPER]) + int(state.virt[PEPPER])
    best = 0
    space = -1
    if state.mfront[seat] > 0 and pepper > 0:
        best = builds_with(state, box, seat, area_of(state, box, seat), pepper)
        for s in range(1, NO_ACTION_SPACES):
            reals = builds_with(state, box, seat, int(box.space_area[s]), pepper)
            if reals > best:
                best = reals
                space = s
    if space < 0 and state.node == N_NOBLES:
        space = NO_ACTION_SPACES - 1
        while mask[SPACE + space] == 0:
            space -= 1
    return space


@kernel
def best_king(state: Any, box: Any, seat: int, steps: int, mask: Any) -> int:
    """Return the legal King with the highest gain."""
    best = NOTHING
    action = KING
    for k in range(KINGS):
        if mask[KING + k] != 0:
            worth = gain(state, box, seat, k, steps)
            if worth > best:
                best = worth
                action = KING + k
    return action


@kernel
def richest_market(box: Any, mask: Any) -> int:
    """Return the legal build with the most Reals."""
    best = -1
    action = BUILD
    for m in range(MARKETS):
        if mask[BUILD + m] != 0 and box.market_reals[m] > best:
            best = int(box.market_reals[m])
            action = BUILD + m
    return action


@kernel
def best_goods(state: Any, box: Any, seat: int, markets: bool) -> int:
    """Return the type worth most to some King, two of it."""
    best = NOTHING
    choice = MOUNTAIN
    for k in range(KINGS):
        if state.king_face[k] >= 0:
            for i in range(KING_SLOTS):
                worth = delivery_worth(state, box, seat, k, i, markets)
                if worth > best:
                    best = worth
                    choice = int(box.wants[state.king_face[k], i])
    return TAKE2 + choice


@kernel
def space_worth(state: Any, box: Any, seat: int, s: int, markets: bool) -> float:
    """Return the worth of moving the Noble disc to space `s`."""
    icon = int(box.space_icon[s])
    area = int(box.space_area[s])
    disc = int(state.noble[seat])
    chip = chip_worth(state)
    worth = 0.0
    if icon == ICON_CREW:
        worth = 1.1 * chip if state.stock[seat] > 0 else 0.0
    elif icon == ICON_CARD:
        worth = 3.0 if state.pile_len > 0 else 0.0
    elif icon == ICON_MARKET:
        worth = 1.0 * best_market(state, box, area)
    elif icon == ICON_REALS:
        worth = 1.0 * int(box.space_reals[s])
    units = 0
    for t in range(TYPES):
        units += int(box.space_cost[s, t])
    worth -= 0.35 * (s - disc - 1) + 1.0 * (units - 1) + 0.5 * chip * int(box.space_cost[s, CREW])
    if markets and area != box.space_area[disc] and state.mfront[seat] > (1 if icon == ICON_MARKET else 0):
        pepper = int(state.res[seat, PEPPER]) + int(state.virt[PEPPER]) - int(box.space_cost[s, PEPPER])
        reals = builds_with(state, box, seat, area, pepper)
        worth += 0.6 * (reals - 1.5) if reals > 0 else 0.0
    return worth


@kernel
def lisbon(state: Any, box: Any, seat: int, markets: bool, mask: Any) -> int:
    """LX_TURN: the best action on a King board or the Lisbon board, or drop out."""
    best = 0.0
    action = DROP_OUT
    saved = 0.8 * pepper_worth(state, box, seat, 0) if markets else 0.0
    for a in range(KINGS * (KING_SLOTS + 1)):
        if mask[DELIVER + a] != 0:
            i = a % (KING_SLOTS + 1)
            worth = delivery_worth(state, box, seat, a // (KING_SLOTS + 1), i, markets)
            worth -= saved if i == KING_SLOTS else 0.0
            if worth > best:
                best = worth
                action = DELIVER + a
    for m in range(MARKETS):
        if mask[BUILD + m] != 0 and box.market_reals[m] + 1.0 > best:
            best = box.market_reals[m] + 1.0
            action = BUILD + m
    for s in range(SPACES):
        if mask[SPACE + s] != 0:
            worth = space_worth(state, box, seat, s, markets)
            if worth > best:
                best = worth
                action = SPACE + s
    return action
