"""Rules of Anno Domini. Docstrings name sections of the rulebook and rulings (AD-nn) of rulebook.toml."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.game import MARGIN, PLACEMENT, RUNNING, TERMINATED, TRUNCATED, WIN
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle
from lusogames_env.games.anno_domini.game import (
    ACTIONS,
    AMBASSADOR,
    AMBASSADOR_CARD,
    AMBASSADOR_PLAYER,
    ARCHITECT,
    ARCHITECT_PLACE,
    ATTACK_TARGET,
    BARBAROUS,
    BISHOP,
    BISHOP_DEST,
    BISHOP_SOURCE,
    CARD_DONE,
    CARDS,
    CATHEDRALS,
    COUNCIL,
    CRISIS,
    CRISIS_DISCARD,
    CRUSADE,
    CUT_THROAT,
    CUTTHROAT_CARD,
    CUTTHROAT_PLAYER,
    DECK,
    DEPOSIT,
    DICE,
    EVENT_DUE,
    FREE,
    KEPT_CARDS,
    MAECENAS,
    NO_DECISION,
    NONE,
    OCCUPY,
    PLAGUE,
    POPE,
    SCHISM,
    SEATS,
    SETUP_CHOOSE,
    SETUP_DUE,
    TAXATION,
    TERRITORIES,
    TITHE,
    TURN_MAIN,
    TURN_OVER,
)

A_END_TURN = ACTIONS["end_turn"]
A_NO_DRAW = ACTIONS["end_turn_no_draw"]
A_ROLL_EVENT = ACTIONS["roll_event"]
A_OCCUPY = ACTIONS["occupy"]
A_LEAVE_FREE = ACTIONS["leave_free"]
A_OPPONENT = ACTIONS["pick_opponent"]
A_CARD = ACTIONS["pick_card"]
A_TERRITORY = ACTIONS["pick_territory"]
A_BUILD = ACTIONS["build"]
A_ATTACK = ACTIONS["attack_from"]
N_ACTIONS = ACTIONS.n

# --- what a player controls ---------------------------------------------------------------------------------------


@kernel
def territories_of(state: Any, p: int) -> int:
    """Count the territories of seat `p`."""
    n = 0
    for t in range(TERRITORIES):
        n += state.owner[t] == p
    return n


@kernel
def cathedrals_of(state: Any, p: int) -> int:
    """Count the cathedrals in the territories of seat `p`."""
    n = 0
    for t in range(TERRITORIES):
        n += (state.owner[t] == p) & (state.cathedral[t] != 0)
    return n


@kernel
def castles_of(state: Any, p: int) -> int:
    """Count the castles of seat `p` on the board."""
    n = 0
    for t in range(TERRITORIES):
        n += int(state.castles[t]) * (state.owner[t] == p)
    return n


@kernel
def supply(state: Any, box: Any, p: int) -> int:
    """Count the castles of seat `p` in the box (section Castles, AD-50)."""
    return int(box.castles_per_player) - castles_of(state, p)


@kernel
def pope_of(state: Any) -> int:
    """Return the seat that holds the Pope card."""
    for p in range(SEATS):
        if state.kept[p, POPE] != 0:
            return p
    return NONE


@kernel
def early(state: Any, box: Any) -> bool:
    """Whether the protections before the fourth round hold (section Limitation, AD-11)."""
    return state.round_number < box.free_round


@kernel
def would_reach(state: Any, box: Any, p: int) -> bool:
    """Whether one more cathedral would give seat `p` too many too early (section Limitation, AD-27, AD-28)."""
    return early(state, box) and cathedrals_of(state, p) + 1 >= box.goal


@kernel
def attack_limit(state: Any, box: Any, p: int) -> int:
    """Attacks seat `p` has in a turn, with its cards as they are now (section Limitation, AD-33)."""
    limit = int(box.base_attacks)
    for card in range(KEPT_CARDS):
        copies = int(state.kept[p, card])
        if copies > 0:
            limit += copies * int(box.extra_attacks[card])
            if box.extra_attacks_cathedral[card] > 0:
                limit += copies * int(box.extra_attacks_cathedral[card]) * cathedrals_of(state, p)
    return limit


@kernel
def attacks_left(state: Any, box: Any, p: int) -> int:
    """Attacks seat `p` may still make in its turn."""
    return max(0, attack_limit(state, box, p) - int(state.attacks_made))


# --- payments and debts (FAQ 1) -----------------------------------------------------------------------------------


@kernel
def owe(state: Any, debtor: int, creditor: int, florins: int) -> None:
    """Enter a debt and net it against the opposite one (AD-23)."""
    state.debt[debtor, creditor] += florins
    mutual = min(int(state.debt[debtor, creditor]), int(state.debt[creditor, debtor]))
    state.debt[debtor, creditor] -= mutual
    state.debt[creditor, debtor] -= mutual


@kernel
def settle(state: Any, first: int) -> None:
    """Pay debts from what the debtors have, clockwise from seat `first`, until no more can be paid (FAQ 1, AD-23)."""
    moved = True
    while moved:
        moved = False
        for i in range(SEATS):
            debtor = (first + i) % SEATS
            for d in range(1, SEATS):
                creditor = (debtor + d) % SEATS
                paid = min(int(state.money[debtor]), int(state.debt[debtor, creditor]))
                if paid > 0:
                    state.money[debtor] -= paid
                    state.money[creditor] += paid
                    state.debt[debtor, creditor] -= paid
                    moved = True


@kernel
def in_debt(state: Any, p: int) -> bool:
    """Whether seat `p` owes anything."""
    total = 0
    for q in range(SEATS):
        total += int(state.debt[p, q])
    return total > 0


# --- the end (sections Aim of the game, Castles, Elimination) -----------------------------------------------------


@kernel
def clear_choice(state: Any) -> None:
    """Forget the choice being made."""
    state.sel_from = NONE
    state.sel_to = NONE
    state.sel_src = NONE
    state.sel_opp = NONE


@kernel
def finish(state: Any, winner: int, over: int) -> None:
    """End the game."""
    state.over = over
    state.winner = winner
    state.actor = -1
    state.decision = NO_DECISION
    clear_choice(state)


@kernel
def check_win(state: Any, box: Any) -> None:
    """Let the first debt-free player with enough cathedrals win, seat on turn first (section Castles, AD-24, AD-49)."""
    if early(state, box):
        return
    for i in range(SEATS):
        p = (int(state.actor) + i) % SEATS
        if state.alive[p] != 0 and cathedrals_of(state, p) >= box.goal and not in_debt(state, p):
            finish(state, p, TERMINATED)
            return


@kernel
def give_pope(state: Any, p: int) -> None:
    """Hand the Pope card to seat `p`."""
    for q in range(SEATS):
        state.kept[q, POPE] = 0
    state.kept[p, POPE] = 1


@kernel
def next_living(state: Any, p: int) -> int:
    """Return the first living seat clockwise after seat `p`."""
    for d in range(1, SEATS):
        if state.alive[(p + d) % SEATS] != 0:
            return (p + d) % SEATS
    return p


@kernel
def put_under(state: Any, card: int) -> None:
    """Put a card under the deck (section The cards, AD-43)."""
    state.deck[state.deck_size] = card
    state.deck_size += 1


@kernel
def take_top(state: Any) -> int:
    """Take the top card of the deck."""
    card = int(state.deck[0])
    last = int(state.deck_size) - 1
    for i in range(last):
        state.deck[i] = state.deck[i + 1]
    state.deck[last] = NONE
    state.deck_size = last
    if state.unseen_left > 0:
        state.unseen_left -= 1
    return card


@kernel
def eliminate(state: Any, q: int, attacker: int) -> None:
    """Take seat `q` out of the game; `attacker` is -1 if an event did it (section Elimination, FAQ 10)."""
    living = 0
    for p in range(SEATS):
        living += state.alive[p] != 0
    state.alive[q] = 0
    state.elim_rank[q] = SEATS - living + 1
    for p in range(SEATS):  # AD-25
        state.debt[p, q] = 0
        state.debt[q, p] = 0
    if attacker >= 0:
        state.money[attacker] += state.money[q]
    state.money[q] = 0
    if state.kept[q, POPE] != 0:  # AD-45
        heir = int(state.actor) if attacker < 0 else attacker
        give_pope(state, heir if state.alive[heir] != 0 else next_living(state, q))
    for card in range(KEPT_CARDS):  # AD-46
        for _ in range(int(state.kept[q, card])):
            put_under(state, card)
        state.kept[q, card] = 0
    if living == 2:  # AD-48
        finish(state, next_living(state, q), TERMINATED)


@kernel
def remove_castles(state: Any, box: Any, t: int, castles: int, attacker: int) -> None:
    """Take up to `castles` from territory `t`; `attacker` is -1 for an event. May free it and eliminate its owner."""
    q = int(state.owner[t])
    lost = min(castles, int(state.castles[t]))
    if early(state, box) and territories_of(state, q) == 1:  # AD-29
        lost = min(lost, int(state.castles[t]) - 1)
    state.castles[t] -= lost
    if state.castles[t] == 0:
        state.owner[t] = FREE
        if territories_of(state, q) == 0:
            eliminate(state, q, attacker)


# --- set-up (section Getting started) -----------------------------------------------------------------------------


@kernel
def roll_territory(state: Any) -> int:
    """Throw one red and one blue die for a territory (section The board)."""
    red = randint(state.rng, 6)
    return 6 * red + randint(state.rng, 6)


@kernel
def place(state: Any, t: int) -> None:
    """Put a castle, and a cathedral while there are some, of the seat on turn on territory `t`."""
    state.owner[t] = state.actor
    state.castles[t] = 1
    state.cathedral[t] = state.placed < CATHEDRALS
    state.placed += 1
    state.decision = SETUP_DUE


@kernel
def unowned(state: Any, skip: int) -> int:
    """Return the free territory after `skip` others."""
    for t in range(TERRITORIES):
        if state.owner[t] == FREE:
            if skip == 0:
                return t
            skip -= 1
    return NONE


@kernel
def next_placement(state: Any, box: Any) -> None:
    """Place the next territory, or ask the player if the one rolled is taken (AD-06, AD-07, AD-09)."""
    if state.placed == TERRITORIES:
        state.order_pos = SEATS  # as if a round had just ended
        state.decision = TURN_OVER
        return
    state.actor = (pope_of(state) + int(state.placed)) % SEATS
    given = state.placed == 0 and box.pontifical_to_pope != 0
    t = int(box.pontifical) if given else roll_territory(state)
    if state.owner[t] != FREE:
        if state.placed < TERRITORIES - 1 and box.random_setup == 0:
            state.decision = SETUP_CHOOSE
            return
        left = TERRITORIES - int(state.placed)
        t = unowned(state, 0 if left == 1 else randint(state.rng, left))
    place(state, t)


@kernel
def fill_deck(state: Any, box: Any) -> None:
    """Shuffle all cards but the Pope into the deck."""
    n = 0
    for card in range(CARDS):
        if card != POPE:
            for _ in range(int(box.copies[card])):
                state.deck[n] = card
                n += 1
    shuffle(state.rng, state.deck, DECK)
    state.deck_size = DECK
    state.unseen_left = DECK


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    """Deal the Pope, shuffle the deck and place territories up to the first decision (section Getting started)."""
    seed_rng(state.rng, seed, 0)
    give_pope(state, randint(state.rng, SEATS))  # AD-04
    fill_deck(state, box)
    state.owner[:] = FREE
    state.money[:] = box.start_money
    state.alive[:] = 1
    state.order[:] = NONE
    state.used_card = NONE
    state.winner = NONE
    state.battle[:] = NONE
    clear_choice(state)
    state.decision = SETUP_DUE
    proceed(state, box)


# --- rounds and turns (section How to play) -----------------------------------------------------------------------


@kernel
def fix_order(state: Any) -> None:
    """Fix the order of a round: the living, clockwise from the Pope's left, so that the Pope is last (AD-12)."""
    pope = pope_of(state)
    n = 0
    for d in range(1, SEATS + 1):
        p = (pope + d) % SEATS
        if state.alive[p] != 0:
            state.order[n] = p
            n += 1
    for i in range(n, SEATS):
        state.order[i] = NONE


