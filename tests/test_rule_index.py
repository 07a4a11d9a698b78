"""Every rule of a game's rulebook.toml is proven by a test that carries its id. Read from the sources, not imported."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from lusogames_env.engine import Game
from tests.tools import ROOT


def sources(game: Game) -> list[Path]:
    return (
        [ROOT / "tests" / "test_toy.py"]
        if game.name == "toy"
        else sorted((ROOT / "tests" / "games" / game.name).rglob("test_*.py"))
    )


def rule_ids(game: Game) -> list[str]:
    """Return the ids of the rule index, in its order."""
    index = tomllib.loads((game.folder / "rulebook.toml").read_text(encoding="utf-8"))
    return [rule["id"] for rule in index["rule"]]


def marked_ids(path: Path) -> dict[str, list[str]]:
    """Return the ids that each test of a file carries, its class's marks included, by test name."""
    found: dict[str, list[str]] = {}

    def visit(node: ast.AST, inherited: list[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef)):
                ids = inherited + [i for decorator in child.decorator_list for i in ids_of(decorator)]
                if isinstance(child, ast.ClassDef):
                    visit(child, ids)
                elif child.name.startswith("test"):
                    found[child.name] = ids

    visit(ast.parse(path.read_text(encoding="utf-8")), [])
    return found


def ids_of(node: ast.expr) -> list[str]:
    """Return the ids in ``pytest.mark.rules("A", "B")``, wherever it stands in the expression."""
    return [
        str(argument.value)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.rules"
        for argument in call.args
        if isinstance(argument, ast.Constant)
    ]


def proven(game: Game) -> dict[str, list[str]]:
    """Return the tests that carry each id."""
    tests: dict[str, list[str]] = {}
    for path in sources(game):
        for name, ids in marked_ids(path).items():
            for rule in ids:
                tests.setdefault(rule, []).append(f"{path.name}::{name}")
    return tests


def test_every_rule_has_a_test(game: Game) -> None:
    tests = proven(game)
    without = [rule for rule in rule_ids(game) if rule not in tests]
    assert not without, f"{game.name}: no test carries {', '.join(without)}"


def test_every_mark_names_a_rule(game: Game) -> None:
    known = set(rule_ids(game))
    unknown = {rule: tests for rule, tests in proven(game).items() if rule not in known}
    assert not unknown, f"{game.name}: marks that are not in rulebook.toml: {unknown}"


def test_rule_ids_are_unique_and_complete(game: Game) -> None:
    ids = rule_ids(game)
    assert len(ids) == len(set(ids)) > 0
    index = tomllib.loads((game.folder / "rulebook.toml").read_text(encoding="utf-8"))
    for rule in index["rule"]:
        assert re.fullmatch(r"[A-Z0-9][\w.-]*", rule["id"]), rule
        assert rule["section"].strip() and rule["clause"].strip(), rule


def test_marks_are_found_on_classes_functions_and_parameters(tmp_path: Path) -> None:
    path = tmp_path / "test_sample.py"
    path.write_text(
        "@pytest.mark.rules('A')\nclass TestX:\n    @pytest.mark.rules('B', 'C')\n    def test_y(self): ...\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.rules('D'))])\ndef test_z(x): ...\n"
    )
    assert marked_ids(path) == {"test_y": ["A", "B", "C"], "test_z": ["D"]}
