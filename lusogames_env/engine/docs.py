"""Fills the generated places of the documentation from the games' declarations (``make docs``).

A place is ``<!-- generated: NAME -->`` … ``<!-- end -->`` in a Markdown file; what lies between is replaced.
The README of a game may hold the places named in `GAME_TABLES`, the pages of the project those in `PROJECT_TABLES`.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lusogames_env.engine.errors import LusogamesError, nearest
from lusogames_env.engine.game import Game
from lusogames_env.engine.options import common_options
from lusogames_env.games import game_names, get_game

ROOT = Path(__file__).resolve().parents[2]
PLACE = re.compile(r"(?P<head><!-- generated: (?P<name>\S+) -->\n).*?(?P<tail><!-- end -->)", re.DOTALL)
OPENING = re.compile(r"<!-- generated: ")


class DocsError(LusogamesError):
    """A documentation file has a place that cannot be filled."""


# ---- places and tables ----


def fill(text: str, tables: Mapping[str, Callable[[], str]], source: str) -> str:
    """Return `text` with every generated place filled by the table of its name.

    Raises:
        DocsError: a place has an unknown name or no end.
    """

    def one(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in tables:
            raise DocsError(f"{source}: there is no generated table '{name}'{nearest(name, tables)}")
        return f"{match['head']}\n{tables[name]()}\n\n{match['tail']}"

    if len(OPENING.findall(text)) != len(PLACE.findall(text)):
        raise DocsError(f"{source}: a place '<!-- generated: … -->' has no '<!-- end -->' or is spelled otherwise")
    return PLACE.sub(one, text)


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in (head, *rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]])


def _code(values: Iterable[object]) -> str:
    return ", ".join(f"`{value!r}`" for value in values)


# ---- tables of one game ----


def facts(game: Game) -> str:
    """Return what a user looks up first: names, sizes, bounds, variants."""
    rows = [
        ("Title", game.title),
        ("Module", f"`lusogames_env.{game.name}_v{game.version}`"),
        ("Gymnasium id", f"`{game.id}`"),
        ("Players", f"{_numbers(game.players)} (default {game.default_players})"),
        ("Agents", f"`player_0` … `player_{game.default_players - 1}`"),
        ("Observation", f"`float32` ({game.observation.size},)"),
        ("Actions", f"`Discrete({game.actions.n})` with an `int8` mask"),
        ("Decisions per game", f"at most {game.max_plies}"),
        ("Rule-based players", _names(game.bots)),
        ("State record", f"{game.state_record.dtype.itemsize} bytes"),
        ("Variants", "; ".join(f"`{name}`: {_settings(values)}" for name, values in game.variants.items())),
    ]
    if game.max_rounds is not None:
        rows.insert(-1, ("Rounds", f"cut off after {game.max_rounds[1]} (option `max_rounds`)"))
    return table(("", ""), rows)


def _numbers(numbers: tuple[int, ...]) -> str:
    whole = len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]} to {numbers[-1]}" if whole else " or ".join(map(str, numbers))


def _settings(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items()) or "the defaults"


def options(game: Game) -> str:
    """Return every option with its values, default, meaning and origin."""
    common = {option.name for option in common_options(game.players, game.default_players, game.max_rounds)}
    rows = []
    for option in game.options:
        values = _code(option.choices) if option.choices is not None else option.expected()
        if option.choices is None and option.low is None:
            values = "see its meaning" if option.name != "components" else "a path"
        origin = option.origin or ("all games" if option.name in common else "")
        rows.append((f"`{option.name}`", values, f"`{option.default!r}`", option.doc, origin))
    return table(("option", "values", "default", "meaning", "origin"), rows)


def actions(game: Game) -> str:
    """Return the action blocks; the example is the first action's text with the default options."""
    box = game.new_box()
    rows = []
    for block in game.actions:
        first = game.actions[block.name]
        span = f"{first}" if block.size == 1 else f"{first} – {first + block.size - 1}"
        rows.append((span, block.size, f"`{block.name}`", f"`{block.text(box, 0)}`", block.doc))
    return table(("index", "count", "block", "example", "meaning"), rows)


