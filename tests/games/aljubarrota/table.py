"""Positions for the tests of Aljubarrota, set up in the words of the rulebook.

Hexes are named ``row.step``. A Castilian group is a text: ``"2c1s"`` blue cavalry and soldiers, capitals for yellow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lusogames_env.engine.state import GameState
from lusogames_env.games.aljubarrota import rules
from lusogames_env.games.aljubarrota.game import CARD_TOTAL, EXTRA2, EXTRA3, FREE, GAME, PLEDGE
from tests.tools import force_draws

NAMES = [row["name"] for row in GAME.components["hexes"]["list"].value]
HEX = {name: i for i, name in enumerate(NAMES)}
BOX = GAME.new_box()
PIECE = {BOX.labels[99 + i].removeprefix("piece "): i for i in range(28)}
FAMILY = {name.removesuffix("-a"): (i - 4) // 2 for name, i in PIECE.items() if i >= 4 and name.endswith("-a")}
CARD = {"G": 0, "Y": 1, "P": 2, "R": 3}
WHITE, SKULL, ARROW = (6, 0), (6, 1), (6, 3)
COLOURS = {"c": (0, 0), "s": (0, 1), "C": (1, 0), "S": (1, 1)}


def parse(group: str) -> list[tuple[int, int, int]]:
    """Return (number, colour, side) of each part of ``"2c1S"``."""
    return [(int(n), *COLOURS[letter]) for n, letter in re.findall(r"(\d)([csCS])", group)]


def field(
    castilians: Mapping[str, str] | None = None,
    whites: Mapping[str, str] | None = None,
    *,
    reserve: Sequence[int] = (0, 54),
    round_no: int = 1,
    waves: bool = False,
    seed: int = 0,
    **options: Any,
) -> GameState:
    """Return a free turn (seat 0, shots, swap and action left) with only these pieces on the board.

    `whites` maps hexes to names, as ``{"10.8": "Nuno Sá-a"}``; the King stands on 10.11 unless it is named, all others
    are eliminated. Castilians neither named nor in reserve are eliminated. `waves`: the second wave and the flank
    attack have begun.
    """
    state = GameState.new("aljubarrota", seed, **{"setup": "random", **options})
    r = state.record
    r.free_player = r.turn_seat = r.actor = 0
    r.round_no = round_no
    r.deck_pos = 9
    r.row_card[:] = [0, 0, 0, 0, -1, 0, 0, 0, 0, 0]
    if waves:
        r.deck_pos, r.wave2, r.flank = 10, 1, 1
        r.row_card[:] = 0
    r.cast[:] = 0
    for name, group in (castilians or {}).items():
        for n, colour, side in parse(group):
            r.cast[HEX[name], colour, side] += n
    r.reserve[:] = reserve
    for colour in range(2):
        r.dead[colour] = 54 - r.reserve[colour] - r.cast[:, colour].sum()
    r.piece_hex[:] = -1
    r.piece_hex[0] = HEX["10.11"]
    for name, pieces in (whites or {}).items():
        for piece in pieces.split():
            r.piece_hex[PIECE[piece]] = HEX[name]
    return state.refresh()


def board(state: GameState) -> dict[str, str]:
    """Return the Castilians on the board, colours together, by hex name: ``{"10.6": "2c1s"}``."""
    sides = state.record.cast.sum(axis=1)
    return {
        NAMES[i]: "".join(f"{n}{letter}" for n, letter in zip(sides[i], "cs", strict=True) if n)
        for i in range(len(NAMES))
        if sides[i].any()
    }


def colours(state: GameState, name: str) -> str:
    """Return the Castilians on a hex with their colours: ``"1c2S"``."""
    here = state.record.cast[HEX[name]]
    return "".join(f"{here[c, s]}{letter}" for letter, (c, s) in COLOURS.items() if here[c, s])


def where(state: GameState, piece: str) -> str | None:
    """Return the hex of a white piece; None if it is eliminated or unplaced."""
    here = state.record.piece_hex[PIECE[piece]]
    return NAMES[here] if here >= 0 else None


def kills(state: GameState) -> dict[str, int]:
    """Return the points of the families that have any."""
    return {name: int(state.record.kills[f]) for name, f in FAMILY.items() if state.record.kills[f]}


def card(state: GameState, kind: str, row: int, *dice: tuple[int, int]) -> GameState:
    """Handle one card on one row of the position as it stands, with these dice, and return the state."""
    if dice:
        force_draws(state.record, dice)
    rules.muster(state.record)
    rules.obey(state.record, state.box.array[0], row - 1, CARD[kind])
    return state


def lay(state: GameState, cards: str) -> GameState:
    """Put these cards on top of the undrawn deck, in the order of the rows."""
    r = state.record
    left = list(CARD_TOTAL)
    wanted = [CARD[letter] for letter in cards]
    for kind in wanted:
        left[kind] -= 1
    rest = [kind for kind in range(4) for _ in range(left[kind])]
    pos = int(r.deck_pos)
    r.deck[:] = rest[:pos] + wanted + rest[pos:]
    return state


def end_round(state: GameState, cards: str = "", *dice: tuple[int, int]) -> GameState:
    """End the turn and decline all extra turns; the next round's Castilian phase runs with these cards and dice."""
    if cards:
        lay(state, cards)
    r = state.record
    last = "no contribution"
    if r.decision < PLEDGE and r.turn_kind == EXTRA3:
        last = "end turn"
    elif r.decision < PLEDGE:
        state.apply("end turn")
    while last != "end turn" and r.asked + 1 < len(asked(state)):
        state.apply("no contribution")
    if dice:
        force_draws(r, dice)
    return state.apply(last)


