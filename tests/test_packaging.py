"""The package as others get it: cheap to import, one name for every module, one version, a complete wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("numba", "torch", "matplotlib", "stable_baselines3", "scipy", "rich", "pygame")
BESIDE = {"wrappers", "training"}
FOLDERS = {"lusogames_env": "lusogames_env", **{name: f"lusogames_env/{name}" for name in BESIDE}}


def run(code: str, folder: Path = ROOT, path: Path = ROOT) -> str:
    """Run code in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(path), "HOME": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = run("import sys, lusogames_env; print(*sorted({name.partition('.')[0] for name in sys.modules}))").split()
    assert "lusogames_env" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_every_game_module_is_importable_without_compiling() -> None:
    modules = sorted(path.stem for path in (ROOT / "lusogames_env").glob("*_v?.py"))
    assert len(modules) >= 5
    code = (
        "import sys\n" + "".join(f"import lusogames_env.{name}\n" for name in modules) + "print('numba' in sys.modules)"
    )
    assert run(code).strip() == "False"


def test_wrappers_and_training_are_imported_under_one_name() -> None:
    wrong = []
    for path in sorted(path for folder in (*FOLDERS, "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            wrong += [f"{path}: {name}" for name in names if name.partition(".")[0] in BESIDE]
    assert wrong == []


def test_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert citation == project
    assert metadata.version("lusogames-env") == project


def test_pins_agree_with_the_ranges_of_the_project() -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {name.lower().replace("_", "-"): version for name, _, version in (line.partition("==") for line in lines)}
    extras = project["optional-dependencies"]
    for text in (*project["dependencies"], *extras["train"], *extras["dev"]):
        requirement = Requirement(text)
        assert requirement.name.lower() in pins, f"{requirement.name} is not pinned in constraints.txt"
        assert pins[requirement.name.lower()] in requirement.specifier, f"the pin of {requirement.name} is out of range"


@pytest.mark.slow
def test_wheel_is_complete_and_works_outside_the_repository(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source = tmp_path / "source"  # the tree without what earlier builds left in it
    subprocess.run([sys.executable, "-c", COPY, str(ROOT), str(source)], check=True)
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(source)], check=True)
    wheel = next(tmp_path.glob("*.whl"))
    held = set(zipfile.ZipFile(wheel).namelist())
    files = {
        f"{target}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, target in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".pyo")
    }
    assert sorted(files - held) == []
    assert sorted(name for name in held - files if ".dist-info/" not in name) == []

    site = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    assert run(PLAY, folder=outside, path=site).strip() == str(site / "lusogames_env" / "__init__.py")


COPY = """
import shutil, sys
ignore = shutil.ignore_patterns(".git", ".venv", "build", "dist", "runs", "*.egg-info", "__pycache__", ".*_cache")
shutil.copytree(sys.argv[1], sys.argv[2], ignore=ignore)
"""

PLAY = """
import os
os.environ["NUMBA_DISABLE_JIT"] = "1"
import lusogames_env
import lusogames_env.training
from lusogames_env.engine.state import GameState
from lusogames_env.wrappers.learners import LearnerBatch
from lusogames_env.games import game_names
for name in game_names():
    assert GameState.new(name, seed=1).text()
print(lusogames_env.__file__)
"""
