"""What ``benchmarks.balance`` counts in D. Afonso Henriques beyond seats: how often each character wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.game import Box
from lusogames_env.games.d_afonso_henriques.game import CHARACTERS


def breakdown(
    box: Box, start: np.ndarray, states: np.ndarray, shares: np.ndarray, counted: Any
) -> list[tuple[str, str, dict[str, np.ndarray]]]:
    """Return, with the character cards in play, the wins of the seats that had each of them."""
    if not box.options["characters"]:
        return []
    held = states["character"][:, : box.num_players]
    samples = {name: shares[held == i] for i, name in enumerate(CHARACTERS)}
    return [("Wins by character", "wins", {name: values for name, values in samples.items() if len(values)})]
