"""Component files: the printed material of a game as TOML, read with errors that name the key.

Each table of a file carries a ``provenance``: ``"R"`` stated by the rulebook, ``"P:n"`` a public source,
``"A"`` reconstructed. An owner of the box puts the printed values into a copy and passes ``components=PATH``.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lusogames_env.engine.errors import ComponentsError, nearest


class Node:
    """A value of a component file together with its key, for readers that check what they take."""

    def __init__(self, source: str, key: str, value: Any) -> None:
        self.source, self.key, self.value = source, key, value

    def fail(self, expected: str) -> ComponentsError:
        """Return the error for this value."""
        found = repr(self.value) if not isinstance(self.value, dict) else "a table"
        return ComponentsError(f"{self.source}: {self.key or 'file'} is {found}; expected {expected}")

    def __getitem__(self, name: str | int) -> Node:
        if isinstance(name, int):
            if not isinstance(self.value, list) or name >= len(self.value):
                raise self.fail(f"a list with at least {name + 1} entries")
            return Node(self.source, f"{self.key}[{name}]", self.value[name])
        if not isinstance(self.value, dict):
            raise self.fail(f"a table with the key '{name}'")
        if name not in self.value:
            where = f"{self.key}." if self.key else ""
            raise ComponentsError(f"{self.source}: the key {where}{name} is missing{nearest(name, self.value)}")
        return Node(self.source, f"{self.key}.{name}" if self.key else name, self.value[name])

    def __contains__(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def __iter__(self) -> Iterator[Node]:
        if not isinstance(self.value, list):
            raise self.fail("a list")
        return (self[i] for i in range(len(self.value)))

    def __len__(self) -> int:
        return len(self.value)

    def rows(self, n: int) -> list[Node]:
        """Return the entries of a list of exactly `n`."""
        if not isinstance(self.value, list) or len(self.value) != n:
            found = len(self.value) if isinstance(self.value, list) else repr(self.value)
            raise ComponentsError(f"{self.source}: {self.key} has {found} entries; expected {n}")
        return list(self)

    def integer(self, low: int, high: int) -> int:
        """Return an integer in ``low … high``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.fail(f"an integer from {low} to {high}")
        return self.value

    def integers(self, n: int, low: int, high: int) -> list[int]:
        """Return a list of `n` integers in ``low … high``."""
        return [row.integer(low, high) for row in self.rows(n)]

    def boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def text(self) -> str:
        """Return a non-empty text."""
        if not isinstance(self.value, str) or not self.value:
            raise self.fail("a text")
        return self.value

    def choice(self, known: Sequence[str]) -> int:
        """Return the place of a text in `known`."""
        if self.value not in known:
            raise self.fail("one of " + ", ".join(known))
        return known.index(self.value)


class Components(Node):
    """A whole component file. `digest` identifies its content."""

    def __init__(self, source: str, data: dict[str, Any]) -> None:
        super().__init__(source, "", data)
        self.digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def provenance(self) -> dict[str, str]:
        """Return the provenance of every table that states one, by key."""
        found: dict[str, str] = {}
        _collect_provenance(self.value, "", found)
        return found


def _collect_provenance(value: Any, key: str, found: dict[str, str]) -> None:
    if isinstance(value, dict):
        if "provenance" in value:
            found[key] = str(value["provenance"])
        for name, inner in value.items():
            _collect_provenance(inner, f"{key}.{name}" if key else name, found)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _collect_provenance(inner, f"{key}[{i}]", found)


def load_components(path: Path, game: str) -> Components:
    """Read a component file of `game`; raise `ComponentsError` if it cannot be one."""
    try:
        data = json.loads(json.dumps(tomllib.loads(path.read_text(encoding="utf-8")), default=str))  # dates as text
    except OSError as error:
        raise ComponentsError(f"cannot read the component file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ComponentsError(f"{path} is not a TOML file: {error}") from error
    components = Components(path.name, data)
    named = components["meta"]["game"]
    if named.value != game:
        raise named.fail(f"'{game}'")
    return components
