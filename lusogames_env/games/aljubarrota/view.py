"""Draws Aljubarrota as text: the board hex by hex, then cards, seats and families, as a seat may know them."""

from __future__ import annotations

from string import ascii_lowercase, digits
from textwrap import wrap
from typing import Any

from lusogames_env.games.aljubarrota.game import (
    CARD_NAMES,
    DECISION_NAMES,
    DIRECTIONS,
    EXTRA2,
    EXTRA3,
    FAMILIES,
    FIRST_FAMILY_PIECE,
    MENU,
    PIECES,
    PLEDGE,
    ROWS,
    SETUP,
    SOLITARY,
    STEPS,
    WON,
    family_names,
    piece_name,
)

ARROW_SIGNS = {"NE": "/", "NW": "\\", "SE": "`", "SW": ",", "S": "v", "N": "^"}
PITCH = 9  # characters from column to column of the board
TURNS = ("set-up", "free turn", "extra turn 2", "extra turn 3")
MODES = ("semi-cooperative", "cooperative", "solitary")
LEGEND = (
    "o start space  2 Sweethearts  3 English  K King  N Nuno  E entry  x trap  T trees  = abatis",
    "# right-hand row  _ inside the line  / \\ ` , v arrow NE NW SE SW S",
    "c s blue cavalry, soldier  C S yellow ones  Ki Nu En leaders and English  CAPITALS own family",
)


def sign(box: Any, i: int) -> str:
    """Return the map sign of a hex: what it is, abatis and arrow."""
    row = box.components["hexes"]["list"][i].value
    signs = {"king": "K", "nuno": "N", "english": "3", "two_arrow": "2", "circle": "o", "entry": "E", "trap": "x"}
    signs |= {"trees": "T", "right_hand_row": "#"}
    kind = next((signs[mark] for mark in row["marks"] if mark in signs), "_" if row["zone"] == "P" else ".")
    return kind + "=" * ("abatis" in row["marks"]) + ARROW_SIGNS.get(row["arrow"], "")


def board_map(box: Any) -> list[str]:
    """Return the printed board without pieces: a line for each height, five characters for each column."""
    record = box.record[0]
    lines = []
    for h in range(int(record.h_max), -1, -1):
        line = ""
        for i in range(int(record.hexes)):
            if record.h[i] == h:
                line = line.ljust(2 + 5 * int(record.x[i])) + sign(box, i)
        lines.append(line)
    return lines


