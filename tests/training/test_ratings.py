"""Ratings: they order players by strength, also with teams and draws, and go on where they stopped."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.training.ratings import DRIFT, Rating, Ratings, side_scores


def test_the_stronger_player_is_rated_higher_and_doubt_shrinks() -> None:
    generator = np.random.default_rng(0)
    ratings = Ratings()
    strength = {"weak": 0.0, "middling": 1.0, "strong": 2.0}
    for _ in range(300):
        scores = [value + generator.normal() for value in strength.values()]
        ratings.rate([[name] for name in strength], scores)
    assert ratings.of["weak"].mu < ratings.of["middling"].mu < ratings.of["strong"].mu
    assert all(rating.sigma < Rating().sigma / 4 and rating.games == 300 for rating in ratings.of.values())


def test_a_draw_of_equals_moves_nobody() -> None:
    ratings = Ratings()
    ratings.rate([["a"], ["b"]], [0.5, 0.5])
    assert ratings.of["a"].mu == pytest.approx(ratings.of["b"].mu) == pytest.approx(25.0)


def test_teams_win_together_and_copies_share_their_change() -> None:
    ratings = Ratings()
    ratings.rate([["a", "b"], ["c", "c"]], [1.0, -1.0])
    assert ratings.of["a"] == ratings.of["b"]
    assert ratings.of["a"].mu > 25.0 > ratings.of["c"].mu
    assert ratings.of["c"].games == 1


def test_one_side_alone_is_not_rated() -> None:
    ratings = Ratings()
    ratings.rate([["a", "b"]], [1.0])
    assert ratings.of == {}


def test_ratings_go_on_from_json_to_the_bit() -> None:
    games = [([["a"], ["b"], ["c"]], [float(i % 3), float(i % 2), 1.0]) for i in range(20)]
    whole, first, second = Ratings(DRIFT), Ratings(DRIFT), Ratings(DRIFT)
    for sides, scores in games:
        whole.rate(sides, scores)
    for sides, scores in games[:9]:
        first.rate(sides, scores)
    second.from_json(first.to_json())
    for sides, scores in games[9:]:
        second.rate(sides, scores)
    assert second.of == whole.of


def test_a_copy_starts_with_the_skill_of_its_original() -> None:
    ratings = Ratings()
    ratings.rate([["a"], ["b"]], [1.0, 0.0])
    ratings.copy("a", "twin")
    assert (ratings.of["twin"].mu, ratings.of["twin"].games) == (ratings.of["a"].mu, 0)
    ratings.copy("stranger", "other")
    assert ratings.of["other"] == Rating()


def test_scores_of_sides_are_means_over_their_seats() -> None:
    placement = np.array([[1.0, -1.0, 0.5, -0.5], [0.1 + 0.2, 0.0, 0.3, 0.0]])
    assert side_scores(placement, [[0, 2], [1, 3]]).tolist() == [[0.75, -0.75], [0.3, 0.0]]
