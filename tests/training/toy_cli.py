"""The command line with the toy game among the games: ``python -m tests.training.toy_cli train …``."""

from __future__ import annotations

import signal

import lusogames_env.games as games
from lusogames_env.engine.game import Game
from tests.tools import TOY, load_game

_names, _get = games.game_names, games.get_game


def game_names() -> tuple[str, ...]:
    return (*_names(), "toy")


def get_game(name: str) -> Game:
    return load_game(TOY) if name == "toy" else _get(name)


def install() -> None:
    """Make ``toy`` a game for everything that is imported from now on."""
    games.game_names, games.get_game = game_names, get_game  # type: ignore[assignment]


if __name__ in ("__main__", "__mp_main__"):  # the latter in the processes that it starts
    install()

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start with it ignored
    from lusogames_env.training.cli import main

    main()