@kernel
def administrative_phase(state: Any, box: Any) -> None:
    """Give every living player the taxes of its territories and the income of its cards (section 1)."""
    for p in range(SEATS):
        if state.alive[p] != 0:
            territories = territories_of(state, p)
            income = int(box.income_factor) * cathedrals_of(state, p) * territories
            for card in range(KEPT_CARDS):
                each = int(box.income[card]) + territories * int(box.income_territory[card])
                income += int(state.kept[p, card]) * each
            state.money[p] += income


@kernel
def begin_turn(state: Any, box: Any, p: int) -> None:
    """Start the turn of seat `p`."""
    state.actor = p
    state.attacks_made = 0
    state.rolled = 0
    state.conquered = 0
    state.drawn = 0
    state.last_event = 0
    state.decision = TURN_MAIN if box.mandatory_event == 0 else EVENT_DUE


@kernel
def next_turn(state: Any, box: Any) -> None:
    """Go on to the next seat of the round; after the last one to the next round (section Prosecution)."""
    state.order_pos += 1
    if state.order_pos >= SEATS:
        if state.round_number == box.max_rounds:  # AD-56
            finish(state, NONE, TRUNCATED)
            return
        state.round_number += 1
        state.order_pos = 0
        fix_order(state)
        administrative_phase(state, box)
    p = int(state.order[state.order_pos])
    if p >= 0 and state.alive[p] != 0:
        begin_turn(state, box, p)


