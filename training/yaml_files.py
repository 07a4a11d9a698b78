"""YAML read safely, with the line of every key, and numbers like ``3e-4`` read as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from lusogames_env.engine.errors import OptionError
from lusogames_env.training.errors import ConfigError

Path_ = tuple[str | int, ...]


NO_YAML = (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError)  # the last: wrong texts after a tag


class _Loader(yaml.SafeLoader):
    """The safe loader with the floats of YAML 1.2: PyYAML alone takes ``3e-4`` for a text."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def parse_value(text: str) -> Any:
    """Return the value of a text as YAML reads it; raises `ConfigError`."""
    try:
        return _parse(text)[0]
    except NO_YAML as error:
        raise ConfigError(f"'{text}' is not a YAML value: {_problem(error)}") from error


def parse_options(pairs: Iterable[str]) -> dict[str, Any]:
    """Return the options in texts like ``num_players=3``, their values read as YAML; raises `OptionError`."""
    options = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise OptionError(f"--option {pair}: expected name=value, as num_players=3")
        options[name.strip()] = parse_value(text)
    return options


def read_yaml(path: Path) -> tuple[dict[str, Any], dict[Path_, int]]:
    """Return the mapping in a YAML file and the line, from 1, of every key by its path; raises `ConfigError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file in UTF-8: {error}") from error
    try:
        data, lines = _parse(text)
    except NO_YAML as error:
        raise ConfigError(f"{path} is not YAML: {_problem(error)}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected keys with values, as 'game: reis_de_portugal'")
    return data, lines


def _parse(text: str) -> tuple[Any, dict[Path_, int]]:
    """Return the value of a YAML text and the line, from 1, of every key by its path; a key given twice is no YAML."""
    data, node = yaml.load(text, Loader=_Loader), yaml.compose(text, Loader=_Loader)
    lines: dict[Path_, int] = {}
    if node is not None:
        _collect_lines(node, (), lines)
    return data, lines


def _problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{where}{getattr(error, 'problem', None) or error}"


def _collect_lines(node: yaml.Node, at: Path_, lines: dict[Path_, int]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*at, key.value)
            if here in lines:
                twice = f"{'.'.join(map(str, here))} is given twice"
                raise yaml.MarkedYAMLError(problem=twice, problem_mark=key.start_mark)
            lines[here] = key.start_mark.line + 1
            _collect_lines(value, here, lines)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            lines[(*at, i)] = value.start_mark.line + 1
            _collect_lines(value, (*at, i), lines)
