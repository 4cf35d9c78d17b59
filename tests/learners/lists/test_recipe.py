"""The recipe of theory F looks at public numbers and noisy counts only."""

from fractions import Fraction

import pytest

from dprules.learners.lists import recipe
from dprules.learners.lists.counted_cover import Cell
from dprules.schema import Boolean, build_conditions, literals_of


def rewards_of(made, cells=()):
    scores = [made.score(j, cells) for j in range(made.rules)]
    return [float(score.gain / score.loss) for score in scores]


def cells(*counts):
    return [Cell((0, 0), pair, Fraction(1, 2)) for pair in counts]


def test_rewards_grow_to_one_with_two_classes():
    made = recipe.Recipe(5, 0.1)
    assert rewards_of(made) == sorted(rewards_of(made))
    assert (rewards_of(made)[0], rewards_of(made)[-1]) == (25 / 256, 1.0)
    assert rewards_of(recipe.Recipe(1, 0.3)) == [76 / 256]
    assert rewards_of(recipe.Recipe(2, 0.0)) == [1 / 64, 1.0]
    assert rewards_of(recipe.Recipe(3, 1.0)) == [1.0] * 3


def test_with_many_classes_rewards_end_at_the_square_root_of_the_odds():
    made = recipe.Recipe(4, 0.5, odds=4.0, cell_noise=10.0)
    assert rewards_of(made, cells((500, 0)))[-1] == pytest.approx(2.0, rel=0.02)


def test_empty_rules_raise_the_rewards():
    """Counts within two standard deviations of their noise say that rewards are too low."""
    made = recipe.Recipe(4, 0.5, odds=4.0, cell_noise=10.0)
    assert rewards_of(made, cells((500, 0), (5, 5)))[-1] == pytest.approx(4.0, rel=0.02)
    some = rewards_of(made, cells((500, 0), (500, 0), (500, 0), (-3, 5)))[-1]
    assert 2.0 < some < 4.0


@pytest.mark.parametrize(
    ("counts", "odds"), [([60, 40], 1.0), ([25, 25, 25, 25], 3.0), ([1] * 100, 8.0), ([-5, -5], 1.0), ([0, 0, 0], 1.0)]
)
def test_odds_against_the_largest_class(counts, odds):
    assert recipe.odds_against_the_largest(counts) == pytest.approx(odds)


@pytest.mark.parametrize(("rows", "rules"), [(50_000, 20), (-100, 2), (0, 2), (6400, 10)])
def test_the_number_of_rules_follows_the_noisy_count(rows, rules):
    assert recipe.rules_for(rows, 1.0) == rules


@pytest.mark.parametrize(
    ("counts", "noise", "reward"),
    [([900, 100], 1.0, 1 / 9), ([9000, 1000], 1.0, recipe.PRECISE / 9), ([30, -10], 70.0, 0.4), ([0, 0], 0.0, 0.4)],
)
def test_the_first_reward_follows_noisy_class_counts(counts, noise, reward):
    assert recipe.first_reward(counts, noise, 1.0) == pytest.approx(reward)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_prior_is_a_public_weight_for_every_condition(width):
    literals = [literal for i in range(4) for literal in literals_of(Boolean(f"b{i}"))]
    weights = recipe.prior_of(build_conditions(literals, width))
    assert weights.sum() == pytest.approx(1.0 if width > 1 else 0.7)
    assert (weights > 0).all()
