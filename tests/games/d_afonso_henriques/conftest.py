"""Both ways to treat decisions with one legal action: every worked example must hold in either."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[False, True], ids=["asked", "skipped"])
def skip_forced(request: pytest.FixtureRequest) -> bool:
    """Whether the engine plays decisions with one legal action itself."""
    return bool(request.param)