@kernel
def proceed(state: Any, box: Any) -> None:
    """Do all that happens by itself, up to the next decision or the end."""
    while state.over == RUNNING:
        if state.decision == CARD_DONE:
            finish_card(state, box)
        settle(state, int(state.actor))
        if state.decision != OCCUPY:  # the battle is not finished yet
            check_win(state, box)
        if state.decision == SETUP_DUE:
            next_placement(state, box)
        elif state.decision == EVENT_DUE:
            roll_event(state, box)
        elif state.decision == TURN_OVER:
            next_turn(state, box)
        else:
            return


# --- random events (section How to roll on the event table) -------------------------------------------------------


@kernel
def strike(state: Any, box: Any, territories: int, castles: int) -> None:
    """Let different random territories lose castles, in the order rolled (Plague, Barbarous; AD-15, AD-16)."""
    struck = 0
    left = territories
    while left > 0 and state.over == RUNNING:
        t = roll_territory(state)
        if (struck >> t) & 1 == 0:
            struck |= 1 << t
            left -= 1
            if state.owner[t] != FREE:
                remove_castles(state, box, t, castles, NONE)


@kernel
def schism(state: Any, pope: int, florins: int) -> None:
    """Let the Pope owe each other living player (AD-21)."""
    for q in range(SEATS):
        if q != pope and state.alive[q] != 0:
            owe(state, pope, q, florins)


