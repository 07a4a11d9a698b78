"""Rules of Aljubarrota: set-up, the cards' Castilian army, the Portuguese turns, extra turns, the end.

A round: cards are laid, Castile moves and is reinforced, the free player plays a Portuguese turn, then up to two
extra turns can be bought. The white pieces are counted from ``piece_hex`` into ``scratch_port`` whenever a kernel
starts.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import randint, seed_rng, shuffle
from lusogames_env.games.aljubarrota.game import (
    ACTIONS,
    ARMY,
    BUY,
    CAPACITY,
    CARD_TOTAL,
    CARDS,
    COOPERATIVE,
    EXTRA2,
    EXTRA3,
    FAMILIES,
    FIRST_FAMILY_PIECE,
    FLANK_ROW,
    FREE,
    GREEN,
    LOST,
    MAIN_ROWS,
    MENU,
    MOVE_DIR,
    MOVE_FROM,
    MOVE_GROUP,
    PIECES,
    PLACE_HEX,
    PLACE_PIECE,
    PLEDGE,
    PLEDGE_ONES,
    PLEDGE_TWOS,
    PURPLE,
    ROUNDS,
    ROWS,
    SECOND_STEP,
    SETUP,
    SHOOTER,
    SOLITARY,
    SWAP_A,
    SWAP_B,
    TARGET,
    TARGET_TYPE,
    VP_CARDS,
    VP_TOTAL,
    WON,
    YELLOW,
)

A_HEX, A_PIECE, A_GROUP, A_DIRECTION = ACTIONS["hex"], ACTIONS["piece"], ACTIONS["group"], ACTIONS["direction"]
A_STAY, A_TARGET, A_MENU, A_END = ACTIONS["stay"], ACTIONS["target"], ACTIONS["menu"], ACTIONS["end"]
A_PASS, A_PLEDGE, A_BUY = ACTIONS["pass"], ACTIONS["pledge"], ACTIONS["buy"]
SWAP, MOVE, SHOOT_ENGLISH, SHOOT_SWEETHEARTS, VOLLEY_ENGLISH, VOLLEY_SWEETHEARTS = 0, 1, 2, 3, 4, 5  # menu items
CAVALRY, SOLDIER = 0, 1
BLUE, GOLD = 0, 1
ENGLISH, SWEETHEARTS = 0, 1
ANY, TARGETS, SHOOTERS = 0, 1, 2
LEADERS, LONGBOWS = 3, 12  # bit masks of King and Nuno, of the English
KING, NUNO, GONE, UNPLACED, NOWHERE = 0, 1, -1, -2, -1
ENTRY_GROUP, SECOND_WAVE, EARLY_ROUNDS, EARLY_BLUE, RESHUFFLES = 3, 7, (5, 6), 9, (6, 12)
ENGLISH_SHOTS, SWEETHEARTS_SHOTS, COSTS = 3, 2, (2, 3)
WHITE, SKULL = 1, 3  # die: 0 white, 1 and 2 skull, 3 to 5 arrow
SURVIVOR = 2


# ---- counting pieces ----


@kernel
def muster(state: Any) -> None:
    """Write the bit mask of the white pieces on each hex."""
    state.scratch_port[:] = 0
    for piece in range(PIECES):
        here = state.piece_hex[piece]
        if here >= 0:
            state.scratch_port[here] |= 1 << piece


@kernel
def count(pieces: int) -> int:
    """Return the number of pieces in a bit mask."""
    left = int(pieces)
    n = 0
    while left != 0:
        left &= left - 1
        n += 1
    return n


@kernel
def of_side(state: Any, here: int, side: int) -> int:
    """Return the Castilian cavalry (side 0) or soldiers (side 1) on a hex."""
    return int(state.cast[here, BLUE, side]) + int(state.cast[here, GOLD, side])


@kernel
def cavalry_on(state: Any, here: int) -> int:
    """Return the Castilian cavalry on a hex."""
    return int(state.cast[here, BLUE, CAVALRY]) + int(state.cast[here, GOLD, CAVALRY])


@kernel
def soldiers_on(state: Any, here: int) -> int:
    """Return the Castilian soldiers on a hex."""
    return int(state.cast[here, BLUE, SOLDIER]) + int(state.cast[here, GOLD, SOLDIER])


@kernel
def castilians(state: Any, here: int) -> int:
    """Return the Castilians on a hex, both colours and sides."""
    return cavalry_on(state, here) + soldiers_on(state, here)


@kernel
def on_board(state: Any, colour: int) -> int:
    """Return the pieces of a colour on the board."""
    n = 0
    for here in range(state.cast.shape[0]):
        n += int(state.cast[here, colour, CAVALRY]) + int(state.cast[here, colour, SOLDIER])
    return n


@kernel
def send(state: Any, here: int, side: int, n: int, to: int, to_side: int) -> None:
    """Put `n` Castilians of a side from one hex on another (-1: out of the game), blue ones first (ALJ-42)."""
    for colour in range(2):
        m = min(n, int(state.cast[here, colour, side]))
        state.cast[here, colour, side] -= m
        if to >= 0:
            state.cast[to, colour, to_side] += m
        else:
            state.dead[colour] += m
        n -= m


@kernel
def march(state: Any, here: int, side: int, n: int, to: int, to_side: int) -> None:
    """Let a card send pieces, and remember that it has moved them (for ``reentry`` = False)."""
    send(state, here, side, n, to, to_side)
    state.scratch_marching[here, side] -= min(n, int(state.scratch_marching[here, side]))
    if to >= 0:
        state.scratch_marching[to, to_side] += n


@kernel
def march_all(state: Any, here: int, cavalry: int, soldiers: int, to: int) -> None:
    """Let a card send cavalry and soldiers as they are."""
    march(state, here, CAVALRY, cavalry, to, CAVALRY)
    march(state, here, SOLDIER, soldiers, to, SOLDIER)


@kernel
def unmoved(state: Any, here: int, side: int) -> int:
    """Return the pieces of a side that no earlier row's card has moved in this phase."""
    return of_side(state, here, side) - int(state.scratch_moved[here, side])


# ---- the end of the battle ----


@kernel
def decided(state: Any, box: Any) -> bool:
    """Test after each event whether the battle is lost or won (chapter 2, ALJ-29, ALJ-31); a loss counts first."""
    if state.piece_hex[KING] == GONE or castilians(state, box.king_hex) > 0:
        state.result = LOST
    elif int(state.dead[BLUE]) + int(state.dead[GOLD]) == 2 * ARMY:
        state.result = WON
    return state.result != 0


@kernel
def can_step(state: Any, here: int, to: int) -> bool:
    """Return whether some piece of a Castilian group could move to, or attack, the next hex."""
    if to < 0:
        return False
    defenders = count(state.scratch_port[to])
    if defenders > 0:
        return castilians(state, here) >= defenders
    return castilians(state, to) < CAPACITY


