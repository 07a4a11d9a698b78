"""After every decision of these tests the invariants hold."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState


@pytest.fixture(autouse=True)
def _invariants_after_every_ply(monkeypatch):
    apply = GameState.apply

    def checked(self, action):
        assert self.check() == 0, f"before {action}: {self.game.invariants[self.check()]}"
        apply(self, action)
        assert self.check() == 0, self.game.invariants[self.check()]
        return self

    monkeypatch.setattr(GameState, "apply", checked)
