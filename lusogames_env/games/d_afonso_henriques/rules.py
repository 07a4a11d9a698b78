"""The rules of D. Afonso Henriques. Section names in the docstrings are those of the rulebook; DAH-nn are rulings."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle
from lusogames_env.games.d_afonso_henriques.game import (
    ACTIONS,
    BATTLE,
    BATTLES,
    BONUS_CARDS,
    CARDS,
    CATAPULT,
    CIRCLES,
    COMMIT,
    CUT_OFF,
    DECK_TOP,
    DRAFT,
    KEEP,
    MASTER,
    MOORS_CATAPULT,
    MOORS_KING,
    MOORS_TOWER,
    NOT_YET,
    NOWHERE,
    PASSED,
    PAY,
    PEASANT,
    PILE_A,
    PILE_LEFT,
    PILE_RIGHT,
    RECOVER,
    SCOUT,
    SIDE,
    SIEGE_TOWER,
    SLOTS,
    SOLDIER,
    STRATEGIST,
    TAKE,
    USED_TOP,
    V0,
    V1,
    V2_DOWN,
    V2_UP,
    V3_LEFT,
    V3_RIGHT,
    V3_UP,
    VILLAGE,
    WARRIOR,
)

A_PASS = ACTIONS["pass"]
A_VILLAGE = ACTIONS["village"]
A_KEEP = ACTIONS["keep"]
A_LEFT = ACTIONS["side"]
A_RIGHT = A_LEFT + 4
A_TAKE = ACTIONS["take"]
A_TARGET = ACTIONS["target"]
A_ADD = ACTIONS["add"]
A_WARRIOR = ACTIONS["use_warrior"]
A_MASTER = ACTIONS["use_master"]
A_ROLL = ACTIONS["roll"]
A_PAY = ACTIONS["pay"]
A_LOSE = ACTIONS["lose"]
A_RECOVER = ACTIONS["recover"]
A_RECOVER_NONE = ACTIONS["recover_none"]
A_DRAFT = ACTIONS["draft"]
N_ACTIONS = ACTIONS.n

# What follows an action: STAY waits for the next decision, the others name the next automatic part of the game.
STAY, NEXT_VILLAGER, NEXT_FIGHTER, BATTLE_OVER, NEXT_RECOVERY, PHASE_OVER, PHASE_START = range(7)

MARGIN_SCALE = 40.0


# ---------------------------------------------------------------- cubes


@kernel
def is_battle(state: Any) -> bool:
    """Whether the pawn is on a battle circle."""
    return state.circle % 3 == 2


@kernel
def receive(state: Any, box: Any, seat: int, amount: int) -> None:
    """Give cubes of the bank to a seat; a limited bank pays what it has (DAH-20, DAH-70)."""
    if box.unlimited == 0:
        amount = min(amount, int(state.bank))
        state.bank -= amount
    state.cubes[seat] += amount


@kernel
def pay(state: Any, box: Any, seat: int, amount: int) -> None:
    """Move cubes of a seat to the bank."""
    state.cubes[seat] -= amount
    if box.unlimited == 0:
        state.bank += amount


@kernel
def pay_income(state: Any, box: Any) -> None:
    """Two cubes for everybody, one at a time clockwise from the holder (Villages Phase; DAH-21)."""
    for _ in range(box.income):
        for i in range(box.num_players):
            receive(state, box, (state.holder + i) % box.num_players, 1)


# ---------------------------------------------------------------- Game Setup


@kernel
def deal_moors(state: Any, box: Any) -> None:
    """Shuffle the Moors cards and lay four of them on the battlefield (Game Setup 2, 3)."""
    n = 0
    for kind in range(box.moors_kinds):
        for _ in range(box.moors_count[kind]):
            state.mdeck[n] = kind
            n += 1
    state.mdeck_n = n
    shuffle(state.rng, state.mdeck, n)
    for place in range(SLOTS):
        state.slots[place] = take_moors_top(state)
    for i in range(CARDS):
        state.mused[i] = -1


@kernel
def deal_portuguese(state: Any, box: Any) -> None:
    """Shuffle the Portuguese cards into the deck (Game Setup 4)."""
    for kind in range(4):
        state.pused[kind] = box.portuguese_count[kind]
    renew_portuguese_deck(state)


@kernel
def lay_bonus_cards(state: Any, order: Any) -> None:
    """Lay the first five of the shuffled bonus cards on the battles; never card 7 on the last (Battle Bonus Cards)."""
    for battle in range(BATTLES):
        state.bonus[battle] = order[battle]
    if state.bonus[BATTLES - 1] == 7:
        state.bonus[BATTLES - 1] = order[BATTLES]


@kernel
def choose_bonus_cards(state: Any, box: Any) -> None:
    """Shuffle the eight bonus cards, or take the layout of the option (DAH-50)."""
    if box.bonus_layout[0] != 0:
        state.bonus[:] = box.bonus_layout
        return
    for i in range(BONUS_CARDS):
        state.scratch_cards[i] = i + 1
    shuffle(state.rng, state.scratch_cards, BONUS_CARDS)
    lay_bonus_cards(state, state.scratch_cards)


@kernel
def deal_characters(state: Any, box: Any) -> None:
    """Give each seat a character at random, or the one of the option (DAH-04)."""
    if box.fixed_character[0] >= 0:
        state.character[:] = box.fixed_character
        return
    for i in range(4):
        state.scratch_cards[i] = i
    shuffle(state.rng, state.scratch_cards, 4)
    for seat in range(box.num_players):
        state.character[seat] = state.scratch_cards[seat]


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    """Set the game up (Game Setup) and stop at the first decision."""
    seed_rng(state.rng, seed, 0)
    n = int(box.num_players)
    state.holder = box.first_player if box.first_player >= 0 else randint(state.rng, n)
    state.starter = state.holder
    deal_moors(state, box)
    deal_portuguese(state, box)
    state.bank = 0 if box.unlimited != 0 else box.supply
    for seat in range(n):
        receive(state, box, seat, box.start_cubes_first if seat == state.holder else box.start_cubes_other)
    if box.battle_bonus != 0:
        choose_bonus_cards(state, box)
    for seat in range(4):
        state.character[seat] = -1
        state.placed[seat] = NOT_YET
    clear_battle(state)
    clear_fight(state)
    state.symbol = -1
    if box.draft != 0:
        state.node = DRAFT
        state.actor = state.holder
        return
    if box.characters != 0:
        deal_characters(state, box)
    carry_on(state, box, PHASE_START)


@kernel
def is_taken(state: Any, character: int) -> bool:
    """Whether a seat has this character."""
    taken = False
    for seat in range(4):
        taken = taken or state.character[seat] == character
    return taken


@kernel
def act_draft(state: Any, box: Any, character: int) -> int:
    """Choose a character, clockwise from the holder (DAH-04)."""
    state.character[state.actor] = character
    state.actor = (state.actor + 1) % box.num_players
    return STAY if state.character[state.actor] < 0 else PHASE_START


# ---------------------------------------------------------------- How to Play: phases


@kernel
def start_phase(state: Any, box: Any) -> int:
    """Begin a phase with the holder of the 1st-player card; all characters are face up again (DAH-44)."""
    state.starter = state.holder
    for seat in range(box.num_players):
        state.ready[seat] = 1 if state.character[seat] >= 0 else 0
    if is_battle(state):
        # The turn search begins at the seat after the last actor.
        state.actor = (state.starter + box.num_players - 1) % box.num_players
        return NEXT_FIGHTER
    if state.circle % 3 == 1:
        pay_income(state, box)
    state.node = VILLAGE
    state.actor = state.starter
    return STAY


@kernel
def end_phase(state: Any) -> int:
    """Take the cylinders back and move the pawn to the next circle; after Ourique the game ends."""
    for seat in range(4):
        state.placed[seat] = NOT_YET
    clear_battle(state)
    state.circle += 1
    if state.circle < CIRCLES:
        return PHASE_START
    end_game(state, 1)
    return STAY


@kernel
def end_game(state: Any, how: int) -> None:
    """Mark the end: 1 by the rules, 2 cut off."""
    state.over = how
    state.actor = -1
    state.node = NOWHERE


@kernel
def carry_on(state: Any, box: Any, go: int) -> None:
    """Play the automatic parts of the game up to the next decision or the end."""
    while go != STAY:
        if go == NEXT_VILLAGER:
            go = next_villager(state, box)
        elif go == NEXT_FIGHTER:
            go = next_fighter(state, box)
        elif go == BATTLE_OVER:
            go = end_battle(state, box)
        elif go == NEXT_RECOVERY:
            go = next_recovery(state, box)
        elif go == PHASE_OVER:
            go = end_phase(state)
        else:
            go = start_phase(state, box)


# ---------------------------------------------------------------- Villages Phase


@kernel
def total(counts: Any) -> int:
    """Sum of an array of counts."""
    n = 0
    for i in range(counts.shape[0]):
        n += int(counts[i])
    return n


@kernel
def has_ready(state: Any, seat: int, character: int) -> bool:
    """Whether the seat has this character, face up."""
    return state.character[seat] == character and state.ready[seat] != 0


@kernel
def pile_of(symbol: int) -> int:
    """Rejected pile under a down symbol, -1 for the other symbols."""
    if symbol == V2_DOWN:
        return PILE_A
    if symbol == V3_LEFT:
        return PILE_LEFT
    return PILE_RIGHT if symbol == V3_RIGHT else -1


@kernel
def cards_to_draw(symbol: int) -> int:
    """Cards drawn at an up symbol or at village 1."""
    if symbol == V3_UP:
        return 3
    if symbol == V2_UP:
        return 2
    return 1 if symbol == V1 else 0


@kernel
def price(state: Any, box: Any, seat: int, symbol: int) -> int:
    """Cubes the seat pays for a symbol; the Scout pays less in village 3 (DAH-45)."""
    if symbol >= V3_UP and has_ready(state, seat, SCOUT):
        return min(box.scout_cost, box.village_cost[symbol])
    return box.village_cost[symbol]


@kernel
def is_free(state: Any, symbol: int) -> bool:
    """Whether no cylinder stands on the symbol."""
    free = True
    for seat in range(4):
        free = free and state.placed[seat] != symbol
    return free


@kernel
def has_effect(state: Any, symbol: int) -> bool:
    """Whether the symbol gives something: a card to draw or to take, or the 1st-player card (DAH-12)."""
    if cards_to_draw(symbol) > 0:
        return state.pdeck_n > 0 or total(state.pused) > 0
    pile = pile_of(symbol)
    return pile < 0 or total(state.piles[pile]) > 0


@kernel
def may_choose(state: Any, box: Any, symbol: int) -> bool:
    """Whether the seat on turn may place its cylinder on the symbol."""
    seat = state.actor
    if box.village_open[symbol] == 0 or not is_free(state, symbol):
        return False
    return state.cubes[seat] >= price(state, box, seat, symbol) and has_effect(state, symbol)


@kernel
def next_villager(state: Any, box: Any) -> int:
    """The next seat clockwise chooses, until all have."""
    state.actor = (state.actor + 1) % box.num_players
    if state.placed[state.actor] != NOT_YET:
        return PHASE_OVER
    state.node = VILLAGE
    return STAY


@kernel
def act_village(state: Any, box: Any, action: int) -> int:
    """Choose a village: place the cylinder, pay, and take the effect at once (DAH-08)."""
    seat = state.actor
    if action == A_PASS:
        state.placed[seat] = PASSED
        return NEXT_VILLAGER
    symbol = action - A_VILLAGE
    cost = price(state, box, seat, symbol)
    if symbol >= V3_UP and has_ready(state, seat, SCOUT):
        state.ready[seat] = 0
    pay(state, box, seat, cost)
    state.placed[seat] = symbol
    state.visits[seat, symbol] += 1
    if symbol == V0:
        state.holder = seat  # the order of the running phase stays (DAH-09)
        return NEXT_VILLAGER
    state.symbol = symbol
    if pile_of(symbol) >= 0:
        state.node = TAKE
        return STAY
    draw_cards(state, seat, cards_to_draw(symbol))
    if symbol == V1:
        return keep_village_1(state, seat)
    state.node = KEEP
    return STAY


@kernel
def renew_portuguese_deck(state: Any) -> None:
    """Shuffle the used Portuguese pile into a new deck (Villages Phase Notes; DAH-18)."""
    n = 0
    for kind in range(4):
        for _ in range(state.pused[kind]):
            state.pdeck[n] = kind
            n += 1
        state.deck_at_shuffle[kind] = state.pused[kind]
        state.pused[kind] = 0
        for seat in range(4):
            state.deck_gone[seat, kind] = 0
    state.pdeck_n = n
    for i in range(n, CARDS):
        state.pdeck[i] = -1
    shuffle(state.rng, state.pdeck, n)


@kernel
def draw_cards(state: Any, seat: int, wanted: int) -> None:
    """Draw cards one at a time into ``drawn``, as many as there are (DAH-18, DAH-19)."""
    for i in range(wanted):
        if state.pdeck_n == 0:
            if total(state.pused) == 0:
                return
            renew_portuguese_deck(state)
            state.split_draw = 1 if i > 0 else 0
        top = state.pdeck_n - 1
        kind = state.pdeck[top]
        state.pdeck[top] = -1
        state.pdeck_n = top
        state.deck_gone[seat, kind] += 1
        state.drawn[kind] += 1


@kernel
def keep_village_1(state: Any, seat: int) -> int:
    """The one card drawn at village 1 goes straight into the hand (DAH-71)."""
    for kind in range(4):
        state.hand[seat, kind] += state.drawn[kind]
        state.drawn[kind] = 0
    return leave_village(state)


@kernel
def leave_village(state: Any) -> int:
    """The visit is done."""
    state.symbol = -1
    state.split_draw = 0
    return NEXT_VILLAGER


@kernel
def reject(state: Any, box: Any, kind: int, pile: int) -> None:
    """Lay a drawn card face up on a rejected pile; all now know that it left the deck (DAH-72)."""
    state.drawn[kind] -= 1
    state.piles[pile, kind] += 1
    if state.split_draw != 0:
        return
    for seat in range(box.num_players):
        if seat != state.actor:
            state.deck_gone[seat, kind] += 1


@kernel
def reject_rest(state: Any, box: Any, pile: int) -> None:
    """Lay all drawn cards that are left on a rejected pile."""
    for kind in range(4):
        while state.drawn[kind] > 0:
            reject(state, box, kind, pile)


@kernel
def act_keep(state: Any, box: Any, kind: int) -> int:
    """Keep one of the drawn cards; the rest is rejected: at village 2 to pile A, at village 3 left and right."""
    state.hand[state.actor, kind] += 1
    state.drawn[kind] -= 1
    if state.symbol == V3_UP and total(state.drawn) > 0:
        state.node = SIDE
        return STAY
    reject_rest(state, box, PILE_A)
    return leave_village(state)


@kernel
def act_side(state: Any, box: Any, action: int) -> int:
    """Reject one card to the left pile and the other one to the right; a single one to either (DAH-16, DAH-19)."""
    if action >= A_RIGHT:
        reject(state, box, action - A_RIGHT, PILE_RIGHT)
    else:
        reject(state, box, action - A_LEFT, PILE_LEFT)
        reject_rest(state, box, PILE_RIGHT)
    return leave_village(state)


@kernel
def act_take(state: Any, kind: int) -> int:
    """Take any card of the rejected pile; everybody sees it (DAH-17)."""
    seat = state.actor
    state.piles[pile_of(state.symbol), kind] -= 1
    state.hand[seat, kind] += 1
    state.known[seat, kind] += 1
    return leave_village(state)


# ---------------------------------------------------------------- Battle Phase: whose turn, which target


@kernel
def clear_battle(state: Any) -> None:
    """Forget what counts for one battle only."""
    for seat in range(4):
        state.passed[seat] = 0
        state.combats[seat] = 0
        state.battle_vp[seat] = 0
        for kind in range(4):
            state.battle_used[seat, kind] = 0
    state.defeaters[0] = -1
    state.defeaters[1] = -1
    state.recover_next = 0


@kernel
def clear_fight(state: Any) -> None:
    """Forget the fight that is over."""
    state.target_place = -1
    state.target_kind = -1
    state.used_pos = -1
    for kind in range(6):
        state.committed[kind] = 0
        state.roll[kind] = 0
    state.warrior_in = 0
    state.master_in = 0
    state.high = 0
    state.deficit = 0


@kernel
def warrior_usable(state: Any, box: Any, seat: int) -> bool:
    """Whether the seat can send its Warrior card into a fight (DAH-47)."""
    return has_ready(state, seat, WARRIOR) and state.cubes[seat] >= box.warrior_cost


@kernel
def usable_cards(state: Any, box: Any, seat: int) -> int:
    """Cards the seat can fight with: its hand and perhaps the Warrior card."""
    return total(state.hand[seat]) + (1 if warrior_usable(state, box, seat) else 0)


@kernel
def moors_at(state: Any, place: int) -> int:
    """Moors kind at a place, -1 if there is no card."""
    if place < SLOTS:
        return state.slots[place]
    if place == DECK_TOP:
        return state.mdeck[state.mdeck_n - 1] if state.mdeck_n > 0 else -1
    return state.mused[state.mused_n - 1] if state.mused_n > 0 else -1


@kernel
def places_open(state: Any, seat: int) -> int:
    """How many of the six places the seat may choose from: four, or six for the Strategist (DAH-49)."""
    return USED_TOP + 1 if has_ready(state, seat, STRATEGIST) else SLOTS


@kernel
def is_able(state: Any, box: Any, seat: int) -> bool:
    """Whether the seat has a card to fight with and a place to choose, whatever lies there (DAH-39)."""
    targets = 0
    for place in range(places_open(state, seat)):
        targets += 1 if moors_at(state, place) >= 0 else 0
    return targets > 0 and usable_cards(state, box, seat) > 0


@kernel
def holds_king_slayer(cards: Any, box: Any) -> bool:
    """Whether one of these cards may face the Moors King alone (Special Moors Cards)."""
    slayers = 0
    for kind in range(cards.shape[0]):
        slayers += int(cards[kind]) if box.alone[kind] != 0 else 0
    return slayers > 0


@kernel
def is_legal_target(state: Any, box: Any, seat: int, usable: int, kind: int) -> bool:
    """Whether the seat, with this many usable cards, can fight a Moors card of this kind."""
    if kind < 0 or usable == 0:
        return False
    if box.role[kind] != MOORS_KING or usable >= box.king_cards:
        return True
    return holds_king_slayer(state.hand[seat], box)


@kernel
def next_fighter(state: Any, box: Any) -> int:
    """The next seat clockwise that is able and has not passed is on turn; without one the battle is over."""
    for _ in range(box.num_players):
        state.actor = (state.actor + 1) % box.num_players
        if state.passed[state.actor] == 0 and is_able(state, box, state.actor):
            state.node = BATTLE
            return STAY
    return BATTLE_OVER


@kernel
def act_battle(state: Any, action: int) -> int:
    """Pass, or choose the Moors card to fight (DAH-27)."""
    if action == A_PASS:
        state.passed[state.actor] = 1
        return NEXT_FIGHTER
    place = action - A_TARGET
    state.target_place = place
    state.target_kind = moors_at(state, place)
    if place >= DECK_TOP:
        state.ready[state.actor] = 0
    if place == USED_TOP:
        state.used_pos = state.mused_n - 1
    state.node = COMMIT
    return STAY


# ---------------------------------------------------------------- Battle Phase: the fight


@kernel
def master_usable(state: Any, seat: int) -> bool:
    """Whether the Master of Arms can add a die: a Peasant, Soldier or engine is in the fight (DAH-46)."""
    infantry = state.committed[PEASANT] + state.committed[SOLDIER]
    engines = state.committed[CATAPULT] + state.committed[SIEGE_TOWER]
    return infantry + engines > 0 and has_ready(state, seat, MASTER)


@kernel
def may_roll(state: Any, box: Any) -> bool:
    """Whether enough cards are in the fight (DAH-28, DAH-33)."""
    cards = total(state.committed) + state.warrior_in
    if cards == 0 or box.role[state.target_kind] != MOORS_KING or cards >= box.king_cards:
        return cards > 0
    return holds_king_slayer(state.committed, box)


@kernel
def bonus_now(state: Any) -> int:
    """Bonus card of the battle under way, 0 if none."""
    return state.bonus[state.circle // 3] if is_battle(state) else 0


@kernel
def card_dice(state: Any, box: Any, kind: int) -> int:
    """Dice of a card of this hand kind in the battle under way (bonus card 5)."""
    if bonus_now(state) == 5 and (kind == PEASANT or kind >= CATAPULT):
        return box.bonus5_dice
    return box.dice[kind]


@kernel
def extra_dice(state: Any, box: Any, seat: int) -> int:
    """Dice beyond the cards in a fight that the seat begins now (bonus card 3; DAH-53)."""
    if bonus_now(state) == 3 and state.combats[seat] + 1 == box.bonus3_fight:
        return box.bonus3_dice
    return 0


@kernel
def dice_of_fight(state: Any, box: Any) -> int:
    """Dice of the fight under way if rolled now; 0 with no card in it."""
    dice = 0
    for kind in range(6):
        if state.committed[kind] > 0:
            dice += int(state.committed[kind]) * card_dice(state, box, kind)
    if state.warrior_in != 0:
        dice += box.warrior_dice
    if dice == 0:
        return 0
    if state.master_in != 0:
        dice += box.master_dice
    return dice + extra_dice(state, box, state.actor)


@kernel
def act_commit(state: Any, box: Any, action: int) -> int:
    """Add a card or a character to the fight, or roll."""
    seat = state.actor
    if action == A_ROLL:
        return roll_dice(state, box)
    if action == A_WARRIOR:
        pay(state, box, seat, box.warrior_cost)
        state.warrior_in = 1
        state.ready[seat] = 0
    elif action == A_MASTER:
        state.master_in = 1
        state.ready[seat] = 0
    else:
        kind = action - A_ADD
        state.hand[seat, kind] -= 1
        state.committed[kind] += 1
        if kind < CATAPULT and state.known[seat, kind] > 0:
            state.known[seat, kind] -= 1
    return STAY


@kernel
def roll_dice(state: Any, box: Any) -> int:
    """Roll all dice at once; the best one counts against the level (DAH-29, DAH-30)."""
    seat = state.actor
    dice = dice_of_fight(state, box)
    state.combats[seat] += 1
    high = 0
    for _ in range(dice):
        value = randint(state.rng, 6) + 1
        state.roll[value - 1] += 1
        high = max(high, value)
    gap = box.level[state.target_kind] - high
    if 0 < gap <= state.cubes[seat]:
        state.high = high
        state.deficit = gap
        state.node = PAY
        return STAY
    return resolve(state, box, gap <= 0)


@kernel
def act_pay(state: Any, box: Any, action: int) -> int:
    """Pay the missing cubes and win, or lose (DAH-31, DAH-32)."""
    if action == A_PAY:
        pay(state, box, state.actor, state.deficit)
    return resolve(state, box, action == A_PAY)


@kernel
def defeat_bonus(state: Any, box: Any, seat: int, kind: int, hand_cards: int) -> int:
    """VP that bonus cards 1, 2, 4 add to a defeat (DAH-48, DAH-51, DAH-52, DAH-54)."""
    bonus = bonus_now(state)
    if bonus == 1 and box.level[kind] == box.bonus1_level:
        return box.bonus1_vp
    if bonus == 4 and hand_cards > 0:
        return box.bonus4_vp
    if bonus == 2 and state.defeaters[0] != seat and state.defeaters[1] < 0:
        return box.bonus2_vp[0] if state.defeaters[0] < 0 else box.bonus2_vp[1]
    return 0


@kernel
def note_defeat(state: Any, seat: int) -> None:
    """Remember the first two seats that defeat a Moors card in this battle."""
    if state.defeaters[0] < 0:
        state.defeaters[0] = seat
    elif state.defeaters[0] != seat and state.defeaters[1] < 0:
        state.defeaters[1] = seat


@kernel
def fight_bonus(state: Any, box: Any, hand_cards: int) -> int:
    """VP of bonus card 8, won or lost (DAH-48, DAH-58)."""
    return box.bonus8_vp if bonus_now(state) == 8 and hand_cards >= box.bonus8_cards else 0


@kernel
def resolve(state: Any, box: Any, won: bool) -> int:
    """End the fight: score, discard the cards used, take the Moors card away, fill the slots."""
    seat = state.actor
    kind = state.target_kind
    hand_cards = total(state.committed)
    vp = fight_bonus(state, box, hand_cards)
    if won:
        vp += box.moors_vp[kind] + defeat_bonus(state, box, seat, kind, hand_cards)
        receive(state, box, seat, box.moors_cubes[kind])
        note_defeat(state, seat)
    state.vp[seat] += vp
    state.battle_vp[seat] += vp
    discard_fighters(state, box, seat)
    if won:
        remove_moors_card(state)
        if box.role[kind] == MOORS_CATAPULT:
            state.hand[seat, CATAPULT] += 1
        elif box.role[kind] == MOORS_TOWER:
            state.hand[seat, SIEGE_TOWER] += 1
        else:
            push_used(state, kind)
    fill_slots(state, box)
    if box.rejoin != 0:
        for i in range(4):
            state.passed[i] = 0
    clear_fight(state)
    return NEXT_FIGHTER


@kernel
def push_used(state: Any, kind: int) -> None:
    """Lay a Moors card on the used pile."""
    state.mused[state.mused_n] = kind
    state.mused_n += 1


@kernel
def discard_fighters(state: Any, box: Any, seat: int) -> None:
    """Portuguese cards to the used Portuguese pile, engines onto the used Moors pile (DAH-37)."""
    for kind in range(4):
        state.pused[kind] += state.committed[kind]
        state.battle_used[seat, kind] += state.committed[kind]
    for engine in range(2):
        for _ in range(state.committed[CATAPULT + engine]):
            push_used(state, box.engine_kind[engine])


@kernel
def remove_moors_card(state: Any) -> None:
    """Take the defeated card from its place."""
    if state.target_place < SLOTS:
        state.slots[state.target_place] = -1
    elif state.target_place == DECK_TOP:
        take_moors_top(state)
    else:
        last = state.mused_n - 1
        for i in range(state.used_pos, last):
            state.mused[i] = state.mused[i + 1]
        state.mused[last] = -1
        state.mused_n = last


@kernel
def take_moors_top(state: Any) -> int:
    """Take the top card of the Moors deck."""
    top = state.mdeck_n - 1
    kind = state.mdeck[top]
    state.mdeck[top] = -1
    state.mdeck_n = top
    return kind


@kernel
def renew_moors_deck(state: Any) -> None:
    """Shuffle the used Moors pile into a new deck (DAH-38)."""
    n = state.mused_n
    for i in range(n):
        state.mdeck[i] = state.mused[i]
        state.mused[i] = -1
    state.mdeck_n = n
    state.mused_n = 0
    shuffle(state.rng, state.mdeck, n)


@kernel
def fill_slots(state: Any, box: Any) -> None:
    """Replace defeated Moors cards from the deck, renewing it if the option says so."""
    for place in range(SLOTS):
        if state.slots[place] < 0:
            if state.mdeck_n == 0 and box.moors_reshuffle != 0:
                renew_moors_deck(state)
            if state.mdeck_n > 0:
                state.slots[place] = take_moors_top(state)


# ---------------------------------------------------------------- End of Battle


@kernel
def end_battle(state: Any, box: Any) -> int:
    """Bonus cards 6 and 7 (DAH-59)."""
    bonus = bonus_now(state)
    if bonus == 6:
        best = only_extreme(state.battle_vp, box.num_players, 1)
        if best >= 0:
            receive(state, box, best, box.bonus6_cubes)
    if bonus == 7:
        return NEXT_RECOVERY
    return pay_lowest(state, box)


@kernel
def next_recovery(state: Any, box: Any) -> int:
    """Bonus card 7: the next seat clockwise from the holder that used a Portuguese card is asked (DAH-57)."""
    while state.recover_next < box.num_players:
        seat = (state.holder + state.recover_next) % box.num_players
        state.recover_next += 1
        if total(state.battle_used[seat]) > 0:
            state.actor = seat
            state.node = RECOVER
            return STAY
    return pay_lowest(state, box)


@kernel
def act_recover(state: Any, action: int) -> int:
    """Take back a card used in this battle, or none."""
    if action != A_RECOVER_NONE:
        kind = action - A_RECOVER
        state.pused[kind] -= 1
        state.hand[state.actor, kind] += 1
        state.known[state.actor, kind] += 1
    return NEXT_RECOVERY


@kernel
def only_extreme(values: Any, n: int, sign: int) -> int:
    """Seat with the single highest (`sign` 1) or lowest (-1) of the first `n` values, -1 in a tie."""
    best = 0
    tied = False
    for seat in range(1, n):
        ahead = sign * (int(values[seat]) - int(values[best]))
        if ahead > 0:
            best = seat
            tied = False
        elif ahead == 0:
            tied = True
    return -1 if tied else best


@kernel
def pay_lowest(state: Any, box: Any) -> int:
    """A cube for the one seat with the fewest VP (End of Battle; DAH-40)."""
    lowest = only_extreme(state.vp, box.num_players, -1)
    if lowest >= 0:
        receive(state, box, lowest, box.lowest_cubes)
    return PHASE_OVER


# ---------------------------------------------------------------- the kernel contract


@kernel
def step(state: Any, box: Any, action: int) -> None:
    """Apply one decision and all that is automatic after it; cut an endless game off between two turns (DAH-64)."""
    node = state.node
    if node == COMMIT:
        go = act_commit(state, box, action)
    elif node == VILLAGE:
        go = act_village(state, box, action)
    elif node == BATTLE:
        go = act_battle(state, action)
    elif node == PAY:
        go = act_pay(state, box, action)
    elif node == KEEP:
        go = act_keep(state, box, action - A_KEEP)
    elif node == SIDE:
        go = act_side(state, box, action)
    elif node == TAKE:
        go = act_take(state, action - A_TAKE)
    elif node == RECOVER:
        go = act_recover(state, action)
    else:
        go = act_draft(state, box, action - A_DRAFT)
    if go != STAY and state.ply + 1 >= CUT_OFF:
        end_game(state, 2)
        return
    carry_on(state, box, go)


@kernel
def legal_village(state: Any, box: Any, mask: Any) -> None:
    """VILLAGE: pass, or a free symbol that can be paid and does something."""
    mask[A_PASS] = 1
    for symbol in range(7):
        if may_choose(state, box, symbol):
            mask[A_VILLAGE + symbol] = 1


@kernel
def legal_battle(state: Any, box: Any, mask: Any) -> None:
    """BATTLE: pass (DAH-67), or a Moors card the seat has the cards to fight."""
    seat = state.actor
    mask[A_PASS] = 1
    usable = usable_cards(state, box, seat)
    for place in range(places_open(state, seat)):
        if is_legal_target(state, box, seat, usable, moors_at(state, place)):
            mask[A_TARGET + place] = 1


@kernel
def legal_commit(state: Any, box: Any, mask: Any) -> None:
    """COMMIT: more cards, a character, or the roll."""
    seat = state.actor
    mark_kinds(state.hand[seat], mask, A_ADD)
    if warrior_usable(state, box, seat):
        mask[A_WARRIOR] = 1
    if master_usable(state, seat):
        mask[A_MASTER] = 1
    if may_roll(state, box):
        mask[A_ROLL] = 1


@kernel
def mark_kinds(counts: Any, mask: Any, first: int) -> None:
    """Mark the kinds of which there is a card."""
    for kind in range(counts.shape[0]):
        if counts[kind] > 0:
            mask[first + kind] = 1


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    """Write the legal actions of the seat on turn; return how many there are."""
    mask[:] = 0
    if state.over != 0:
        return 0
    node = state.node
    if node == COMMIT:
        legal_commit(state, box, mask)
    elif node == VILLAGE:
        legal_village(state, box, mask)
    elif node == BATTLE:
        legal_battle(state, box, mask)
    elif node == PAY:
        mask[A_PAY] = 1
        mask[A_LOSE] = 1
    elif node == KEEP:
        mark_kinds(state.drawn, mask, A_KEEP)
    elif node == SIDE:
        mark_kinds(state.drawn, mask, A_LEFT)
        if total(state.drawn) == 1:
            mark_kinds(state.drawn, mask, A_RIGHT)
    elif node == TAKE:
        mark_kinds(state.piles[pile_of(state.symbol)], mask, A_TAKE)
    elif node == RECOVER:
        mark_kinds(state.battle_used[state.actor], mask, A_RECOVER)
        mask[A_RECOVER_NONE] = 1
    elif node == DRAFT:
        for character in range(4):
            if not is_taken(state, character):
                mask[A_DRAFT + character] = 1
    n = 0
    for action in range(N_ACTIONS):
        n += mask[action]
    return n


# ---------------------------------------------------------------- End of Game


@kernel
def final_score(state: Any, box: Any, seat: int) -> int:
    """VP of a seat, and one for each two cubes (End of Game; DAH-41)."""
    return int(state.vp[seat]) + int(state.cubes[seat]) // int(box.cubes_per_vp)


@kernel
def rank(state: Any, box: Any, seat: int) -> int:
    """Seats ahead of this one; of equals the first clockwise from the holder is ahead (DAH-42)."""
    n = box.num_players
    mine = final_score(state, box, seat)
    distance = (seat - state.holder + n) % n
    ahead = 0
    for other in range(n):
        theirs = final_score(state, box, other)
        if theirs > mine or (theirs == mine and (other - state.holder + n) % n < distance):
            ahead += 1
    return ahead


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    """Write the utility of every seat: 0 win, 1 placement, 2 margin, 3 final score; before the end as if it were."""
    n = box.num_players
    everything = 0
    for seat in range(n):
        everything += final_score(state, box, seat)
    for seat in range(n):
        score = final_score(state, box, seat)
        if kind == 0:
            out[seat] = 1.0 if rank(state, box, seat) == 0 else -1.0 / (n - 1)
        elif kind == 1:
            out[seat] = 1.0 - 2.0 * rank(state, box, seat) / (n - 1)
        elif kind == 2:
            margin = (score - (everything - score) / (n - 1)) / MARGIN_SCALE
            out[seat] = min(1.0, max(-1.0, margin))
        else:
            out[seat] = score


# ---------------------------------------------------------------- invariants


@kernel
def within(values: Any, low: int, high: int) -> bool:
    """Whether every entry is in ``low … high``."""
    good = True
    for i in range(values.shape[0]):
        good = good and low <= values[i] <= high
    return good


@kernel
def rows_within(values: Any, low: int, high: int) -> bool:
    """Whether every entry of a table is in ``low … high``."""
    good = True
    for i in range(values.shape[0]):
        good = good and within(values[i], low, high)
    return good


@kernel
def deck_within(cards: Any, n: int, kinds: int) -> bool:
    """Whether an ordered pile holds `n` cards of known kinds and nothing above."""
    if n < 0 or n > CARDS:
        return False
    for i in range(CARDS):
        if i < n and (cards[i] < 0 or cards[i] >= kinds):
            return False
        if i >= n and cards[i] != -1:
            return False
    return True


@kernel
def turn_in_range(state: Any, box: Any) -> bool:
    """Bounds of the fields that say where the game is."""
    n = box.num_players
    if state.circle < 0 or state.circle > CIRCLES or state.node < NOWHERE or state.node > RECOVER:
        return False
    if state.over < 0 or state.over > 2 or state.actor < -1 or state.actor >= n:
        return False
    if state.holder < 0 or state.holder >= n or state.starter < 0 or state.starter >= n:
        return False
    if state.symbol < -1 or state.symbol > V3_RIGHT or state.recover_next < 0 or state.recover_next > n:
        return False
    for i in range(4):
        if state.rng[i] < 0 or state.rng[i] > 0xFFFFFFFF:
            return False
    return state.split_draw in (0, 1)


@kernel
def fight_in_range(state: Any, box: Any) -> bool:
    """Bounds of the fields of the fight under way."""
    if state.target_place < -1 or state.target_place > USED_TOP or state.used_pos < -1 or state.used_pos >= CARDS:
        return False
    if state.target_kind < -1 or state.target_kind >= box.moors_kinds:
        return False
    if state.warrior_in not in (0, 1) or state.master_in not in (0, 1):
        return False
    if state.high < 0 or state.high > 6 or state.deficit < 0 or state.deficit > 6:
        return False
    return within(state.committed, 0, CARDS) and within(state.roll, 0, 100)


@kernel
def cards_in_range(state: Any, box: Any) -> bool:
    """Bounds of all piles and hands."""
    kinds = box.moors_kinds
    if not (deck_within(state.pdeck, state.pdeck_n, 4) and deck_within(state.mdeck, state.mdeck_n, kinds)):
        return False
    if not (deck_within(state.mused, state.mused_n, kinds) and within(state.slots, -1, kinds - 1)):
        return False
    if not (rows_within(state.hand, 0, CARDS) and rows_within(state.known, 0, CARDS)):
        return False
    if not (within(state.pused, 0, CARDS) and rows_within(state.piles, 0, CARDS) and within(state.drawn, 0, 3)):
        return False
    return within(state.deck_at_shuffle, 0, CARDS) and rows_within(state.deck_gone, 0, CARDS)


@kernel
def seats_in_range(state: Any, box: Any) -> bool:
    """Bounds of the fields by seat."""
    n = box.num_players
    if not (within(state.vp, 0, 30000) and within(state.cubes, 0, 30000) and 0 <= state.bank <= box.supply):
        return False
    if not (within(state.placed, NOT_YET, V3_RIGHT) and rows_within(state.visits, 0, 10)):
        return False
    if not (within(state.passed, 0, 1) and within(state.combats, 0, 120) and within(state.battle_vp, 0, 30000)):
        return False
    if not (rows_within(state.battle_used, 0, 120) and within(state.defeaters, -1, n - 1)):
        return False
    return within(state.character, -1, 3) and within(state.ready, 0, 1) and within(state.bonus, 0, BONUS_CARDS)


@kernel
def portuguese_add_up(state: Any, box: Any) -> bool:
    """Invariant 2."""
    for kind in range(4):
        n = int(state.pused[kind]) + int(state.drawn[kind]) + int(state.committed[kind])
        for seat in range(4):
            n += int(state.hand[seat, kind])
        for pile in range(3):
            n += int(state.piles[pile, kind])
        for i in range(state.pdeck_n):
            n += state.pdeck[i] == kind
        if n != box.portuguese_count[kind]:
            return False
    return True


@kernel
def engines_out(state: Any, hand_kind: int) -> int:
    """Engines of a hand kind in hands and in the fight."""
    n = int(state.committed[hand_kind])
    for seat in range(4):
        n += int(state.hand[seat, hand_kind])
    return n


@kernel
def moors_add_up(state: Any, box: Any) -> bool:
    """Invariant 3."""
    for kind in range(box.moors_kinds):
        n = 0
        for i in range(SLOTS):
            n += state.slots[i] == kind
        for i in range(CARDS):
            n += state.mdeck[i] == kind
            n += state.mused[i] == kind
        if box.role[kind] >= MOORS_CATAPULT:
            n += engines_out(state, CATAPULT + box.role[kind] - MOORS_CATAPULT)
        if n != box.moors_count[kind]:
            return False
    return True


@kernel
def cubes_add_up(state: Any, box: Any) -> bool:
    """Invariant 4."""
    if box.unlimited != 0:
        return state.bank == 0
    n = int(state.bank)
    for seat in range(4):
        n += int(state.cubes[seat])
    return n == box.supply


@kernel
def battle_vp_fits(state: Any) -> bool:
    """Invariant 5."""
    for seat in range(4):
        if state.battle_vp[seat] > state.vp[seat]:
            return False
        if not is_battle(state) and state.battle_vp[seat] != 0:
            return False
    return True


@kernel
def hands_fit(state: Any, box: Any) -> bool:
    """Invariant 6."""
    for seat in range(box.num_players):
        n = 0
        for kind in range(4):
            n += int(state.hand[seat, kind])
            if state.known[seat, kind] > state.hand[seat, kind]:
                return False
        if n > 10:
            return False
    return True


@kernel
def cylinders_fit(state: Any, box: Any) -> bool:
    """Invariant 7."""
    village = VILLAGE <= state.node <= TAKE or (state.over == 2 and not is_battle(state))
    for seat in range(4):
        symbol = state.placed[seat]
        if symbol != NOT_YET and (not village or seat >= box.num_players):
            return False
        if symbol >= 0:
            if box.village_open[symbol] == 0:
                return False
            for other in range(seat):
                if state.placed[other] == symbol:
                    return False
    return True


@kernel
def loose_cards_fit(state: Any) -> bool:
    """Invariant 8."""
    node = state.node
    drawing = node in (KEEP, SIDE)
    fighting = node in (COMMIT, PAY)
    if (total(state.drawn) > 0 or state.split_draw != 0) and not drawing:
        return False
    if (total(state.committed) > 0 or state.warrior_in != 0 or state.master_in != 0) and not fighting:
        return False
    return total(state.roll) == 0 or node == PAY


@kernel
def turn_fits(state: Any, box: Any) -> bool:
    """Invariant 9."""
    node = state.node
    if state.over != 0:
        return node == NOWHERE and state.actor == -1 and (state.circle == CIRCLES) == (state.over == 1)
    if node < 0 or state.actor < 0 or state.circle >= CIRCLES:
        return False
    if node == DRAFT:
        return box.draft != 0 and state.circle == 0 and state.character[state.actor] < 0
    if is_battle(state) != (node >= BATTLE):
        return False
    if node == VILLAGE:
        return state.placed[state.actor] == NOT_YET and state.symbol == -1
    if node <= TAKE:
        return state.symbol >= 0 and state.placed[state.actor] == state.symbol
    if node == RECOVER:
        return bonus_now(state) == 7
    return state.passed[state.actor] == 0


@kernel
def slots_fit(state: Any, box: Any) -> bool:
    """Invariant 10."""
    if box.moors_reshuffle == 0 or (state.mdeck_n == 0 and state.mused_n == 0):
        return True
    return within(state.slots, 0, box.moors_kinds - 1)


@kernel
def advanced_fits(state: Any, box: Any) -> bool:
    """Invariant 11."""
    if state.bonus[BATTLES - 1] == 7:
        return False
    for i in range(BATTLES):
        if (state.bonus[i] > 0) != (box.battle_bonus != 0):
            return False
        for j in range(i):
            if state.bonus[i] > 0 and state.bonus[i] == state.bonus[j]:
                return False
    for seat in range(4):
        chosen = state.character[seat] >= 0
        if chosen and box.characters == 0:
            return False
        if not chosen and seat < box.num_players and missing_character(state, box):
            return False
        if state.ready[seat] != 0 and not chosen:
            return False
        for other in range(seat):
            if chosen and state.character[other] == state.character[seat]:
                return False
    return True


@kernel
def missing_character(state: Any, box: Any) -> bool:
    """Whether a seat without a character is wrong now."""
    return box.characters != 0 and state.node != DRAFT


@kernel
def deck_knowledge_fits(state: Any) -> bool:
    """Invariant 12 (DAH-72)."""
    for kind in range(4):
        n = 0
        for i in range(state.pdeck_n):
            n += state.pdeck[i] == kind
        for seat in range(4):
            if n + int(state.deck_gone[seat, kind]) > state.deck_at_shuffle[kind]:
                return False
    return True


@kernel
def target_fits(state: Any, box: Any) -> bool:
    """Invariant 13."""
    if state.node not in (COMMIT, PAY):
        return state.target_place == -1 and state.target_kind == -1 and state.used_pos == -1
    if state.target_place < 0 or state.target_kind < 0:
        return False
    if state.target_place >= DECK_TOP and state.character[state.actor] != STRATEGIST:
        return False
    if (state.target_place == USED_TOP) != (state.used_pos >= 0):
        return False
    if state.used_pos >= 0 and state.used_pos != state.mused_n - 1:
        return False
    return moors_at(state, state.target_place) == state.target_kind


@kernel
def decision_fits(state: Any, box: Any) -> bool:
    """Invariant 14."""
    node = state.node
    if node == KEEP:
        return 1 <= total(state.drawn) <= cards_to_draw(state.symbol) and state.symbol != V1
    if node == SIDE:
        return state.symbol == V3_UP and 1 <= total(state.drawn) <= 2
    if node == TAKE:
        return pile_of(state.symbol) >= 0 and total(state.piles[pile_of(state.symbol)]) > 0
    if node == BATTLE:
        return is_able(state, box, state.actor)
    if node == COMMIT:
        return roll_reachable(state, box)
    if node == PAY:
        gap = box.level[state.target_kind] - state.high
        payable = 0 < gap <= state.cubes[state.actor]
        return payable and state.deficit == gap and total(state.roll) > 0 and may_roll(state, box)
    if node == RECOVER:
        return recovery_fits(state)
    return True


@kernel
def roll_reachable(state: Any, box: Any) -> bool:
    """Whether the seat on turn has the cards its fight needs, in the fight or in hand."""
    cards = usable_cards(state, box, state.actor) + total(state.committed) + state.warrior_in
    if cards == 0 or box.role[state.target_kind] != MOORS_KING or cards >= box.king_cards:
        return cards > 0
    return holds_king_slayer(state.hand[state.actor], box) or holds_king_slayer(state.committed, box)


@kernel
def recovery_fits(state: Any) -> bool:
    """Whether every card that can be recovered lies on the used pile."""
    for kind in range(4):
        if state.battle_used[state.actor, kind] > 0 and state.pused[kind] == 0:
            return False
    return total(state.battle_used[state.actor]) > 0


@kernel
def absent_seats_empty(state: Any, box: Any) -> bool:
    """Invariant 15."""
    for seat in range(box.num_players, 4):
        if state.vp[seat] != 0 or state.cubes[seat] != 0 or total(state.hand[seat]) > 0 or total(state.known[seat]) > 0:
            return False
        if state.character[seat] != -1 or total(state.visits[seat]) > 0 or total(state.battle_used[seat]) > 0:
            return False
        if state.passed[seat] != 0 or state.combats[seat] != 0 or total(state.deck_gone[seat]) > 0:
            return False
    return True


@kernel
def check(state: Any, box: Any) -> int:
    """Return 0, or the number of the first broken invariant (``INVARIANTS`` in game.py)."""
    if not (turn_in_range(state, box) and fight_in_range(state, box)):
        return 1
    if not (cards_in_range(state, box) and seats_in_range(state, box)):
        return 1
    if not portuguese_add_up(state, box):
        return 2
    if not moors_add_up(state, box):
        return 3
    if not cubes_add_up(state, box):
        return 4
    if not battle_vp_fits(state):
        return 5
    if not hands_fit(state, box):
        return 6
    if not cylinders_fit(state, box):
        return 7
    if not loose_cards_fit(state):
        return 8
    if not turn_fits(state, box):
        return 9
    if not slots_fit(state, box):
        return 10
    if not advanced_fits(state, box):
        return 11
    if not deck_knowledge_fits(state):
        return 12
    if not target_fits(state, box):
        return 13
    if not decision_fits(state, box):
        return 14
    if not absent_seats_empty(state, box):
        return 15
    return 0
