"""What stands behind every ``lusogames_env.<game>_v<N>`` module: PettingZoo's `env`, `raw_env`, `parallel_env`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lusogames_env.games import game_names, get_game

if TYPE_CHECKING:
    from lusogames_env.engine.aec import GameAECEnv
    from lusogames_env.engine.parallel import GameParallelEnv


def make_aec(game: str, **options: Any) -> GameAECEnv:
    """Return the AEC environment of `game`; options as in `GameAECEnv`."""
    from lusogames_env.engine.aec import GameAECEnv

    return GameAECEnv(get_game(game), **options)


def make_parallel(game: str, **options: Any) -> GameParallelEnv:
    """Return the turn-based parallel environment of `game`; options as in `GameParallelEnv`."""
    from lusogames_env.engine.parallel import GameParallelEnv

    return GameParallelEnv(get_game(game), **options)


def missing_module(name: str) -> AttributeError:
    """Return the error for ``lusogames_env.<name>``, which says what exists instead."""
    match = re.fullmatch(r"(\w+)_v(\d+)", name)
    if match and match.group(1) in game_names():
        version = get_game(match.group(1)).version
        return AttributeError(f"there is no {name}: the version of this package is {match.group(1)}_v{version}")
    if match:
        return AttributeError(f"there is no game '{match.group(1)}'; known: {', '.join(game_names())}")
    return AttributeError(f"module 'lusogames_env' has no attribute '{name}'")
