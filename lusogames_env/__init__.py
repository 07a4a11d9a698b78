"""Tabletop games about the history of Portugal and medieval Europe as reinforcement-learning environments.

Importing this package is cheap: it registers the environments by name and loads neither numba nor torch.
"""

from __future__ import annotations

from pathlib import Path as _Path

_root = _Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "wrappers" / "__init__.py").is_file():
    __path__.append(str(_root))  # source tree only: lusogames_env.wrappers and .training lie beside the package
