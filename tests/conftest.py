"""What all tests share.

``pytest --game NAME`` (repeatable) keeps the generic tests to some games. Tests that take `case` run over every game
and variant, those that take `game` over every game. ``LUSOGAMES_TEST_SEED`` shifts the seeds of all random tests.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

os.environ.setdefault("LUSOGAMES_QUIET", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from lusogames_env.engine import state
from lusogames_env.games import get_game
from tests.tools import TOY, Case, all_cases, load_game, packages

settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None, max_examples=2000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--game", action="append", default=[], help="run the generic tests over this game only")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only = tuple(metafunc.config.getoption("game"))
    if "case" in metafunc.fixturenames:
        cases = all_cases(only)
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])
    if "game" in metafunc.fixturenames:
        games = [load_game(package) for package in packages() if not only or package.rpartition(".")[2] in only]
        metafunc.parametrize("game", games, ids=[game.name for game in games])


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of the test's own: the same in every run, another one for every test and case."""
    shift = int(os.environ.get("LUSOGAMES_TEST_SEED", "0"))
    return zlib.crc32(request.node.nodeid.encode()) % 1_000_000 + 1_000_000 * shift


@pytest.fixture
def toy() -> Case:
    """The toy game with three players."""
    return Case(TOY, "3p")


@pytest.fixture(scope="session", autouse=True)
def toy_can_be_loaded() -> Iterator[None]:
    """Let saved states of the toy be loaded, which is no game of the suite."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "get_game", lambda name: load_game(TOY) if name == "toy" else get_game(name))
        yield
