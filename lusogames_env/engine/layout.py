"""Layouts declared once, as data: state and box records, action blocks, observation fields.

Offsets for the kernels, labels, named views, spaces and the tables of the documentation are all made from these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
Label = str | Sequence[str] | Callable[[Any, int], str]


@dataclass(frozen=True)
class Field:
    """One named array: `shape` () for a scalar, `doc` says what it holds and in which scale or range."""

    name: str
    shape: int | tuple[int, ...]
    doc: str
    dtype: str = "float32"

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape as a tuple."""
        return (self.shape,) if isinstance(self.shape, int) else tuple(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.dims)


class Record:
    """A fixed-size record: ``Record(("hand", "int8", (4, 5), "cards by seat; -1 = none"), …)``.

    Names starting with ``scratch_`` are working space: they carry no information between decisions and are
    zeroed in everything that is saved, compared or hashed.
    """

    def __init__(self, *rows: tuple[str, str, int | tuple[int, ...], str]) -> None:
        self.fields = tuple(Field(name, () if shape == 1 else shape, doc, dtype) for name, dtype, shape, doc in rows)
        names = [field.name for field in self.fields]
        if len(set(names)) != len(names):
            raise ValueError(f"field names are not unique: {names}")
        for field in self.fields:
            if hasattr(np.record, field.name):
                raise ValueError(f"field '{field.name}': NumPy records have a method of that name; take another")
            if np.dtype(field.dtype).kind not in "if":
                raise ValueError(f"field '{field.name}' is {field.dtype}: use signed integers (or floats in a box)")
        self.dtype = np.dtype([(field.name, field.dtype, field.dims) for field in self.fields], align=True)

    def __add__(self, other: Record) -> Record:
        return Record(*((f.name, f.dtype, f.dims or 1, f.doc) for f in (*self.fields, *other.fields)))

    def zeros(self, n: int = 1) -> np.ndarray:
        """Return `n` zeroed records in the form the kernels take.

        Compiled kernels take plain structured arrays (a ``recarray`` costs five times as much per call); interpreted
        ones (``NUMBA_DISABLE_JIT=1``) need a ``recarray``, whose records have their fields as attributes.
        """
        array = np.zeros(n, self.dtype)
        return array.view(np.recarray) if INTERPRETED else array


@dataclass(frozen=True)
class Block:
    """A run of `size` actions of one kind. `label` is one text per action, a text with ``{i}``, or ``f(box, i)``."""

    name: str
    size: int
    label: Label
    doc: str

    def text(self, box: Any, i: int) -> str:
        """Return the label of the block's action `i`, given the box."""
        if callable(self.label):
            return self.label(box, i)
        return self.label.format(i=i) if isinstance(self.label, str) else self.label[i]


class Actions:
    """The action table of a game: consecutive blocks, the same for every option and player count."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks
        self._start: dict[str, int] = {}
        n = 0
        for block in blocks:
            if block.name in self._start:
                raise ValueError(f"action block '{block.name}' is declared twice")
            self._start[block.name] = n
            n += block.size
        self.n = n

    def __getitem__(self, name: str) -> int:
        """First index of the block called `name`."""
        return self._start[name]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def locate(self, action: int) -> tuple[Block, int]:
        """Return the block of `action` and its place in the block."""
        for block in self.blocks:
            start = self._start[block.name]
            if start <= action < start + block.size:
                return block, action - start
        raise IndexError(f"action {action} is outside 0 … {self.n - 1}")

    def labels(self, box: Any) -> list[str]:
        """Return the text of every action; all texts differ."""
        return [block.text(box, i) for block in self.blocks for i in range(block.size)]


class Observation:
    """The flat float32 observation of a game and its named view."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self._slice: dict[str, slice] = {}
        size = 0
        for field in fields:
            if field.name in self._slice:
                raise ValueError(f"observation field '{field.name}' is declared twice")
            self._slice[field.name] = slice(size, size + field.size)
            size += field.size
        self.size = size

    def __getitem__(self, name: str) -> int:
        """Offset of the field called `name` in the flat vector."""
        return self._slice[name].start

    def slice(self, name: str) -> slice:
        """Where the field called `name` lies in the flat vector."""
        return self._slice[name]

    def unflatten(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named view of a flat observation of shape (..., size): one array of its own shape per field."""
        lead = flat.shape[:-1]
        return {f.name: flat[..., self._slice[f.name]].reshape((*lead, *f.dims)) for f in self.fields}
