"""The component file: what it must say, and that its values are the ones the rules use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lusogames_env.engine.errors import ComponentsError
from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import labels, values

SOURCE = (GAME.folder / "components.toml").read_text(encoding="utf-8")


def changed(folder: Path, *pairs: tuple[str, str]) -> str:
    """Write the component file with these texts replaced, each at its first place; return its path."""
    text = SOURCE
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / "changed.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count = 12", "count = 13", "portuguese_cards .* add up to 30 instead of 31"),
        ("level = 2\n", "level = 7\n", r"moors_cards\[0\].level is 7; expected an integer from 1 to 6"),
        ('role = "catapult"', 'role = "ordinary"', "exactly one row with the role 'catapult'"),
        ('key = "peasant"', 'key = "farmer"', "expected 'peasant'"),
        ('key = "V1"', 'key = "V9"', "expected 'V1'"),
        ("moors_face_up = 4", "moors_face_up = 5", "setup.moors_face_up is 5"),
        ("cubes_per_vp = 2", "cubes_per_vp = 0", "end.cubes_per_vp is 0"),
        ("white_cubes = 25", 'white_cubes = "many"', "supply.white_cubes is 'many'"),
        ("peasant_dice = 2\n", "", "peasant_dice is missing"),
        ('game = "d_afonso_henriques"', 'game = "chess"', "meta.game is 'chess'"),
    ],
)
def test_a_wrong_file_is_refused_with_key_value_and_expectation(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ComponentsError, match=message):
        GAME.new_box(components=changed(tmp_path, (old, new)))


@pytest.mark.rules("MAT-3", "DAH-20")
def test_values_of_another_file_are_played(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        ("white_cubes = 25", "white_cubes = 40"),
        ("start_cubes_first_player = 2", "start_cubes_first_player = 1"),
        ("cost = 2\ndraw = 2", "cost = 1\ndraw = 2"),
        ("second_village_income = 2", "second_village_income = 4"),
    )
    state = GameState.new(GAME, components=path, num_players=2, first_player=0)
    assert values(state.record.cubes, 2) == [1, 3]
    assert state.record.bank == 36
    assert "village:V2_up" in labels(state)
    state.apply("pass").apply("pass")
    assert values(state.record.cubes, 2) == [5, 7]
    assert state.check() == 0


@pytest.mark.rules("MAT-6")
def test_a_box_may_have_up_to_thirty_kinds_of_moors_cards(tmp_path: Path) -> None:
    head, _, tail = SOURCE.partition("[[moors_cards]]")
    rest = tail[tail.index("[moors_king_requirement]") :]
    roles = ["ordinary"] * 27 + ["king", "catapult", "siege_tower"]
    rows = [
        f'[[moors_cards]]\nid = {i}\nkey = "M{i}"\nrole = "{role}"\nlevel = {1 + i % 6}\nvp = {i % 9}\n'
        f'cubes = {i % 4}\ncount = 1\nprovenance = "A"\n'
        for i, role in enumerate(roles)
    ]
    path = tmp_path / "thirty.toml"
    path.write_text(head + "\n".join(rows) + "\n" + rest, encoding="utf-8")
    rng = np.random.default_rng(0)
    state = GameState.new(GAME, components=str(path), num_players=3, characters=True, battle_bonus=True)
    while not state.over:
        assert state.check() == 0
        state.apply(int(rng.choice(state.legal_actions())))
    assert state.check() == 0


def test_every_reconstructed_table_says_so() -> None:
    provenance = GAME.components.provenance()
    assert provenance["setup"] == "R"
    assert all("A" in text for key, text in provenance.items() if key.startswith("moors_cards"))
    assert len([key for key in provenance if key.startswith("moors_cards")]) == 12
