"""The invariants are found broken when they are, and nonsense is survived."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import ARCHITECT, GAME, MAECENAS, MERCHANT, POPE, TOLL_COLLECTOR
from tests.games.anno_domini.table import attack, base, full0, seven, stack_deck
from tests.games.anno_domini.test_edges import LAST_CASTLE, end_with


def put(field, value, at=None):
    """Return a change that writes `value` into `field`."""

    def change(record):
        if at is None:
            setattr(record, field, value)
        else:
            record[field][at] = value

    return change


BROKEN = [
    (1, put("castles", 0, 3)),
    (1, put("owner", -1, 3)),
    (2, put("cathedral", 1, 30)),
    (2, put("cathedral", 0, 3)),
    (4, put("kept", 1, (0, 0))),
    (4, put("deck_size", 57)),
    (4, put("deck", 3, 0)),
    (5, put("kept", 1, (0, POPE))),
    (5, put("kept", 0, (3, POPE))),
    (6, put("debt", 10, (0, 0))),
    (7, put("money", 5, 0)),
    (7, put("money", -10, 0)),
    (8, put("elim_rank", 1, 0)),
    (8, put("alive", 0, 0)),
    (11, put("drawn", 1)),
    (11, put("attacks_made", 28)),
    (12, put("unseen_left", 60)),
    (13, put("arch_left", 1)),
    (13, put("arch_done", 1, 4)),
    (15, put("sel_from", 4)),
    (15, put("sel_to", 4)),
    (15, put("sel_src", 4)),
    (15, put("sel_opp", 1)),
    (15, put("decision", 5)),
    (4, put("used_card", 10)),
    (15, put("placed", 35)),
    (16, put("owner", 4, 0)),
    (16, put("castles", 7, 0)),
    (16, put("actor", -1)),
    (16, put("actor", 4)),
    (16, put("decision", 12)),
    (16, put("winner", 0)),
    (16, put("over", 1)),
    (16, put("last_event", 1)),
    (16, put("deck", 15, 0)),
    (16, put("round_number", 41)),
    (16, put("used_card", 15)),
    (17, put("order", 1, 0)),
    (17, put("order_pos", 1)),
]


@pytest.mark.parametrize(("code", "change"), BROKEN)
def test_broken_invariants_are_named(code, change):
    game = base()
    assert game.check() == 0
    change(game.record)
    assert game.check() == code


def test_more_broken_invariants():
    game = full0()
    game.record.castles[32] = 3
    assert game.check() == 3
    game = base()
    game.record.debt[0, 1], game.record.money[0] = 10, 10
    assert game.check() == 6
    game = base()
    game.record.debt[0, 1] = game.record.debt[1, 0] = 10
    assert game.check() == 6
    game = seven()
    game.record.owner[13] = 0
    assert game.check() == 10
    game.record.round_number = 3
    assert game.check() == 9
    game = full0()
    game.record.castles[[24, 28]] = 5
    end_with(game, ARCHITECT)
    game.record.arch_left = 3
    assert game.check() == 13


def test_selections_point_at_what_they_should():
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    game.record.sel_to = 14
    assert game.check() == 15
    game = base().apply("attack from 3-1 Portugal")
    game.record.sel_from = 13
    assert game.check() == 15
    game = base(goal_cathedrals=16)
    game.record.owner[[0, 3, 8, 10, 13, 14]] = 0  # all that Portugal reaches is its own
    game.record.decision, game.record.sel_from = 2, 12
    assert game.check() == 14


def test_every_code_has_a_text():
    named = {code for code, _ in BROKEN} | {3, 9, 10, 14}
    assert named == set(GAME.invariants)


@pytest.mark.parametrize("seed", range(40))
def test_nonsense_is_survived(seed):
    game = base()
    chance = np.random.default_rng(seed)
    raw = game.record
    for name in GAME.state.dtype.names:
        if chance.random() < 0.3:
            field = raw[name]
            limits = np.iinfo(field.dtype) if field.dtype.kind == "i" else None
            if limits is not None and not name.startswith("scratch"):
                values = chance.integers(limits.min, limits.max, np.shape(field), field.dtype, endpoint=True)
                raw[name] = values
    assert game.check() in {0, *GAME.invariants}


def test_saved_states_are_checked_on_loading():
    game = base()
    stack_deck(game)
    twin = GameState.from_bytes(game.to_bytes())
    assert twin == game
    assert twin.legal_actions() == game.legal_actions()


def expected_gain(before, after, action: int) -> int:
    """Return by how much all money together must have changed."""
    gain = 0
    if 54 <= action < 90:
        gain -= 100
    elif action == 2:
        total = int(after.last_event)
        gain += {6: 20, 7: 30, 8: 20}.get(total, 0) * int((before.owner == before.actor).sum())
        gain += 500 if total == 12 else 0
        gain -= int(before.money[(before.alive == 1) & (after.alive == 0)].sum())
    if after.drawn and not before.drawn or (action == 0 and before.conquered and not before.drawn):
        gain += 500 if before.deck[0] == MAECENAS else 0
    if after.round_number > before.round_number:
        for p in range(4):
            mine = after.owner == p
            n = int(mine.sum())
            gain += 10 * n * int(after.cathedral[mine].sum())
            gain += 10 * n * int(after.kept[p, TOLL_COLLECTOR]) + 50 * int(after.kept[p, MERCHANT])
    return gain


@pytest.mark.parametrize("seed", range(3))
def test_money_comes_and_goes_by_rule_only(seed):
    game = GameState.new("anno_domini", seed=seed)
    chance = np.random.default_rng(seed)
    while not game.over and game.ply < 400:
        action = int(chance.choice(game.legal_actions()))
        before = game.clone().record
        game.apply(action)
        if not game.over:
            gain = expected_gain(before, game.record, action)
            assert int(game.record.money.sum()) - int(before.money.sum()) == gain, game.action_label(action)
