"""Rule-based players of Anno Domini: heuristic, aggressive and cautious (`GAME.bots`)."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.anno_domini.game import (
    AMBASSADOR_CARD,
    AMBASSADOR_PLAYER,
    ARCHITECT_PLACE,
    ATTACK_TARGET,
    BISHOP_DEST,
    BISHOP_SOURCE,
    CRISIS_DISCARD,
    CUTTHROAT_CARD,
    CUTTHROAT_PLAYER,
    DICE,
    FREE,
    KEPT_CARDS,
    NONE,
    OCCUPY,
    SEATS,
    SETUP_CHOOSE,
    TERRITORIES,
)
from lusogames_env.games.anno_domini.rules import (
    A_ATTACK,
    A_BUILD,
    A_CARD,
    A_END_TURN,
    A_OCCUPY,
    A_OPPONENT,
    A_ROLL_EVENT,
    A_TERRITORY,
    attack_points,
    attacks_left,
    cathedrals_of,
    defence_points,
    early,
    in_debt,
    targets,
    would_reach,
)

HEURISTIC, AGGRESSIVE, CAUTIOUS = 0, 1, 2
NEVER = -1e9
MOST_TRIES = 4

# Place of each kept card in the order in which it is worth taking: Genius, Templar, Heroine, Mercenary, Commander,
# Arquebuseer, Relic, Toll Collector, Merchant, Pope.
CARD_RANK = (3, 2, 1, 9, 4, 7, 5, 6, 8, 0)


def _battle_tables() -> tuple[np.ndarray, np.ndarray]:
    """Chance to empty a territory, and castles lost meanwhile, attacking it from one territory up to `k` times.

    Both float64, indexed [k, faces that hit for the attacker, for the defender, castles there, castles here].
    """
    hits = np.zeros((7, 7, 7))  # [faces, dice, hits]
    for faces in range(7):
        for dice in range(7):
            for n in range(dice + 1):
                hits[faces, dice, n] = comb(dice, n) * (faces / 6) ** n * (1 - faces / 6) ** (dice - n)
    won = np.zeros((MOST_TRIES + 1, 7, 7, 7, 7))
    lost = np.zeros_like(won)
    for k in range(1, MOST_TRIES + 1):
        for here in range(2, 7):
            for there in range(1, 7):
                for n in range(here + 1):
                    for back in range(there + 1):
                        chance = np.outer(hits[:, here, n], hits[:, there, back])
                        loss = min(back, here - 1)
                        lost[k, :, :, there, here] += chance * loss
                        if n >= there:
                            won[k, :, :, there, here] += chance
                        else:
                            won[k, :, :, there, here] += chance * won[k - 1, :, :, there - n, here - loss]
                            lost[k, :, :, there, here] += chance * lost[k - 1, :, :, there - n, here - loss]
    return won, lost


WON, LOST = _battle_tables()

# --- what all players share ---------------------------------------------------------------------------------------


@kernel
def first_legal(mask: Any) -> int:
    """Return the first legal action."""
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            return action
    return NONE


@kernel
def near_own(state: Any, box: Any, p: int, t: int) -> int:
    """Count the territories of seat `p` in reach of `t`."""
    n = 0
    for a in range(TERRITORIES):
        n += (state.owner[a] == p) and (box.reach[t] >> a) & 1 != 0
    return n


@kernel
def bits(mask: int) -> int:
    """Count the ones of a bit mask of territories."""
    n = 0
    for t in range(TERRITORIES):
        n += (mask >> t) & 1
    return n


@kernel
def on_border(state: Any, box: Any, p: int, t: int) -> bool:
    """Whether an opponent of `p` is in reach of `t`."""
    for a in range(TERRITORIES):
        if (box.reach[t] >> a) & 1 != 0 and state.owner[a] != FREE and state.owner[a] != p:
            return True
    return False


@kernel
def choose_card(mask: Any, worst: bool) -> int:
    """Return the action that picks the most or least useful card."""
    best = NONE
    for card in range(KEPT_CARDS):
        if mask[A_CARD + card] != 0 and (best == NONE or (CARD_RANK[card] > CARD_RANK[best]) == worst):
            best = card
    return A_CARD + best


@kernel
def choose_opponent(state: Any, mask: Any, p: int) -> int:
    """Return the action that picks the opponent with the most cathedrals."""
    best = 0
    most = -1
    for d in range(1, SEATS):
        if mask[A_OPPONENT + d - 1] != 0:
            n = cathedrals_of(state, (p + d) % SEATS)
            if n > most:
                best = d
                most = n
    return A_OPPONENT + best - 1


@kernel
def territory_score(state: Any, box: Any, p: int, t: int) -> float:
    """How much seat `p` likes to pick `t` now, except as target of an attack."""
    decision = state.decision
    if decision == SETUP_CHOOSE:  # compact, few exposures
        return near_own(state, box, p, t) - 0.1 * bits(int(box.reach[t]))
    if decision == BISHOP_SOURCE:
        return float(cathedrals_of(state, int(state.owner[t])))
    if decision == BISHOP_DEST:
        return float(state.castles[t])
    return 1.0 if on_border(state, box, p, t) else 0.0


@kernel
def choose_territory(state: Any, box: Any, mask: Any, p: int) -> int:
    """Return the action that picks the territory with the best score."""
    best = NONE
    most = NEVER
    for t in range(TERRITORIES):
        if mask[A_TERRITORY + t] != 0:
            score = territory_score(state, box, p, t)
            if score > most:
                best = t
                most = score
    return A_TERRITORY + best


@kernel
def faces(box: Any, points: int) -> int:
    """Return how many faces of a die hit with these points."""
    return min(6, max(0, 7 + points - int(box.hit_threshold)))


@kernel
def note_faces(state: Any, box: Any) -> None:
    """Note for every seat which part of its dice hits, in attack and defence, without and with a cathedral there."""
    for q in range(SEATS):
        for cathedral in range(2):
            state.scratch_faces[q, 0, cathedral] = faces(box, attack_points(state, box, q, cathedral))
            state.scratch_faces[q, 1, cathedral] = faces(box, defence_points(state, box, q, cathedral))


# --- aggressive and cautious --------------------------------------------------------------------------------------


@kernel
def simple_value(state: Any, box: Any, p: int, a: int, t: int) -> float:
    """Value of attacking `t` from `a` by expected hits and losses of a single throw."""
    here = int(state.castles[a])
    there = int(state.castles[t])
    q = int(state.owner[t])
    cathedral = int(state.cathedral[t])
    hits = here * int(state.scratch_faces[p, 0, cathedral]) / 6.0
    losses = there * int(state.scratch_faces[q, 1, cathedral]) / 6.0
    value = min(1.0, hits / there) * (3.0 if cathedral != 0 else 1.0) - 0.25 * min(losses, here - 1.0)
    if cathedral != 0 and cathedrals_of(state, q) >= box.goal - 2:
        value += 2.0
    return value


@kernel
def simple_attack(state: Any, box: Any, p: int, origins: int) -> tuple[float, int, int]:
    """Return value, origin and target of the best attack from the bit mask `origins`."""
    best, origin, target = NEVER, NONE, NONE
    enemies = targets(state, box, p)
    for a in range(TERRITORIES):
        if (origins >> a) & 1 != 0:
            near = int(box.reach[a]) & enemies
            for t in range(TERRITORIES):
                if (near >> t) & 1 != 0:
                    value = simple_value(state, box, p, a, t)
                    if value > best:
                        best, origin, target = value, a, t
    return best, origin, target


@kernel
def superior(state: Any, a: int, t: int) -> bool:
    """Whether `a` is clearly stronger than `t`; a cathedral is worth more risk."""
    return int(state.castles[a]) - 1.3 * int(state.castles[t]) + 1.5 * int(state.cathedral[t]) >= 1.0


@kernel
def simple_build_score(state: Any, box: Any, p: int, t: int) -> float:
    """Value of a castle on `t`: free land first, then stacks at weak or rich neighbours, never in the interior."""
    if state.owner[t] == FREE:
        return 200.0 if state.cathedral[t] != 0 else 100.0
    prey = NEVER
    threat = 0
    for e in range(TERRITORIES):
        if (box.reach[t] >> e) & 1 != 0 and state.owner[e] != FREE and state.owner[e] != p:
            prey = max(prey, 2.0 * int(state.cathedral[e]) - int(state.castles[e]))
            threat += int(state.castles[e])
    if prey == NEVER:
        return NEVER
    deficit = max(0, threat - int(state.castles[t])) * int(state.cathedral[t])
    return prey + 0.6 * int(state.castles[t]) + 0.6 * deficit


@kernel
def simple_build(state: Any, box: Any, mask: Any, p: int) -> int:
    """Return the territory on which a castle is best, -1 if there is none."""
    best = NONE
    most = NEVER
    for t in range(TERRITORIES):
        if mask[A_BUILD + t] != 0:
            score = simple_build_score(state, box, p, t)
            if score > most:
                best = t
                most = score
    return best


@kernel
def origins_of(mask: Any) -> int:
    """Return the bit mask of the territories an attack may start from."""
    found = 0
    for a in range(TERRITORIES):
        if mask[A_ATTACK + a] != 0:
            found |= 1 << a
    return found


@kernel
def simple_turn(state: Any, box: Any, mask: Any, p: int, kind: int) -> int:
    """Event, good attacks, castles, fair attacks, end."""
    if mask[A_ROLL_EVENT] != 0:
        return A_ROLL_EVENT
    value, origin, target = simple_attack(state, box, p, origins_of(mask))
    if kind == CAUTIOUS and target != NONE and not superior(state, origin, target):
        value = NEVER
    building = simple_build(state, box, mask, p)
    rich = building == NONE and state.money[p] >= 600
    if value > 0.9 or (value > 0.3 and rich):
        return A_ATTACK + origin
    if building != NONE:
        return A_BUILD + building
    return A_ATTACK + origin if value > 0.2 else A_END_TURN


# --- heuristic ----------------------------------------------------------------------------------------------------

TERRITORY_WORTH = 1.3  # all in castles
CATHEDRAL_WORTH = 1.6
CARD_WORTH = 0.5
LEADER_WORTH = 6.5
RIVAL_WORTH = 25.0  # taking a cathedral from somebody who needs one more
STEP_WORTH = 8.0
WIN_WORTH = 70.0
LOSS_WORTH = 0.9
CASTLE_WORTH = 0.5
ATTACK_FROM = 0.15
PEACE = 0.3  # how often an opponent who could attack does


@kernel
def keep_worth(state: Any, box: Any, t: int) -> float:
    """What it is worth to hold `t`."""
    return TERRITORY_WORTH + CATHEDRAL_WORTH * int(state.cathedral[t])


@kernel
def take_worth(state: Any, box: Any, p: int, t: int) -> float:
    """What it is worth to seat `p` to take `t`, in castles."""
    q = int(state.owner[t])
    cathedral = state.cathedral[t] != 0
    worth = keep_worth(state, box, t)
    if state.conquered == 0 and state.drawn == 0:
        worth += CARD_WORTH
    if cathedral and q != FREE:
        theirs = cathedrals_of(state, q)
        if theirs >= box.goal - 2:
            worth += LEADER_WORTH
        if theirs >= box.goal - 1:
            worth += RIVAL_WORTH
    if cathedral:
        mine = cathedrals_of(state, p)
        if would_reach(state, box, p):
            return 0.5 * LEADER_WORTH
        if not early(state, box):
            if mine + 1 >= box.goal and not in_debt(state, p):
                worth += WIN_WORTH
            elif mine + 2 >= box.goal:
                worth += STEP_WORTH
    return worth


@kernel
def attack_worth(state: Any, box: Any, p: int, a: int, t: int, here: int, tries: int) -> float:
    """Expected gain of attacking `t` from `a` with `here` castles up to `tries` times (scratch_worth is filled)."""
    cathedral = int(state.cathedral[t])
    k = min(tries, MOST_TRIES)
    mine = int(state.scratch_faces[p, 0, cathedral])
    theirs = int(state.scratch_faces[int(state.owner[t]), 1, cathedral])
    there = int(state.castles[t])
    value = WON[k, mine, theirs, there, here] * state.scratch_worth[t]
    return value - LOSS_WORTH * LOST[k, mine, theirs, there, here] * (1.0 + 0.5 * int(state.cathedral[a]))


@kernel
def plan_attack(state: Any, box: Any, p: int, origins: int, money: int, tries: int) -> tuple[float, int, int, int]:
    """Return value, origin, target and castles to build first of the best attack from the bit mask `origins`."""
    best, origin, target, more = NEVER, NONE, NONE, 0
    enemies = targets(state, box, p)
    for t in range(TERRITORIES):
        if (enemies >> t) & 1 != 0:
            state.scratch_worth[t] = take_worth(state, box, p, t)
    for a in range(TERRITORIES):
        if (origins >> a) & 1 != 0:
            near = int(box.reach[a]) & enemies
            here = int(state.castles[a])
            most = min(money, int(box.castles_max) - here)
            for t in range(TERRITORIES):
                if (near >> t) & 1 != 0:
                    for m in range(most + 1):
                        if here + m >= 2:
                            value = attack_worth(state, box, p, a, t, here + m, tries) - CASTLE_WORTH * m
                            if value > best:
                                best, origin, target, more = value, a, t, m
    return best, origin, target, more


@kernel
def danger(state: Any, box: Any, p: int, t: int, castles: int) -> float:
    """Chance that an opponent takes `t`, if it holds `castles`, before the next turn of seat `p`."""
    cathedral = int(state.cathedral[t])
    theirs = int(state.scratch_faces[p, 1, cathedral])
    safe = 1.0
    for d in range(1, SEATS):
        q = (p + d) % SEATS
        most = 0
        for a in range(TERRITORIES):
            if state.owner[a] == q and (box.reach[t] >> a) & 1 != 0:
                most = max(most, int(state.castles[a]))
        if most > 0:
            strength = min(DICE, most + 1)  # it may build first
            safe *= 1.0 - PEACE * WON[2, int(state.scratch_faces[q, 0, cathedral]), theirs, castles, strength]
    return 1.0 - safe


@kernel
def build_worth(state: Any, box: Any, p: int, t: int) -> float:
    """Value of one more castle on `t` for defence and for later attacks."""
    castles = int(state.castles[t])
    if state.owner[t] == FREE:
        return take_worth(state, box, p, t) + 1.0
    saved = danger(state, box, p, t, castles) - danger(state, box, p, t, castles + 1)
    value = saved * (keep_worth(state, box, t) + CATHEDRAL_WORTH * int(state.cathedral[t]))
    now, _, _, _ = plan_attack(state, box, p, 1 << t, 0, 3)
    return value + 0.1 * max(0.0, now) + (0.02 if on_border(state, box, p, t) else 0.0)


@kernel
def heuristic_build(state: Any, box: Any, mask: Any, p: int) -> int:
    """Return the territory on which a castle is worth most, -1 if nothing can be built."""
    best = NONE
    most = NEVER
    for t in range(TERRITORIES):
        if mask[A_BUILD + t] != 0:
            value = build_worth(state, box, p, t)
            if value > most:
                best = t
                most = value
    return best


@kernel
def heuristic_turn(state: Any, box: Any, mask: Any, p: int) -> int:
    """Roll, then prepare and make the attack with the best prospects, then defend."""
    money = 0
    own = 0
    for t in range(TERRITORIES):
        if state.owner[t] == p:
            own |= 1 << t
        if mask[A_BUILD + t] != 0:
            money = int(state.money[p]) // int(box.castle_cost)
            if state.owner[t] == FREE and take_worth(state, box, p, t) >= WIN_WORTH:
                return A_BUILD + t
    if mask[A_ROLL_EVENT] != 0:
        return A_ROLL_EVENT
    tries = attacks_left(state, box, p)
    if tries > 0:
        value, origin, _, more = plan_attack(state, box, p, own, money, tries)
        if value > ATTACK_FROM:
            if more > 0 and mask[A_BUILD + origin] != 0:
                return A_BUILD + origin
            if mask[A_ATTACK + origin] != 0:
                return A_ATTACK + origin
    if money > 0:
        building = heuristic_build(state, box, mask, p)
        if building != NONE:
            return A_BUILD + building
    return A_END_TURN


# --- the contract -------------------------------------------------------------------------------------------------


@kernel
def choose_target(state: Any, box: Any, p: int, kind: int) -> int:
    """Return the action that picks the target for which the origin was chosen."""
    origins = 1 << int(state.sel_from)
    if kind == HEURISTIC:
        _, _, target, _ = plan_attack(state, box, p, origins, 0, attacks_left(state, box, p))
        return A_TERRITORY + target
    _, _, target = simple_attack(state, box, p, origins)
    return A_TERRITORY + target


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """Return the action of rule-based player `kind` (0 heuristic, 1 aggressive, 2 cautious) for the seat on turn.

    All three follow public knowledge only and use no chance. `aggressive` makes its best attack if it looks fair,
    `cautious` only from clear superiority; `heuristic` weighs exact odds of conquest, castles lost, winning moves and
    its own defence.
    """
    p = int(state.actor)
    decision = state.decision
    note_faces(state, box)
    if decision == OCCUPY:
        return A_OCCUPY
    if decision == CRISIS_DISCARD:
        return choose_card(mask, True)
    if decision in (AMBASSADOR_CARD, CUTTHROAT_CARD):
        return choose_card(mask, False)
    if decision in (AMBASSADOR_PLAYER, CUTTHROAT_PLAYER):
        return choose_opponent(state, mask, p)
    if decision == ATTACK_TARGET:
        action = choose_target(state, box, p, kind)
        return action if action >= A_TERRITORY and mask[action] != 0 else first_legal(mask)
    if decision in (SETUP_CHOOSE, BISHOP_SOURCE, BISHOP_DEST, ARCHITECT_PLACE):
        return choose_territory(state, box, mask, p)
    if kind == HEURISTIC:
        return heuristic_turn(state, box, mask, p)
    return simple_turn(state, box, mask, p, kind)
