"""The kernel cache: it serves what it has, and never stale code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT

SCRIPT = """
import json
from lusogames_env.engine.kernel.jit import cache_folder
from lusogames_env.engine.state import GameState
from demo.sample.game import GAME
state = GameState.new(GAME, seed=5)
driver = GAME.driver
kernels = [getattr(driver, name) for name in ("start", "advance", "score")]
raw = state.outcome("raw").tolist()
print(json.dumps({
    "raw": raw,
    "hits": sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels),
    "misses": sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels),
    "folder": str(cache_folder(GAME.folder)),
}))
"""


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A copy of the toy under another name, in a package of its own."""
    folder = tmp_path / "demo" / "sample"
    shutil.copytree(ROOT / "tests" / "toy", folder, ignore=shutil.ignore_patterns("__pycache__"))
    toml = folder / "components.toml"
    toml.write_text(toml.read_text().replace('game = "toy"', 'game = "sample"'))
    (tmp_path / "demo" / "__init__.py").write_text("")
    return tmp_path


def play(demo: Path, **environ: str) -> dict[str, Any]:
    """Score the start of a game in a new process; return the scores and what the cache did."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        cwd=demo,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(demo), str(ROOT)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LUSOGAMES_CACHE_DIR": str(demo / "cache"),
            **environ,
        },
    )
    assert run.returncode == 0, run.stderr
    return {**json.loads(run.stdout), "notice": run.stderr}


def test_the_second_process_compiles_nothing_and_a_changed_helper_is_seen(demo: Path) -> None:
    first = play(demo, LUSOGAMES_QUIET="")
    assert first["misses"] == 3 and first["hits"] == 0
    assert first["notice"].count("\n") == 1 and "compiling sample" in first["notice"]
    second = play(demo, LUSOGAMES_QUIET="")
    assert second["misses"] == 0 and second["hits"] == 3
    assert second["raw"] == first["raw"] and second["notice"] == ""

    rules = demo / "demo" / "sample" / "rules.py"  # the driver's own file, by which Numba would key, stays as it is
    changed = rules.read_text().replace(
        "return box.value[state.hand[seat]] *", "return 10 * box.value[state.hand[seat]] *"
    )
    assert changed != rules.read_text()
    rules.write_text(changed)
    third = play(demo)
    assert third["raw"] == [10 * value for value in first["raw"]]
    assert third["folder"] != first["folder"]


def test_a_cache_folder_that_cannot_be_written_does_no_harm(demo: Path) -> None:
    (demo / "cache").write_text("a file where the folder should be")
    found = play(demo, TMPDIR=str(demo))
    assert len(found["raw"]) == 3
    assert found["folder"].startswith(str(demo / "lusogames_env"))


def test_without_a_compiler_nothing_is_cached(demo: Path) -> None:
    code = "from demo.sample.game import GAME\nfrom lusogames_env.engine.state import GameState\n"
    code += "print(GameState.new(GAME, 5).outcome('raw').tolist())"
    environ = {**os.environ, "PYTHONPATH": f"{demo}{os.pathsep}{ROOT}", "NUMBA_DISABLE_JIT": "1"}
    environ["LUSOGAMES_CACHE_DIR"] = str(demo / "cache")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ, cwd=demo)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    assert len(json.loads(run.stdout)) == 3 and not list(demo.glob("cache/*"))
