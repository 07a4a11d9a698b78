"""The captain: a rule-based player that looks one step and three Castilian phases ahead.

It tries each move and shot on a plain board (cavalry, soldiers and white pieces by hex) and weighs the position now and
after one, two and three unanswered phases in which all cards are green and all dice white.
Players differ in what they buy: ``heuristic`` turn 2 always and turn 3 in danger, ``never_buy`` nothing, ``turn_2``
turn 2 only, ``always_both`` both, ``defector`` as the captain, but only when all others have been asked.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.games.aljubarrota.game import (
    BUY,
    CAPACITY,
    EXTRA3,
    FIRST_FAMILY_PIECE,
    FLANK_ROW,
    FREE,
    FRONT,
    MENU,
    MOVE_DIR,
    MOVE_FROM,
    MOVE_GROUP,
    PIECES,
    PLACE_HEX,
    PLACE_PIECE,
    PLEDGE,
    ROWS,
    SECOND_STEP,
    SEMI_COOPERATIVE,
    SHOOTER,
    SWAP_A,
    SWAP_B,
    TARGET,
)
from lusogames_env.games.aljubarrota.rules import (
    A_BUY,
    A_DIRECTION,
    A_END,
    A_GROUP,
    A_HEX,
    A_MENU,
    A_PASS,
    A_PIECE,
    A_PLEDGE,
    A_STAY,
    A_TARGET,
    CAVALRY,
    KING,
    LEADERS,
    LONGBOWS,
    MOVE,
    SHOOT_ENGLISH,
    SOLDIER,
    SWAP,
    VOLLEY_ENGLISH,
    can_move,
    can_swap,
    cavalry_on,
    count,
    is_clear,
    missing,
    muster,
    offer_seat,
    shoots_for,
    soldiers_on,
    subset,
)

CAPTAIN, NEVER_BUY, TURN_2, ALWAYS_BOTH, DEFECTOR = 0, 1, 2, 3, 4
NOW, TRIED, AHEAD = 0, 1, 2  # boards of the look-ahead
WHITE_PIECES = 2  # third column of a board
PHASES = 4  # now, and after one, two and three phases
WEIGHTS, FALLEN = (0.2, 0.4, 0.25, 0.15), (-1000.0, -600.0, -350.0, -200.0)
WORST = -1.0e9
CLEAR_BONUS = 1.0e6
CLEAR_GAIN = 8.0  # gain of an attack that is made before anything else
VOLLEY_WORTH = (2.4, 1.8)  # a volley in units of its best single shot: English, Sweethearts
OWN = 0.01  # a nudge towards own families among equal choices


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """Return the decision of a rule-based player for the seat on turn; it draws nothing from `rng`."""
    muster(state)
    decision = state.decision
    choice = -1
    if decision in (PLACE_PIECE, PLACE_HEX):
        choice = choose_placement(state, box, mask)
    elif decision in (PLEDGE, BUY):
        choice = choose_payment(state, box, mask, kind)
    else:
        choice = choose_in_turn(state, box, mask)
    if choice >= 0 and mask[choice] != 0:
        return choice
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            return action
    return -1


@kernel
def is_own(state: Any, box: Any, piece: int) -> bool:
    """Return whether a piece belongs to the own families; only the semi-cooperative player cares."""
    if box.mode != SEMI_COOPERATIVE or piece < FIRST_FAMILY_PIECE:
        return False
    return state.family_owner[(piece - FIRST_FAMILY_PIECE) // 2] == state.actor


# ---- placement ----


@kernel
def next_start(state: Any, box: Any) -> int:
    """Return the best free start space."""
    best, worth = -1, -1
    for i in range(box.starts_n):
        here = int(box.starts[i])
        if state.scratch_port[here] == 0 and box.start_worth[here] > worth:
            best, worth = here, int(box.start_worth[here])
    return best


@kernel
def choose_placement(state: Any, box: Any, mask: Any) -> int:
    """Fill the start spaces in order of worth: front, archers, the nearer to the King the sooner, at last the wings.

    Strangers go to the front, own pieces to the archers and behind.
    """
    here = next_start(state, box)
    if state.decision == PLACE_HEX:
        return A_HEX + here
    want_own = box.start_worth[here] < FRONT
    choice = -1
    for piece in range(PIECES):
        if mask[A_PIECE + piece] != 0 and (choice < 0 or is_own(state, box, piece) == want_own):
            choice = A_PIECE + piece
            if is_own(state, box, piece) == want_own:
                break
    return choice


# ---- the look-ahead ----


@kernel
def copy_board(state: Any) -> None:
    """Write the position into the first board."""
    board = state.scratch_board
    for here in range(board.shape[1]):
        board[NOW, here, CAVALRY] = cavalry_on(state, here)
        board[NOW, here, SOLDIER] = soldiers_on(state, here)
        board[NOW, here, WHITE_PIECES] = count(state.scratch_port[here])


@kernel
def copy_to(board: Any, source: int, target: int) -> None:
    """Copy one board to another."""
    for here in range(board.shape[1]):
        for column in range(3):
            board[target, here, column] = board[source, here, column]


@kernel
def enemies(board: Any, b: int, here: int) -> int:
    """Return the Castilians on a hex of a board."""
    return int(board[b, here, CAVALRY]) + int(board[b, here, SOLDIER])


@kernel
def green_phase(state: Any, box: Any, king: int) -> bool:
    """Play a phase of green cards and white dice on the third board; return whether Portugal falls."""
    board, moved = state.scratch_board, state.scratch_moved
    moved[:, :] = 0
    for row in range(ROWS):
        for n in range(box.order_n[row]):
            here = int(box.order[row, n])
            cavalry = int(board[AHEAD, here, CAVALRY]) - int(moved[here, CAVALRY])
            soldiers = int(board[AHEAD, here, SOLDIER]) - int(moved[here, SOLDIER])
            for _ in range(2):
                to = int(box.forward[here])
                if to < 0 or cavalry + soldiers == 0:
                    break
                defenders = int(board[AHEAD, to, WHITE_PIECES])
                if defenders > cavalry + soldiers:
                    break
                board[AHEAD, to, WHITE_PIECES] = 0
                room = CAPACITY - enemies(board, AHEAD, to)
                cavalry = min(cavalry, room)
                soldiers = min(soldiers, room - cavalry)
                carry(state, box, here, CAVALRY, cavalry, to, row)
                carry(state, box, here, SOLDIER, soldiers, to, row)
                entered = cavalry + soldiers > 0
                if entered and ((defenders > 0 and to == king) or to == box.king_hex):
                    return True
                if defenders > 0 or box.trap[to] != 0:
                    break
                here = to
                soldiers = 0
    return False


@kernel
def carry(state: Any, box: Any, here: int, side: int, n: int, to: int, row: int) -> None:
    """Put Castilians on the next hex of the third board; without ``reentry`` they are done once in another row."""
    board, moved = state.scratch_board, state.scratch_moved
    board[AHEAD, here, side] -= n
    board[AHEAD, to, side] += n
    if box.reentry == 0:
        if box.card_row[here] != row:
            moved[here, side] -= n
        if box.card_row[to] != row:
            moved[to, side] += n


@kernel
def worth(board: Any, box: Any) -> float:
    """Return the static value of the third board."""
    v = 0.0
    flank = 0
    for here in range(box.hexes):
        whites = int(board[AHEAD, here, WHITE_PIECES])
        if whites > 0:
            v += 6.0 * whites
            if whites == 3:
                v += 9.0 * box.stack_weight[here]
            elif whites == 2:
                v += 4.0 * box.stack_weight[here]
            continue
        n = enemies(board, AHEAD, here)
        if n > 0:
            steps = int(box.to_king[here])
            v -= 3.0 * board[AHEAD, here, CAVALRY] + 2.2 * board[AHEAD, here, SOLDIER]
            v -= n * 0.35 * max(0, 14 - steps)
            if steps <= 3:
                v -= n * 3.0 * (4 - steps)
            if box.inside[here] != 0:
                v -= n * (1.0 if can_be_attacked(board, box, here, n) else 3.0)
            if box.card_row[here] == FLANK_ROW or here == box.flank_watch[0] or here == box.flank_watch[1]:
                flank += n
    v += 8.0 * board[AHEAD, box.king_hex, WHITE_PIECES]
    if flank > 0:
        guard = 0
        for i in range(4):
            if box.flank_guard[i] >= 0:
                guard = max(guard, int(board[AHEAD, box.flank_guard[i], WHITE_PIECES]))
        v += 6.0 * min(flank, guard)
    return v


@kernel
def can_be_attacked(board: Any, box: Any, here: int, n: int) -> bool:
    """Return whether a neighbouring stack is strong enough to attack a hex."""
    for d in range(6):
        there = int(box.walk[here, d])
        if there >= 0 and board[AHEAD, there, WHITE_PIECES] >= n:
            return True
    return False


@kernel
def value(state: Any, box: Any, king: int) -> float:
    """Weigh the second board: now and after one to three phases; the phase in which Portugal falls ends the sum."""
    board = state.scratch_board
    copy_to(board, TRIED, AHEAD)
    v = 0.0
    fallen = enemies(board, AHEAD, box.king_hex) > 0
    for phase in range(PHASES):
        if phase > 0:
            fallen = green_phase(state, box, king)
        if fallen:
            return v + FALLEN[phase]
        v += WEIGHTS[phase] * worth(board, box)
    return v


@kernel
def falls_within(state: Any, box: Any, phases: int) -> bool:
    """Return whether the King falls within some phases of green cards if nothing is done."""
    board = state.scratch_board
    copy_board(state)
    copy_to(board, NOW, AHEAD)
    fallen = False
    for _ in range(phases):
        fallen = fallen or green_phase(state, box, int(state.piece_hex[KING]))
    return fallen


# ---- moves ----


@kernel
def try_step(board: Any, box: Any, here: int, direction: int, size: int) -> bool:
    """Make a legal step on the second board; return whether there was combat."""
    to = int(box.walk[here, direction])
    n = enemies(board, TRIED, to)
    board[TRIED, here, WHITE_PIECES] -= size
    if n > size:  # a suicidal attack
        return True
    if n > 0:
        beyond = int(box.neighbour[to, direction])
        if beyond >= 0 and board[TRIED, beyond, WHITE_PIECES] == 0:
            pushed = min(int(board[TRIED, to, CAVALRY]), CAPACITY - enemies(board, TRIED, beyond))
            board[TRIED, beyond, SOLDIER] += pushed
        board[TRIED, to, CAVALRY] = 0
        board[TRIED, to, SOLDIER] = 0
    board[TRIED, to, WHITE_PIECES] += size
    return n > 0


@kernel
def trait(state: Any, box: Any, group: int) -> int:
    """Return a number that tells groups apart which do not do the same."""
    own = 0
    for piece in range(PIECES):
        if (group >> piece) & 1 and is_own(state, box, piece):
            own += 1
    english = group & ~LONGBOWS == 0
    return count(group) + 4 * (group & LEADERS) + 16 * english + 32 * own


@kernel
def seen_before(state: Any, box: Any, here: int, choice: int, group: int) -> bool:
    """Return whether an earlier mask picks a group from this hex that does the same."""
    this = trait(state, box, group)
    for earlier in range(1, choice):
        other = subset(int(state.scratch_port[here]), earlier)
        if other != 0 and trait(state, box, other) == this:
            return True
    return False


@kernel
def second_step_value(state: Any, box: Any, origin: int, here: int, group: int, king: int) -> tuple[float, int]:
    """Return the value of the best second step from the second board, and its direction (-1: stay)."""
    board = state.scratch_board
    size, english = count(group), group & ~LONGBOWS == 0
    best, way = value(state, box, king), -1
    for d in range(6):
        to = int(box.walk[here, d])
        if to == origin or not can_move(state, box, size, english, to):
            continue
        copy_to(board, NOW, TRIED)
        board[TRIED, origin, WHITE_PIECES] -= size
        board[TRIED, here, WHITE_PIECES] += size
        try_step(board, box, here, d, size)
        v = value(state, box, to if group & 1 else king)
        if v > best:
            best, way = v, d
    return best, way


@kernel
def best_move(state: Any, box: Any, base: float, hex_fixed: int, mask_fixed: int) -> tuple[float, int, int, int]:
    """Return the best move (value, hex, mask, direction), from all hexes and groups or from the given ones.

    In a free turn an attack whose gain over `base` is clear goes before everything else: `CLEAR_BONUS` is added to its
    value. An extra turn has nothing but this one action: there the best move counts, attack or not.
    """
    board = state.scratch_board
    best, best_hex, best_mask, best_way = WORST, -1, -1, -1
    for here in range(box.hexes):
        pieces = int(state.scratch_port[here])
        if pieces == 0 or (hex_fixed >= 0 and here != hex_fixed):
            continue
        for choice in range(1, 8):
            group = subset(pieces, choice)
            if group == 0 or (mask_fixed > 0 and choice != mask_fixed):
                continue
            if mask_fixed <= 0 and seen_before(state, box, here, choice, group):
                continue
            size, english = count(group), group & ~LONGBOWS == 0
            nudge = OWN * (trait(state, box, group) // 32)
            for d in range(6):
                to = int(box.walk[here, d])
                if not can_move(state, box, size, english, to) or enemies(board, NOW, to) > size:
                    continue
                fight = enemies(board, NOW, to) > 0
                v = try_move(state, box, here, d, group, fight) + nudge
                if fight and state.turn_kind == FREE and v > base + CLEAR_GAIN:
                    v += CLEAR_BONUS
                if v > best:
                    best, best_hex, best_mask, best_way = v, here, choice, d
    return best, best_hex, best_mask, best_way


@kernel
def try_move(state: Any, box: Any, here: int, direction: int, group: int, fight: bool) -> float:
    """Return the value of a move, with the best second step of a leader's group."""
    board = state.scratch_board
    copy_to(board, NOW, TRIED)
    try_step(board, box, here, direction, count(group))
    to = int(box.walk[here, direction])
    king = to if group & 1 else int(state.piece_hex[KING])
    if group & LEADERS != 0 and not fight:
        v, _ = second_step_value(state, box, here, to, group, king)
        return v
    return value(state, box, king)


