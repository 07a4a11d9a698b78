"""YAML files checked against a schema, with errors that name key, file and line, whatever the schema."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lusogames_env.engine.errors import LusogamesError, nearest
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.players import make_player
from lusogames_env.training.errors import ConfigError
from lusogames_env.training.yaml_files import Path_, parse_value, read_yaml


class Model(BaseModel):
    """A mapping of the file: unknown keys and other types are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Source:
    """Where the values come from: lines of a file, and overrides of the command line."""

    def __init__(self, path: Path | None = None, lines: dict[Path_, int] | None = None) -> None:
        self.path, self.lines = path, lines or {}
        self.overrides: dict[Path_, str] = {}

    def place(self, at: Path_) -> str:
        """Say where the value at `at`, or the closest one around it, was given."""
        for n in range(len(at), 0, -1):
            if at[:n] in self.overrides:
                return f"command line '{self.overrides[at[:n]]}'"
            if at[:n] in self.lines:
                return f"{self.path}, line {self.lines[at[:n]]}"
        return str(self.path or "configuration")

    def fail(self, at: Path_, text: str) -> ConfigError:
        """Return the error for the value at `at`."""
        return ConfigError(f"{self.place(at)}: {'.'.join(map(str, at))}: {text}")


M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Schema(Generic[M]):
    """What a kind of file may hold.

    Attributes:
        model: its keys, types and ranges.
        check: ``(value, source)`` checks what concerns several keys; raises `Source.fail`.
        example: a key=value text, for the message about an override that is none.
        words: what pydantic expects, in its words and in ours.
    """

    model: type[M]
    check: Callable[[M, Source], None]
    example: str
    words: Mapping[str, str] = field(default_factory=dict)

    def load(self, path: Path, overrides: Sequence[str] = ()) -> M:
        """Return the checked content of a YAML file; raises `ConfigError`."""
        data, lines = read_yaml(path)
        return self.make(data, overrides, Source(path, lines))

    def make(self, data: dict[str, Any], overrides: Sequence[str] = (), source: Source | None = None) -> M:
        """Return the checked value of plain data; raises `ConfigError`."""
        source = source or Source()
        for override in overrides:
            self._apply(data, override, source)
        try:
            value = self.model.model_validate(data)
        except ValidationError as error:
            raise self._explain(error, source) from error
        self.check(value, source)
        return value

    def _apply(self, data: dict[str, Any], override: str, source: Source) -> None:
        key, equals, text = override.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"'{override}': expected key=value, as {self.example}")
        at = tuple(key.strip().split("."))
        known = self._keys_below(at[:-1])
        if known is not None and at[-1] not in known:
            raise ConfigError(f"command line '{override}': {'.'.join(at)}: unknown key{nearest(at[-1], known)}")
        inner = data
        for part in at[:-1]:
            below = inner.get(part)
            if not isinstance(below, dict):  # a missing mapping, or a short form that the override replaces
                below = inner[part] = {}
            inner = below
        inner[at[-1]] = parse_value(text)
        source.overrides[at] = override

    def _annotation(self, at: Path_) -> Any:
        """Return the type of the key at `at`; None where the schema names no keys."""
        annotation: Any = self.model
        for part in at:
            models = _models(annotation)
            named = models[0].model_fields.get(str(part)) if models else None
            if named is None:
                return None
            annotation = named.annotation
        return annotation

    def _keys_below(self, at: Path_) -> list[str] | None:
        """Return the keys that the mapping at `at` may have, or None if that is not a mapping of the schema."""
        models = _models(self._annotation(at))
        return list(models[0].model_fields) if models else None

    def _explain(self, error: ValidationError, source: Source) -> ConfigError:
        """Return the first fault of the schema in words."""
        faults = error.errors()
        unknown = (one for one in faults if one["type"] == "extra_forbidden")  # a misspelt key is also a missing one
        fault = next(unknown, faults[0])
        at = self._without_tags(fault["loc"])
        if fault["type"] == "extra_forbidden":
            return source.fail(at, f"unknown key{nearest(str(at[-1]), self._keys_below(at[:-1]) or ())}")
        if fault["type"] == "missing":
            return source.fail(at, "this key is needed")
        return source.fail(at, f"found {fault['input']!r}; expected {self._expected(error, at)}")

    def _without_tags(self, loc: Iterable[str | int]) -> Path_:
        """Return the path of a value without what pydantic adds to it to name the branch of a union."""
        at: list[str | int] = []
        for part in loc:
            if at and _is_scalar_union(self._annotation(tuple(at))):
                break
            at.append(part)
        return tuple(at)

    def _expected(self, error: ValidationError, at: Path_) -> str:
        """Return what pydantic wants at `at`, as words; a union wants one of several things."""
        wanted: list[str] = []
        for fault in error.errors():
            if self._without_tags(fault["loc"]) == at:
                length = _LENGTHS.get(fault["type"])
                wanted.append(length.format(**fault["ctx"]) if length else self._in_words(fault["msg"]))
        return " or ".join(dict.fromkeys(wanted))

    def _in_words(self, message: str) -> str:
        words = {**_WORDS, **self.words}
        message = message.removeprefix("Input should be ").removeprefix("a valid ")
        return words.get(message, message.partition(" or instance of")[0].replace("dictionary", "keys"))


_WORDS = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "list": "a list",
    "dictionary": "keys with values",
    "Keys should be strings": "a text as key",
}
_LENGTHS = {"too_short": "at least {min_length} of them", "too_long": "at most {max_length} of them"}


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, Annotated):
        return [model for part in typing.get_args(annotation) for model in _models(part)]
    return []


def _is_scalar_union(annotation: Any) -> bool:
    """Say whether a value of this type is one of several plain ones: nothing of the file lies below it."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return False
    parts = typing.get_args(annotation)
    return not _models(annotation) and not any(typing.get_origin(part) in (dict, list) for part in parts)


# ---- what several files have in common ----


def check_options(game: Game, options: Mapping[str, Any], source: Source) -> Box:
    """Return the box of `options`, found under the key ``options``; raises `ConfigError`."""
    known = {option.name: option for option in game.options}
    for name, value in options.items():
        if name not in known:
            raise source.fail(("options", name), f"{game.name} has no such option{nearest(str(name), known)}")
        fault = known[name].fault(value)
        if fault:
            raise source.fail(("options", name), f"found {value!r}; {fault}")
    try:
        return game.new_box(**options)
    except LusogamesError as error:
        raise source.fail(("options",), str(error)) from error


def check_players(game: Game, places: Iterable[tuple[Path_, str]], source: Source) -> None:
    """Check that every name, given with its place, is a player of `game`; raises `ConfigError`."""
    for at, name in places:
        try:
            make_player(name, game)
        except LusogamesError as error:
            raise source.fail(at, str(error)) from error
