"""Compiled entry points of one game, over games ``lo … hi - 1`` of an array of states.

This source is loaded once per game (`engine.game.load_driver`) with that game's kernels as globals:
it must never be imported by its own name. Arrays are indexed by game; a `box` is an array of one record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import first_legal, sample_mask

reset: Callable[..., None]
legal: Callable[..., int]
step: Callable[..., None]
outcome: Callable[..., None]
check: Callable[..., int]
observe: Callable[..., None]
redeal: Callable[..., None]
bot: Callable[..., int]
skippable: Callable[..., bool]
concurrent: Callable[..., int]

EXTERNAL, RANDOM, FIRST_BOT = 0, 1, 2  # who decides for a seat: the caller, uniform choice, rule-based players
WAIT, GO_ON = -2, -1  # instead of an action: leave this game alone; only go on to the next external decision


@kernel
def forced(state: Any, box: Any, n: int) -> bool:
    """Whether the decision of the seat on turn, with `n` legal actions, is played without asking."""
    return n == 1 and box.skip_forced != 0 and skippable(state, box)


@kernel
def start(states: Any, lo: int, hi: int, box: Any, seeds: Any) -> None:
    """Set up a new game with seed ``seeds[i]`` in each zeroed state; negative seeds leave the game alone."""
    for i in range(lo, hi):
        if seeds[i] >= 0:
            reset(states[i], box[0], seeds[i])


@kernel
def advance(
    states: Any,
    lo: int,
    hi: int,
    box: Any,
    actions: Any,
    deciders: Any,
    rngs: Any,
    masks: Any,
    observers: Any,
    obs: Any,
) -> int:
    """Apply ``actions[i]``, then let the scripted seats play until an external seat is on turn or the game ends.

    Args:
        actions: int array (n,): an action, or `GO_ON`, or `WAIT`.
        deciders: int8 (n, seats): `EXTERNAL`, `RANDOM`, or `FIRST_BOT` + kind of rule-based player.
        rngs: int64 (n, 4): generators of the scripted players.
        masks: int8 (n, actions): on entry the masks of the seats on turn, on return those of the seats on turn now.
        observers: int array (n,): seat whose observation is written; -1 the seat on turn; -2 none.
        obs: float32 (n, observation size), or (n, 0) to write none.

    Returns:
        How many of the actions were illegal; those games are left as they were.
    """
    wrong = 0
    the_box = box[0]
    for i in range(lo, hi):
        action = actions[i]
        if action == WAIT:
            continue
        state = states[i]
        mask = masks[i]
        if action >= 0 and (state.over != 0 or action >= mask.shape[0] or mask[action] == 0):
            wrong += 1
            continue
        while True:  # one place that steps: every further one would be compiled again
            if action >= 0:
                step(state, the_box, action)
                state.ply += 1
            n = legal(state, the_box, mask)
            if state.over != 0:
                break
            who = deciders[i, state.actor]
            if forced(state, the_box, n):
                action = first_legal(mask)
            elif who == RANDOM:
                action = sample_mask(rngs[i], mask)
            elif who == EXTERNAL:
                break
            else:
                action = bot(state, the_box, mask, who - FIRST_BOT, rngs[i])
        if obs.shape[1] > 0 and observers[i] > -2:
            seat = state.actor if observers[i] == -1 else observers[i]
            if seat >= 0:
                observe(state, the_box, seat, obs[i])
            else:
                obs[i, :] = 0.0
    return wrong


@kernel
def watch(states: Any, lo: int, hi: int, box: Any, seats: Any, obs: Any, masks: Any) -> None:
    """Write the observation of seat ``seats[i]`` (-1: zeros), and its mask if ``masks`` has columns."""
    for i in range(lo, hi):
        seat = seats[i]
        if seat >= 0:
            observe(states[i], box[0], seat, obs[i])
        else:
            obs[i, :] = 0.0
        if masks.shape[1] > 0:
            if seat >= 0 and seat == states[i].actor:
                legal(states[i], box[0], masks[i])
            else:
                masks[i, :] = 0


@kernel
def beside(states: Any, i: int, box: Any, masks: Any) -> None:
    """Write the masks, int8 (seats, actions), of the seats that decide beside the one on turn in game i."""
    for seat in range(masks.shape[0]):
        masks[seat, :] = 0
        if states[i].over == 0 and seat < box[0].num_players and seat != states[i].actor:
            concurrent(states[i], box[0], seat, masks[seat])


@kernel
def score(states: Any, lo: int, hi: int, box: Any, kind: int, out: Any) -> None:
    """Write the outcome of `kind` (0 win, 1 placement, 2 margin, 3 raw score) of every seat, float64 (n, seats)."""
    for i in range(lo, hi):
        out[i, :] = 0.0
        outcome(states[i], box[0], kind, out[i])


@kernel
def verify(states: Any, lo: int, hi: int, box: Any, codes: Any) -> None:
    """Write the code of the first broken invariant of every game, 0 if all hold."""
    for i in range(lo, hi):
        codes[i] = check(states[i], box[0])


@kernel
def hide(states: Any, lo: int, hi: int, box: Any, seats: Any, seeds: Any) -> None:
    """Replace what seat ``seats[i]`` cannot know by a sample that agrees with all it knows."""
    for i in range(lo, hi):
        redeal(states[i], box[0], seats[i], seeds[i])


@kernel
def decide(states: Any, lo: int, hi: int, box: Any, masks: Any, kinds: Any, rngs: Any, actions: Any) -> None:
    """Write what the rule-based player ``kinds[i]`` does for the seat on turn; -1: uniform choice, -2: leave out."""
    for i in range(lo, hi):
        if kinds[i] == -2 or states[i].over != 0:
            continue
        if kinds[i] < 0:
            actions[i] = sample_mask(rngs[i], masks[i])
        else:
            actions[i] = bot(states[i], box[0], masks[i], kinds[i], rngs[i])