def observation(game: Game) -> str:
    """Return the fields of the observation vector."""
    rows = []
    for field in game.observation.fields:
        shape = " × ".join(map(str, field.dims)) or "1"
        rows.append((game.observation[field.name], f"`{field.name}`", shape, field.doc))
    return table(("offset", "field", "shape", "content"), rows)


def reconstructed(game: Game) -> str:
    """Return the provenance of the component tables, those with reconstructed values (A) first."""
    groups = _grouped(game.components.provenance())
    rows = sorted(groups, key=lambda row: not _is_reconstructed(row[1]))
    marked = [(f"`{key}`", "yes" if _is_reconstructed(text) else "no", text) for key, text in rows]
    return table(("component table", "reconstructed", "provenance"), marked)


def _is_reconstructed(provenance: str) -> bool:
    return re.search(r"\bA\b", provenance) is not None


def _grouped(provenance: Mapping[str, str]) -> list[tuple[str, str]]:
    """Join the entries of a list that have equal provenance: ``king[0–35]``."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for key, text in provenance.items():
        match = re.fullmatch(r"(.*)\[(\d+)\]", key)
        name, place = (match[1] + "[]", int(match[2])) if match else (key, -1)
        places[name, text].append(place)
    return [(name.replace("[]", f"[{_spans(found)}]"), text) for (name, text), found in places.items()]


def _spans(places: list[int]) -> str:
    spans: list[list[int]] = []
    for place in sorted(places):
        if spans and place == spans[-1][1] + 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    return ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in spans)


def rules(game: Game) -> str:
    """Return the rule index with the tests that prove each clause."""
    tests = rule_tests(game)
    rows = [
        (rule["id"], rule["section"], rule["clause"], _names(tests.get(rule["id"], []))) for rule in rule_index(game)
    ]
    return table(("id", "section", "clause", "tests"), rows)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def rule_index(game: Game) -> list[dict[str, str]]:
    """Return the rule index of a game: id, section, clause of every rule; raises `DocsError` if there is none."""
    path = game.folder / "rulebook.toml"
    if not path.is_file():
        raise DocsError(f"{game.name} has no rule index: write {path.name} with [[rule]] id, section, clause")
    return tomllib.loads(path.read_text(encoding="utf-8"))["rule"]


def rule_tests(game: Game) -> dict[str, list[str]]:
    """Return, for every rule id that a test of the game is marked with, the names of those tests."""
    return tests_by_rule(sorted((ROOT / "tests" / "games" / game.name).rglob("test_*.py")))


def tests_by_rule(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return, for every rule id that a test in these files is marked with, the names of those tests."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for name, marks in _marked_tests(ast.parse(path.read_text(encoding="utf-8"))):
            for rule in marks:
                if name not in found[rule]:
                    found[rule].append(name)
    return dict(found)


def _marked_tests(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Yield every test function or method with the ids of the ``rules`` marks on it, its class or its module."""
    whole = [node.value for node in module.body if isinstance(node, ast.Assign) and _assigns(node, "pytestmark")]
    yield from _tests_of(module.body, _marks(whole))


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _tests_of(body: list[ast.stmt], outer: list[str]) -> Iterator[tuple[str, list[str]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests_of(node.body, outer + _marks(node.decorator_list))
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name, outer + _marks(node.decorator_list)


def _marks(expressions: Iterable[ast.expr]) -> list[str]:
    """Return the ids of every ``pytest.mark.rules(…)`` inside the expressions, also of marked parameters."""
    return [
        argument.value
        for expression in expressions
        for node in ast.walk(expression)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rules"
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


GAME_TABLES: dict[str, Callable[[Game], str]] = {
    "facts": facts,
    "options": options,
    "actions": actions,
    "observation": observation,
    "reconstructed": reconstructed,
    "rules": rules,
}


# ---- tables of the project ----


def games() -> str:
    """Return the games with their players, kind and sizes."""
    return table(
        ("game", "players", "what it is", "observation", "actions", "rules tested"),
        [_game_row(get_game(name)) for name in game_names()],
    )


def _game_row(game: Game) -> tuple[object, ...]:
    summary = (importlib.import_module(game.package).__doc__ or "").strip().splitlines()[0]
    kind = summary.partition(": ")[2].rstrip(".") or summary
    index, tested = rule_index(game), rule_tests(game)
    proven = sum(rule["id"] in tested for rule in index)
    link = f"[{game.title}](lusogames_env/games/{game.name}/README.md)"
    name = f"{link}<br>`{game.name}_v{game.version}`"
    return name, _numbers(game.players), kind, game.observation.size, game.actions.n, f"{proven} of {len(index)}"


def config() -> str:
    """Return every key of a training configuration with its values and default, both as JSON, which YAML includes."""
    from lusogames_env.training.config import Config

    schema = Config.model_json_schema()
    return table(("key", "values", "default"), _keys(schema, schema["$defs"], "", {}))


def _keys(
    schema: Mapping[str, Any], defs: Mapping[str, Any], prefix: str, defaults: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield a row for every key of a mapping; those of the mappings in it have dots. `defaults` come from outside."""
    for name, field in schema["properties"].items():
        key = f"{prefix}{name}"
        default = defaults.get(name, field.get("default"))
        kinds = field.get("anyOf", [field])
        inner = next((kind["$ref"].rpartition("/")[2] for kind in kinds if "$ref" in kind), None)
        if inner is not None:
            yield from _keys(defs[inner], defs, f"{key}.", default or {})
        else:
            known = name in defaults or "default" in field
            values = " or ".join(_values(kind) for kind in kinds)
            yield f"`{key}`", values, f"`{json.dumps(default)}`" if known else "must be given"


def _values(kind: Mapping[str, Any]) -> str:
    """Say in words which values a kind of JSON Schema takes."""
    if "enum" in kind or "const" in kind:
        return ", ".join(f"`{json.dumps(value)}`" for value in kind.get("enum", [kind.get("const")]))
    if kind.get("type") == "array":
        return f"list of: {_values(kind['items'])}"
    words = {"integer": "integer", "number": "number", "string": "text", "boolean": "true or false", "null": "null"}
    bounds = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [f"{sign} {kind[name]}" for name, sign in bounds.items() if name in kind]
    return " ".join([words.get(kind.get("type", ""), "keys with values"), ", ".join(limits)]).strip()


PROJECT_TABLES: dict[str, Callable[[], str]] = {"games": games, "config": config}


# ---- files ----


def pages() -> Iterator[tuple[Path, Mapping[str, Callable[[], str]]]]:
    """Yield every page that holds generated places, with the tables it may use."""
    yield ROOT / "docs" / "training.md", PROJECT_TABLES
    for name in game_names():
        game = get_game(name)
        path = game.folder / "README.md"
        if path.is_file():
            yield path, {place: partial(make, game) for place, make in GAME_TABLES.items()}


def outdated() -> list[tuple[Path, str]]:
    """Return the pages whose generated places are out of date, each with its new text.

    The project's README also shows figures; `benchmarks.report` fills it.
    """
    found = []
    for path, tables in pages():
        old = path.read_text(encoding="utf-8")
        new = fill(old, tables, str(path.relative_to(ROOT)))
        if new != old:
            found.append((path, new))
    return found


def main() -> int:
    """Rewrite the pages that are out of date."""
    if not (ROOT / "pyproject.toml").is_file():
        raise DocsError(f"the documentation is made from a source tree; {ROOT} is none")
    for path, text in outdated():
        path.write_text(text, encoding="utf-8")
        print(f"rewrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