@kernel
def roll_event(state: Any, box: Any) -> None:
    """Roll on the event table for the seat on turn and apply the effect."""
    p = int(state.actor)
    state.rolled = 1
    state.decision = TURN_MAIN
    total = 2 + randint(state.rng, 6)
    total += randint(state.rng, 6)
    state.last_event = total
    effect = box.event_effect[total]
    florins = int(box.event_amount[total])
    pope = pope_of(state)
    if effect in (PLAGUE, BARBAROUS):
        strike(state, box, 1 if effect == PLAGUE else 3, DICE if effect == PLAGUE else 1)
    elif effect == CRISIS:
        if has_card(state, p, False):  # AD-17
            state.decision = CRISIS_DISCARD
    elif effect in (TITHE, CRUSADE):
        if p != pope:  # AD-19
            owe(state, p, pope, florins if effect == CRUSADE else florins * cathedrals_of(state, p))
    elif effect == TAXATION:
        state.money[p] += florins * territories_of(state, p)
    elif effect == COUNCIL:
        give_pope(state, p)
    elif effect == SCHISM:
        schism(state, pope, florins * cathedrals_of(state, pope))
    elif effect == DEPOSIT:
        state.money[p] += florins
    if state.over == RUNNING and state.alive[p] == 0:  # AD-47
        state.decision = TURN_OVER


# --- attacks (section How to attack enemies' territories) ---------------------------------------------------------


@kernel
def targets(state: Any, box: Any, p: int) -> int:
    """Return the bit mask of all territories seat `p` may attack from somewhere (AD-27, AD-29, AD-58)."""
    found = 0
    for t in range(TERRITORIES):
        if state.owner[t] != FREE and state.owner[t] != p:
            found |= 1 << t
    if box.no_attack != 0 and early(state, box):
        capped = would_reach(state, box, p)
        for t in range(TERRITORIES):
            if (found >> t) & 1 and (
                (capped and state.cathedral[t] != 0) or territories_of(state, int(state.owner[t])) == 1
            ):
                found &= ~(1 << t)
    return found


@kernel
def attack_points(state: Any, box: Any, p: int, cathedral: int) -> int:
    """Points of seat `p` attacking a territory with (1) or without (0) a cathedral (Attack/Defence points, AD-30)."""
    points = 0
    for card in range(KEPT_CARDS):
        each = int(box.attack[card]) + int(box.attack_cathedral[card]) * cathedral
        points += int(state.kept[p, card]) * each
    return min(points, int(box.points_cap))


@kernel
def defence_points(state: Any, box: Any, q: int, cathedral: int) -> int:
    """Points of seat `q` defending a territory with (1) or without (0) a cathedral (Attack/Defence points, AD-30)."""
    points = int(box.cathedral_defence) * cathedral
    for card in range(KEPT_CARDS):
        each = int(box.defence[card]) + int(box.defence_cathedral[card]) * cathedral
        points += int(state.kept[q, card]) * each
    return min(points, int(box.points_cap))


@kernel
def roll_hits(state: Any, box: Any, side: int, dice: int, points: int) -> int:
    """Roll the dice of one side of a battle and count the hits."""
    hits = 0
    for i in range(DICE):
        die = 1 + randint(state.rng, 6) if i < dice else 0
        state.battle_dice[side, i] = die
        hits += die > 0 and die + points >= box.hit_threshold
    state.battle_points[side] = points
    return hits


@kernel
def battle(state: Any, box: Any, t: int) -> None:
    """Attack territory `t` from the chosen one: both roll, both lose castles, the emptied target may be occupied."""
    p = int(state.actor)
    origin = int(state.sel_from)
    state.attacks_made += 1
    state.battle[0] = origin
    state.battle[1] = t
    points = attack_points(state, box, p, int(state.cathedral[t]))
    points_back = defence_points(state, box, int(state.owner[t]), int(state.cathedral[t]))
    hits = roll_hits(state, box, 0, int(state.castles[origin]), points)
    hits_back = roll_hits(state, box, 1, int(state.castles[t]), points_back)
    state.castles[origin] -= min(hits_back, int(state.castles[origin]) - 1)
    remove_castles(state, box, t, hits, p)
    if state.over != RUNNING:
        return
    barred = state.cathedral[t] != 0 and would_reach(state, box, p)
    if state.castles[t] == 0 and supply(state, box, p) > 0 and not barred:
        state.sel_to = t
        state.decision = OCCUPY
    else:
        end_attack(state)


@kernel
def end_attack(state: Any) -> None:
    """Close the attack; the turn goes on."""
    clear_choice(state)
    state.decision = TURN_MAIN


@kernel
def occupy(state: Any, action: int) -> None:
    """Occupy the emptied territory with a free castle, or leave it free (section Occupying a territory)."""
    if action == A_OCCUPY:
        state.owner[state.sel_to] = state.actor
        state.castles[state.sel_to] = 1
        state.conquered = 1
    end_attack(state)


# --- building (sections How to build new castles, Free territories) -----------------------------------------------


@kernel
def build(state: Any, box: Any, t: int) -> None:
    """Buy a castle for territory `t`; the first one on a free territory takes it (AD-26, AD-35)."""
    state.money[state.actor] -= int(box.castle_cost)
    state.castles[t] += 1
    if state.owner[t] == FREE:
        state.owner[t] = state.actor
        state.conquered = 1


# --- cards (section The cards) ------------------------------------------------------------------------------------


@kernel
def has_card(state: Any, q: int, also_pope: bool) -> bool:
    """Whether seat `q` holds a kept card, the Pope counting only if `also_pope`."""
    found = False
    for card in range(KEPT_CARDS):
        if state.kept[q, card] != 0 and (card != POPE or also_pope):
            found = True
    return found


@kernel
def is_victim(state: Any, p: int, d: int, also_pope: bool) -> bool:
    """Whether the `d`-th seat clockwise of `p` lives and has a card to lose (AD-64)."""
    q = (p + d) % SEATS
    return state.alive[q] != 0 and has_card(state, q, also_pope)