@kernel
def immobile(state: Any, box: Any) -> bool:
    """Return whether no Castilian can ever move again (ALJ-30).

    If the first piece in front cannot take the first step of a charge, a lateral move or a regrouping, none has moved
    before the next is handled: it is enough to look at first steps in the position as it stands.
    """
    if state.wave2 == 0 or state.flank == 0:
        return False
    for row in MAIN_ROWS:
        if castilians(state, box.entry[row]) == 0 and int(state.reserve[BLUE]) + int(state.reserve[GOLD]) > 0:
            return False
    for here in range(box.hexes):
        if castilians(state, here) == 0:
            continue
        if can_step(state, here, box.forward[here]):
            return False
        if not portuguese_behind(state, box, here) and can_step(state, here, box.back[here]):
            return False
    return True


@kernel
def finish(state: Any) -> None:
    """End the game."""
    state.over = 1
    state.actor = -1
    state.decision = 0
    forget_choice(state)


# ---- set-up (chapter 5) ----


@kernel
def reset(state: Any, box: Any, seed: int) -> None:
    """Set the game up, chapter 5, and go on to the first decision."""
    seed_rng(state.rng, seed, 0)
    forget_choice(state)
    state.round_no = 1
    state.turn_seat = -1
    state.turn_kind = SETUP
    state.row_card[:] = -1
    state.free_player = randint(state.rng, int(box.num_players))
    deal_families(state, box)
    deal_points(state, box)
    lay_out_movement_cards(state)
    draw_up_armies(state, box)
    deal_pieces(state, box)
    if box.placed != 0:
        state.actor = state.free_player
        state.decision = PLACE_PIECE
    else:
        begin_round(state, box)


@kernel
def deal_families(state: Any, box: Any) -> None:
    """Deal the family cards; what is left stays in the box, face down."""
    items = state.scratch_items
    for i in range(FAMILIES):
        items[i] = i
    shuffle(state.rng, items, FAMILIES)
    for i in range(FAMILIES):
        dealt = i < box.families_each * box.num_players
        state.family_owner[items[i]] = i % box.num_players if dealt else -1


@kernel
def deal_points(state: Any, box: Any) -> None:
    """Deal the same number of Victory Point cards to each player; the rest is boxed unseen."""
    items = state.scratch_items
    n = 0
    for value in range(3):
        for _ in range(VP_TOTAL[value]):
            items[n] = value
            n += 1
    shuffle(state.rng, items, VP_CARDS)
    for i in range(int(box.vp_each) * box.num_players):
        state.hand[i % box.num_players, items[i]] += 1


@kernel
def lay_out_movement_cards(state: Any) -> None:
    """Shuffle all hundred movement cards into a new face-down pile."""
    n = 0
    for card in range(4):
        for _ in range(CARD_TOTAL[card]):
            state.deck[n] = card
            n += 1
    shuffle(state.rng, state.deck, CARDS)
    state.deck_pos = 0


@kernel
def draw_up_armies(state: Any, box: Any) -> None:
    """Put three blue cavalry on each entry hex but row 5's, and King, Nuno and English on theirs."""
    state.reserve[BLUE] = ARMY
    state.reserve[GOLD] = ARMY
    for row in MAIN_ROWS:
        state.cast[box.entry[row], BLUE, CAVALRY] = ENTRY_GROUP
        state.reserve[BLUE] -= ENTRY_GROUP
    state.piece_hex[:] = UNPLACED
    state.piece_hex[KING] = box.king_hex
    state.piece_hex[NUNO] = box.nuno_hex
    state.piece_hex[2] = box.english_hex[0]
    state.piece_hex[3] = box.english_hex[1]


@kernel
def deal_pieces(state: Any, box: Any) -> None:
    """Deal the family pieces face down, as evenly as possible from the first player on, or place them at random."""
    items = state.scratch_items
    n = PIECES - FIRST_FAMILY_PIECE
    state.to_place[:] = -1
    if box.placed != 0:
        for i in range(n):
            items[i] = FIRST_FAMILY_PIECE + i
        shuffle(state.rng, items, n)
        for i in range(n):
            state.to_place[items[i]] = (state.free_player + i) % box.num_players
    else:
        for i in range(box.starts_n):
            items[i] = box.starts[i]
        shuffle(state.rng, items, int(box.starts_n))
        for i in range(n):
            state.piece_hex[FIRST_FAMILY_PIECE + i] = items[i]


@kernel
def place(state: Any, box: Any, here: int) -> None:
    """Put the chosen piece on a start space; the next player with a piece goes on, or the battle begins."""
    piece = state.pending_piece
    state.piece_hex[piece] = here
    state.to_place[piece] = -1
    forget_choice(state)
    for i in range(1, box.num_players + 1):
        seat = (state.actor + i) % box.num_players
        if holds_piece(state, seat):
            state.actor = seat
            state.decision = PLACE_PIECE
            return
    begin_round(state, box)


@kernel
def holds_piece(state: Any, seat: int) -> bool:
    """Return whether a seat has a piece still to place."""
    held = 0
    for piece in range(FIRST_FAMILY_PIECE, PIECES):
        held += state.to_place[piece] == seat
    return held > 0


# ---- the round (chapter 6) ----


@kernel
def begin_round(state: Any, box: Any) -> None:
    """Play Castile: reshuffle, second wave, cards, movement, reinforcements; then the free turn begins."""
    muster(state)
    for r in RESHUFFLES:
        if state.round_no == r:
            lay_out_movement_cards(state)
    begin_second_wave(state, box)
    lay_cards(state)
    castile_moves(state, box)
    if state.result != 0:
        finish(state)
        return
    reinforce(state, box)
    state.turn_kind = FREE
    begin_turn(state, state.free_player)


@kernel
def second_wave_due(state: Any) -> bool:
    """Return whether the second wave begins: round 7, or 5 and 6 with nine or fewer blue pieces (ALJ-26)."""
    if state.round_no >= SECOND_WAVE:
        return True
    early = False
    for r in EARLY_ROUNDS:
        early = early or state.round_no == r
    return early and on_board(state, BLUE) + int(state.reserve[BLUE]) <= EARLY_BLUE


@kernel
def begin_second_wave(state: Any, box: Any) -> None:
    """Let the yellow pieces and the flank attack enter when their time has come (ALJ-24, ALJ-25)."""
    if state.wave2 == 0 and second_wave_due(state):
        state.wave2 = 1
        reinforce(state, box)
    if state.flank == 0 and state.wave2 != 0 and (box.flank_waits == 0 or state.round_no >= SECOND_WAVE):
        state.flank = 1
        n = min(ENTRY_GROUP, int(state.reserve[GOLD]))
        state.reserve[GOLD] -= n
        state.cast[box.entry[FLANK_ROW], GOLD, CAVALRY] += n


@kernel
def reinforce(state: Any, box: Any) -> None:
    """Put three cavalry on every empty entry hex, in row order, as far as the reserve goes; row 5 gets none.

    Blue before yellow; yellow only in the second wave, and three are kept for the flank attack (ALJ-27, ALJ-81).
    """
    for row in MAIN_ROWS:
        here = box.entry[row]
        if castilians(state, here) > 0:
            continue
        n = min(ENTRY_GROUP, int(state.reserve[BLUE]))
        state.reserve[BLUE] -= n
        state.cast[here, BLUE, CAVALRY] += n
        if state.wave2 == 0:
            continue
        kept = 0 if state.flank != 0 else ENTRY_GROUP
        n = max(0, min(ENTRY_GROUP - n, int(state.reserve[GOLD]) - kept))
        state.reserve[GOLD] -= n
        state.cast[here, GOLD, CAVALRY] += n


