"""What a seat sees, as a float32 vector in the order of ``OBSERVATION``; every entry is in [0, 1]."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.d_afonso_henriques.game import (
    BATTLES,
    CATAPULT,
    COMMIT,
    DECK_TOP,
    KEEP,
    MOORS_KING,
    OBSERVATION,
    ORDINARY,
    PAY,
    SIDE,
    SLOTS,
    TAKE,
    USED_TOP,
    VILLAGE,
)
from lusogames_env.games.d_afonso_henriques.rules import bonus_now, dice_of_fight, is_battle, moors_at, total

O_NUM_PLAYERS = OBSERVATION["num_players"]
O_OPTIONS = OBSERVATION["options"]
O_SEAT_EXISTS = OBSERVATION["seat_exists"]
O_CIRCLE = OBSERVATION["circle"]
O_NODE = OBSERVATION["node"]
O_ACTOR = OBSERVATION["actor"]
O_FIRST_PLAYER = OBSERVATION["first_player"]
O_PHASE_STARTER = OBSERVATION["phase_starter"]
O_VP = OBSERVATION["vp"]
O_CUBES = OBSERVATION["cubes"]
O_BANK = OBSERVATION["bank"]
O_HAND_SIZE = OBSERVATION["hand_size"]
O_SIEGE = OBSERVATION["siege"]
O_OWN_HAND = OBSERVATION["own_hand"]
O_KNOWN_HAND = OBSERVATION["known_hand"]
O_VILLAGE_CHOICE = OBSERVATION["village_choice"]
O_VISITS = OBSERVATION["visits"]
O_REJECTED = OBSERVATION["rejected"]
O_USED_PORTUGUESE = OBSERVATION["used_portuguese"]
O_DECK_SIZE = OBSERVATION["deck_size"]
O_DECK_AT_SHUFFLE = OBSERVATION["deck_at_shuffle"]
O_DECK_GONE = OBSERVATION["deck_gone"]
O_UNSEEN = OBSERVATION["unseen"]
O_DRAWN = OBSERVATION["drawn"]
O_MOORS_SLOTS = OBSERVATION["moors_slots"]
O_MOORS_NEXT = OBSERVATION["moors_next"]
O_MOORS_USED_TOP = OBSERVATION["moors_used_top"]
O_MOORS_SIZES = OBSERVATION["moors_sizes"]
O_MOORS_HIDDEN = OBSERVATION["moors_hidden"]
O_MOORS_HIDDEN_VP = OBSERVATION["moors_hidden_vp"]
O_TARGET = OBSERVATION["target"]
O_TARGET_CARD = OBSERVATION["target_card"]
O_COMMITTED = OBSERVATION["committed"]
O_DICE_NOW = OBSERVATION["dice_now"]
O_ROLL = OBSERVATION["roll"]
O_DEFICIT = OBSERVATION["deficit"]
O_PASSED = OBSERVATION["passed"]
O_COMBATS = OBSERVATION["combats"]
O_BATTLE_VP = OBSERVATION["battle_vp"]
O_BATTLE_USED = OBSERVATION["battle_used"]
O_DEFEATERS = OBSERVATION["defeaters"]
O_CHARACTER = OBSERVATION["character"]
O_CHARACTER_READY = OBSERVATION["character_ready"]
O_BONUS_PLAN = OBSERVATION["bonus_plan"]
O_BONUS_NOW = OBSERVATION["bonus_now"]

CARD_FEATURES = 7


@kernel
def part(value: int, whole: int) -> float:
    """`value` as a part of `whole`, at most 1."""
    return min(1.0, value * (1.0 / whole))


@kernel
def parts(values: Any, whole: int, out: Any, at: int) -> None:
    """Write every entry of `values` as a part of `whole`."""
    scale = 1.0 / whole  # one division instead of many: this is the hottest code of all
    for i in range(values.shape[0]):
        out[at + i] = min(1.0, values[i] * scale)


@kernel
def moors_card(box: Any, kind: int, out: Any, at: int) -> None:
    """Write the features of a Moors card; all 0 for no card."""
    if kind >= 0:
        for i in range(CARD_FEATURES):
            out[at + i] = box.card_features[kind, i]


@kernel
def observe_table(state: Any, box: Any, out: Any) -> None:
    """What is the same for all seats: options, pawn, bank, piles, Portuguese deck."""
    out[O_NUM_PLAYERS + int(box.num_players) - 2] = 1.0
    out[O_OPTIONS] = box.characters
    out[O_OPTIONS + 1] = box.battle_bonus
    out[O_OPTIONS + 2] = box.rejoin
    out[O_OPTIONS + 3] = box.unlimited
    out[O_OPTIONS + 4] = box.moors_reshuffle
    if state.over == 0:
        out[O_CIRCLE + int(state.circle)] = 1.0
        out[O_NODE + int(state.node)] = 1.0
    out[O_BANK] = 1.0 if box.unlimited != 0 else part(state.bank, 25)
    for pile in range(3):
        parts(state.piles[pile], 10, out, O_REJECTED + 4 * pile)
    parts(state.pused, 30, out, O_USED_PORTUGUESE)
    out[O_DECK_SIZE] = part(state.pdeck_n, 30)
    parts(state.deck_at_shuffle, 30, out, O_DECK_AT_SHUFFLE)


@kernel
def observe_moors(state: Any, box: Any, out: Any) -> None:
    """The battlefield, both open tops, and the composition of what lies below the deck top."""
    for place in range(SLOTS):
        moors_card(box, state.slots[place], out, O_MOORS_SLOTS + CARD_FEATURES * place)
    moors_card(box, moors_at(state, DECK_TOP), out, O_MOORS_NEXT)
    moors_card(box, moors_at(state, USED_TOP), out, O_MOORS_USED_TOP)
    out[O_MOORS_SIZES] = part(state.mdeck_n, 30)
    out[O_MOORS_SIZES + 1] = part(state.mused_n, 30)
    for i in range(state.mdeck_n - 1):
        kind = state.mdeck[i]
        if box.role[kind] == ORDINARY:
            level = int(box.level[kind]) - 1
            out[O_MOORS_HIDDEN + level] += 1.0
            out[O_MOORS_HIDDEN_VP + level] += box.moors_vp[kind]
        else:
            out[O_MOORS_HIDDEN + 6 + int(box.role[kind]) - MOORS_KING] += 1.0
    for group in range(9):
        out[O_MOORS_HIDDEN + group] /= 30.0
    for level in range(6):
        out[O_MOORS_HIDDEN_VP + level] = min(1.0, out[O_MOORS_HIDDEN_VP + level] / 40.0)


@kernel
def observe_fight(state: Any, box: Any, out: Any) -> None:
    """COMMIT and PAY: the target, the cards in the fight, the dice."""
    out[O_TARGET + int(state.target_place)] = 1.0
    moors_card(box, state.target_kind, out, O_TARGET_CARD)
    parts(state.committed, 10, out, O_COMMITTED)
    out[O_COMMITTED + 6] = state.warrior_in
    out[O_COMMITTED + 7] = state.master_in
    if state.node == COMMIT:
        out[O_DICE_NOW] = part(dice_of_fight(state, box), 20)
    else:
        parts(state.roll, 20, out, O_ROLL)
        out[O_DEFICIT] = part(state.deficit, 6)


@kernel
def observe_bonus(state: Any, out: Any) -> None:
    """The bonus cards of all battles, and the one of the battle under way."""
    for battle in range(BATTLES):
        out[O_BONUS_PLAN + 9 * battle + int(state.bonus[battle])] = 1.0
    if state.over == 0 and is_battle(state):
        out[O_BONUS_NOW + int(bonus_now(state))] = 1.0


@kernel
def observe_own(state: Any, box: Any, seat: int, out: Any) -> None:
    """What only this seat knows: its hand, its draw, and what it can conclude about the rest."""
    drawing = state.actor == seat and state.node in (KEEP, SIDE)
    for kind in range(4):
        own = int(state.hand[seat, kind])
        drawn = int(state.drawn[kind]) if drawing else 0
        out[O_OWN_HAND + kind] = part(own, 10)
        out[O_DRAWN + kind] = part(drawn, 3)
        out[O_DECK_GONE + kind] = part(state.deck_gone[seat, kind], 30)
        out[O_UNSEEN + kind] = part(unseen(state, box, seat, kind), 30)


@kernel
def unseen(state: Any, box: Any, seat: int, kind: int) -> int:
    """Cards of a kind that the seat cannot locate: in the deck, in other hands, or drawn by another seat."""
    n = int(box.portuguese_count[kind]) - state.hand[seat, kind] - state.pused[kind] - state.committed[kind]
    for pile in range(3):
        n -= state.piles[pile, kind]
    return n - state.drawn[kind] if state.actor == seat else n


@kernel
def observe_seat(state: Any, box: Any, seat: int, row: int, out: Any) -> None:
    """What everybody knows of a seat; `row` counts clockwise from the observer."""
    out[O_SEAT_EXISTS + row] = 1.0
    if state.actor == seat:
        out[O_ACTOR + row] = 1.0
    if state.holder == seat:
        out[O_FIRST_PLAYER + row] = 1.0
    if state.starter == seat:
        out[O_PHASE_STARTER + row] = 1.0
    out[O_VP + row] = part(state.vp[seat], 150)
    out[O_CUBES + row] = part(state.cubes[seat], 25)
    out[O_HAND_SIZE + row] = part(total(state.hand[seat]), 14)
    for engine in range(2):
        out[O_SIEGE + 2 * row + engine] = part(state.hand[seat, CATAPULT + engine], 2)
    parts(state.known[seat], 10, out, O_KNOWN_HAND + 4 * row)
    if VILLAGE <= state.node <= TAKE:
        out[O_VILLAGE_CHOICE + 9 * row + int(state.placed[seat]) + 2] = 1.0
    parts(state.visits[seat], 10, out, O_VISITS + 7 * row)
    out[O_CHARACTER + 5 * row + int(state.character[seat]) + 1] = 1.0
    out[O_CHARACTER_READY + row] = state.ready[seat]


@kernel
def observe_seat_in_battle(state: Any, seat: int, row: int, out: Any) -> None:
    """What the battle under way has brought a seat so far."""
    out[O_PASSED + row] = state.passed[seat]
    out[O_COMBATS + row] = part(state.combats[seat], 10)
    out[O_BATTLE_VP + row] = part(state.battle_vp[seat], 50)
    parts(state.battle_used[seat], 10, out, O_BATTLE_USED + 4 * row)
    for order in range(2):
        if state.defeaters[order] == seat:
            out[O_DEFEATERS + 2 * row + order] = 1.0


@kernel
def observe(state: Any, box: Any, seat: int, out: Any) -> None:
    """Write the observation of `seat`; seat axes start with it and go clockwise."""
    out[:] = 0.0
    observe_table(state, box, out)
    observe_moors(state, box, out)
    if state.node in (COMMIT, PAY):
        observe_fight(state, box, out)
    observe_bonus(state, out)
    observe_own(state, box, seat, out)
    in_battle = is_battle(state)
    for row in range(box.num_players):
        other = (seat + row) % box.num_players
        observe_seat(state, box, other, row, out)
        if in_battle:
            observe_seat_in_battle(state, other, row, out)
