"""Support cards: when they are played, what they do, and that nothing is applied by halves."""

from __future__ import annotations

import pytest

from tests.games.portao_para_o_mundo.table import (
    BUILD,
    DROP_OUT,
    END,
    HENRIQUE,
    JOAN,
    KING,
    PAY_SET,
    PLAY_BRIBE,
    PLAY_CHURCHES,
    PLAY_CONNECTIONS,
    PLAY_GOODS,
    PLAY_NOBLES,
    SPACE,
    TAKE1,
    TAKE2,
    all_drop,
    all_paid,
    deliver,
    give,
    hand,
    lisbon,
    mask,
    new,
    node,
    pile,
    reals,
    set_pile,
)

BUILDS = set(range(BUILD, SPACE))
PLAYS = set(range(4, 11))


@pytest.mark.rules("SU-1", "SU-2", "SU-3", "PM-43")
def test_cards_before_and_after_an_action_in_one_turn():
    game = give(lisbon(), hand={"bribe": 2, "nobles": 1}, reals=4, res={"wine": 1})
    game.apply(PLAY_BRIBE).apply(KING + JOAN)
    assert node(game) == "LX_TURN" and deliver(JOAN, 1) in mask(game)
    game.apply(deliver(JOAN, 1))
    assert node(game) == "AFTER" and mask(game) == {END, PLAY_BRIBE, PLAY_NOBLES}
    game.apply(PLAY_BRIBE)
    assert game.view(1)["returns_to"].tolist() == [0, 1, 0]
    game.apply(KING + JOAN)
    assert game.record.pos[JOAN, 0] == 5 and node(game) == "AFTER"
    game.apply(PLAY_NOBLES).apply(SPACE + 9)
    assert game.actor == 1 and game.record.noble[0] == 9 and not game.record.hand[0].any()
    assert give(game, 1, hand={"bribe": 1}, reals=2).actor == 1 and PLAY_BRIBE in mask(game)


@pytest.mark.rules("PM-43")
@pytest.mark.parametrize("window", [True, False])
def test_the_window_after_the_action(window):
    game = give(lisbon(post_action_window=window), hand={"bribe": 1}, reals=2, res={"wine": 1})
    game.apply(deliver(JOAN, 1))
    assert node(game) == ("AFTER" if window else "LX_TURN") and game.actor == (0 if window else 1)
    game = give(lisbon(post_action_window=window), disc=1, mfront=1, hand={"medal": 1}, res={"pepper": 1})
    game.apply(BUILD)  # a chip was returned: whether the hand holds Connections stays open
    assert node(game) == "AFTER" and mask(game) == {END}


@pytest.mark.rules("PM-43", "SU-2")
def test_cards_between_two_sets():
    game = give(lisbon(), hand={"goods": 1, "connections": 1}, res={"tobacco": 1, "salt": 2}, front=0)
    game.apply(SPACE + 4)
    assert node(game) == "EXCH" and mask(game) == {END, PLAY_GOODS, PLAY_CONNECTIONS}
    game.apply(PLAY_GOODS)
    assert game.view(2)["returns_to"].tolist() == [0, 0, 1]
    game.apply(TAKE1 + 5)
    assert node(game) == "EXCH" and PAY_SET in mask(game)
    game.apply(PAY_SET)
    assert reals(game)[0] == 6
    stock = int(game.record.stock[0])
    game.apply(PLAY_CONNECTIONS)
    assert game.record.stock[0] == stock - 1 and game.actor == 1  # hand empty, no set left


@pytest.mark.rules("PM-43")
def test_a_useless_hand_still_opens_the_window():
    game = give(lisbon(), hand={"medal": 1}, res={"wine": 1})
    game.apply(deliver(JOAN, 1))
    assert node(game) == "AFTER" and mask(game) == {END}


@pytest.mark.rules("SU-4", "PM-52", "PM-49")
def test_no_card_processes_another():
    game = give(lisbon(), disc=1, mfront=1, hand={"churches": 1, "connections": 1}, res={"wine": 1})
    game.apply(PLAY_CHURCHES).apply(BUILD)
    assert PLAY_CONNECTIONS not in mask(game)
    game.apply(deliver(JOAN, 1))
    assert node(game) == "AFTER" and mask(game) == {END}  # the chip of the Churches build does not count
    # nor does a resource of Support from West Africa pay a Churches build
    game = give(lisbon(), disc=10, mfront=1, hand={"churches": 1, "goods": 1}, res={"pepper": 1})
    game.apply(PLAY_CHURCHES)
    assert {BUILD + 6, BUILD + 7} <= mask(game)
    poor = give(lisbon(), disc=10, mfront=1, hand={"churches": 1})
    poor.apply(PLAY_CHURCHES)
    assert mask(poor) == set(range(BUILD, BUILD + 6))  # one Pepper: the brown areas only