@kernel
def lay_cards(state: Any) -> None:
    """Lay a movement card on each row; row 5 gets one only once the flank attack has begun."""
    for row in range(ROWS):
        state.row_card[row] = -1
        if row != FLANK_ROW or state.flank != 0:
            state.row_card[row] = state.deck[state.deck_pos]
            state.deck_pos += 1


@kernel
def end_round(state: Any, box: Any) -> None:
    """Move the round marker on, or end the game as a win (ALJ-30, ALJ-32)."""
    if immobile(state, box) or state.round_no >= ROUNDS:
        state.result = WON
        finish(state)
        return
    state.round_no += 1
    state.free_player = (state.free_player + 1) % box.num_players
    state.turn_seat = -1
    begin_round(state, box)


# ---- Castile (chapters 7, 8.1, 10, 11) ----


@kernel
def castile_moves(state: Any, box: Any) -> None:
    """Carry out the cards from row 1 to row 10 until the battle is decided."""
    state.scratch_moved[:, :] = 0
    state.scratch_marching[:, :] = 0
    for row in range(ROWS):
        card = state.row_card[row]
        if card >= 0 and state.result == 0:
            obey(state, box, row, card)
            if box.reentry == 0:
                remember_moved(state, box)


@kernel
def obey(state: Any, box: Any, row: int, card: int) -> None:
    """Move the pieces of one row as its card says (chapter 11)."""
    if card in (GREEN, PURPLE):
        for _ in range(2 if card == PURPLE else 1):
            charge(state, box, row)
    elif card == YELLOW:
        lateral(state, box, row)
    else:
        regroup(state, box, row)


@kernel
def remember_moved(state: Any, box: Any) -> None:
    """Mark what this row's card has moved: later cards leave it alone (ALJ-11, reading b)."""
    for here in range(box.hexes):
        for side in range(2):
            state.scratch_moved[here, side] += state.scratch_marching[here, side]
            state.scratch_marching[here, side] = 0


@kernel
def charge(state: Any, box: Any, row: int) -> None:
    """Green: from the front, every group goes forward one hex, then its cavalry one more (ALJ-06, ALJ-09)."""
    for n in range(box.order_n[row]):
        here = int(box.order[row, n])
        cavalry = cavalry_on(state, here) - int(state.scratch_moved[here, CAVALRY])
        soldiers = soldiers_on(state, here) - int(state.scratch_moved[here, SOLDIER])
        for _ in range(2):
            if cavalry + soldiers <= 0 or state.result != 0:
                break
            to = int(box.forward[here])
            cavalry = step_group(state, box, here, to, cavalry, soldiers, True)
            soldiers = 0
            here = to


@kernel
def step_group(state: Any, box: Any, here: int, to: int, cavalry: int, soldiers: int, charging: bool) -> int:
    """Move a Castilian group one hex, with combat and, when charging, traps; return the cavalry that may go on."""
    if to < 0:
        return 0
    defenders = count(state.scratch_port[to])
    if defenders > 0:
        if cavalry + soldiers >= defenders:  # a losing attack is never made (ALJ-05)
            slay(state, to)
            march_all(state, here, cavalry, soldiers, to)
            decided(state, box)
        return 0
    room = CAPACITY - castilians(state, to)
    cavalry = min(cavalry, room)
    soldiers = min(soldiers, room - cavalry)
    if cavalry + soldiers <= 0:
        return 0
    if charging and box.trap[to] != 0:
        fall_into_trap(state, box, here, to, cavalry, soldiers)
        cavalry = 0
    else:
        march_all(state, here, cavalry, soldiers, to)
    decided(state, box)
    return cavalry


@kernel
def slay(state: Any, here: int) -> None:
    """Eliminate all white pieces on a hex."""
    for piece in range(PIECES):
        if state.piece_hex[piece] == here:
            state.piece_hex[piece] = GONE
    state.scratch_port[here] = 0


@kernel
def fall_into_trap(state: Any, box: Any, here: int, trap: int, cavalry: int, soldiers: int) -> None:
    """One die for the pieces that enter a trap (chapter 10, ALJ-16); those already there are not affected."""
    die = randint(state.rng, 6)
    if die < WHITE:
        march_all(state, here, cavalry, soldiers, trap)
    elif die < SKULL:
        march_all(state, here, 0, soldiers, NOWHERE)
        march(state, here, CAVALRY, cavalry, trap, SOLDIER)
    else:
        back = int(box.back[trap])
        if back == here:  # they only come back to where they started
            return
        room = room_on(state, back)
        riders = min(cavalry, room)
        others = min(soldiers, room - riders)
        march_all(state, here, riders, others, back)
        march_all(state, here, cavalry - riders, soldiers - others, NOWHERE)


@kernel
def room_on(state: Any, here: int) -> int:
    """Return how many Castilians can retreat to a hex; none if it is off the board or holds a white piece."""
    if here < 0 or state.scratch_port[here] != 0:
        return 0
    return CAPACITY - castilians(state, here)


@kernel
def portuguese_behind(state: Any, box: Any, here: int) -> bool:
    """Return whether a white piece stands further back in the same card row (ALJ-20)."""
    row = box.card_row[here]
    behind = 0
    for n in range(box.place[here] + 1, box.order_n[row]):
        behind |= int(state.scratch_port[box.order[row, n]])
    return behind != 0


@kernel
def lateral(state: Any, box: Any, row: int) -> None:
    """Yellow: from the front, every group goes one hex back towards the centre row, without traps (ALJ-19)."""
    for n in range(box.order_n[row]):
        here = box.order[row, n]
        for side in range(2):
            state.scratch_line[here, side] = unmoved(state, here, side)
    for n in range(box.order_n[row]):
        here = int(box.order[row, n])
        cavalry, soldiers = int(state.scratch_line[here, CAVALRY]), int(state.scratch_line[here, SOLDIER])
        if cavalry + soldiers > 0 and state.result == 0 and not portuguese_behind(state, box, here):
            step_group(state, box, here, int(box.back[here]), cavalry, soldiers, False)


@kernel
def regroup(state: Any, box: Any, row: int) -> None:
    """Red: in each forward chain the first group stops and the others close up to it (ALJ-22)."""
    led = 0  # chains that have a first group
    for n in range(box.order_n[row]):
        lead = int(box.order[row, n])
        chain = 1 << int(box.chain[lead])
        if led & chain == 0 and castilians(state, lead) > 0 and not portuguese_behind(state, box, lead):
            led |= chain
            while close_up(state, box, row, n):
                pass


@kernel
def close_up(state: Any, box: Any, row: int, first: int) -> bool:
    """Advance every piece behind the first group as far as there is room, cavalry first; return whether one moved."""
    lead = int(box.order[row, first])
    changed = False
    for side in range(2):
        for n in range(first + 1, box.order_n[row]):
            here = int(box.order[row, n])
            if box.chain[here] != box.chain[lead]:
                continue
            for _ in range(unmoved(state, here, side)):
                to = furthest(state, box, here, lead)
                if to == here:
                    break
                march(state, here, side, 1, to, side)
                changed = True
    return changed