# ---- shots ----


@kernel
def shot_value(state: Any, box: Any, target: int, side: int, base: float) -> float:
    """Return the expected value of a shot over the die."""
    board = state.scratch_board
    king = int(state.piece_hex[KING])
    copy_to(board, NOW, TRIED)
    board[TRIED, target, side] -= 1
    v = base
    for face in range(2):
        back = target if side == CAVALRY else -1
        to_side = SOLDIER
        if face == 1:
            to_side = side
            back = int(box.back[target])
            if back >= 0 and (board[TRIED, back, WHITE_PIECES] > 0 or enemies(board, TRIED, back) >= CAPACITY):
                back = -1
        if back >= 0:
            board[TRIED, back, to_side] += 1
        v += (2.0 + face) * value(state, box, king)
        if back >= 0:
            board[TRIED, back, to_side] -= 1
    return v / 6.0


@kernel
def best_shot(
    state: Any, box: Any, flank: int, base: float, shooter_fixed: int, target_fixed: int
) -> tuple[float, int, int, int]:
    """Return the best shot of a flank: value, piece, target, side."""
    board = state.scratch_board
    best, best_piece, best_target, best_side = WORST, -1, -1, -1
    for piece in range(PIECES):
        if not shoots_for(state, box, piece, flank) or (shooter_fixed >= 0 and piece != shooter_fixed):
            continue
        here = int(state.piece_hex[piece])
        nudge = OWN if is_own(state, box, piece) else 0.0
        for n in range(box.shots_n[here]):
            target = int(box.shots[here, n, 0])
            if enemies(board, NOW, target) == 0 or (target_fixed >= 0 and target != target_fixed):
                continue
            if not is_clear(state, box, here, n):
                continue
            for side in range(2):
                if board[NOW, target, side] > 0:
                    v = shot_value(state, box, target, side, base) + nudge
                    if v > best:
                        best, best_piece, best_target, best_side = v, piece, target, side
    return best, best_piece, best_target, best_side