@kernel
def any_victim(state: Any, p: int, also_pope: bool) -> bool:
    """Whether an opponent of `p` has a card to lose."""
    return is_victim(state, p, 1, also_pope) or is_victim(state, p, 2, also_pope) or is_victim(state, p, 3, also_pope)


@kernel
def is_bishop_source(state: Any, p: int, pope: int, t: int) -> bool:
    """Whether the Bishop of seat `p` may take the cathedral of `t`: an opponent's who is not the Pope (AD-41)."""
    owner = state.owner[t]
    return state.cathedral[t] != 0 and owner != FREE and owner != p and owner != pope


@kernel
def is_bishop_dest(state: Any, p: int, t: int) -> bool:
    """Whether the Bishop of seat `p` may put the cathedral on `t`."""
    return state.owner[t] == p and state.cathedral[t] == 0


@kernel
def bishop_works(state: Any, box: Any, p: int) -> bool:
    """Whether the Bishop has a source and a destination, and the cathedral is allowed to `p` (AD-27, AD-38)."""
    sources = 0
    destinations = 0
    pope = pope_of(state)
    for t in range(TERRITORIES):
        sources += is_bishop_source(state, p, pope, t)
        destinations += is_bishop_dest(state, p, t)
    return sources > 0 and destinations > 0 and not would_reach(state, box, p)


@kernel
def wants_castle(state: Any, box: Any, p: int, t: int) -> bool:
    """Whether the Architect of seat `p` still has to build on `t`."""
    return state.owner[t] == p and state.castles[t] < box.castles_max and state.arch_done[t] == 0


@kernel
def use_architect(state: Any, box: Any, p: int) -> None:
    """Build on all own territories, or let the player choose if castles are short (AD-42)."""
    wanted = 0
    for t in range(TERRITORIES):
        wanted += wants_castle(state, box, p, t)
    left = supply(state, box, p)
    if left >= wanted:
        for t in range(TERRITORIES):
            if wants_castle(state, box, p, t):
                state.castles[t] += 1
    elif left > 0:
        state.arch_left = left
        state.decision = ARCHITECT_PLACE


@kernel
def draw_card(state: Any, box: Any) -> None:
    """Draw the card of a turn with a conquest, and keep it or use it at once (AD-36, AD-38)."""
    p = int(state.actor)
    state.attacks_made = attack_limit(state, box, p)  # attacks not made until now are forfeited
    state.drawn = 1
    state.decision = CARD_DONE
    card = take_top(state)
    if card < KEPT_CARDS:
        state.kept[p, card] += 1
        return
    state.used_card = card
    if card == AMBASSADOR:
        if any_victim(state, p, box.pope_stealable != 0):
            state.decision = AMBASSADOR_PLAYER
    elif card == BISHOP:
        if bishop_works(state, box, p):
            state.decision = BISHOP_SOURCE
    elif card == CUT_THROAT:
        if any_victim(state, p, False):
            state.decision = CUTTHROAT_PLAYER
    elif card == MAECENAS:
        state.money[p] += int(box.gift)
    elif card == ARCHITECT:
        use_architect(state, box, p)


@kernel
def finish_card(state: Any, box: Any) -> None:
    """Put a used card under the deck; go on with bonus attacks if the draw brought some (FAQ 4, AD-36, AD-68)."""
    if state.used_card != NONE:
        put_under(state, int(state.used_card))
        state.used_card = NONE
    clear_choice(state)
    state.decision = TURN_MAIN if attacks_left(state, box, int(state.actor)) > 0 else TURN_OVER


@kernel
def lose_card(state: Any, q: int, card: int) -> None:
    """Put a kept card of seat `q` under the deck (AD-69)."""
    state.kept[q, card] -= 1
    put_under(state, card)


@kernel
def steal_card(state: Any, card: int) -> None:
    """Take a card from the chosen opponent (Ambassador)."""
    state.kept[state.sel_opp, card] -= 1
    state.kept[state.actor, card] += 1
    state.decision = CARD_DONE


@kernel
def move_cathedral(state: Any, t: int) -> None:
    """Move the chosen cathedral to territory `t` (Bishop)."""
    state.cathedral[state.sel_src] = 0
    state.cathedral[t] = 1
    state.decision = CARD_DONE


@kernel
def place_by_architect(state: Any, t: int) -> None:
    """Build the castle of the Architect on territory `t`."""
    state.castles[t] += 1
    state.arch_done[t] = 1
    state.arch_left -= 1
    if state.arch_left == 0:
        state.arch_done[:] = 0
        state.decision = CARD_DONE


# --- the contract -------------------------------------------------------------------------------------------------


@kernel
def legal_turn(state: Any, box: Any, mask: Any) -> None:
    """Mark what the seat on turn may do between attacks."""
    p = int(state.actor)
    mask[A_END_TURN] = 1
    mask[A_NO_DRAW] = state.conquered == 1 and state.drawn == 0
    mask[A_ROLL_EVENT] = state.rolled == 0
    can_build = state.money[p] >= box.castle_cost and supply(state, box, p) > 0
    barred = can_build and would_reach(state, box, p)
    enemies = targets(state, box, p) if attacks_left(state, box, p) > 0 else 0
    for t in range(TERRITORIES):
        owner = state.owner[t]
        castles = state.castles[t]
        if owner == p:
            mask[A_BUILD + t] = can_build and castles < box.castles_max
            mask[A_ATTACK + t] = castles >= 2 and box.reach[t] & enemies != 0
        elif owner == FREE:
            mask[A_BUILD + t] = can_build and not (barred and state.cathedral[t] != 0)


