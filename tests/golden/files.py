"""Golden playthroughs as files.

A line of play is ``ply seat choices action``: who was on turn, how many actions were legal, which was taken.
"""

from __future__ import annotations

from pathlib import Path

from lusogames_env.engine.state import OUTCOMES, GameState
from tests.tools import Case, random_game

FOLDER = Path(__file__).parent
SEED = 2026
HEAD = "# {title}, variant {variant}: {options}. Renew with: python -m tests.golden"


def path_of(case: Case) -> Path:
    """Where the playthrough of a case lies."""
    return FOLDER / case.game.name / f"{case.variant}.txt"


def heading(case: Case) -> list[str]:
    """The first lines of a file."""
    options = ", ".join(f"{name}={value}" for name, value in case.box.options.items() if name != "components")
    return [HEAD.format(title=case.game.title, variant=case.variant, options=options), f"seed {SEED}"]


def line(state: GameState, label: str) -> str:
    """One line of play, before the action is taken."""
    return f"{state.ply:4} seat {state.actor} of {len(state.legal_actions()):3}  {label}"


def ending(state: GameState) -> list[str]:
    """The last lines of a file: how it ended, every outcome by seat, the state's hash."""
    how = "cut off" if state.truncated else "ended"
    scores = [f"{kind:9} {' '.join(f'{value:g}' for value in state.outcome(kind))}" for kind in OUTCOMES]
    return [f"{how} after {state.ply} plies", *scores, f"hash {state.hash()}"]


def written(case: Case) -> str:
    """A playthrough of uniformly random play, as text."""
    state = case.new(SEED)
    play = [line(position, position.action_label(action)) for position, action in random_game(state, SEED)]
    return "\n".join([*heading(case), *play, *ending(state), ""])


def replayed(case: Case, text: str) -> str:
    """What becomes of the recorded actions under today's rules, as text; stops where one cannot be taken."""
    state, lines = case.new(SEED), heading(case)
    for recorded in text.splitlines()[2:]:
        if state.over:
            break
        label = recorded.split(" of ", 1)[-1][3:].strip()
        if label not in state.legal_labels():
            lines.append(f"{state.ply:4} seat {state.actor}: '{label}' is not among {state.legal_labels()}")
            return "\n".join([*lines, ""])
        lines.append(line(state, label))
        state.apply(label)
    return "\n".join([*lines, *ending(state), ""])
