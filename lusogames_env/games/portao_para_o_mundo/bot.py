"""Rule-based players of *Portão para o mundo, Lisboa*."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import sample_mask


@kernel
def bot(state: Any, box: Any, mask: Any, kind: int, rng: Any) -> int:
    """Return a legal action."""
    return sample_mask(rng, mask)
