"""Errors a user can cause. Each message says what was found, what was expected and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LusogamesError(ValueError):
    """Base of every error that this package raises on purpose."""


class OptionError(LusogamesError):
    """An option of a game is unknown, of the wrong type or out of range."""


class ComponentsError(LusogamesError):
    """A component file is missing, unreadable or holds a value that the game cannot be played with."""


class IllegalActionError(LusogamesError):
    """An action that the rules do not allow in this position."""


class PlayerError(LusogamesError):
    """A player that is no part of the package gave a move that the rules do not allow, or no move at all."""


class StateError(LusogamesError):
    """Saved state that is damaged, of another schema, or breaks an invariant of its game."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"``, or the known words if none is close."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"