@kernel
def legal_territories(state: Any, box: Any, mask: Any) -> None:
    """Mark the territories that may be picked."""
    p = int(state.actor)
    decision = state.decision
    pope = pope_of(state)
    near = int(box.reach[state.sel_from]) & targets(state, box, p) if decision == ATTACK_TARGET else 0
    for t in range(TERRITORIES):
        if decision == SETUP_CHOOSE:
            good = state.owner[t] == FREE
        elif decision == ATTACK_TARGET:
            good = (near >> t) & 1 != 0
        elif decision == BISHOP_SOURCE:
            good = is_bishop_source(state, p, pope, t)
        elif decision == BISHOP_DEST:
            good = is_bishop_dest(state, p, t)
        else:
            good = wants_castle(state, box, p, t)
        mask[A_TERRITORY + t] = good


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    """Write the mask, int8 (126,), of the seat on turn; return the number of legal actions (0 after the end)."""
    mask[:] = 0
    if state.over != RUNNING:
        return 0
    p = int(state.actor)
    decision = state.decision
    if decision == TURN_MAIN:
        legal_turn(state, box, mask)
    elif decision == OCCUPY:
        mask[A_OCCUPY] = 1
        mask[A_LEAVE_FREE] = 1
    elif decision in (AMBASSADOR_PLAYER, CUTTHROAT_PLAYER):
        also_pope = decision == AMBASSADOR_PLAYER and box.pope_stealable != 0
        for d in range(1, SEATS):
            mask[A_OPPONENT + d - 1] = is_victim(state, p, d, also_pope)
    elif decision in (AMBASSADOR_CARD, CUTTHROAT_CARD, CRISIS_DISCARD):
        also_pope = decision == AMBASSADOR_CARD and box.pope_stealable != 0
        q = p if decision == CRISIS_DISCARD else int(state.sel_opp)
        for card in range(KEPT_CARDS):
            mask[A_CARD + card] = state.kept[q, card] != 0 and (card != POPE or also_pope)
    else:
        legal_territories(state, box, mask)
    n = 0
    for action in range(N_ACTIONS):
        n += int(mask[action])
    return n


@kernel
def act_in_turn(state: Any, box: Any, action: int) -> None:
    """Apply a decision of TURN_MAIN."""
    if action == A_END_TURN and state.conquered == 1 and state.drawn == 0:
        draw_card(state, box)
    elif action <= A_NO_DRAW:
        state.decision = TURN_OVER
    elif action == A_ROLL_EVENT:
        state.decision = EVENT_DUE
    elif action < A_ATTACK:
        build(state, box, action - A_BUILD)
    else:
        state.sel_from = action - A_ATTACK
        state.decision = ATTACK_TARGET


@kernel
def pick_territory(state: Any, box: Any, t: int) -> None:
    """Apply the choice of a territory."""
    decision = state.decision
    if decision == SETUP_CHOOSE:
        place(state, t)
    elif decision == ATTACK_TARGET:
        battle(state, box, t)
    elif decision == BISHOP_SOURCE:
        state.sel_src = t
        state.decision = BISHOP_DEST
    elif decision == BISHOP_DEST:
        move_cathedral(state, t)
    else:
        place_by_architect(state, t)


@kernel
def pick_card(state: Any, card: int) -> None:
    """Apply the choice of a card."""
    if state.decision == AMBASSADOR_CARD:
        steal_card(state, card)
    elif state.decision == CUTTHROAT_CARD:
        lose_card(state, int(state.sel_opp), card)
        state.decision = CARD_DONE
    else:
        lose_card(state, int(state.actor), card)
        state.decision = TURN_MAIN


@kernel
def step(state: Any, box: Any, action: int) -> None:
    """Apply a legal action (0 … 125) and all that follows up to the next decision or the end."""
    if state.decision == TURN_MAIN:
        act_in_turn(state, box, action)
    elif action >= A_TERRITORY:
        pick_territory(state, box, action - A_TERRITORY)
    elif action >= A_CARD:
        pick_card(state, action - A_CARD)
    elif action >= A_OPPONENT:
        state.sel_opp = (int(state.actor) + action - A_OPPONENT + 1) % SEATS
        state.decision += 1  # from the choice of the player to that of the card
    else:
        occupy(state, action)
    proceed(state, box)


# --- scores -------------------------------------------------------------------------------------------------------


@kernel
def wealth(state: Any, p: int) -> int:
    """Money of seat `p` less what it owes."""
    total = int(state.money[p])
    for q in range(SEATS):
        total -= int(state.debt[p, q])
    return total


