"""What seats may know, the layout of the observation, determinizations, random games, the rule-based players."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.portao_para_o_mundo.game import GAME, N_KEEP, NODES
from tests.games.portao_para_o_mundo.table import (
    ADVENTURER,
    DROP_OUT,
    END,
    GAME_NAME,
    HEX,
    JOAN,
    PLAY_NOBLES,
    SPACE,
    all_drop,
    all_paid,
    deliver,
    give,
    lisbon,
    mask,
    new,
    node,
    pile,
    set_pile,
    set_positions,
)


def seen(game: GameState, seat: int) -> tuple[bytes, str]:
    return game.observation(seat).tobytes(), game.text(seat)


# ---- hidden information ----


@pytest.mark.rules("PM-66", "PM-53")
def test_hands_and_pile_are_hidden_but_their_sizes_open():
    game = give(give(new(), 0, hand={"bribe": 1, "medal": 1}), 1, hand={"goods": 2})
    for seat in range(4):
        view = game.view(seat)
        sizes = view["seats"][:, 34] * 28
        assert sizes.tolist() == pytest.approx([[2, 2, 0, 0][(seat + j) % 4] for j in range(4)])
        assert view["pile_len"] == pytest.approx(24 / 28)
    twin = game.clone()
    twin.record.hand[1] = 0
    twin.record.hand[1, 6] = 2
    record = twin.record
    record.pile[[i for i, kind in enumerate(record.pile.tolist()) if kind == 6][:2]] = 4
    record.pile[: record.pile_len] = record.pile[: record.pile_len][::-1].copy()
    record.rng[:] = 5
    assert twin.check() == 0
    for seat in (0, 2, 3):
        assert seen(twin, seat) == seen(game, seat)
    assert seen(twin, 1) != seen(game, 1)
    assert mask(twin) == mask(game)


@pytest.mark.rules("PM-67")
def test_nobody_else_learns_which_card_was_kept():
    def after(keep: int) -> GameState:
        game = set_pile(give(new(), put={0: [7]}), "medal", "goods", "bribe")
        game.apply(94)
        assert not any(game.view(seat)["drawn"].any() for seat in (1, 2, 3))
        return game.apply(keep)

    medal, goods = after(17), after(15)
    assert seen(medal, 0) != seen(goods, 0)
    for seat in (1, 2, 3):
        assert seen(medal, seat) == seen(goods, seat)
    assert medal.view(0)["mine_in_pile"].tolist() == [0, 0, 0, 0, 0.25, 0, 0]
    assert medal.view(0)["top_two"].argmax(1).tolist() == [0, 1 + 4]  # "bribe" on top is unknown, the own card is not
    assert goods.view(0)["top_two"].argmax(1).tolist() == [0, 1 + 6]
    assert medal.view(1)["top_two"].argmax(1).tolist() == [0, 0]


@pytest.mark.rules("PM-68")
def test_a_returned_card_is_tracked_until_another_seat_has_chosen():
    game = set_pile(give(new(), put={0: [7]}), "medal", "goods", "bribe")
    give(game, 1, put={0: [7]})
    game.record.first[1, 2] = -1
    game.apply(94).apply(17).apply(END)
    assert pile(game) == ["bribe", "goods"] and game.record.pile_by[:2].tolist() == [-1, 0]
    give(game, 1, put={1: [1]})
    game.apply(HEX + 2)  # Blue draws both on the Gold of its own village (V2A, hex 2)
    assert node(game) == "KEEP" and game.actor == 1 and game.record.drawn_by.tolist() == [-1, 0]
    for deal in range(10):  # Red remembers its own card while it lies in the drawn pair, and only that one
        assert game.redealt(0, deal).record.drawn[1] == 4
    others = {int(game.redealt(2, deal).record.drawn[1]) for deal in range(40)}
    assert len(others) > 1
    game.apply(15)
    assert not game.view(0)["mine_in_pile"].any() and game.record.pile_by[0] == 1
    kept = Counter(int(game.redealt(0, deal).record.hand[1].argmax()) for deal in range(40))
    assert len(kept) > 1


@pytest.mark.rules("PM-66", "PM-68")
def test_a_redeal_permutes_all_unseen_cards_uniformly():
    game = set_pile(give(give(new(), 0, hand={"bribe": 1}), 1, hand={"medal": 1, "goods": 1}), "ships", "nobles")
    counts: Counter[tuple[int, ...]] = Counter()
    for deal in range(600):
        other = game.redealt(0, deal)
        assert other.check() == 0 and other.record.hand[0].tolist() == game.record.hand[0].tolist()
        assert other.record.used.tolist() == game.record.used.tolist()
        counts[tuple(sorted(other.record.pile[:2].tolist()))] += 1
    assert len(counts) == 6 and min(counts.values()) > 60 and max(counts.values()) < 140
    rngs = {tuple(game.redealt(0, deal).record.rng.tolist()) for deal in range(5)}
    assert len(rngs) == 5 and tuple(game.record.rng.tolist()) not in rngs


@pytest.mark.rules("PM-43", "PM-66")
def test_forced_decisions_are_not_skipped_where_silence_would_tell():
    options = {"skip_forced": True, "max_rounds": 2}
    game = give(new(**options), put={0: [1]}, hand={"medal": 1})
    for _ in range(4):
        game.apply(DROP_OUT)
    game.apply(deliver(JOAN, 1))
    assert node(game) == "AFTER" and mask(game) == {END}  # a hand is there: only its owner knows there is no choice
    game = set_pile(give(new(**options), put={0: [7]}), "bribe", "bribe", "goods")
    game.apply(94)
    assert node(game) == "KEEP" and mask(game) == {14}
    game = give(new(**options), front=0)
    for seat in (1, 2, 3):
        give(game, seat, front=0)
    game.apply(DROP_OUT)
    assert game.over  # nobody has a chip or a card: everything is forced in the open


# ---- the observation, field by field ----


def test_the_turn_fields():
    game = set_pile(give(new(3, order=[1, 0, 2]), 1, put={1: [3]}, advs=1, ships=1), "bribe", "goods")
    view = game.view(0)
    assert view["phase"].tolist() == [1, 0] and view["node"].argmax() == 0 and view["acting"].tolist() == [0, 1, 0, 0]
    assert view["num_players"].tolist() == [0, 1, 0] and view["round"] == pytest.approx(1 / 30)
    assert view["options"].tolist() == [1, 0, 0, 1]
    assert view["turn_order"].argmax(1).tolist() == [1, 0, 2, 0] and view["turn_order"].sum() == 3
    game.apply(ADVENTURER)
    assert game.view(0)["node"].argmax() == NODES.index("WA_ADV")
    assert game.view(0)["turn_flags"].tolist() == pytest.approx([0, 0, 1 / 3, 0])
    game.apply(HEX + 4)
    view = game.view(1)
    assert view["turn_flags"].tolist() == pytest.approx([1, 0, 1 / 3, 0]) and view["acting"][0] == 1
    board = view["boards"][0]
    assert board[0] == 1 and board[1] == 0
    hexes = board[2:].reshape(9, 18)
    assert hexes[:, :8].argmax(1).tolist() == [1, 4, 2, 6, 3, 0, 5, 7, 3]  # V2A: M S G T P L W C P
    assert hexes[:, 8].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert hexes[3, 9:13].tolist() == [1, 0, 0, 0] and hexes[3, 13:17].tolist() == [1, 0, 0, 0]
    assert hexes[:, 17].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    other = game.view(0)["boards"][2, 2:].reshape(9, 18)  # for Red it is the far village
    assert other[3, 9:13].tolist() == [0, 1, 0, 0] and game.view(0)["boards"][2, 1] == 1
    assert not view["boards"][3].any()  # no fourth village with 3 players


def test_the_seat_fields():
    game = give(lisbon(), 1, res={"pepper": 2, "mountain": 1}, disc=7, markets=[0, 6, 12], mfront=1, reals=130, ind=0)
    give(game, 1, hand={"bribe": 2})
    row = game.view(0)["seats"][1]
    front, stock = int(game.record.front[1]), int(game.record.stock[1])
    assert row[:6].tolist() == pytest.approx([0.65, front / 11, stock / 11, 4 / 11, 0, (10 - stock) / 11])
    assert row[6:27].argmax() == 7 and row[6:27].sum() == 1
    assert row[27:32].tolist() == pytest.approx([1 / 5, 1 / 5, 1 / 5, 1 / 5, 1])
    assert row[34] == pytest.approx(2 / 28)
    assert row[35:].tolist() == pytest.approx([1 / 11, 0, 2 / 11, 0, 0, 0, 0])
    game.record.reals[1] = 1000
    assert game.view(0)["seats"][1, 0] == 1
    market = game.view(1)["market"]
    assert market.argmax(1).tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert game.view(3)["market"].argmax(1)[0] == 1 + 2


def test_the_king_fields():
    game = set_positions(give(lisbon(), res={"salt": 1}), JOAN, 3, 0, 15, 1)
    game.apply(deliver(JOAN, 0))
    row = game.view(1)["kings"][JOAN]
    assert row[:2].tolist() == [1, 0]
    assert row[2:23].reshape(3, 7).argmax(1).tolist() == [3, 4, 0]
    assert row[23:35].reshape(3, 4).argmax(1).tolist() == [0, 3, 2]
    assert row[35:39].tolist() == pytest.approx([8 / 12, 6 / 12, 4 / 12, 2 / 12])
    assert row[39:42].tolist() == [1, 0, 0]
    assert row[42:].tolist() == pytest.approx([0, 1, 1 / 15, 4 / 15])
    assert game.view(1)["supply"].tolist() == pytest.approx([1 / 3, 2 / 3, 1 / 3])
    assert not new(2).view(0)["kings"][1].any()


def test_returned_chips_and_virtual_resources_are_shown():
    game = give(lisbon(), hand={"goods": 1, "medal": 1}, res={"tobacco": 1, "salt": 1})
    game.apply(9).apply(72 + 6)
    assert game.view(2)["virt"].tolist() == pytest.approx([0, 0, 0, 0, 0, 0, 2 / 8])
    game.apply(SPACE + 4)
    assert game.view(2)["turn_flags"].tolist() == [0, 0, 0, 0.25]


def test_the_observation_after_the_end():
    game = all_drop(all_paid(lisbon()))
    view = game.view(2)
    assert not view["acting"].any() and not view["node"].any() and not view["phase"].any()
    assert np.isfinite(game.observation(0)).all()


# ---- random games ----


@pytest.mark.parametrize("variant", GAME.variants)
def test_what_no_single_position_shows(variant, seed):
    """Reals fall only by a Bribe, a paid King stays paid, and a lone chip without Adventurers stands on a port."""
    game = GameState.new(GAME_NAME, seed, **GAME.variants[variant])
    generator = np.random.default_rng(seed)
    box, record = game.box.record[0], game.record
    adventurers: set[int] = set()
    while not game.over:
        before = record.copy()
        action = int(generator.choice(game.legal_actions()))
        game.apply(action)
        assert (record.paid >= before.paid).all() and record.round_no - before.round_no in (0, 1)
        lost = (before.reals - record.reals).max()
        assert lost <= 0 or (lost == 2 and game.action_label(action) == "play:bribe")
        if record.phase != 0 or record.round_no != before.round_no:
            adventurers = set()
        elif record.adv_hexes.any():
            adventurers.add(int(record.actor))
        for slot in range(6):
            for seat in range(game.box.num_players):
                own = int(record.chips[slot, seat])
                if own and own & (own - 1) == 0 and seat not in adventurers:
                    assert own == 1 << int(box.face_port[record.slot_face[slot]])
        assert np.abs(game.observation(game.ply % game.box.num_players)).max() <= 1
        if record.node == N_KEEP and game.view(game.actor)["drawn"].sum() != 1:
            raise AssertionError("the drawn pair is not shown to its seat")
    assert game.ply <= 300 * int(box.max_rounds) + 300


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("bot", GAME.bots)
def test_the_rule_based_players_end_their_games_in_time(players, bot, seed):
    game = GameState.new(GAME_NAME, seed, num_players=players)
    labels = set()
    while not game.over:
        action = game.bot_action(bot)
        labels.add(game.action_label(action).split(":")[0])
        game.apply(action)
    assert not game.truncated and {"hex", "deliver", "space"} <= labels


def test_the_heuristic_uses_its_cards():
    game = give(lisbon(), disc=7, mfront=1, hand={"churches": 1}, res={"pepper": 1})
    assert game.bot_action() == 7
    game = give(lisbon(), hand={"goods": 1})
    assert game.bot_action() == 9
    game = give(lisbon(), hand={"bribe": 1}, reals=2)
    assert game.bot_action() == 8
    game = give(lisbon(), disc=1, mfront=1, hand={"nobles": 1}, res={"pepper": 2})
    assert game.bot_action() == PLAY_NOBLES
    game.apply(PLAY_NOBLES)
    assert game.bot_action() == SPACE + 13  # the first space of the area with the 12
    game = give(new(), hand={"ships": 1})
    assert game.bot_action() == 4
    assert give(new(), put={0: [0]}, front=0).bot_action() == DROP_OUT


# ---- nonsense ----


def test_the_invariants_survive_nonsense(seed):
    generator = np.random.default_rng(seed)
    start = GameState.new(GAME_NAME, seed, num_players=3)
    codes = Counter()
    for _ in range(60):
        game = start.clone()
        for field in GAME.state_record.fields:
            if generator.random() < 0.5 and not field.name.startswith("scratch_"):
                limits = np.iinfo(field.dtype)
                game._states[field.name] = generator.integers(limits.min, limits.max, size=field.dims, endpoint=True)
        codes[game.check()] += 1
    assert codes[0] < 3


@pytest.mark.parametrize(
    ("code", "change"),
    [
        (1, {"front": 5}),
        (2, {"mfront": 1}),
        (3, {"ships": 3}),
        (3, {"advs": 3}),
        (5, {"reals": -1}),
        (5, {"noble": 21}),
    ],
)
def test_broken_invariants_of_a_seat_are_named(code, change):
    game = new()
    for name, value in change.items():
        getattr(game.record, name)[0] = value
    assert game.check() == code


def test_other_broken_invariants_are_named():
    def broken(**fields) -> int:
        game = new()
        for name, (index, value) in fields.items():
            if index is None:
                setattr(game.record, name, value)
            else:
                getattr(game.record, name)[index] = value
        return game.check()

    assert broken(used=(0, 1)) == 4
    assert broken(first=((0, 0), 1)) == 6
    assert broken(chips=((0, 0), 1)) == 6
    assert broken(slot_face=(0, 1)) == 0 and broken(slot_face=(0, 2)) == 7 and broken(king_face=(0, 3)) == 7
    assert broken(ind=(0, 1), front=(0, 3)) == 8
    assert broken(order=(0, 1)) == 9 and broken(dropped=(0, 1)) == 9
    assert broken(node=(None, NODES.index("LX_TURN"))) == 10
    assert broken(virt=(0, 1)) == 11 and broken(ship_pending=(None, 1)) == 11
    assert broken(node=(None, N_KEEP)) == 12
    assert broken(must_place=(None, 1)) == 11
    assert broken(box_adv=(None, 0)) == 3
    assert set(GAME.invariants) == set(range(1, 13))


# ---- the text ----


def test_the_text_shows_what_a_seat_may_know():
    game = set_pile(give(new(), 1, put={0: [7]}), "medal", "goods", "bribe")
    give(game, 0, hand={}, put={0: [0, 3]})
    game.apply(DROP_OUT).apply(HEX + 9 + 8)  # Blue reaches the Gold of the village it shares with Red
    assert "Drawn: Support from West Africa, Award a medal" in game.text(1) and "Drawn" in game.text(None)
    assert "Drawn" not in game.text(0) and "keep one of two cards" in game.text(0)
    game.apply(17)
    assert "Blue's hand: Award a medal" in game.text(1) and "Blue's hand" not in game.text(2)
    assert "Returned by you (place from the top): Support from West Africa (2)" in game.text(1)
    assert "From the top: Bribe, Support from West Africa" in game.text(None)
    assert "V1A Red | Blue" in game.text(3) and "Sa^R" in game.text(3) and "Go B" in game.text(3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_text_fits_the_page(players, seed):
    game = GameState.new(GAME_NAME, seed, num_players=players)
    while not game.over:
        for seat in (None, 0):
            assert max(map(len, game.text(seat).split("\n"))) <= 100
        for _ in range(9):
            if not game.over:
                game.apply(game.bot_action("kings"))
    text = game.text(1)
    assert "The game has ended: " in text and str(int(game.record.reals.max())) in text