# ---- a turn ----


@kernel
def choose_in_turn(state: Any, box: Any, mask: Any) -> int:
    """Choose inside a Portuguese turn."""
    board = state.scratch_board
    copy_board(state)
    copy_to(board, NOW, TRIED)
    base = value(state, box, int(state.piece_hex[KING]))
    decision = state.decision
    if decision == MENU:
        return choose_item(state, box, mask, base)
    if decision in (SWAP_A, SWAP_B):
        _, here, choice, _ = best_move(state, box, base, -1, 0)
        a, b = useful_swap(state, box, here, choice)
        return A_PIECE + (a if decision == SWAP_A else b)
    if decision in (MOVE_FROM, MOVE_GROUP, MOVE_DIR):
        hex_fixed = int(state.pending_hex) if decision != MOVE_FROM else -1
        mask_fixed = int(state.pending_mask) if decision == MOVE_DIR else 0
        _, here, choice, way = best_move(state, box, base, hex_fixed, mask_fixed)
        if decision == MOVE_FROM:
            return A_HEX + here
        return A_GROUP + choice - 1 if decision == MOVE_GROUP else A_DIRECTION + way
    if decision == SECOND_STEP:
        return choose_second_step(state, box, mask)
    shooter = int(state.pending_piece)
    target_fixed = int(state.pending_hex) if decision > TARGET else -1
    _, piece, target, side = best_shot(state, box, int(state.pending_flank), base, shooter, target_fixed)
    if decision == SHOOTER:
        return A_PIECE + piece
    return A_HEX + target if decision == TARGET else A_TARGET + side