@kernel
def standing(state: Any, i: int, j: int) -> int:
    """Positive if seat `i` stands before seat `j`, negative if behind, 0 if level."""
    won = int(state.winner == i) - int(state.winner == j)
    if won != 0:
        return won
    lives = int(state.alive[i]) - int(state.alive[j])
    if lives != 0:
        return lives
    later = int(state.elim_rank[i]) - int(state.elim_rank[j])
    if later != 0:
        return later
    cathedrals = cathedrals_of(state, i) - cathedrals_of(state, j)
    if cathedrals != 0:
        return cathedrals
    territories = territories_of(state, i) - territories_of(state, j)
    if territories != 0:
        return territories
    castles = castles_of(state, i) - castles_of(state, j)
    if castles != 0:
        return castles
    return wealth(state, i) - wealth(state, j)


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    """Write utilities, float64 (4,). All but the raw score (cathedrals controlled) sum to 0.

    win: 1 and -1/3, or 0 without a winner. placement: 1, 1/3, -1/3, -1 by place, ties share the mean.
    margin: cathedrals less the mean of the others, / 16. The last two in every position, as if it ended now.
    """
    total = 0
    for i in range(SEATS):
        total += cathedrals_of(state, i)
    for i in range(SEATS):
        cathedrals = cathedrals_of(state, i)
        if kind == WIN:
            out[i] = 0.0 if state.winner < 0 else 1.0 if state.winner == i else -1.0 / 3.0
        elif kind == PLACEMENT:
            ahead = 0
            for j in range(SEATS):
                order = standing(state, i, j)
                ahead += int(order > 0) - int(order < 0)
            out[i] = ahead / 3.0
        elif kind == MARGIN:
            out[i] = (cathedrals - (total - cathedrals) / 3.0) / CATHEDRALS
        else:
            out[i] = float(cathedrals)


# --- invariants ---------------------------------------------------------------------------------------------------


@kernel
def outside(values: Any, n: int, low: int, high: int) -> bool:
    """Whether one of the first `n` values is not in ``low … high``."""
    found = False
    for i in range(n):
        if values[i] < low or values[i] > high:
            found = True
    return found


@kernel
def out_of_range(state: Any, box: Any) -> bool:
    """Whether a field holds what it never may, so that nothing else can be checked safely."""
    bad = outside(state.owner, TERRITORIES, FREE, SEATS - 1) or outside(state.castles, TERRITORIES, 0, DICE)
    bad = bad or outside(state.cathedral, TERRITORIES, 0, 1) or outside(state.arch_done, TERRITORIES, 0, 1)
    bad = bad or outside(state.deck, DECK, NONE, CARDS - 1) or outside(state.alive, SEATS, 0, 1)
    bad = bad or outside(state.elim_rank, SEATS, 0, SEATS - 1) or outside(state.order, SEATS, NONE, SEATS - 1)
    bad = bad or outside(state.battle, 2, NONE, TERRITORIES - 1) or outside(state.battle_points, 2, 0, 9)
    for p in range(SEATS):
        bad = bad or outside(state.kept[p], KEPT_CARDS, 0, DECK) or outside(state.debt[p], SEATS, 0, 1 << 28)
    bad = bad or outside(state.battle_dice[0], DICE, 0, 6) or outside(state.battle_dice[1], DICE, 0, 6)
    bad = bad or outside(state.money, SEATS, -(1 << 30), 1 << 30)
    bad = bad or state.over < RUNNING or state.over > TRUNCATED
    bad = bad or state.actor < -1 or state.actor >= SEATS or (state.actor < 0) != (state.over != RUNNING)
    bad = bad or state.decision < NO_DECISION or state.decision > ARCHITECT_PLACE
    bad = bad or (state.decision == NO_DECISION) != (state.over != RUNNING)
    bad = bad or state.deck_size < 0 or state.deck_size > DECK or state.unseen_left < 0
    bad = bad or state.placed < 0 or state.placed > TERRITORIES
    bad = bad or state.round_number < 0 or state.round_number > box.max_rounds
    bad = bad or state.order_pos < 0 or state.order_pos > SEATS
    bad = bad or state.winner < NONE or state.winner >= SEATS or (state.winner >= 0) != (state.over == TERMINATED)
    bad = bad or state.sel_from < NONE or state.sel_from >= TERRITORIES
    bad = bad or state.sel_to < NONE or state.sel_to >= TERRITORIES
    bad = bad or state.sel_src < NONE or state.sel_src >= TERRITORIES
    bad = bad or state.sel_opp < NONE or state.sel_opp >= SEATS
    bad = bad or state.used_card < NONE or state.used_card >= CARDS or state.arch_left < 0
    bad = bad or state.rolled < 0 or state.rolled > 1 or state.conquered < 0 or state.conquered > 1
    bad = bad or state.drawn < 0 or state.drawn > 1
    return bad or state.last_event < 0 or state.last_event > 12 or state.last_event == 1


@kernel
def bad_board(state: Any, box: Any) -> int:
    """Check castles and cathedrals: invariants 1, 2, 3."""
    cathedrals = 0
    for t in range(TERRITORIES):
        if (state.castles[t] == 0) != (state.owner[t] == FREE) or state.castles[t] > box.castles_max:
            return 1
        cathedrals += int(state.cathedral[t])
    if cathedrals != min(int(state.placed), CATHEDRALS):
        return 2
    for p in range(SEATS):
        if supply(state, box, p) < 0:
            return 3
    return 0


