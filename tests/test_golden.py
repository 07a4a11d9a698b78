"""Golden playthroughs stay as they are. A change on purpose: ``python -m tests.golden``; the CHANGELOG says why."""

from __future__ import annotations

import difflib

from tests.golden.files import FOLDER, path_of, replayed, written
from tests.tools import Case, all_cases


def test_the_playthrough_is_the_recorded_one(case: Case) -> None:
    path = path_of(case)
    assert path.is_file(), f"{path} is missing: python -m tests.golden {case.game.name}"
    recorded = path.read_text(encoding="utf-8")
    now = replayed(case, recorded)
    diff = list(difflib.unified_diff(recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=2))
    assert not diff, "the rules play another game than recorded:\n" + "\n".join(diff[:40])


def test_no_playthrough_is_left_over() -> None:
    expected = {path_of(case) for case in all_cases()}
    assert set(FOLDER.glob("*/*.txt")) == expected


def test_a_changed_game_shows_in_a_short_diff(toy: Case) -> None:
    recorded = written(toy)
    assert replayed(toy, recorded) == recorded
    lines = recorded.splitlines()
    other = lines[:2] + [lines[2].replace("STAY", "JUMP").replace("FOLD", "JUMP")] + lines[3:]
    assert "'JUMP' is not among ['STAY', 'FOLD']" in replayed(toy, "\n".join(other))