def short_names(box: Any) -> list[str]:
    """Return two letters for each family, all different."""
    found: list[str] = []
    for name in family_names(box):
        tries = [name[0] + letter for letter in name[1:] + digits + ascii_lowercase]
        found.append(next(text for text in tries if text not in found))
    return found


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the position as text, at most 100 columns: what `seat` may see, or all open with None."""
    parts = [_headline(state, box), "", *_board(state, box, seat), "", *LEGEND, "", *_cards(state), ""]
    parts += [*_seats(state, box, seat), "", *_families(state, box, seat), "", *_now(state, box, seat)]
    return "\n".join(line.rstrip() for line in parts)


def _headline(state: Any, box: Any) -> str:
    waves = "second wave, flank attack" if state.flank else "second wave" if state.wave2 else "first wave"
    reserve = f"reserve {state.reserve[0]} blue, {state.reserve[1]} yellow"
    text = f"ALJUBARROTA, {MODES[box.record[0].mode]} — round {state.round_no} of 18, {waves}"
    return f"{text}\nCastile: {reserve}, {int(state.dead[0]) + int(state.dead[1])} of 108 eliminated"


def _own(state: Any, box: Any, piece: int, seat: int | None) -> bool:
    family = (piece - FIRST_FAMILY_PIECE) // 2
    return bool(seat is not None and piece >= FIRST_FAMILY_PIECE and state.family_owner[family] == seat)


def _pieces(state: Any, box: Any, i: int, seat: int | None) -> str:
    """Return the pieces on a hex: ``2c1S``, or two letters for each white piece."""
    groups = [(state.cast[i, colour, side], "cCsS"[2 * side + colour]) for side in range(2) for colour in range(2)]
    text = "".join(f"{n}{letter}" for n, letter in groups if n)
    names = ["Ki", "Nu", "En", "En", *(name for name in short_names(box) for _ in range(2))]
    white = [p for p in range(PIECES) if state.piece_hex[p] == i]
    return text or " ".join(names[p].upper() if _own(state, box, p, seat) else names[p] for p in white)


def _board(state: Any, box: Any, seat: int | None) -> list[str]:
    record = box.record[0]
    names = [row["name"] for row in box.components["hexes"]["list"].value]
    lines = []
    for h in range(int(record.h_max), -1, -1):
        line = ""
        for i in range(int(record.hexes)):
            if record.h[i] == h:
                marks = "" if sign(box, i) == "." else ":" + sign(box, i)
                text = f"{names[i]}{marks} {_pieces(state, box, i, seat)}"
                line = line.ljust(PITCH * int(record.x[i])) + text
        lines.append(line)
    return lines


def _cards(state: Any) -> list[str]:
    laid = [f"{row + 1} {CARD_NAMES[state.row_card[row]]}" for row in range(ROWS) if state.row_card[row] >= 0]
    drawn = int(state.deck_pos)
    left = [(state.deck[drawn:] == card).sum() for card in range(4)]
    deck = ", ".join(f"{n} {name}" for n, name in zip(left, CARD_NAMES, strict=True))
    return ["Cards: " + (", ".join(laid) or "none yet"), f"Not yet drawn: {deck}"]


def _seats(state: Any, box: Any, seat: int | None) -> list[str]:
    if box.record[0].mode == SOLITARY:
        second, third = state.turns_bought.tolist()
        lines = [f"Points spent on extra turns: {2 * second + 3 * third} ({second} second turns, {third} third turns)"]
        return lines + _to_place(state, box, 0)
    lines = []
    for other in range(box.num_players):
        open_hand = seat is None or seat == other or state.over
        zeros, ones, twos = (int(n) for n in state.hand[other])
        cards = f"{zeros + ones + twos:2} cards"
        if open_hand:
            cards += f" ({zeros} × 0, {ones} × 1, {twos} × 2 = {ones + 2 * twos} points)"
        spent = f"spent {state.spent[other, 1]} × 1, {state.spent[other, 2]} × 2"
        line = f"Seat {other}{'*' if other == seat else ' '} {cards}, {spent}, passed {state.passes[other]}"
        hidden = box.record[0].simultaneous and not open_hand
        lines.append(line)
        if state.decision == PLEDGE and not hidden and state.pledged[other].any():
            lines.append(f"        has pledged {state.pledged[other, 0]} × 1, {state.pledged[other, 1]} × 2")
        if not open_hand and state.known_held[other].any():
            known = f"{state.known_held[other, 0]} × 1, {state.known_held[other, 1]} × 2"
            lines.append(f"        holds at least {known}, shown in pledges")
        if open_hand:
            lines += _to_place(state, box, other)
    return lines


def _to_place(state: Any, box: Any, seat: int) -> list[str]:
    """Return the pieces a seat has still to place, wrapped."""
    held = [piece_name(box, p) for p in range(PIECES) if state.to_place[p] == seat]
    return wrap(", ".join(held), 90, initial_indent="        to place: ", subsequent_indent=" " * 18)


def _families(state: Any, box: Any, seat: int | None) -> list[str]:
    """Return points and survivors of the families, two in a line; the owner where it is known."""
    names, short, cells = family_names(box), short_names(box), []
    for family in range(FAMILIES):
        first = FIRST_FAMILY_PIECE + 2 * family
        alive = sum(state.piece_hex[piece] != -1 for piece in (first, first + 1))
        owner = int(state.family_owner[family])
        known = seat is None or owner == seat or state.over
        text = f"{short[family]} {names[family]}: {state.kills[family]} points, {alive} alive"
        if known and box.record[0].mode != SOLITARY:
            text += f" (seat {owner})" if owner >= 0 else " (nobody's)"
        cells.append(f"{text:<50}")
    return ["".join(cells[i : i + 2]) for i in range(0, FAMILIES, 2)]


def _now(state: Any, box: Any, seat: int | None) -> list[str]:
    if state.over:
        return _result(state, box)
    kind = TURNS[state.turn_kind]
    if state.decision >= PLEDGE:
        price = 3 if state.turn_kind == EXTRA3 else 2
        lines = [f"{kind} is on offer for {price} points; seat {state.actor} is asked"]
    elif state.turn_kind == SETUP:
        lines = [f"Set-up: seat {state.actor} places a piece"]
    else:
        left = f"swap {state.swap_left}, action {state.action_left}"
        if state.turn_kind < EXTRA2 or state.english_left or state.sweethearts_left:
            left += f", English shots {state.english_left}, Sweethearts shots {state.sweethearts_left}"
        lines = [f"Seat {state.actor} plays its {kind}; left: {left}"]
    if seat in (None, state.actor) and state.decision != MENU:
        lines += ["Decision: " + DECISION_NAMES[state.decision], *(f"  {part}" for part in _pending(state, box))]
    return lines


def _pending(state: Any, box: Any) -> list[str]:
    """Return the choice made so far, in parts."""
    names = [row["name"] for row in box.components["hexes"]["list"].value]
    parts = []
    if state.pending_piece >= 0:
        parts.append(piece_name(box, int(state.pending_piece)))
    if state.pending_hex >= 0:
        here = int(state.pending_hex)
        places = [piece_name(box, p) for p in range(PIECES) if state.piece_hex[p] == here]
        parts.append(f"hex {names[here]}" + (f": {', '.join(places)}" if places else ""))
    if state.pending_group:
        moving = [piece_name(box, p) for p in range(PIECES) if (int(state.pending_group) >> p) & 1]
        parts.append("moving " + ", ".join(moving))
        here = int(state.pending_hex)
        record = box.record[0]
        ways = [
            f"{DIRECTIONS[d]} {names[record.walk[here, d]]}" for d in range(len(STEPS)) if record.walk[here, d] >= 0
        ]
        parts.append("beside " + ", ".join(ways))
    return parts


def _result(state: Any, box: Any) -> list[str]:
    if state.result != WON:
        return ["PORTUGAL HAS LOST: nobody wins."]
    lines = ["PORTUGAL HAS WON."]
    alone = box.record[0].mode == SOLITARY
    for seat in range(box.num_players):
        mine = [f for f in range(FAMILIES) if alone or state.family_owner[f] == seat]
        kills = sum(int(state.kills[f]) for f in mine)
        alive = sum(state.piece_hex[FIRST_FAMILY_PIECE + 2 * f + k] != -1 for f in mine for k in range(2))
        cards = int(state.hand[seat, 1]) + 2 * int(state.hand[seat, 2])
        if alone:
            cards = -2 * int(state.turns_bought[0]) - 3 * int(state.turns_bought[1])
        what = "turns bought" if alone else "cards"
        total = kills + 2 * alive + cards
        lines.append(f"Seat {seat}: eliminations {kills} + survivors {2 * alive} + {what} {cards} = {total} points")
    return lines