@pytest.mark.rules("SU-4")
@pytest.mark.parametrize(
    ("play", "cards"),
    [(PLAY_BRIBE, "bribe"), (PLAY_NOBLES, "nobles"), (PLAY_GOODS, "goods"), (PLAY_CHURCHES, "churches")],
)
def test_no_card_inside_a_card(play, cards):
    game = give(
        lisbon(),
        disc=1,
        mfront=1,
        reals=9,
        res={"pepper": 1},
        hand={"bribe": 2, "nobles": 2, "goods": 2, "churches": 2},
    )
    game.apply(play)
    assert not mask(game) & (PLAYS | {DROP_OUT, END})


@pytest.mark.rules("SU-5", "PM-48", "PM-51")
def test_cards_that_cannot_be_applied_in_full():
    cards = {"churches": 1, "bribe": 1}
    assert not mask(give(lisbon(), disc=1, hand=cards, reals=1)) & PLAYS  # no Market, one Real
    assert not mask(give(lisbon(), disc=1, mfront=1, hand=cards, front=0)) & PLAYS  # no chip for the Crew
    full = give(lisbon(), disc=1, mfront=1, hand=cards, reals=2)
    assert mask(full) & PLAYS == {PLAY_CHURCHES, PLAY_BRIBE}
    for m in (0, 1):
        give(full, 1, markets=[m])
    assert mask(full) & PLAYS == {PLAY_BRIBE}  # no room
    assert not mask(give(lisbon(), hand={"bribe": 1}, reals=9, pos={0: 14, 1: 14, 2: 15, 3: 14})) & PLAYS


@pytest.mark.rules("SU-6", "PM-54", "GO-5")
def test_used_cards_never_come_back_and_unused_ones_are_worthless():
    game = set_pile(give(lisbon(), hand={"bribe": 1}, reals=2), "goods")
    used = int(game.record.used[3])
    game.apply(PLAY_BRIBE).apply(KING + JOAN)
    assert game.record.used[3] == used + 1 and pile(game) == ["goods"]
    for seat in (1, 2):
        set_pile(give(game, seat, res={"gold": 1}))
    while game.actor != 1:
        game.apply(DROP_OUT)
    game.apply(SPACE + 2)
    assert hand(game, 1) == {} and game.record.pile_len == 0  # an empty pile is not filled from the box
    game = give(all_paid(lisbon()), hand={"bribe": 3, "goods": 4, "churches": 4, "ships": 4})
    assert game.record.hand[0].sum() == 15  # nor is there a hand limit
    all_drop(game)
    assert game.over and reals(game) == [0, 0, 0, 0]


# ---- the seven kinds ----


@pytest.mark.rules("CA-3", "CA-5", "PM-47")
@pytest.mark.parametrize("disc", [0, 7, 18, 19])
def test_support_from_nobles(disc):
    game = give(lisbon(), disc=disc, hand={"nobles": 1})
    game.apply(PLAY_NOBLES)
    assert mask(game) == {SPACE + s for s in range(19) if s != disc}
    front = game.record.front.copy()
    game.apply(SPACE + (1 if disc else 3))
    assert game.record.front.tolist() == front.tolist() and game.record.noble[0] == (1 if disc else 3)


@pytest.mark.rules("PM-47")
def test_support_from_nobles_that_takes_the_action():
    def play(space: int, **things) -> object:
        game = give(lisbon(nobles_card_takes_action=True), hand={"nobles": 1}, **things)
        return set_pile(game, "medal", "bribe", "goods").apply(PLAY_NOBLES).apply(SPACE + space)

    crew = play(1)
    assert crew.record.front[0] == 5 and node(crew) == "LX_TURN"
    card = play(2)
    assert node(card) == "KEEP" and card.view(1)["returns_to"].tolist() == [1, 0, 0]
    card.apply(17)
    assert hand(card) == {"medal": 1} and node(card) == "LX_TURN" and card.actor == 0
    market = play(6, mfront=1)
    assert node(market) == "ICON" and mask(market) == {40, 41}
    market.apply(40)
    assert reals(market)[0] == 7 and market.record.stock[0] == 6 and node(market) == "LX_TURN"
    assert node(play(6)) == "LX_TURN"  # no Market in front
    assert reals(play(4))[0] == 0  # nothing for the Reals icon
    assert node(play(0, disc=3)) == "LX_TURN"


@pytest.mark.rules("PM-47", "PM-52")
def test_connections_need_a_chip_in_the_stock():
    # a chip is paid into an empty stock, the Nobles card takes it out again: nothing is left for Connections
    game = give(lisbon(nobles_card_takes_action=True), disc=7, mfront=1, res={"pepper": 1}, front=9)
    give(game, hand={"nobles": 1, "connections": 1})
    assert game.record.stock[0] == 0
    game.apply(BUILD + 4).apply(PLAY_NOBLES).apply(SPACE + 1)
    assert game.record.stock[0] == 0 and node(game) == "AFTER" and mask(game) == {END}


