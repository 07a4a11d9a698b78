"""The game as text."""

from __future__ import annotations

from typing import Any


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the position as text."""
    return f"round {state.round_no + 1}"