@kernel
def choose_second_step(state: Any, box: Any, mask: Any) -> int:
    """Choose a leader's second step on the board as it stands."""
    board = state.scratch_board
    here, group = int(state.pending_hex), int(state.pending_group)
    best, way = WORST, -1
    for d in range(-1, 6):
        copy_to(board, NOW, TRIED)
        king = int(state.piece_hex[KING])
        if d >= 0:
            to = int(box.walk[here, d])
            if mask[A_DIRECTION + d] == 0 or enemies(board, NOW, to) > count(group):
                continue
            try_step(board, box, here, d, count(group))
            king = to if group & 1 else king
        v = value(state, box, king)
        if v > best:
            best, way = v, d
    return A_STAY if way < 0 else A_DIRECTION + way


@kernel
def choose_item(state: Any, box: Any, mask: Any, base: float) -> int:
    """Choose from the menu: a clear attack, then shots, then the move or a volley."""
    gain, move = 0.0, A_END
    if mask[A_MENU + MOVE] != 0:
        v, here, choice, way = best_move(state, box, base, -1, 0)
        gain = v - base
        if gain > 0.0:
            move = lead_in(state, box, mask, here, choice, way)
        if gain > CLEAR_BONUS / 2:
            return move
    best, item = 0.0, A_END
    volley, volley_item = 0.0, A_END
    for flank in range(2):
        shoot_now, later = mask[A_MENU + SHOOT_ENGLISH + flank] != 0, mask[A_MENU + VOLLEY_ENGLISH + flank] != 0
        if not shoot_now and not later:
            continue
        shot = best_shot(state, box, flank, base, -1, -1)[0] - base
        if shoot_now and shot > best:
            best, item = shot, A_MENU + SHOOT_ENGLISH + flank
        if later and VOLLEY_WORTH[flank] * shot > volley:
            volley, volley_item = VOLLEY_WORTH[flank] * shot, A_MENU + VOLLEY_ENGLISH + flank
    if item != A_END:
        return item
    return volley_item if volley > max(gain, 0.0) else move


