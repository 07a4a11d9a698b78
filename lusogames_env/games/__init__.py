"""The games: one folder each. A folder with a ``game.py`` is a game; nothing else lists them."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lusogames_env.engine.errors import LusogamesError, nearest

if TYPE_CHECKING:
    from lusogames_env.engine.game import Game


@lru_cache(maxsize=1)
def game_names() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/game.py")))


def get_game(game: str | Game) -> Game:
    """Return the game called `game` (``reis_de_portugal``, …), or the `Game` itself; raises `LusogamesError`."""
    from lusogames_env.engine.game import Game

    if isinstance(game, Game):
        return game
    if not isinstance(game, str) or game not in game_names():
        raise LusogamesError(f"there is no game {game!r}{nearest(str(game), game_names())}")
    return importlib.import_module(f"{__name__}.{game}.game").GAME
