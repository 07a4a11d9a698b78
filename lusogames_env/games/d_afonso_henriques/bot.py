"""Rule-based players.

"heuristic" weighs dice, cubes and VP, fight by fight; "greedy" takes the cheapest card and the best fight of a single
card; "veteran" plays as "heuristic" does, but holds cubes dearer and spends a second card only where it earns more than
it would in a fight of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, sample_mask
from lusogames_env.games.d_afonso_henriques.game import (
    BATTLE,
    BATTLES,
    CATAPULT,
    COMMIT,
    DRAFT,
    KEEP,
    MASTER,
    MOORS_CATAPULT,
    MOORS_KING,
    PAY,
    PILE_LEFT,
    PILE_RIGHT,
    PLACES,
    SCOUT,
    SIDE,
    SOLDIER,
    STRATEGIST,
    TAKE,
    V0,
    V1,
    V2_UP,
    VILLAGE,
    WARRIOR,
)
from lusogames_env.games.d_afonso_henriques.observation import unseen
from lusogames_env.games.d_afonso_henriques.rules import (
    A_ADD,
    A_DRAFT,
    A_KEEP,
    A_LEFT,
    A_LOSE,
    A_MASTER,
    A_PASS,
    A_PAY,
    A_RECOVER,
    A_RIGHT,
    A_ROLL,
    A_TAKE,
    A_TARGET,
    A_VILLAGE,
    A_WARRIOR,
    card_dice,
    cards_to_draw,
    defeat_bonus,
    extra_dice,
    fight_bonus,
    has_ready,
    moors_at,
    pile_of,
    price,
    total,
    warrior_usable,
)

HEURISTIC, GREEDY, VETERAN = range(3)
CUBE = 0.7  # worth of a cube in VP
ENGINE = 1.2  # worth of a siege engine
DIE, LAST_DIE = 0.4, 0.1  # worth of a die kept for later: before and in the last battle
SECOND_CARD = 3.5  # veteran: what a card earns in a fight of its own
VILLAGE_CUBE, VETERAN_CUBE = 0.75, 1.0  # price of a cube in dice
FIRST_PLAYER = 0.35
IDLE = -0.2
KEENNESS = 0.5  # added to the worth of a victory when it can be bought
MOST_DICE = 120
NONE = -1
NOTHING = -1e9  # worth of what cannot be done

BEST_DIE = np.array(
    [[0.0] * 7] + [[0.0] + [(h / 6) ** d - ((h - 1) / 6) ** d for h in range(1, 7)] for d in range(1, MOST_DICE + 1)],
    np.float64,
)  # chance that h is the best of d dice
BEST_DIE.flags.writeable = False


# ---------------------------------------------------------------- villages


@kernel
def best_kind(mask: Any, first: int, box: Any) -> int:
    """The legal action ``first + kind`` of the kind with most dice, -1 if none is legal."""
    best = NONE
    for kind in range(4):
        if mask[first + kind] != 0 and (best < 0 or box.dice[kind] >= box.dice[best]):
            best = kind
    return NONE if best < 0 else first + best


@kernel
def best_dice(counts: Any, box: Any) -> int:
    """Dice of the best card of a pile, 0 if it is empty."""
    best = 0
    for kind in range(4):
        if counts[kind] > 0:
            best = max(best, int(box.dice[kind]))
    return best


@kernel
def may_come(state: Any, box: Any, seat: int, kind: int) -> int:
    """Cards of a kind that the next draw may bring, as far as the seat knows."""
    return unseen(state, box, seat, kind) if state.pdeck_n > 0 else state.pused[kind]


@kernel
def expected_draw(state: Any, box: Any, seat: int, cards: int) -> float:
    """Expected dice of the best of `cards` cards drawn."""
    everything = 0
    for kind in range(4):
        everything += may_come(state, box, seat, kind)
    cards = min(cards, everything)
    expected = 0.0
    below = 0.0
    for dice in range(1, 7):
        small = 0
        for kind in range(4):
            if box.dice[kind] <= dice:
                small += may_come(state, box, seat, kind)
        chance = 1.0  # that no card has more dice
        for i in range(cards):
            chance *= max(0, small - i) / (everything - i)
        expected += dice * (chance - below)
        below = chance
    return expected


@kernel
def symbol_worth(state: Any, box: Any, seat: int, symbol: int, cube: float) -> float:
    """Worth of a symbol in dice, less its price at `cube` dice a cube."""
    if symbol == V0:
        return FIRST_PLAYER
    pile = pile_of(symbol)
    if pile >= 0:
        dice = 1.0 * best_dice(state.piles[pile], box)
    else:
        dice = expected_draw(state, box, seat, cards_to_draw(symbol))
    return dice - cube * price(state, box, seat, symbol)


@kernel
def choose_village(state: Any, box: Any, mask: Any, cube: float, rng: Any) -> int:
    """The symbol of most worth, or pass; ties at random."""
    best = A_PASS
    worth = IDLE
    ties = 1
    for symbol in range(7):
        if mask[A_VILLAGE + symbol] == 0:
            continue
        here = symbol_worth(state, box, state.actor, symbol, cube)
        if here > worth + 1e-9:
            best = A_VILLAGE + symbol
            worth = here
            ties = 1
        elif here > worth - 1e-9:
            ties += 1
            if randint(rng, ties) == 0:
                best = A_VILLAGE + symbol
    return best


@kernel
def choose_cheap_village(box: Any, mask: Any) -> int:
    """A card for one cube (for two where village 1 is closed), else the 1st-player card."""
    cheap = V1 if box.village_open[V1] != 0 else V2_UP
    if mask[A_VILLAGE + cheap] != 0:
        return A_VILLAGE + cheap
    return A_VILLAGE + V0 if mask[A_VILLAGE + V0] != 0 else A_PASS


@kernel
def choose_side(state: Any, box: Any, mask: Any, rng: Any) -> int:
    """The better card to the better pile."""
    left, right = best_dice(state.piles[PILE_LEFT], box), best_dice(state.piles[PILE_RIGHT], box)
    to_left = left > right or (left == right and randint(rng, 2) == 0)
    best = best_kind(mask, A_LEFT, box)
    if to_left:
        return best
    single = best_kind(mask, A_RIGHT, box)
    if single >= 0:
        return single
    for action in range(A_LEFT, A_LEFT + 4):  # the worse card to the left
        if mask[action] != 0 and action != best:
            return action
    return best


# ---------------------------------------------------------------- battle


@kernel
def victory_worth(state: Any, box: Any, seat: int, kind: int, hand_cards: int) -> float:
    """Worth of a defeated Moors card in VP."""
    worth = box.moors_vp[kind] + CUBE * box.moors_cubes[kind] + defeat_bonus(state, box, seat, kind, hand_cards)
    return worth + ENGINE if box.role[kind] >= MOORS_CATAPULT else worth


@kernel
def roll_worth(state: Any, box: Any, kind: int, dice: int, hand_cards: int, cubes: int) -> float:
    """Expected worth of rolling `dice` dice against a Moors card with `cubes` cubes at hand."""
    worth = victory_worth(state, box, state.actor, kind, hand_cards)
    expected = 1.0 * fight_bonus(state, box, hand_cards)
    for best in range(1, 7):
        gap = max(0, box.level[kind] - best)
        if gap <= cubes:
            expected += BEST_DIE[min(dice, MOST_DICE), best] * max(0.0, worth - CUBE * gap)
    return expected


@kernel
def in_fight(state: Any, hand_kind: int, first: int, second: int) -> int:
    """Cards of a hand kind in the fight after the plan (`first`, `second`; -1 = no card)."""
    return int(state.committed[hand_kind]) + (1 if first == hand_kind else 0) + (1 if second == hand_kind else 0)


@kernel
def plan_worth(state: Any, box: Any, kind: int, first: int, second: int, card: float) -> float:
    """Expected worth of the fight with these cards added, and the Warrior where it is needed; NOTHING if impossible.

    `card` is the worth of each card beyond the first.
    """
    seat = state.actor
    hand_cards = 0
    printed = 0
    dice = 0
    slayer = False
    helped = False
    for hand_kind in range(6):
        n = in_fight(state, hand_kind, first, second)
        if n == 0:
            continue
        hand_cards += n
        printed += n * box.dice[hand_kind]
        dice += n * card_dice(state, box, hand_kind)
        slayer = slayer or box.alone[hand_kind] != 0
        helped = helped or hand_kind <= SOLDIER or hand_kind >= CATAPULT
    warrior = state.warrior_in != 0
    cost = 0
    needed = box.king_cards if box.role[kind] == MOORS_KING and not slayer else 1
    if hand_cards + (1 if warrior else 0) < needed and warrior_helps(state, box, hand_cards):
        warrior = True
        cost = box.warrior_cost
    if hand_cards + (1 if warrior else 0) < needed:
        return NOTHING
    if warrior:
        dice += box.warrior_dice
    if state.master_in != 0 or (helped and has_ready(state, seat, MASTER)):
        dice += box.master_dice
    dice += extra_dice(state, box, seat)
    kept = LAST_DIE if state.circle // 3 == BATTLES - 1 else DIE
    spent = kept * printed + CUBE * cost + card * max(0, hand_cards - 1)
    return roll_worth(state, box, kind, dice, hand_cards, state.cubes[seat] - cost) - spent


@kernel
def warrior_helps(state: Any, box: Any, hand_cards: int) -> bool:
    """Whether the Warrior card joins a fight with too few cards: beside another card, or when the hand is empty."""
    return warrior_usable(state, box, state.actor) and (hand_cards > 0 or total(state.hand[state.actor]) == 0)


@kernel
def holds(state: Any, seat: int, first: int, second: int) -> bool:
    """Whether the planned cards (-1 = none) are in the hand."""
    if first >= 0 and state.hand[seat, first] == 0:
        return False
    return second < 0 or state.hand[seat, second] > (1 if first == second else 0)


@kernel
def best_plan(state: Any, box: Any, kind: int, most_cards: int, card: float) -> int:
    """The best set of hand cards to add against a Moors card, at most `most_cards` in the fight.

    Returns ``7 * (first + 1) + second + 1`` with hand kinds or -1 for no card; -1 if there is no fight.
    """
    may_add = most_cards - total(state.committed)
    best = NONE
    worth = NOTHING
    for first in range(-1, 6 if may_add >= 1 else 0):
        for second in range(-1, first + 1 if may_add >= 2 else 0):
            if holds(state, state.actor, first, second):
                here = plan_worth(state, box, kind, first, second, card)
                if here > worth:
                    best = 7 * (first + 1) + second + 1
                    worth = here
    return best


@kernel
def worth_of(state: Any, box: Any, kind: int, plan: int, card: float) -> float:
    """Expected worth of a plan of `best_plan`."""
    return NOTHING if plan < 0 else plan_worth(state, box, kind, plan // 7 - 1, plan % 7 - 1, card)


@kernel
def choose_battle(state: Any, box: Any, mask: Any, most_cards: int, card: float, least_worth: float) -> int:
    """The Moors card with the best fight, if that is worth more than `least_worth`, else pass."""
    best = A_PASS
    worth = least_worth
    for place in range(PLACES):
        if mask[A_TARGET + place] != 0:
            kind = moors_at(state, place)
            here = worth_of(state, box, kind, best_plan(state, box, kind, most_cards, card), card)
            if here > worth:
                best = A_TARGET + place
                worth = here
    return best


@kernel
def choose_commit(state: Any, box: Any, mask: Any, most_cards: int, card: float, rng: Any) -> int:
    """The next card of the best plan, then the roll; the Master of Arms as soon as he can."""
    if mask[A_MASTER] != 0:
        return A_MASTER
    plan = best_plan(state, box, state.target_kind, most_cards, card)
    if plan >= 7:
        return A_ADD + plan // 7 - 1
    if mask[A_ROLL] != 0:
        return A_ROLL
    return A_WARRIOR if mask[A_WARRIOR] != 0 else sample_mask(rng, mask)


@kernel
def choose_pay(state: Any, box: Any) -> int:
    """Pay if the victory is worth the cubes."""
    worth = victory_worth(state, box, state.actor, state.target_kind, total(state.committed))
    return A_PAY if worth + KEENNESS > CUBE * state.deficit else A_LOSE


@kernel
def choose_character(mask: Any) -> int:
    """Warrior, Strategist, Scout, Master of Arms: the first that is left."""
    if mask[A_DRAFT + WARRIOR] != 0:
        return A_DRAFT + WARRIOR
    if mask[A_DRAFT + STRATEGIST] != 0:
        return A_DRAFT + STRATEGIST
    return A_DRAFT + SCOUT if mask[A_DRAFT + SCOUT] != 0 else A_DRAFT + MASTER


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """What the rule-based player `kind` does for the seat on turn."""
    node = state.node
    most_cards = 1 if kind == GREEDY else 2
    card = SECOND_CARD if kind == VETERAN else 0.0
    if node == VILLAGE:
        if kind == GREEDY:
            return choose_cheap_village(box, mask)
        return choose_village(state, box, mask, VETERAN_CUBE if kind == VETERAN else VILLAGE_CUBE, rng)
    if node == BATTLE:
        return choose_battle(state, box, mask, most_cards, card, NOTHING if kind == GREEDY else 0.0)
    if node == COMMIT:
        return choose_commit(state, box, mask, most_cards, card, rng)
    if node == PAY:
        return choose_pay(state, box)
    if node == SIDE:
        return choose_side(state, box, mask, rng)
    if node == DRAFT:
        return choose_character(mask)
    first = A_KEEP if node == KEEP else (A_TAKE if node == TAKE else A_RECOVER)
    return best_kind(mask, first, box)