@pytest.mark.rules("CA-6", "CA-7", "PM-48", "PM-49")
def test_support_from_churches():
    assert PLAY_CHURCHES not in mask(give(new(), disc=1, mfront=1, hand={"churches": 1}))
    game = give(lisbon(), disc=13, mfront=1, hand={"churches": 1}, res={"pepper": 1})
    give(game, 1, markets=[0])
    game.apply(PLAY_CHURCHES)
    assert mask(game) == set(range(BUILD + 1, BUILD + 10))  # from the disc's area back to the start
    front = int(game.record.front[0])
    game.apply(BUILD + 8)
    assert reals(game)[0] == 12 and game.record.front[0] == front + 1 - 1 and game.record.res[0, 2] == 0
    assert node(game) == "LX_TURN"


@pytest.mark.rules("CA-6", "PM-49")
def test_the_pepper_of_churches_lasts_this_turn_only():
    game = give(lisbon(), disc=5, mfront=1, hand={"churches": 1, "medal": 1}, res={"pepper": 1}, front=0)
    game.apply(PLAY_CHURCHES).apply(BUILD)
    # the real Pepper had to pay, since its chip is the Crew: the card's Pepper is left for this turn
    assert game.record.virt[2] == 1 and game.record.res[0, 2] == 0
    game.apply(deliver(HENRIQUE, 3))
    assert game.record.pos[HENRIQUE, 0] == 1 and game.record.ind[0] == 0
    game = give(lisbon(), disc=5, mfront=1, hand={"churches": 1}, res={"pepper": 1}, front=0)
    game.apply(PLAY_CHURCHES).apply(BUILD).apply(DROP_OUT)
    assert not game.record.virt.any()


@pytest.mark.rules("CA-8")
def test_churches_after_the_action():
    game = give(lisbon(), disc=5, mfront=2, hand={"churches": 1}, res={"pepper": 1})
    game.apply(BUILD + 2)
    assert node(game) == "AFTER" and PLAY_CHURCHES in mask(game)
    game.apply(PLAY_CHURCHES).apply(BUILD)
    assert game.record.market[:3].tolist() == [0, -1, 0] and game.actor == 1


@pytest.mark.rules("CA-10", "PM-50")
def test_support_from_west_africa():
    game = give(lisbon(), hand={"goods": 1})
    game.apply(PLAY_GOODS).apply(TAKE2)
    assert game.record.virt[0] == 2
    game.apply(deliver(JOAN, 2))
    assert game.record.front[0] == 4 and game.record.ind[0] == 0  # a card's Mountain has no chips
    game.apply(KING + JOAN)
    assert not game.record.virt.any()  # the second one lapsed
    one = give(lisbon(), hand={"goods": 1}).apply(PLAY_GOODS).apply(TAKE1 + 1)
    assert one.record.virt[1] == 1
    assert PLAY_GOODS not in mask(give(lisbon(), hand={"goods": 1}, disc=1, mfront=1, res={"pepper": 1}).apply(BUILD))


@pytest.mark.rules("CA-11", "PM-52")
def test_support_from_connections():
    game = give(lisbon(), hand={"connections": 3}, res={"tobacco": 2, "salt": 2}, front=0)
    assert PLAY_CONNECTIONS not in mask(game)  # nothing returned yet
    game.apply(SPACE + 4).apply(PAY_SET).apply(END)
    assert node(game) == "AFTER"
    game.apply(PLAY_CONNECTIONS).apply(PLAY_CONNECTIONS)
    assert mask(game) == {END} and game.record.front[0] == 4 and hand(game) == {"connections": 1}
    free = give(lisbon(), hand={"connections": 1}, res={"wine": 1}).apply(SPACE + 1)
    assert mask(free) == {END}  # the space costs no Crew


@pytest.mark.rules("CA-12", "PM-53", "EN-6")
def test_medals():
    game = give(all_paid(lisbon()), hand={"medal": 2})
    assert mask(game) == {DROP_OUT}
    give(game, 2, hand={"medal": 1})
    seen = [game.observation(seat).tobytes() for seat in (1, 3)]
    twin = game.clone()
    twin.record.hand[0, 6], twin.record.hand[0, 3] = 1, 1
    twin.record.pile[int(twin.record.pile.tolist().index(3))] = 6
    assert twin.check() == 0 and [twin.observation(seat).tobytes() for seat in (1, 3)] == seen
    all_drop(game)
    assert reals(game) == [10, 0, 5, 0]


@pytest.mark.rules("CA-9")
def test_a_bribe_can_bring_the_income():
    game = give(lisbon(), hand={"bribe": 1}, reals=2, pos={JOAN: 3})
    game.apply(PLAY_BRIBE).apply(KING + JOAN)
    all_drop(game)
    assert reals(game)[0] == 8 and game.record.paid[JOAN] == 1


@pytest.mark.rules("CA-2", "PM-46")
def test_support_from_ships_with_an_empty_stock():
    game = give(new(), hand={"ships": 1}, mfront=5)
    game.apply(4)
    assert reals(game)[0] == 1 and game.record.mfront[0] == 5
