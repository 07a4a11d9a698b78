"""The board of a game as a graph, for networks that treat all its places alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lusogames_env.engine.layout import Actions, Observation


@dataclass(frozen=True)
class GraphLayout:
    """Where the places lie in the flat observation and among the actions.

    Attributes:
        places: number of places.
        seen: int64 (places, features), entries of the observation that tell of each place.
        rest: int64 (entries,), all others.
        others: number of actions that belong to no place.
        order: int64 (actions,): where every action stands among first the others, then block by block the places.
    """

    places: int
    seen: np.ndarray
    rest: np.ndarray
    others: int
    order: np.ndarray


@dataclass(frozen=True)
class Graph:
    """What is seen and done at every place of the board, and which places border each other.

    Attributes:
        fields: observation fields with one row per place.
        blocks: action blocks with one action per place.
        neighbours: ``(box record) -> bool (places, places)``, symmetric, False on the diagonal.
    """

    fields: tuple[str, ...]
    blocks: tuple[str, ...]
    neighbours: Callable[[Any], np.ndarray]

    def layout(self, observation: Observation, actions: Actions) -> GraphLayout:
        """Return the layout in these tables; raises ValueError if a field or block has another number of places."""
        rows = {field.name: field.dims[0] if field.dims else 1 for field in observation.fields}
        sizes = {block.name: block.size for block in actions.blocks}
        found = [rows.get(name) for name in self.fields] + [sizes.get(name) for name in self.blocks]
        n = found[0] if self.fields and self.blocks else None
        if n is None or set(found) != {n}:
            names = (*self.fields, *self.blocks)
            raise ValueError(f"a graph needs fields and blocks with one number of places, not {found} of {names}")
        entries = np.arange(observation.size)
        seen = np.concatenate([entries[observation.slice(name)].reshape(n, -1) for name in self.fields], axis=1)
        at_places = [np.arange(actions[name], actions[name] + n) for name in self.blocks]
        others = np.setdiff1d(np.arange(actions.n), np.concatenate(at_places))
        order = np.argsort(np.concatenate([others, *at_places]))
        return GraphLayout(n, seen, np.setdiff1d(entries, seen), len(others), order)

    def weights(self, record: Any) -> np.ndarray:
        """Return float32 (places, places): row by row, equal shares of a place's neighbours; zeros if it has none."""
        near = self.neighbours(record).astype(np.float32)
        return np.asarray(near / np.maximum(near.sum(axis=1, keepdims=True), 1.0), dtype=np.float32)