@kernel
def furthest(state: Any, box: Any, here: int, lead: int) -> int:
    """Return how far a piece can close up: hex by hex, at most to the first group, while the next has room."""
    to = here
    while to != lead:
        ahead = int(box.chain_next[to])
        if ahead < 0 or castilians(state, ahead) >= CAPACITY:
            break
        to = ahead
    return to


# ---- a Portuguese turn (chapters 6, 7.2, 8.2, 9) ----


@kernel
def begin_turn(state: Any, seat: int) -> None:
    """Give a seat the free or extra turn of `turn_kind`."""
    kind = state.turn_kind
    state.turn_seat = seat
    state.actor = seat
    state.swap_left = 1
    state.action_left = 1
    state.english_left = ENGLISH_SHOTS if kind == FREE else 0
    state.sweethearts_left = SWEETHEARTS_SHOTS if kind == FREE else 0
    back_to_menu(state)


@kernel
def back_to_menu(state: Any) -> None:
    """Let the same seat go on with its turn."""
    state.decision = MENU
    forget_choice(state)


@kernel
def forget_choice(state: Any) -> None:
    """Clear a choice that is complete."""
    state.pending_hex = NOWHERE
    state.pending_mask = 0
    state.pending_group = 0
    state.pending_piece = -1
    state.pending_origin = NOWHERE
    state.pending_flank = 0


@kernel
def end_turn(state: Any, box: Any) -> None:
    """End a turn: what is unused lapses; the next extra turn is offered, or the round ends."""
    state.swap_left = 0
    state.action_left = 0
    state.english_left = 0
    state.sweethearts_left = 0
    if state.turn_kind == EXTRA3:
        end_round(state, box)
    else:
        open_offer(state, box, state.turn_kind + 1)


@kernel
def can_swap(state: Any, box: Any, a: int, b: int) -> bool:
    """Return whether two pieces can change places: adjacent, not alike, neither hex English (ALJ-44)."""
    here, there = state.piece_hex[a], state.piece_hex[b]
    if here < 0 or there < 0 or box.english_spot[here] != 0 or box.english_spot[there] != 0:
        return False
    if alike(a, b):
        return False
    sides = 0
    for d in range(6):
        sides += box.walk[here, d] == there
    return sides > 0


@kernel
def alike(a: int, b: int) -> bool:
    """Return whether two pieces are of one family, or both English: changing their places does nothing."""
    return a >= 2 and a >> 1 == b >> 1


@kernel
def swap_exists(state: Any, box: Any) -> bool:
    """Return whether any swap is legal."""
    for a in range(PIECES):
        here = state.piece_hex[a]
        if here < 0 or box.english_spot[here] != 0:
            continue
        for d in range(3):  # each pair of hexes once
            there = box.walk[here, d]
            if there < 0 or box.english_spot[there] != 0:
                continue
            others = int(state.scratch_port[there])
            if a >= 2:
                others &= ~(3 << (a & ~1))  # the other piece of the family
            if others != 0:
                return True
    return False


@kernel
def swap(state: Any, a: int, b: int) -> None:
    """Change the places of two pieces."""
    here, there = state.piece_hex[a], state.piece_hex[b]
    state.piece_hex[a] = there
    state.piece_hex[b] = here
    state.swap_left = 0


@kernel
def can_move(state: Any, box: Any, size: int, english: bool, to: int) -> bool:
    """Return whether a group can step to a hex (-1: none): room, or an enemy that is not stronger (ALJ-38, ALJ-45)."""
    if to < 0 or (box.english_spot[to] != 0 and not english):
        return False
    enemies = castilians(state, to)
    if enemies > 0:
        return size >= enemies or box.suicide_attacks != 0
    return count(state.scratch_port[to]) + size <= CAPACITY


@kernel
def group_can_move(state: Any, box: Any, here: int, group: int) -> bool:
    """Return whether a group has a legal step."""
    size, english = count(group), group & ~LONGBOWS == 0
    ways = 0
    for d in range(6):
        ways += can_move(state, box, size, english, int(box.walk[here, d]))
    return ways > 0


@kernel
def subset(pieces: int, mask: int) -> int:
    """Return the pieces of a hex that a mask over their order picks; 0 if it picks one that is not there."""
    group, place = 0, 0
    for piece in range(PIECES):
        if (pieces >> piece) & 1:
            if (mask >> place) & 1:
                group |= 1 << piece
            place += 1
    return group if mask >> place == 0 else 0


@kernel
def hex_can_move(state: Any, box: Any, here: int) -> bool:
    """Return whether some of the pieces on a hex have a legal step: alone into room, or all against an enemy."""
    pieces = int(state.scratch_port[here])
    longbows = count(pieces & LONGBOWS)
    size = count(pieces)
    for d in range(6):
        to = int(box.walk[here, d])
        if to < 0:
            continue
        strongest = longbows if box.english_spot[to] != 0 else size
        if strongest == 0:
            continue
        if castilians(state, to) == 0:
            strongest = 1
        if can_move(state, box, strongest, True, to):
            return True
    return False


@kernel
def move_exists(state: Any, box: Any) -> bool:
    """Return whether any white piece can move."""
    for piece in range(PIECES):
        here = state.piece_hex[piece]
        if here >= 0 and hex_can_move(state, box, int(here)):
            return True
    return False


@kernel
def move_group(state: Any, box: Any, direction: int) -> None:
    """Carry out a step of the chosen group; with a leader and without combat a second one is asked (chapter 7.2)."""
    here = int(state.pending_hex)
    group = int(state.pending_group)
    to = int(box.neighbour[here, direction])
    second = state.decision == SECOND_STEP
    state.action_left = 0
    fight = castilians(state, to) > 0
    won = not fight or attack(state, box, group, to, direction)
    for piece in range(PIECES):
        if (group >> piece) & 1:
            state.piece_hex[piece] = to if won else GONE
    muster(state)
    if fight or second or group & LEADERS == 0:
        back_to_menu(state)
    else:
        state.decision = SECOND_STEP
        state.pending_origin = here
        state.pending_hex = to


@kernel
def attack(state: Any, box: Any, group: int, to: int, direction: int) -> bool:
    """Fight for a hex (chapter 8.2): soldiers die, cavalry is pushed on and becomes soldiers; False: the group dies."""
    if count(group) < castilians(state, to):
        return False
    killed = soldiers_on(state, to)
    send(state, to, SOLDIER, killed, NOWHERE, SOLDIER)
    cavalry = cavalry_on(state, to)
    beyond = int(box.neighbour[to, direction])
    pushed = min(cavalry, room_on(state, beyond))
    send(state, to, CAVALRY, pushed, beyond, SOLDIER)
    send(state, to, CAVALRY, cavalry - pushed, NOWHERE, SOLDIER)
    killed += cavalry - pushed
    for piece in range(FIRST_FAMILY_PIECE, PIECES):
        if (group >> piece) & 1:
            credit(state, piece, killed)
    return True