@kernel
def copies_seen(state: Any, card: int) -> int:
    """Count the copies of `card` outside the deck."""
    n = int(state.used_card == card)
    if card < KEPT_CARDS:
        for p in range(SEATS):
            n += int(state.kept[p, card])
    return n


@kernel
def bad_cards(state: Any, box: Any) -> int:
    """Check deck, kept cards and Pope: invariants 4, 5, 12."""
    for i in range(DECK):
        if (state.deck[i] == NONE) != (i >= state.deck_size) or state.deck[i] == POPE:
            return 4
    for card in range(CARDS):
        n = copies_seen(state, card)
        for i in range(DECK):
            n += state.deck[i] == card
        if n != box.copies[card]:
            return 5 if card == POPE else 4
    if state.alive[pope_of(state)] == 0:
        return 5
    return 12 if state.unseen_left > state.deck_size else 0


@kernel
def bad_money(state: Any, box: Any) -> int:
    """Check money and debts: invariants 6, 7."""
    for p in range(SEATS):
        if state.money[p] < 0 or int(state.money[p]) % int(box.coin) != 0:
            return 7
        if in_debt(state, p) and state.money[p] > 0:
            return 6
        for q in range(SEATS):
            owed = state.debt[p, q]
            if owed != 0 and (p == q or state.debt[q, p] != 0 or state.alive[p] == 0 or state.alive[q] == 0):
                return 6
    return 0


@kernel
def bad_players(state: Any, box: Any) -> int:
    """Check who lives and who should have won: invariants 8, 9, 10."""
    for p in range(SEATS):
        alive = state.alive[p] != 0
        if state.placed == TERRITORIES and alive != (territories_of(state, p) > 0):
            return 8
        if alive != (state.elim_rank[p] == 0) or (not alive and (state.money[p] != 0 or has_card(state, p, True))):
            return 8
        enough = cathedrals_of(state, p) >= box.goal
        if early(state, box) and (enough or not alive):
            return 9
        if enough and alive and state.over == RUNNING and state.decision != OCCUPY and not in_debt(state, p):
            return 10
    return 0


@kernel
def bad_turn(state: Any, box: Any) -> int:
    """Check the turn and the Architect: invariants 11, 13."""
    if state.attacks_made < 0 or state.attacks_made > 27 or state.drawn > state.conquered:
        return 11
    marked = 0
    for t in range(TERRITORIES):
        marked += int(state.arch_done[t])
    if state.decision != ARCHITECT_PLACE:
        return 13 if marked > 0 or state.arch_left != 0 else 0
    if state.arch_left < 1 or state.arch_left != supply(state, box, int(state.actor)):
        return 13
    return 0


@kernel
def card_of_decision(decision: int) -> int:
    """Return the card that is being resolved in a decision; -1 none."""
    if decision in (AMBASSADOR_PLAYER, AMBASSADOR_CARD):
        return AMBASSADOR
    if decision in (CUTTHROAT_PLAYER, CUTTHROAT_CARD):
        return CUT_THROAT
    if decision in (BISHOP_SOURCE, BISHOP_DEST):
        return BISHOP
    return ARCHITECT if decision == ARCHITECT_PLACE else NONE


@kernel
def bad_choice(state: Any) -> bool:
    """Whether the selections do not fit the decision: invariant 15."""
    decision = int(state.decision)
    attacking = decision in (ATTACK_TARGET, OCCUPY)
    picking = decision in (AMBASSADOR_CARD, CUTTHROAT_CARD)
    bad = (state.sel_from != NONE) != attacking or (state.sel_to != NONE) != (decision == OCCUPY)
    bad = bad or (state.sel_src != NONE) != (decision == BISHOP_DEST) or (state.sel_opp != NONE) != picking
    bad = bad or state.used_card != card_of_decision(decision)
    bad = bad or (decision == SETUP_CHOOSE) != (state.round_number == 0 and state.over == RUNNING)
    bad = bad or (state.placed < TERRITORIES) != (state.round_number == 0)
    if not bad and attacking:
        bad = state.owner[state.sel_from] != state.actor
    if not bad and decision == OCCUPY:
        bad = state.owner[state.sel_to] != FREE
    if not bad and picking:
        bad = state.sel_opp == state.actor
    return bad


@kernel
def bad_order(state: Any) -> bool:
    """Whether the order of play is no order: invariant 17."""
    seen = 0
    for i in range(SEATS):
        p = int(state.order[i])
        if p >= 0:
            if (seen >> p) & 1:
                return True
            seen |= 1 << p
    if state.over != RUNNING or state.round_number == 0:
        return False
    return state.order_pos >= SEATS or state.order[state.order_pos] != state.actor


@kernel
def check(state: Any, box: Any) -> int:
    """Return 0, or the number of the first invariant (`GAME.invariants`) the state breaks."""
    if out_of_range(state, box):
        return 16
    code = bad_board(state, box)
    code = code if code != 0 else bad_cards(state, box)
    code = code if code != 0 else bad_money(state, box)
    code = code if code != 0 else bad_players(state, box)
    code = code if code != 0 else bad_turn(state, box)
    if code != 0:
        return code
    if bad_choice(state):
        return 15
    if bad_order(state):
        return 17
    if state.over == RUNNING and (state.alive[state.actor] == 0 or legal(state, box, state.scratch_mask) == 0):
        return 14
    return 0
