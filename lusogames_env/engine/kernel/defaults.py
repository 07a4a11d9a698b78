"""Kernel functions a game may leave out."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel


@kernel
def concurrent(state: Any, box: Any, seat: int, mask: Any) -> int:
    """No seat but the one on turn decides now."""
    mask[:] = 0
    return 0


@kernel
def skippable(state: Any, box: Any) -> bool:
    """Under ``skip_forced`` every decision with one legal action may be played without asking."""
    return True
