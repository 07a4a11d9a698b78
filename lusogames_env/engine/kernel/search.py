"""Searches of one game by simulation; loaded once per game like the driver, never imported by its own name.

`search` is information-set Monte Carlo tree search (single-observer ISMCTS; Cowling, Powley and Whitehouse 2012): one
tree over the searcher's decisions and those of all others. In every iteration what the searcher cannot know is dealt
anew, so chance and hidden hands are averaged over, and only actions that are legal in that deal take part (their
availability is counted for UCB1). `try_all` plays several actions on in one and the same deal, for `rollout`.

The tree is a set of arrays, one row per node; node 0 is the root:
``action, parent, child, sibling`` (int32; -1 = none), ``mover`` (int8: seat that chose the action),
``visits, available`` (int32) and ``total`` (float64: sum of the mover's utilities).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Any

from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import first_legal, random_seed, sample_mask, seed_rng

legal: Callable[..., int]
step: Callable[..., None]
outcome: Callable[..., None]
redeal: Callable[..., None]
bot: Callable[..., int]
skippable: Callable[..., bool]


@kernel
def mark_tried(node: int, mask: Any, action: Any, child: Any, sibling: Any, available: Any) -> int:
    """Count every legal child of `node` as available, and clear its action from `mask`; return how many there are."""
    n = 0
    at = child[node]
    while at >= 0:
        if mask[action[at]] != 0:
            mask[action[at]] = 0
            available[at] += 1
            n += 1
        at = sibling[at]
    return n


@kernel
def best_child(
    node: int, mask: Any, action: Any, child: Any, sibling: Any, visits: Any, available: Any, total: Any, explore: float
) -> int:
    """Return the legal child with the largest upper confidence bound."""
    best, best_value = -1, 0.0
    at = child[node]
    while at >= 0:
        if mask[action[at]] != 0:
            value = total[at] / visits[at] + explore * sqrt(log(available[at]) / visits[at])
            if best < 0 or value > best_value:
                best, best_value = at, value
        at = sibling[at]
    return best


@kernel
def simulate(state: Any, box: Any, mask: Any, playout: int, plies: int, rng: Any) -> None:
    """Let a policy (-1 uniform, else a rule-based player) decide `plies` times, or to the end of the game (-1)."""
    left = plies
    while left != 0:
        n = legal(state, box, mask)
        if state.over != 0:
            break
        if n == 1 and box.skip_forced != 0 and skippable(state, box):
            choice = first_legal(mask)
        else:
            choice = sample_mask(rng, mask) if playout < 0 else bot(state, box, mask, playout, rng)
            left -= 1
        step(state, box, choice)


@kernel
def search(
    roots: Any,
    i: int,
    box: Any,
    seat: int,
    iterations: int,
    explore: float,
    depth: int,
    playout: int,
    plies: int,
    kind: int,
    work: Any,
    masks: Any,
    utilities: Any,
    rng: Any,
    size: int,
    action: Any,
    parent: Any,
    child: Any,
    sibling: Any,
    mover: Any,
    visits: Any,
    available: Any,
    total: Any,
) -> int:
    """Add `iterations` to the tree for the seat on turn in ``roots[i]``; return the number of nodes.

    Args:
        seat: the searcher; nothing it cannot know is used.
        explore: weight of exploration in UCB1, for utilities in [-1, 1].
        depth: deepest level of the tree; 1 is flat Monte Carlo.
        playout: policy of the playouts: -1 uniform, else number of a rule-based player.
        plies: longest playout in decisions, after which the position is valued as it is; -1: to the end.
        kind: utility that is maximised (0 win, 1 placement, 2 margin).
        work: one state record; masks: int8 (2, actions); utilities: float64 (seats,): working space.
        rng: the search's own generator.
        size: nodes in the tree so far; the arrays need room for `iterations` more.
    """
    the_box = box[0]
    mask, tried = masks[0], masks[1]
    for _ in range(iterations):
        work[0] = roots[i]
        state = work[0]
        redeal(state, the_box, seat, random_seed(rng))
        node, level = 0, 0  # level -1: a new node, below which the playout begins
        while 0 <= level < depth:
            n = legal(state, the_box, mask)
            if state.over != 0:
                break
            if n == 1 and the_box.skip_forced != 0 and skippable(state, the_box):
                choice = first_legal(mask)
            else:
                tried[:] = mask
                mark_tried(node, tried, action, child, sibling, available)
                choice = sample_mask(rng, tried)
                if choice >= 0:
                    action[size], parent[size], mover[size] = choice, node, state.actor
                    child[size], sibling[size] = -1, child[node]
                    visits[size], available[size], total[size] = 0, 1, 0.0
                    child[node] = size
                    node = size
                    size += 1
                    level = -1
                else:
                    node = best_child(node, mask, action, child, sibling, visits, available, total, explore)
                    choice = action[node]
                    level += 1
            step(state, the_box, choice)
        simulate(state, the_box, mask, playout, plies, rng)
        utilities[:] = 0.0
        outcome(state, the_box, kind, utilities)
        while node > 0:
            visits[node] += 1
            total[node] += utilities[mover[node]]
            node = parent[node]
        visits[0] += 1
    return size


@kernel
def advice(roots: Any, i: int, box: Any, seat: int, policy: int, work: Any, mask: Any, seed: int, rng: Any) -> int:
    """Return what a rule-based player would do for `seat`, on turn in ``roots[i]``, in a fresh deal of the unknown."""
    work[0] = roots[i]
    state = work[0]
    redeal(state, box[0], seat, seed)
    seed_rng(rng, seed, 6)
    legal(state, box[0], mask)
    return bot(state, box[0], mask, policy, rng)


@kernel
def try_all(
    roots: Any,
    i: int,
    box: Any,
    seat: int,
    actions: Any,
    policy: int,
    plies: int,
    kind: int,
    work: Any,
    mask: Any,
    utilities: Any,
    seed: int,
    rng: Any,
    values: Any,
) -> None:
    """Play each of `actions` on in the same deal and with the same chance, and write its utility for `seat`.

    Args:
        policy, plies: who plays on, and for how many decisions; see `simulate`.
        kind, work, mask, utilities: as in `search`.
        seed: of the deal and of all chance after it: common random numbers, so that luck cancels in differences.
        values: float64 (actions,), written.
    """
    the_box = box[0]
    for k in range(actions.shape[0]):
        work[0] = roots[i]
        state = work[0]
        redeal(state, the_box, seat, seed)
        seed_rng(rng, seed, 6)
        legal(state, the_box, mask)
        step(state, the_box, actions[k])
        simulate(state, the_box, mask, policy, plies, rng)
        utilities[:] = 0.0
        outcome(state, the_box, kind, utilities)
        values[k] = utilities[seat]
