"""Every rule of a game's rulebook.toml is proven by a test that carries its id. Read from the sources, not imported."""

from __future__ import annotations

import re

from lusogames_env.engine import Game, docs
from tests.tools import ROOT


def proven(game: Game) -> dict[str, list[str]]:
    """Return the tests that carry each id; the toy's stand in a file of their own."""
    return docs.tests_by_rule([ROOT / "tests" / "test_toy.py"]) if game.name == "toy" else docs.rule_tests(game)


def test_every_rule_has_a_test(game: Game) -> None:
    tests = proven(game)
    without = [rule["id"] for rule in docs.rule_index(game) if rule["id"] not in tests]
    assert not without, f"{game.name}: no test carries {', '.join(without)}"


def test_every_mark_names_a_rule(game: Game) -> None:
    known = {rule["id"] for rule in docs.rule_index(game)}
    unknown = {rule: tests for rule, tests in proven(game).items() if rule not in known}
    assert not unknown, f"{game.name}: marks that are not in rulebook.toml: {unknown}"


def test_rule_ids_are_unique_and_complete(game: Game) -> None:
    index = docs.rule_index(game)
    ids = [rule["id"] for rule in index]
    assert len(ids) == len(set(ids)) > 0
    for rule in index:
        assert re.fullmatch(r"[A-Z0-9][\w.-]*", rule["id"]), rule
        assert rule["section"].strip() and rule["clause"].strip(), rule
