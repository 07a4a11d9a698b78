"""The documentation says what the code does: generated tables, links and examples."""

from __future__ import annotations

import ast
import re
from functools import partial
from pathlib import Path

import pytest

from lusogames_env.engine import docs
from lusogames_env.games import game_names, get_game

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / "lusogames_env" / "games").glob("*/README.md"))
WITH_EXAMPLES = [ROOT / "README.md", ROOT / "docs" / "api.md"]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def examples() -> list[tuple[str, str]]:
    return [
        (f"{path.name}-{i}", code)
        for path in WITH_EXAMPLES
        for i, code in enumerate(EXAMPLE.findall(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize("name", game_names())
def test_readme_of_a_game_has_every_generated_place_and_is_up_to_date(name: str) -> None:
    game = get_game(name)
    old = (game.folder / "README.md").read_text(encoding="utf-8")
    places = [match["name"] for match in docs.PLACE.finditer(old)]
    assert sorted(places) == sorted(docs.GAME_TABLES), "each generated place stands once in the game's README"
    new = docs.fill(old, {place: partial(make, game) for place, make in docs.GAME_TABLES.items()}, name)
    assert new == old, "run `make docs`"


def test_readme_of_the_project_is_up_to_date() -> None:
    old = (ROOT / "README.md").read_text(encoding="utf-8")
    from benchmarks.report import TABLES

    assert docs.fill(old, {**docs.PROJECT_TABLES, **TABLES}, "README.md") == old, "run `make docs`"


@pytest.mark.parametrize("page", ["benchmarks.md", "results.md"])
def test_pages_of_figures_are_up_to_date(page: str) -> None:
    from benchmarks.report import TABLES

    old = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert docs.PLACE.search(old) and docs.fill(old, TABLES, page) == old, "run `make docs`"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = [target for target in LINK.findall(path.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize(("name", "code"), examples(), ids=[name for name, _ in examples()])
def test_example_runs(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {"__name__": "__main__"})


def test_a_place_is_filled_again_and_again() -> None:
    text = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
    once = docs.fill(text, {"x": lambda: "new"}, "page")
    assert once == "a\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nb\n"
    assert docs.fill(once, {"x": lambda: "new"}, "page") == once


def test_a_place_with_an_unknown_name_is_refused() -> None:
    with pytest.raises(docs.DocsError, match="no generated table 'factz'; did you mean 'facts'"):
        docs.fill("<!-- generated: factz -->\n<!-- end -->", {"facts": str}, "page")


def test_a_place_without_an_end_is_refused() -> None:
    with pytest.raises(docs.DocsError, match="has no '<!-- end -->'"):
        docs.fill("<!-- generated: facts -->\n", {"facts": str}, "page")


def test_cells_cannot_break_a_table() -> None:
    assert docs.table(("a",), [("x | y\nz",)]) == "| a |\n| --- |\n| x \\| y z |"


def test_rule_marks_are_found_on_tests_parameters_classes_and_modules() -> None:
    source = """
import pytest
pytestmark = pytest.mark.rules("M1")

@pytest.mark.rules("S1", "S2")
def test_one(): pass

class TestMore:
    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.rules("P1"))])
    def test_two(self, x): pass

def helper(): pass
"""
    assert dict(docs._marked_tests(ast.parse(source))) == {"test_one": ["M1", "S1", "S2"], "test_two": ["M1", "P1"]}


def test_components_of_a_list_are_joined_where_their_provenance_is_equal() -> None:
    provenance = {"card[0]": "R", "card[1]": "R", "card[2]": "A", "card[3]": "R", "limits": "values R, count A"}
    assert docs._grouped(provenance) == [
        ("card[0–1, 3]", "R"),
        ("card[2]", "A"),
        ("limits", "values R, count A"),
    ]
