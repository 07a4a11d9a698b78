"""The board and the position as text."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.aljubarrota.game import GAME
from lusogames_env.games.aljubarrota.view import board_map, short_names
from tests.games.aljubarrota.table import BOX, end_round, field, offer, play
from tests.games.aljubarrota.test_setup import MAP, drawn_map


@pytest.mark.rules("ALJ-01", "4.10")
def test_the_drawn_board_is_the_map_hex_by_hex() -> None:
    drawn = [line.rstrip() for line in board_map(BOX)]
    assert drawn == [line.rstrip() for line in MAP] and len(drawn_map()) == 99


def test_the_readme_shows_the_same_board() -> None:
    page = (GAME.folder / "README.md").read_text(encoding="utf-8")
    block = page.split("```text\n")[1].split("```")[0]
    lines = [line.rstrip() for line in block.splitlines() if line[:2].strip().isdigit()]
    heights = {int(line[:2]): line[2:].rstrip() for line in lines}
    assert [heights[h] for h in range(22, -1, -1)] == [line.rstrip() for line in MAP]


def every_text(seed: int, **options: object) -> list[str]:
    """Return the texts of a random game, for all seats and all open."""
    state, texts = GameState.new("aljubarrota", seed, **options), []
    generator = np.random.default_rng(seed)
    while True:
        texts += [state.text(None)] + [state.text(seat) for seat in range(state.box.num_players)]
        if state.over:
            return texts
        for _ in range(9):
            if not state.over:
                state.apply(int(generator.choice(state.legal_actions())))


@pytest.mark.parametrize("variant", ["4p", "solitary", "simultaneous"])
def test_texts_fit_the_page(variant: str) -> None:
    texts = every_text(3, **GAME.variants[variant])
    assert max(len(line) for text in texts for line in text.splitlines()) <= 100
    assert all("10.11:K" in text for text in texts) and "LOST" in texts[-1]


def test_the_position_can_be_read_from_the_text() -> None:
    state = field(
        {"10.6": "2c1s", "9.5": "1C"}, {"10.9": "Melo-a Silva-a Nuno"}, waves=True, reserve=(0, 3), round_no=9
    )
    state.record.family_owner[:] = [1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0]
    text = state.refresh().text(0)
    assert "10.6 2c1s" in text and "9.5:x 1C" in text and "10.9:_ Nu Si ME" in text and "10.11:K Ki" in text
    assert "round 9 of 18" in text and "reserve 0 blue, 3 yellow" in text
    assert "Seat 0 plays its free turn" in text
    assert "10.9:_ Nu Si Me" in state.text(None)


def test_a_seat_reads_only_its_own_secrets() -> None:
    state = offer(3, played=2, hands={1: (3, 2, 1)}, pledge_mode="simultaneous")
    play(state, "pledge 1+1")
    assert (
        "has pledged 2 × 1" in state.text(1)
        and "has pledged" not in state.text(2)
        and "has pledged" in state.text(None)
    )
    for seat in range(4):
        text = state.text(seat)
        assert text.count("points), spent") == 1 and text.count("(seat ") == 3
        for seed in range(5):
            assert state.redealt(seat, seed).text(seat) == text
    assert state.text(None).count("(seat ") == 12


def test_half_made_choices_are_shown_to_the_acting_seat_only() -> None:
    state = play(field({"10.1": "3c"}, {"10.8": "Nuno Melo-a"}), "menu: move", "hex 10.8", "group {1, 2}")
    assert "moving Nuno, Melo-a" in state.text(0) and "Decision" not in state.text(1)


def test_the_end_shows_the_scores() -> None:
    state = field({"1.2": "3s"}, {"10.8": "Melo-a"}, waves=True, reserve=(0, 0), round_no=18)
    play(state, "end turn", *["no contribution"] * 3)
    scores = state.outcome("raw")
    for seat in range(4):
        assert f"= {int(scores[seat])} points" in state.text(2)
    lost = field({"10.10": "3c"})
    end_round(lost, "R" * 8 + "G")
    assert "PORTUGAL HAS LOST" in lost.text(0)


def test_short_names_differ() -> None:
    assert len(set(short_names(BOX))) == 12
    same = [f"Aa{i}" for i in range(12)]
    assert len(set(short_names(GAME.new_box(family_names=same)))) == 12
