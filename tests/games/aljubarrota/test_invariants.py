"""`check` finds what is broken and survives nonsense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.aljubarrota import calibration
from lusogames_env.games.aljubarrota.game import GAME
from tests.games.aljubarrota.table import HEX, PIECE, field, offer, play


def base() -> GameState:
    return field({"10.6": "2c1s", "1.1": "3c"}, {"10.8": "Nuno Melo-a", "3.7": "English-a"}, reserve=(3, 54))


def put(record: Any, name: str, colour: int, side: int, n: int) -> None:
    record.cast[HEX[name], colour, side] += n
    record.dead[colour] -= n


BREAKS: dict[int, list[Callable[[Any], None]]] = {
    1: [lambda r: r.reserve.__setitem__(0, 4), lambda r: r.dead.__setitem__(1, 1)],
    2: [lambda r: put(r, "1.1", 0, 1, 1)],
    3: [lambda r: put(r, "10.8", 0, 1, 1)],
    4: [lambda r: r.piece_hex.__setitem__(7, -2), lambda r: r.to_place.__setitem__(7, 1)],
    5: [
        lambda r: r.piece_hex.__setitem__(slice(4, 7), HEX["10.8"]),
        lambda r: r.piece_hex.__setitem__(7, HEX["6.10"]),
    ],
    6: [lambda r: r.piece_hex.__setitem__(7, HEX["2.5"])],
    7: [
        lambda r: r.hand.__setitem__((0, 1), 36),
        lambda r: r.hand.__setitem__((4, 0), 1),
        lambda r: r.known_held.__setitem__((1, 1), 3) or r.hand.__setitem__(1, (20, 7, 0)),
        lambda r: r.hand.__setitem__(0, r.hand[0] - [1, 0, 0]) or r.spent.__setitem__((0, 0), 1),
    ],
    8: [lambda r: r.deck.__setitem__(0, (r.deck[0] + 1) % 4)],
    9: [lambda r: r.family_owner.__setitem__(0, (r.family_owner[0] + 1) % 4)],
    10: [
        lambda r: r.reserve.__setitem__(1, 53) or r.dead.__setitem__(1, 1),
        lambda r: r.__setattr__("flank", 1),
        lambda r: r.__setattr__("round_no", 8),
        lambda r: r.__setattr__("wave2", 1),
    ],
    11: [lambda r: r.row_card.__setitem__(4, 0), lambda r: r.row_card.__setitem__(3, -1)],
    12: [
        lambda r: r.piece_hex.__setitem__(0, -1),
        lambda r: r.piece_hex.__setitem__(0, HEX["10.9"]) or put(r, "10.11", 0, 1, 1),
    ],
    13: [lambda r: r.__setattr__("swap_left", 2), lambda r: r.__setattr__("english_left", 7)],
    14: [
        lambda r: r.turns_bought.__setitem__(0, 1),
        lambda r: r.turns_bought.__setitem__(1, 1),
        lambda r: r.spent.__setitem__((0, 1), 2) or r.hand.__setitem__((0, 1), r.hand[0, 1] - 2),
    ],
    15: [
        lambda r: r.__setattr__("actor", 2),
        lambda r: r.__setattr__("decision", 5),
        lambda r: r.__setattr__("decision", 8),
        lambda r: r.__setattr__("decision", 10),
        lambda r: r.__setattr__("decision", 13),
        lambda r: r.__setattr__("decision", 14),
        lambda r: r.__setattr__("decision", 1),
    ],
    16: [
        lambda r: r.__setattr__("round_no", 19),
        lambda r: r.__setattr__("over", 1),
        lambda r: r.__setattr__("actor", 4),
        lambda r: r.piece_hex.__setitem__(9, 99),
        lambda r: r.__setattr__("pending_group", -1),
    ],
    17: [
        lambda r: r.__setattr__("decision", 10) or r.__setattr__("pending_flank", 1),
        lambda r: r.__setattr__("decision", 7) or r.__setattr__("pending_hex", 0),
    ],
}


@pytest.mark.parametrize("code", list(GAME.invariants))
def test_each_invariant_is_tested(code: int) -> None:
    for damage in BREAKS[code]:
        state = base()
        assert state.check() == 0
        damage(state.record)
        assert state.check() == code


@pytest.mark.parametrize("seed", range(40))
def test_nonsense_is_survived(seed: int) -> None:
    generator = np.random.default_rng(seed)
    state = offer(2) if seed % 2 else base()
    for name in state.record.dtype.names:
        if generator.random() < (1.0 if seed < 8 else 0.06):
            values = generator.integers(-128, 128, state.record[name].shape)
            state.record[name] = values
    assert 0 <= state.check() <= 17


def test_every_decision_passes() -> None:
    seen = set()
    for seed in range(3):
        state = GameState.new("aljubarrota", seed, num_players=3)
        generator = np.random.default_rng(seed)
        while not state.over:
            seen.add(int(state.record.decision))
            assert state.check() == 0
            state.apply(int(generator.choice(state.legal_actions())))
    assert {1, 2, 3, 4, 5, 6, 7, 8, 13} <= seen
    alone = play(field({"10.1": "3c"}, num_players=1, mode="solitary"), "end turn")
    assert alone.record.decision == 14 and alone.check() == 0 and PIECE["Nuno"] == 1


@pytest.mark.slow
@pytest.mark.rules("12.4", "15.1")
def test_difficulty_is_what_the_rulebook_says() -> None:
    """Without extra turns defeat is practically certain; one each round makes the battle even, two help more."""
    never, second, both = (calibration.captain(name, 60) for name in ("never_buy", "turn_2", "always_both"))
    assert never.win < 0.12 < 0.3 < second.win < 0.7 < both.win
    assert never.defeat_round < 9.5 and never.points_spent == 0 and second.points_spent < 36 < both.points_spent