@kernel
def credit(state: Any, piece: int, killed: int) -> None:
    """Give a piece's family its points; King, Nuno and English score for nobody (ALJ-49)."""
    if piece >= FIRST_FAMILY_PIECE:
        state.kills[(piece - FIRST_FAMILY_PIECE) >> 1] += killed


@kernel
def is_free(state: Any, box: Any, here: int) -> bool:
    """Return whether a shot can pass a hex: no piece and no trees; a place with no hex is free."""
    return here < 0 or (box.trees[here] == 0 and state.scratch_port[here] == 0 and castilians(state, here) == 0)


@kernel
def is_clear(state: Any, box: Any, archer: int, n: int) -> bool:
    """Return whether the shot from a hex at its n-th hex in range is clear (chapter 9, ALJ-40)."""
    for stage in range(1, 5, 2):
        left, right = int(box.shots[archer, n, stage]), int(box.shots[archer, n, stage + 1])
        if not is_free(state, box, left) and not is_free(state, box, right):
            return False
    return True


@kernel
def targets_from(state: Any, box: Any, archer: int, mask: Any, mark: bool) -> bool:
    """Return whether an archer's hex has a clear target; with `mark` mark all of them."""
    found = False
    for n in range(box.shots_n[archer]):
        target = int(box.shots[archer, n, 0])
        if castilians(state, target) > 0 and is_clear(state, box, archer, n):
            if not mark:
                return True
            mask[A_HEX + target] = 1
            found = True
    return found


@kernel
def shoots_for(state: Any, box: Any, piece: int, flank: int) -> bool:
    """Return whether a piece is an archer now: English on their hexes, others on two-arrow hexes (ALJ-35, ALJ-36)."""
    here = state.piece_hex[piece]
    if here < 0:
        return False
    english = piece >> 1 == 1
    return english and box.english_spot[here] != 0 if flank == ENGLISH else not english and box.two_arrow[here] != 0


@kernel
def archers(state: Any, box: Any, flank: int, mask: Any, want: int) -> bool:
    """Return whether a flank has a clear target (`ANY`); mark all its targets, or the pieces that have one."""
    found = False
    for piece in range(PIECES):
        if shoots_for(state, box, piece, flank):
            clear = targets_from(state, box, int(state.piece_hex[piece]), mask, want == TARGETS)
            found = found or clear
            if clear and want == SHOOTERS:
                mask[A_PIECE + piece] = 1
            if clear and want == ANY:
                break
    return found


@kernel
def shoot(state: Any, box: Any, side: int) -> None:
    """Throw the die for one shot at one piece (chapter 9, ALJ-43)."""
    target = int(state.pending_hex)
    if state.pending_flank == ENGLISH:
        state.english_left -= 1
    else:
        state.sweethearts_left -= 1
    die = randint(state.rng, 6)
    killed = 0
    if die >= SKULL:
        back = int(box.back[target])
        if room_on(state, back) > 0:
            send(state, target, side, 1, back, side)
        else:
            send(state, target, side, 1, NOWHERE, side)
            killed = 1
    elif die >= WHITE:
        if side == CAVALRY:
            send(state, target, CAVALRY, 1, target, SOLDIER)
        else:
            send(state, target, SOLDIER, 1, NOWHERE, SOLDIER)
            killed = 1
    if killed > 0 and state.pending_piece >= 0:
        credit(state, state.pending_piece, killed)
    back_to_menu(state)


# ---- extra turns (chapter 12) ----


@kernel
def offer_seat(state: Any, box: Any, n: int) -> int:
    """Return the n-th seat that may pay for the turn on offer, from the free player's left; -1 = none (ALJ-52)."""
    players = int(box.num_players)
    reading = int(box.turn3_excluded) if state.turn_kind == EXTRA3 else 0
    for i in range(1, players + 1):
        seat = (int(state.free_player) + i) % players
        free = i == players
        last = seat == state.turn_seat
        if (free and reading != 1) or (last and reading != 0):
            continue
        if n == 0:
            return seat
        n -= 1
    return -1


@kernel
def open_offer(state: Any, box: Any, kind: int) -> None:
    """Offer extra turn 2 or 3."""
    state.turn_kind = kind
    state.asked = 0
    state.pledged[:, :] = 0
    forget_choice(state)
    if box.mode == SOLITARY:
        state.decision = BUY
        state.actor = 0
    else:
        state.decision = PLEDGE
        state.actor = offer_seat(state, box, state.asked)


@kernel
def pledged_points(state: Any, seat: int) -> int:
    """Return the points a seat has put up in the open offer."""
    return int(state.pledged[seat, 0]) + 2 * int(state.pledged[seat, 1])


@kernel
def cost(state: Any) -> int:
    """Return the price of the turn on offer."""
    return COSTS[1] if state.turn_kind == EXTRA3 else COSTS[0]


@kernel
def missing(state: Any, box: Any) -> int:
    """Return the points missing in the open offer; with simultaneous pledges always the full cost."""
    left = cost(state)
    if box.simultaneous == 0:
        for seat in range(box.num_players):
            left -= pledged_points(state, seat)
    return left


@kernel
def can_pledge(state: Any, box: Any, seat: int, n: int, left: int) -> bool:
    """Return whether a seat may make the n-th kind of pledge when `left` points are missing (ALJ-54)."""
    ones, twos = PLEDGE_ONES[n], PLEDGE_TWOS[n]
    points = ones + 2 * twos
    over = box.allow_overpay != 0 and ones == 0 and points == left + 1
    held = state.hand[seat, 1] >= ones and state.hand[seat, 2] >= twos
    return held and (points <= left or over)


@kernel
def answer(state: Any, box: Any, ones: int, twos: int) -> None:
    """Take a seat's pledge (none: a pass); close the offer once it is paid or all have been asked."""
    seat = state.actor
    state.pledged[seat, 0] = ones
    state.pledged[seat, 1] = twos
    state.asked += 1
    if box.simultaneous == 0 and ones + twos == 0:
        state.passes[seat] += 1
    paid = box.simultaneous == 0 and missing(state, box) <= 0
    following = offer_seat(state, box, state.asked)
    if following >= 0 and not paid:
        state.actor = following
    else:
        close_offer(state, box)


@kernel
def close_offer(state: Any, box: Any) -> None:
    """Take the pledged cards if they pay for the turn, else give all back; who plays it is ALJ-55."""
    bought = collect(state, box)
    controller, most = -1, 0
    for n in range(state.asked):
        seat = offer_seat(state, box, n)
        points = int(state.scratch_need[seat, 1]) + 2 * int(state.scratch_need[seat, 2])
        if points > most and (controller < 0 or box.first_controls == 0):
            controller, most = seat, points
        if box.simultaneous != 0 and pledged_points(state, seat) == 0:
            state.passes[seat] += 1
        remember_pledge(state, seat, bought)
    state.pledged[:, :] = 0
    state.asked = 0
    if bought:
        state.turns_bought[state.turn_kind - EXTRA2] += 1
        begin_turn(state, controller)
    else:
        end_round(state, box)


