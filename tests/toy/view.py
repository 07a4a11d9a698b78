"""Toy as text."""

from __future__ import annotations

from typing import Any


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the table as `seat` sees it, or all open."""
    lines = [f"Toy, round {int(state.rounds) + 1}, {int(state.deck_n)} cards in the deck"]
    for other in range(box.num_players):
        shown = seat is None or seat == other
        card = str(int(box.record.value[0, state.hand[other]])) if shown else "?"
        turn = "*" if state.actor == other else " "
        lines.append(f"{turn} seat {other}: {card} {'in' if state.alive[other] else 'out'}")
    lines.append("used: " + " ".join(str(int(box.record.value[0, c])) for c in state.used.nonzero()[0]))
    if seat is None:
        lines.append("deck: " + " ".join(str(int(box.record.value[0, c])) for c in state.deck[: state.deck_n]))
    return "\n".join(lines)