def asked(state: GameState) -> list[int]:
    """Return the seats asked in the open offer, in order."""
    seats = [int(rules.offer_seat(state.record, state.box.array[0], n)) for n in range(7)]
    return [seat for seat in seats if seat >= 0] if state.box.num_players > 1 else [0]


def offer(turn: int, *, played: int = 0, hands: Mapping[int, Sequence[int]] | None = None, **options: Any) -> GameState:
    """Return an open offer of turn 2 or 3 with these hands (0-, 1- and 2-cards); the rest of each hand is spent."""
    state = field({"10.1": "3c"}, **options)
    r = state.record
    if turn == 3:
        r.turns_bought[0] = 1
        r.turn_seat = r.actor = played
    r.turn_kind = FREE if turn == 2 else EXTRA2
    for seat, cards in (hands or {}).items():
        r.hand[seat] = cards
    state.refresh().apply("end turn")
    assert state.record.decision == PLEDGE and state.record.turn_kind == (EXTRA2 if turn == 2 else EXTRA3)
    return state


def play(state: GameState, *labels: str) -> GameState:
    """Apply actions by their texts."""
    for label in labels:
        state.apply(label)
    return state


def move(state: GameState, origin: str, group: str, *steps: str) -> GameState:
    """Move a group: ``move(state, "4.9", "{1}", "SE")``; a step ``stay`` ends a leader's move."""
    play(state, "menu: move", f"hex {origin}", f"group {group}")
    for step in steps:
        state.apply(step if step == "stay" else f"to {step}")
    return state


def shoot(state: GameState, target: str, side: str, die: tuple[int, int], shooter: str = "") -> GameState:
    """Shoot once: by the English, or by the Sweethearts piece `shooter`."""
    play(state, "menu: Sweethearts shot", f"piece {shooter}") if shooter else play(state, "menu: English shot")
    play(state, f"hex {target}")
    force_draws(state.record, [die])
    return state.apply(f"shoot {side}")


def can(state: GameState, label: str) -> bool:
    """Return whether an action is legal now."""
    return label in state.legal_labels()


def targets(state: GameState) -> set[str]:
    """Return the names of the hexes that can be chosen now."""
    return {label.removeprefix("hex ") for label in state.legal_labels() if label.startswith("hex ")}


def directions(state: GameState) -> set[str]:
    """Return the directions that can be chosen now."""
    return {label.removeprefix("to ") for label in state.legal_labels() if label.startswith("to ")}


def total_pieces(groups: Iterable[str]) -> int:
    """Return the number of pieces in some group texts."""
    return sum(n for group in groups for n, _, _ in parse(group))