@kernel
def collect(state: Any, box: Any) -> bool:
    """Work out which cards are taken, clockwise, as far as they fit (ALJ-76); return whether they meet the cost."""
    left = cost(state)
    taken = state.scratch_need
    taken[:, :] = 0
    for n in range(state.asked):
        seat = offer_seat(state, box, n)
        for _ in range(state.pledged[seat, 1]):
            if left >= 2 or (left == 1 and box.allow_overpay != 0):
                taken[seat, 2] += 1
                left -= 2
        for _ in range(state.pledged[seat, 0]):
            if left >= 1:
                taken[seat, 1] += 1
                left -= 1
    return left <= 0


@kernel
def remember_pledge(state: Any, seat: int, bought: bool) -> None:
    """Put away the cards taken from a seat; what it showed and kept is known to all."""
    for value in range(1, 3):
        taken = int(state.scratch_need[seat, value]) if bought else 0
        state.hand[seat, value] -= taken
        state.spent[seat, value] += taken
        shown = max(int(state.known_held[seat, value - 1]), int(state.pledged[seat, value - 1]))
        state.known_held[seat, value - 1] = max(0, shown - taken)


@kernel
def buy(state: Any, box: Any, yes: bool) -> None:
    """Solitary: buy the turn on offer, or go on to the next round."""
    if yes:
        state.turns_bought[state.turn_kind - EXTRA2] += 1
        begin_turn(state, state.free_player)
    else:
        state.passes[0] += 1
        end_round(state, box)


# ---- decisions ----


@kernel
def step(state: Any, box: Any, action: int) -> None:
    """Apply one decision and everything that follows by itself up to the next decision or the end."""
    muster(state)
    decision = state.decision
    if decision == PLACE_PIECE:
        state.pending_piece = action - A_PIECE
        state.decision = PLACE_HEX
    elif decision == PLACE_HEX:
        place(state, box, action - A_HEX)
    elif decision == PLEDGE:
        ones, twos = 0, 0
        if action != A_PASS:
            ones, twos = PLEDGE_ONES[action - A_PLEDGE], PLEDGE_TWOS[action - A_PLEDGE]
        answer(state, box, ones, twos)
    elif decision == BUY:
        buy(state, box, action == A_BUY)
    elif decision == MENU and action == A_END:
        end_turn(state, box)
    else:
        act(state, box, action)
        if state.result == 0 and decided(state, box):
            finish(state)


@kernel
def act(state: Any, box: Any, action: int) -> None:
    """Apply a decision inside a Portuguese turn."""
    decision = state.decision
    if decision == MENU:
        choose(state, action - A_MENU)
    elif decision == SWAP_A:
        state.pending_piece = action - A_PIECE
        state.decision = SWAP_B
    elif decision == SWAP_B:
        swap(state, int(state.pending_piece), action - A_PIECE)
        back_to_menu(state)
    elif decision == MOVE_FROM:
        state.pending_hex = action - A_HEX
        state.decision = MOVE_GROUP
    elif decision == MOVE_GROUP:
        state.pending_mask = action - A_GROUP + 1
        state.pending_group = subset(int(state.scratch_port[state.pending_hex]), action - A_GROUP + 1)
        state.decision = MOVE_DIR
    elif decision in (MOVE_DIR, SECOND_STEP):
        if action == A_STAY:
            back_to_menu(state)
        else:
            move_group(state, box, action - A_DIRECTION)
    elif decision == SHOOTER:
        state.pending_piece = action - A_PIECE
        state.decision = TARGET
    elif decision == TARGET:
        state.pending_hex = action - A_HEX
        state.decision = TARGET_TYPE
    elif decision == TARGET_TYPE:
        shoot(state, box, action - A_TARGET)


@kernel
def choose(state: Any, item: int) -> None:
    """Begin an item of the turn, or take the action as a volley (ALJ-33, ALJ-34)."""
    if item == SWAP:
        state.decision = SWAP_A
    elif item == MOVE:
        state.decision = MOVE_FROM
    elif item == SHOOT_ENGLISH:
        state.pending_flank = ENGLISH
        state.decision = TARGET
    elif item == SHOOT_SWEETHEARTS:
        state.pending_flank = SWEETHEARTS
        state.decision = SHOOTER
    else:
        state.action_left = 0
        if item == VOLLEY_ENGLISH:
            state.english_left += ENGLISH_SHOTS
        else:
            state.sweethearts_left += SWEETHEARTS_SHOTS


@kernel
def skippable(state: Any, box: Any) -> bool:
    """A forced pass is asked even under ``skip_forced``: its silence would tell the others of the hand (ALJ-74)."""
    return state.decision != PLEDGE


@kernel
def mask_pledges(state: Any, box: Any, seat: int, mask: Any) -> None:
    """Open a pass and the pledges that a seat may make."""
    mask[A_PASS] = 1
    left = missing(state, box)
    for n in range(6):
        mask[A_PLEDGE + n] = can_pledge(state, box, seat, n, left)


@kernel
def concurrent(state: Any, box: Any, seat: int, mask: Any) -> int:
    """With simultaneous pledges, let every seat that has yet to answer the offer decide at once (ALJ-76)."""
    mask[:] = 0
    if state.decision != PLEDGE or box.simultaneous == 0:
        return 0
    for n in range(state.asked, box.num_players):
        if offer_seat(state, box, n) == seat:
            mask_pledges(state, box, seat, mask)
            return 1
    return 0


@kernel
def legal(state: Any, box: Any, mask: Any) -> int:
    """Write the mask of the seat on turn, int8 (159,), and return the number of legal actions."""
    mask[:] = 0
    if state.over != 0:
        return 0
    muster(state)
    decision = state.decision
    if decision == MENU:
        mask_menu(state, box, mask)
    elif decision == PLEDGE:
        mask_pledges(state, box, int(state.actor), mask)
    elif decision == BUY:
        mask[A_PASS] = 1
        mask[A_BUY] = 1
    elif decision in (MOVE_DIR, SECOND_STEP):
        mask_direction(state, box, mask)
    elif decision == MOVE_GROUP:
        here = int(state.pending_hex)
        for choice in range(1, 8):
            group = subset(int(state.scratch_port[here]), choice)
            mask[A_GROUP + choice - 1] = group != 0 and group_can_move(state, box, here, group)
    elif decision == TARGET:
        if state.pending_flank == ENGLISH:
            archers(state, box, state.pending_flank, mask, TARGETS)
        else:
            targets_from(state, box, int(state.piece_hex[state.pending_piece]), mask, True)
    elif decision == TARGET_TYPE:
        for side in range(2):
            mask[A_TARGET + side] = of_side(state, int(state.pending_hex), side) > 0
    elif decision == SHOOTER:
        archers(state, box, state.pending_flank, mask, SHOOTERS)
    else:
        mask_places(state, box, mask)
    n = 0
    for i in range(mask.shape[0]):
        n += int(mask[i])
    return n


@kernel
def mask_menu(state: Any, box: Any, mask: Any) -> None:
    """Mark the items of a turn that can be completed."""
    acts = state.action_left != 0
    mask[A_END] = 1
    mask[A_MENU + SWAP] = state.swap_left != 0 and swap_exists(state, box)
    mask[A_MENU + MOVE] = acts and move_exists(state, box)
    for flank in range(2):
        shots = state.english_left if flank == ENGLISH else state.sweethearts_left
        if (acts or shots > 0) and archers(state, box, flank, mask, ANY):
            mask[A_MENU + SHOOT_ENGLISH + flank] = shots > 0
            mask[A_MENU + VOLLEY_ENGLISH + flank] = acts


