"""The rule-based players."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import dice, labels, node, play, position


def choice(state: GameState, name: str = "heuristic", seed: int = 0) -> str:
    return state.action_label(state.bot_action(name, seed))


@pytest.mark.parametrize("name", GAME.bots)
@pytest.mark.parametrize("variant", ["2p", "3p_full_draft", "4p_full"])
def test_they_finish_games_with_legal_actions(name: str, variant: str) -> None:
    state = GameState.new(GAME, seed=1, **GAME.variants[variant])
    while not state.over:
        action = state.bot_action(name, state.ply)
        assert action in state.legal_actions()
        state.apply(action)
        assert state.check() == 0


@pytest.mark.parametrize("name", GAME.bots)
def test_they_answer_in_positions_that_others_have_reached(name: str) -> None:
    rng = np.random.default_rng(5)
    for variant in ("2p_full", "4p_full_house"):
        state = GameState.new(GAME, seed=2, **GAME.variants[variant])
        while not state.over:
            assert state.bot_action(name, state.ply) in state.legal_actions()
            state.apply(int(rng.choice(state.legal_actions())))


@pytest.mark.rules("STR-1")
def test_the_mix_of_buying_cards_and_keeping_cubes_beats_chance() -> None:
    rng = np.random.default_rng(3)
    wins = 0
    for game in range(24):
        state = GameState.new(GAME, seed=game, num_players=2)
        while not state.over:
            mine = state.actor == game % 2
            state.apply(state.bot_action(seed=game) if mine else int(rng.choice(state.legal_actions())))
        wins += state.outcome("win")[game % 2] > 0
    assert wins >= 17


def test_villages() -> None:
    assert choice(position(3, 0, cubes=(3, 3, 3))) == "village:V1"
    assert choice(position(3, 0, cubes=(3, 3, 3), piles={"A": "k"})) == "village:V2_down"
    assert choice(position(3, 0, cubes=(0, 3, 3))) == "village:V0"
    assert choice(position(3, 0, cubes=(3, 3, 3)), "greedy") == "village:V1"
    assert choice(position(3, 0, cubes=(0, 3, 3)), "greedy") == "village:V0"
    assert choice(position(2, 0, cubes=(3, 3)), "greedy") == "village:V2_up"


def test_draws_and_piles() -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="p,n,s", piles={"R": "k"}).apply("village:V3_up")
    assert choice(state) == "keep:noble"
    state.apply("keep:noble")
    assert choice(state) == "left:peasant"  # the soldier to the better pile
    state = position(3, 0, cubes=(3, 3, 3), deck="p,n,s", piles={"L": "k"}).apply("village:V3_up").apply("keep:noble")
    assert choice(state) == "left:soldier"
    state = position(3, 0, cubes=(3, 3, 3), piles={"A": "p,k,s"}).apply("village:V2_down")
    assert choice(state) == "take:king"


def test_battles() -> None:
    state = position(hands={0: "p,k"}, slots="L2_a,L5_a,L6,king", cubes=(2, 0))
    assert choice(state).startswith("target:")
    weak = position(hands={0: "p"}, slots="L6,L6,L5_b,L5_b")
    assert choice(weak) == "target:slot2"
    assert choice(position(hands={0: "n"}, slots="catapult,siege_tower,L6,king")) != "pass"
    state = position(hands={0: "p,p"}, slots="king,L5_a,L6,L6", cubes=(0, 0)).apply("target:slot0")
    assert choice(state) == "add:peasant"
    state.apply("add:peasant")
    assert choice(state) == "add:peasant"
    state.apply("add:peasant")
    assert choice(state) == "roll"


def test_characters() -> None:
    master = position(hands={0: "p,p"}, characters=True, character_assignment=[1, 0])
    master.apply("target:slot3").apply("add:peasant")
    assert choice(master) == "use:master"
    warrior = position(cubes=(1, 0), characters=True, character_assignment=[2, 0])
    assert choice(warrior) == "target:slot3"
    assert choice(warrior.apply("target:slot3")) == "use:warrior"
    king = position(
        hands={0: "n"}, cubes=(1, 0), slots="king,L6,L6,L5_a", characters=True, character_assignment=[2, 0]
    ).apply("target:slot0").apply("add:noble")  # fmt: skip
    assert choice(king) == "use:warrior"
    draft = GameState.new(GAME, num_players=4, characters=True, character_assignment="draft")
    picked = []
    while node(draft) == "DRAFT":
        picked.append(choice(draft))
        draft.apply(picked[-1])
    assert picked == ["draft:warrior", "draft:strategist", "draft:scout", "draft:master_of_arms"]


def test_payment_and_recovery() -> None:
    cheap = play(position(hands={0: "p,p"}, cubes=(5, 0)), dice(3), "target:slot0", "roll")
    assert choice(cheap) == "pay"
    dear = position(hands={0: "p,p"}, cubes=(5, 0), slots="L6,L2_b,L3_a,L4_a")
    play(dear, dice(1), "target:slot0", "roll")
    assert labels(dear) == {"pay", "lose"}
    assert choice(dear) == "pay"  # five cubes for six points and two cubes
    recover = position(hands={0: "p,n"}, slots="L6,L6,L5_a,L5_a", battle_bonus=True, bonus_layout=[7, 1, 2, 3, 4])
    play(recover, "target:slot0", "add:noble", dice(1, 1, 1, 1), "add:peasant")
    assert node(recover) == "RECOVER"
    assert choice(recover) == "recover:noble"


def test_the_veteran_saves_a_second_card_for_a_fight_of_its_own() -> None:
    state = position(hands={0: "p,p"}, slots="L3_a,L6,L6,L5_b").apply("target:slot0").apply("add:peasant")
    assert choice(state, "heuristic") == "add:peasant"
    assert choice(state, "veteran") == "roll"
    king = position(hands={0: "p,p"}, slots="king,L6,L6,L5_b", cubes=(4, 0))
    assert choice(king.apply("target:slot0").apply("add:peasant"), "veteran") == "add:peasant"
