"""Options of a game: declared as data, resolved with precise errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lusogames_env.engine.errors import OptionError, nearest

REWARDS = ("win", "placement", "margin")


@dataclass(frozen=True)
class Option:
    """One option: either `choices`, or a range `low … high` of integers or floats, or a `check` of the value.

    `check` returns an error text, or None if the value is good. `origin` names the rulebook section or ruling.
    """

    name: str
    default: Any
    doc: str
    choices: tuple[Any, ...] | None = None
    low: float | None = None
    high: float | None = None
    check: Callable[[Any], str | None] | None = None
    origin: str = ""

    def expected(self) -> str:
        """Say in words which values are good."""
        if self.choices is not None:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        if self.low is not None:
            kind = "an integer" if isinstance(self.default, int) else "a number"
            return f"{kind} from {self.low} to {self.high}"
        return self.doc

    def fault(self, value: Any) -> str | None:
        """Return what is wrong with `value`, or None."""
        if self.check is not None:
            return self.check(value)
        if self.choices is not None:
            same = any(type(value) is type(choice) and value == choice for choice in self.choices)
            return None if same else f"expected {self.expected()}"
        if self.low is not None and self.high is not None:
            number = (int,) if isinstance(self.default, int) else (int, float)
            good = isinstance(value, number) and not isinstance(value, bool) and self.low <= value <= self.high
            return None if good else f"expected {self.expected()}"
        return None


def _path_fault(value: Any) -> str | None:
    return None if value is None or isinstance(value, str) else "expected the path of a TOML file, or None"


def common_options(
    players: Iterable[int], default_players: int, max_rounds: tuple[int, int, int] | None
) -> tuple[Option, ...]:
    """Options that every game has under the same names."""
    rows = [
        Option("num_players", default_players, "seats at the table", choices=tuple(players)),
        Option("reward", "win", "utility at the end of the game; 0 before", choices=REWARDS),
        Option("components", None, "path of another component file", check=_path_fault),
        Option("skip_forced", False, "play decisions with one legal action without asking", choices=(False, True)),
        Option("illegal", "lose", "what an illegal action does in an environment", choices=("lose", "raise")),
    ]
    if max_rounds is not None:
        low, default, high = max_rounds
        rows.append(Option("max_rounds", default, "rounds after which the game is cut off", low=low, high=high))
    return tuple(rows)


def resolve(game: str, options: tuple[Option, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Return every option with its value; raise `OptionError` for an unknown name or a bad value."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise OptionError(f"{game} has no option '{name}'{nearest(name, known)}")
    values = {name: given.get(name, option.default) for name, option in known.items()}
    for name, value in values.items():
        fault = known[name].fault(value)
        if fault:
            raise OptionError(f"{game}: option {name} = {value!r}: {fault}")
    return values
