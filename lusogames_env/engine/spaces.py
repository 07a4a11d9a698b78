"""Spaces of a game, the same for every seat, option and player count."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from lusogames_env.engine.game import Game


def flat_observation_space(game: Game) -> spaces.Box:
    """Return the space of the flat observation: float32 (size,) in [-1, 1]."""
    return spaces.Box(-1.0, 1.0, (game.observation.size,), np.float32)


def masked_observation_space(game: Game) -> spaces.Dict:
    """Return the space of PettingZoo observations: the flat one and the int8 mask of legal actions."""
    mask = spaces.Box(0, 1, (game.actions.n,), np.int8)
    return spaces.Dict({"observation": flat_observation_space(game), "action_mask": mask})


def action_space(game: Game) -> spaces.Discrete:
    """Return the space of actions."""
    return spaces.Discrete(game.actions.n)