@kernel
def lead_in(state: Any, box: Any, mask: Any, here: int, choice: int, way: int) -> int:
    """Return the menu item that begins a move: before an attack a useful swap, else the move itself."""
    fight = enemies(state.scratch_board, NOW, int(box.walk[here, way])) > 0
    if fight and mask[A_MENU + SWAP] != 0 and useful_swap(state, box, here, choice)[0] >= 0:
        return A_MENU + SWAP
    return A_MENU + MOVE


@kernel
def useful_swap(state: Any, box: Any, here: int, choice: int) -> tuple[int, int]:
    """Return an own piece next to the attacking group and a stranger in it to change places with; -1, -1: none."""
    if here < 0 or box.mode != SEMI_COOPERATIVE:
        return -1, -1
    group = subset(int(state.scratch_port[here]), choice)
    for a in range(FIRST_FAMILY_PIECE, PIECES):
        if not is_own(state, box, a) or state.piece_hex[a] < 0 or state.piece_hex[a] == here:
            continue
        for b in range(FIRST_FAMILY_PIECE, PIECES):
            if (group >> b) & 1 and not is_own(state, box, b) and can_swap(state, box, a, b):
                return a, b
    return -1, -1


# ---- extra turns ----


@kernel
def wants(state: Any, box: Any, kind: int) -> bool:
    """Return whether a player of this kind wants the turn on offer."""
    if kind == NEVER_BUY:
        return False
    if state.turn_kind != EXTRA3 or kind == ALWAYS_BOTH:
        return True
    return kind != TURN_2 and falls_within(state, box, 2)


@kernel
def choose_payment(state: Any, box: Any, mask: Any, kind: int) -> int:
    """Pay what is missing; for turn 2 only one point while two or more seats are still to be asked."""
    if not wants(state, box, kind):
        return A_PASS
    if state.decision == BUY:
        return A_BUY
    still_to_come = 0
    while offer_seat(state, box, int(state.asked) + 1 + still_to_come) >= 0:
        still_to_come += 1
    if kind == DEFECTOR and still_to_come > 0:
        return A_PASS
    if state.turn_kind != EXTRA3 and still_to_come >= 2 and mask[A_PLEDGE] != 0:
        return A_PLEDGE
    left = missing(state, box)
    first = A_PLEDGE + (0 if left == 1 else 2 if left == 2 else 4)
    other = A_PLEDGE + (2 if left == 1 else 1 if left == 2 else 3)
    if mask[first] != 0:
        return first
    return other if mask[other] != 0 else A_PASS
