"""Everything that is the same for all games: the shell around a rules kernel.

Importing this package loads neither numba nor torch; kernels are compiled on first use.
"""

from __future__ import annotations

from lusogames_env.engine.errors import (
    ComponentsError,
    IllegalActionError,
    LusogamesError,
    OptionError,
    StateError,
)
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

__all__ = [
    "Actions",
    "Block",
    "Box",
    "ComponentsError",
    "Field",
    "Game",
    "IllegalActionError",
    "LusogamesError",
    "Observation",
    "Option",
    "OptionError",
    "Record",
    "StateError",
]