@kernel
def mask_direction(state: Any, box: Any, mask: Any) -> None:
    """Mark the steps of the chosen group; the second may not lead back, or can be left out."""
    group = int(state.pending_group)
    here = int(state.pending_hex)
    size, english = count(group), group & ~LONGBOWS == 0
    for d in range(6):
        to = int(box.walk[here, d])
        back = state.pending_origin >= 0 and to == state.pending_origin
        mask[A_DIRECTION + d] = not back and can_move(state, box, size, english, to)
    if state.decision == SECOND_STEP:
        mask[A_STAY] = 1


@kernel
def mask_places(state: Any, box: Any, mask: Any) -> None:
    """Mark pieces to place or swap, and hexes to place on or move from."""
    decision = state.decision
    if decision == PLACE_HEX:
        for i in range(box.starts_n):
            here = box.starts[i]
            mask[A_HEX + int(here)] = state.scratch_port[here] == 0
    elif decision == MOVE_FROM:
        for piece in range(PIECES):
            here = state.piece_hex[piece]
            if here >= 0:
                mask[A_HEX + int(here)] = hex_can_move(state, box, int(here))
    elif decision == PLACE_PIECE:
        for piece in range(FIRST_FAMILY_PIECE, PIECES):
            mask[A_PIECE + piece] = state.to_place[piece] == state.actor
    elif decision == SWAP_B:
        for b in range(PIECES):
            mask[A_PIECE + b] = can_swap(state, box, int(state.pending_piece), b)
    elif decision == SWAP_A:
        for a in range(PIECES):
            for b in range(a):
                if can_swap(state, box, a, b):
                    mask[A_PIECE + a] = 1
                    mask[A_PIECE + b] = 1


# ---- scores (chapters 13, 14) ----


@kernel
def survivors(state: Any, family: int) -> int:
    """Return how many pieces of a family have not been eliminated."""
    piece = FIRST_FAMILY_PIECE + 2 * family
    return int(state.piece_hex[piece] != GONE) + int(state.piece_hex[piece + 1] != GONE)


@kernel
def family_score(state: Any, family: int) -> int:
    """Return the points of a family: eliminations, and 2 for each surviving piece."""
    return int(state.kills[family]) + SURVIVOR * survivors(state, family)


@kernel
def points_spent(state: Any) -> int:
    """Return the price of all turns bought so far."""
    return COSTS[0] * int(state.turns_bought[0]) + COSTS[1] * int(state.turns_bought[1])


@kernel
def total(state: Any, box: Any, seat: int) -> int:
    """Return a player's total: families and cards held; solitary: all families less the points spent."""
    points = 0
    for family in range(FAMILIES):
        if state.family_owner[family] == seat or box.mode == SOLITARY:
            points += family_score(state, family)
    if box.mode == SOLITARY:
        return points - points_spent(state)
    return points + int(state.hand[seat, 1]) + 2 * int(state.hand[seat, 2])


@kernel
def outcome(state: Any, box: Any, kind: int, out: Any) -> None:
    """Write the utility of each seat: 0 win, 1 placement, 2 margin, 3 the printed score; 0 before the end."""
    players = int(box.num_players)
    for seat in range(players):
        out[seat] = 0.0
        if state.result == WON and kind == 3:
            out[seat] = total(state, box, seat)
        elif state.result != 0 and kind != 3:
            if box.mode == SOLITARY or box.mode == COOPERATIVE:
                out[seat] = shared_utility(state, box, kind)
            elif state.result == LOST:
                out[seat] = -1.0
            else:
                weight = float(box.collective_weight)
                out[seat] = weight + (1.0 - weight) * individual_utility(state, box, kind, seat)


@kernel
def shared_utility(state: Any, box: Any, kind: int) -> float:
    """Return the common utility of the solitary and the cooperative game (ALJ-84)."""
    won = state.result == WON
    if kind != 2:
        return 1.0 if won else -1.0
    if box.mode == SOLITARY:
        return 0.5 + 0.5 * total(state, box, 0) / 372.0 if won else -1.0
    if won:
        alive = 0
        for family in range(FAMILIES):
            alive += survivors(state, family)
        return 0.5 + 0.5 * alive / 24.0
    return -1.0 + 0.5 * (int(state.dead[BLUE]) + int(state.dead[GOLD])) / 108.0


@kernel
def individual_utility(state: Any, box: Any, kind: int, seat: int) -> float:
    """Return a seat's zero-sum share of a victory."""
    players = int(box.num_players)
    own = total(state, box, seat)
    better, tied, greatest, others = 0, 0, 1, 0
    for other in range(players):
        points = total(state, box, other)
        greatest = max(greatest, points)
        if other != seat:
            others += points
            better += points > own
            tied += points == own
    if kind == 2:
        return (own - others / (players - 1)) / greatest
    if kind == 1:
        return 1.0 - 2.0 * (better + 0.5 * tied) / (players - 1)
    if better > 0:
        return -1.0 / (players - 1)
    return (players / (tied + 1.0) - 1.0) / (players - 1)


# ---- invariants ----


@kernel
def check(state: Any, box: Any) -> int:
    """Return 0, or the number of the first broken invariant (``GAME.invariants``)."""
    if not fields_in_range(state, box):
        return 16
    muster(state)
    code = check_castilians(state, box)
    if code == 0:
        code = check_white_pieces(state, box)
    if code == 0:
        code = check_cards(state, box)
    if code == 0:
        code = check_waves(state, box)
    if code == 0:
        code = check_turn(state, box)
    if code == 0 and state.over == 0 and legal(state, box, state.scratch_mask[:]) == 0:
        code = 17
    return code


@kernel
def within(array: Any, low: int, high: int) -> bool:
    """Return whether all entries of a one-dimensional array lie in a range."""
    outside = 0
    for i in range(array.shape[0]):
        outside += array[i] < low or array[i] > high
    return outside == 0


