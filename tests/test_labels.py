"""The declarations: action texts, observation fields, record fields."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine import Game, IllegalActionError
from lusogames_env.engine.batch import Batch
from tests.tools import Case, mixed_actions, random_game


def test_labels_are_unique_and_have_an_inverse(case: Case) -> None:
    labels = case.box.labels
    assert len(labels) == case.game.actions.n == len(set(labels))
    for action, label in enumerate(labels):
        assert label == label.strip() and label.isprintable() and label
        assert case.box.action_of_label[label] == action


def test_every_legal_action_can_be_said_and_played_by_its_text(case: Case, seed: int) -> None:
    by_number, by_text = case.new(seed), case.new(seed)
    for position, action in random_game(by_number, seed):
        label = position.action_label(action)
        assert label in position.legal_labels() and position.action_of(label) == action
        by_text.apply(label)
    assert by_number == by_text


def test_an_unknown_text_is_answered_with_the_legal_ones(case: Case, seed: int) -> None:
    state = case.position(seed, 3)
    with pytest.raises(IllegalActionError) as error:
        state.apply("SING A SONG")
    assert "SING A SONG" in str(error.value) and state.legal_labels()[0] in str(error.value)


def test_every_action_belongs_to_one_block(game: Game) -> None:
    for block in game.actions:
        assert block.size > 0 and block.doc.strip()
        start = game.actions[block.name]
        assert game.actions.locate(start) == (block, 0)
        assert game.actions.locate(start + block.size - 1) == (block, block.size - 1)
    for outside in (-1, game.actions.n):
        with pytest.raises(IndexError):
            game.actions.locate(outside)
    assert game.actions.n <= 1000  # masked policies break above


def test_the_named_view_covers_the_observation(game: Game) -> None:
    flat = np.arange(game.observation.size, dtype=np.float32)
    view = game.observation.unflatten(flat)
    assert np.concatenate([part.reshape(-1) for part in view.values()]).tolist() == flat.tolist()
    for field in game.observation.fields:
        assert view[field.name].shape == field.dims and field.doc.strip()
        assert game.observation[field.name] == view[field.name].reshape(-1)[0]
    stacked = game.observation.unflatten(np.stack([flat, flat]))
    assert all(part.shape[0] == 2 for part in stacked.values())


def test_record_fields_are_described_and_named_unlike_array_methods(game: Game) -> None:
    """Interpreted kernels read fields as attributes: a field called ``round`` would be numpy's method there."""
    for record in (game.state_record, game.box_record):
        for field in record.fields:
            assert field.doc.strip(), field.name
            assert not hasattr(np.recarray, field.name) and not hasattr(np.record, field.name), field.name


def test_invariants_variants_and_bots_are_described(game: Game) -> None:
    assert game.invariants and 0 not in game.invariants and all(text.strip() for text in game.invariants.values())
    assert game.variants and game.bots[0] == "heuristic" and game.title.strip()
    assert game.default_players in game.players and game.max_plies > 0


def test_play_reaches_every_block_of_actions(game: Game, seed: int) -> None:
    """A block that no variant ever offers would be dead weight in every policy; `noop` is for seats that wait."""
    seen = np.zeros(game.actions.n, np.int8)
    for options in game.variants.values():
        batch = Batch(game, 200, seed=seed, **options)
        while batch.running.any():
            seen |= batch.masks.max(0)
            batch.step(mixed_actions(batch))
    never = [block.name for block in game.actions if not seen[game.actions[block.name] :][: block.size].any()]
    never = [name for name in never if name != "noop"]
    assert not never, f"never legal: {never}"
