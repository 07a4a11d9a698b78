"""Show a position: as text, printed, or as a picture of the text."""

from __future__ import annotations

import warnings

import numpy as np

from lusogames_env.engine.errors import LusogamesError
from lusogames_env.engine.state import GameState

FONT_SIZE = 14
MARGIN = 10


def show(state: GameState, seat: int | None, mode: str | None) -> str | np.ndarray | None:
    """Return or print a position as `seat` sees it (None: all open), in one of the render modes."""
    if mode is None:
        warnings.warn(
            "render() without a render_mode shows nothing: give render_mode='ansi' when making it", stacklevel=3
        )
        return None
    text = state.text(seat)
    if mode == "ansi":
        return text
    if mode == "human":
        print(text, flush=True)
        return None
    return picture(text)


def picture(text: str) -> np.ndarray:
    """Return the text in a fixed-width font as a picture, uint8 (height, width, 3)."""
    try:
        from matplotlib import font_manager
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise LusogamesError(
            "render_mode='rgb_array' needs matplotlib: pip install matplotlib (or lusogames-env[train])"
        ) from error
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans Mono"), FONT_SIZE)
    lines = text.splitlines() or [""]
    width = max(int(font.getlength(line)) for line in lines) + 2 * MARGIN
    height = int(1.25 * FONT_SIZE * len(lines)) + 2 * MARGIN
    image = Image.new("RGB", (width, height), "white")
    drawing = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        drawing.text((MARGIN, MARGIN + int(1.25 * FONT_SIZE * row)), line, fill="black", font=font)
    return np.asarray(image, np.uint8).copy()