@kernel
def fields_in_range(state: Any, box: Any) -> bool:
    """Return whether every field lies in its range, so that the other tests can use it as an index."""
    players = int(box.num_players)
    hexes = int(box.hexes)
    good = (
        within(state.piece_hex[:], UNPLACED, hexes - 1)
        and within(state.reserve[:], 0, ARMY)
        and within(state.dead[:], 0, ARMY)
    )
    good = good and within(state.family_owner[:], -1, players - 1) and within(state.kills[:], 0, 216)
    good = (
        good
        and within(state.deck[:], 0, 3)
        and within(state.row_card[:], -1, 3)
        and within(state.to_place[:], -1, players - 1)
    )
    good = good and within(state.passes[:], 0, 36) and within(state.turns_bought[:], 0, ROUNDS)
    for here in range(state.cast.shape[0]):
        for colour in range(2):
            top = CAPACITY if here < hexes else 0
            good = good and within(state.cast[here, colour], 0, top)
    for seat in range(state.hand.shape[0]):
        good = good and within(state.hand[seat], 0, 36) and within(state.spent[seat], 0, 36)
        good = good and within(state.pledged[seat], 0, 3) and within(state.known_held[seat], 0, 3)
    good = good and 0 <= state.deck_pos <= CARDS and 1 <= state.round_no <= ROUNDS and 0 <= state.free_player < players
    good = good and -1 <= state.turn_seat < players and SETUP <= state.turn_kind <= EXTRA3
    good = good and 0 <= state.decision <= BUY and 0 <= state.result <= LOST and 0 <= state.over <= 1
    good = good and 0 <= state.wave2 <= 1 and 0 <= state.flank <= 1 and 0 <= state.asked < players
    good = good and NOWHERE <= state.pending_hex < hexes and NOWHERE <= state.pending_origin < hexes
    good = good and -1 <= state.pending_piece < PIECES and 0 <= state.pending_mask <= 7
    good = good and 0 <= state.pending_group < 1 << PIECES and 0 <= state.pending_flank <= 1
    if state.over != 0:
        return good and state.actor == -1 and state.decision == 0 and state.result != 0
    return good and 0 <= state.actor < players and state.decision != 0 and state.result == 0


@kernel
def check_castilians(state: Any, box: Any) -> int:
    """Test the numbers of Castilians."""
    for colour in range(2):
        if on_board(state, colour) + int(state.reserve[colour]) + int(state.dead[colour]) != ARMY:
            return 1
    for here in range(box.hexes):
        n = castilians(state, here)
        if n > CAPACITY:
            return 2
        if n > 0 and state.scratch_port[here] != 0:
            return 3
    return 0


@kernel
def check_white_pieces(state: Any, box: Any) -> int:
    """Test where the white pieces stand."""
    held = 0
    for piece in range(PIECES):
        waiting = state.piece_hex[piece] == UNPLACED
        if waiting != (state.to_place[piece] >= 0) or (waiting and piece < FIRST_FAMILY_PIECE):
            return 4
        held += waiting
    if (held > 0) != (state.turn_kind == SETUP):
        return 4
    for here in range(box.hexes):
        pieces = int(state.scratch_port[here])
        if count(pieces) > CAPACITY or (pieces != 0 and box.inside[here] == 0):
            return 5
        if box.english_spot[here] != 0 and pieces & ~LONGBOWS != 0:
            return 6
    return 0


@kernel
def check_cards(state: Any, box: Any) -> int:
    """Test Victory Point cards, movement cards and families."""
    players = int(box.num_players)
    for value in range(3):
        n = 0
        for seat in range(state.hand.shape[0]):
            n += int(state.hand[seat, value]) + int(state.spent[seat, value])
        if n > VP_TOTAL[value]:
            return 7
    for seat in range(state.hand.shape[0]):
        n = 0
        for value in range(3):
            n += int(state.hand[seat, value]) + int(state.spent[seat, value])
            if value > 0:
                least = max(int(state.known_held[seat, value - 1]), int(state.pledged[seat, value - 1]))
                if state.hand[seat, value] < least:
                    return 7
        if n != (box.vp_each if seat < players else 0) or state.spent[seat, 0] != 0:
            return 7
    for card in range(4):
        n = 0
        for i in range(CARDS):
            n += state.deck[i] == card
        if n != CARD_TOTAL[card]:
            return 8
    for seat in range(players):
        n = 0
        for family in range(FAMILIES):
            n += state.family_owner[family] == seat
        if n != box.families_each:
            return 9
    return 0


@kernel
def check_waves(state: Any, box: Any) -> int:
    """Test reserves, the waves and the cards laid."""
    fighting = state.turn_kind != SETUP
    early = state.wave2 == 0 and (state.reserve[GOLD] != ARMY or state.flank != 0)
    late = fighting and state.round_no >= SECOND_WAVE and (state.wave2 == 0 or state.flank == 0)
    soon = state.wave2 != 0 and state.round_no < EARLY_ROUNDS[0]
    waiting = state.wave2 != 0 and state.flank == 0
    if early or late or soon or (waiting and (box.flank_waits == 0 or state.reserve[GOLD] < ENTRY_GROUP)):
        return 10
    laid = 0
    for row in range(ROWS):
        laid += state.row_card[row] >= 0
    fits = laid == ROWS - 1 and state.row_card[FLANK_ROW] < 0 if state.flank == 0 else laid == ROWS
    if (fighting and not fits) or (not fighting and laid != 0):
        return 11
    if state.over == 0 and (state.piece_hex[KING] == GONE or castilians(state, box.king_hex) > 0):
        return 12
    return 0


@kernel
def check_turn(state: Any, box: Any) -> int:
    """Test counters, payments and the pending choice."""
    good = 0 <= state.swap_left <= 1 and 0 <= state.action_left <= 1
    good = (
        good and 0 <= state.english_left <= 2 * ENGLISH_SHOTS and 0 <= state.sweethearts_left <= 2 * SWEETHEARTS_SHOTS
    )
    if not good:
        return 13
    points = 0
    for seat in range(state.spent.shape[0]):
        points += int(state.spent[seat, 1]) + 2 * int(state.spent[seat, 2])
    price = points_spent(state)
    second, third = int(state.turns_bought[0]), int(state.turns_bought[1])
    if third > second or second > state.round_no:
        return 14
    if box.mode == SOLITARY:
        if points != 0:
            return 14
    elif points != price and (box.allow_overpay == 0 or not price < points <= price + second + third):
        return 14
    return 0 if state.over != 0 or choice_fits(state, box) else 15


@kernel
def choice_fits(state: Any, box: Any) -> bool:
    """Return whether turn, actor and pending choice belong to the decision."""
    decision = state.decision
    if (decision in (PLACE_PIECE, PLACE_HEX)) != (state.turn_kind == SETUP):
        return False
    if decision == PLACE_HEX:
        return state.pending_piece >= 0 and state.to_place[state.pending_piece] == state.actor
    if decision == PLACE_PIECE:
        return True
    if (decision == BUY) != (box.mode == SOLITARY and decision >= PLEDGE):
        return False
    if decision >= PLEDGE:
        if (
            state.turn_seat < 0
            or state.turn_kind < EXTRA2
            or (state.turn_kind == EXTRA2 and state.turn_seat != state.free_player)
        ):
            return False
        return decision == BUY or state.actor == offer_seat(state, box, state.asked)
    if state.actor != state.turn_seat or (state.turn_kind == FREE and state.turn_seat != state.free_player):
        return False
    if decision == SWAP_B:
        return state.pending_piece >= 0
    if decision == MOVE_GROUP:
        return state.pending_hex >= 0
    if decision in (MOVE_DIR, SECOND_STEP):
        if state.pending_hex < 0 or state.pending_group == 0:
            return False
        return int(state.scratch_port[state.pending_hex]) & int(state.pending_group) == state.pending_group
    if decision == SHOOTER:
        return state.pending_flank == SWEETHEARTS
    if decision == TARGET and state.pending_flank == SWEETHEARTS:
        return state.pending_piece >= 0 and shoots_for(state, box, int(state.pending_piece), SWEETHEARTS)
    if decision == TARGET_TYPE:
        return state.pending_hex >= 0
    return True
