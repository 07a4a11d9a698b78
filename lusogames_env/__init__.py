"""Tabletop games about the history of Portugal and medieval Europe as reinforcement-learning environments.

Importing this package registers the environments in Gymnasium and PettingZoo; it loads neither numba nor torch, and
compiles nothing.
"""

from __future__ import annotations

from pathlib import Path as _Path
from typing import Any

_root = _Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "wrappers" / "__init__.py").is_file():
    __path__.append(str(_root))  # source tree only: lusogames_env.wrappers and .training lie beside the package

from lusogames_env.games import game_names, get_game  # noqa: E402
from lusogames_env.registration import register_all as _register_all  # noqa: E402

__version__ = "0.1.0"
__all__ = ["Batch", "GameState", "__version__", "game_names", "get_game"]

_register_all()


def __getattr__(name: str) -> Any:
    """Load `GameState` and `Batch` on demand; explain a missing environment module."""
    if name == "GameState":
        from lusogames_env.engine.state import GameState

        return GameState
    if name == "Batch":
        from lusogames_env.engine.batch import Batch

        return Batch
    from lusogames_env.engine.modules import missing_module

    raise missing_module(name)
