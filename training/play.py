"""A game in the terminal: one human against any players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import Box
from lusogames_env.engine.players import Player, make_player
from lusogames_env.engine.players import ask as ask_player

HELP = "Type the number of an action, ? for this help and the position, q to leave."


class Left(Exception):
    """The human has left the table."""


def play(
    box: Box,
    opponents: list[Any],
    seat: int,
    seed: int | None,
    ask: Callable[[str], str],
    show: Callable[[str], None],
) -> np.ndarray:
    """Play one game and return the win utilities, float64 (num_players,).

    Args:
        box: game and options.
        opponents: players of the other seats, clockwise from the human's; the last one also takes the seats left over.
        seat: where the human sits.
        seed: seed of the game; None takes a fresh one.
        ask: reads a line after a prompt; raises EOFError at the end of the input.
        show: prints a text.

    Raises:
        Left: the human left.
        OptionError: a seat or a player that does not exist.
    """
    players = _seat_players(box, opponents, seat)
    batch = Batch(box, 1, seed=seed)
    row = np.zeros(1, np.int64)
    shown = False
    while batch.running[0]:
        actor = int(batch.actors[0])
        if actor == seat:
            action, shown = _ask_action(batch, seat, ask, show), True
        else:
            action = int(ask_player(players[actor], batch, row)[0])
            if not shown:
                show(f"seat {actor} ({players[actor].name}) opens")
                shown = True
        batch.step(np.array([action]))
    utilities = batch.outcomes("win")[0, : box.num_players]
    show(batch.state(0).text(seat))
    show(_result(utilities, batch.outcomes("raw")[0], players, seat))
    return utilities


def _seat_players(box: Box, opponents: list[Any], seat: int) -> dict[int, Player]:
    if not 0 <= seat < box.num_players:
        raise OptionError(f"seat {seat}: expected 0 … {box.num_players - 1}")
    others = [(seat + i) % box.num_players for i in range(1, box.num_players)]
    if others and not 1 <= len(opponents) <= len(others):
        raise OptionError(f"{len(opponents)} opponents: expected 1 to {len(others)}")
    made = [make_player(spec, box.game) for spec in opponents]
    return {other: made[min(i, len(made) - 1)] for i, other in enumerate(others)}


def _ask_action(batch: Batch, seat: int, ask: Callable[[str], str], show: Callable[[str], None]) -> int:
    legal = np.flatnonzero(batch.masks[0]).tolist()
    position = batch.state(0).text(seat)
    choices = "\n".join(f"  {i:3d}  {batch.box.labels[action]}" for i, action in enumerate(legal))
    show(f"\n{position}\n\nYou are seat {seat}. Your actions:\n{choices}")
    while True:
        try:
            answer = ask("action (? help, q quit): ").strip().lower()
        except EOFError:
            raise Left from None
        if answer in ("q", "quit", "exit"):
            raise Left
        if answer in ("?", "h", "help"):
            show(f"{HELP}\n{position}\n{choices}")
        elif answer.isdecimal() and len(answer) < 6 and int(answer) < len(legal):
            return legal[int(answer)]
        else:
            show(f"'{answer}' is not a number from 0 to {len(legal) - 1}")


def _result(utilities: np.ndarray, points: np.ndarray, players: dict[int, Player], seat: int) -> str:
    lines = ["", "The game is over."]
    for i, utility in enumerate(utilities):
        who = "you" if i == seat else players[i].name
        lines.append(f"  seat {i} ({who}): {points[i]:g} points, utility {utility:+.2f}")
    return "\n".join(lines)
