"""The recipe of theory F looks at public numbers and noisy counts only."""

import pytest

from dprules.learners.lists import recipe
from dprules.schema import Boolean, build_conditions, literals_of


def test_rewards_grow_and_the_default_is_drawn_at_half_the_tilt():
    assert [float(r) for r in recipe.short_list(1, 0.3).rewards] == [19 / 64, 1.0]
    made = recipe.short_list(5, 0.1)
    assert list(made.rewards) == sorted(made.rewards)
    assert (made.rounds, float(made.default_tilt_ratio)) == (6, 0.5)


def test_one_reward_for_all_draws():
    assert recipe.constant_reward(None, 0).rounds is None
    assert recipe.constant_reward(3, 0.5).rounds == 4
    assert recipe.constant_reward(3, 0.5).default_tilt_ratio == 1


@pytest.mark.parametrize(("rows", "rules"), [(50_000, 20), (-100, 2), (0, 2), (6400, 10)])
def test_the_number_of_rules_follows_the_noisy_count(rows, rules):
    assert recipe.rules_for(rows, 1.0) == rules


@pytest.mark.parametrize(
    ("counts", "noise", "reward"),
    [([900, 100], 1.0, 1 / 9), ([9000, 1000], 1.0, 1 / 18), ([30, -10], 70.0, 0.4), ([0, 0], 0.0, 0.4)],
)
def test_the_first_reward_follows_noisy_class_counts(counts, noise, reward):
    assert recipe.first_reward(counts, noise, 1.0) == pytest.approx(reward)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_the_prior_is_a_public_weight_for_every_condition(width):
    literals = [literal for i in range(4) for literal in literals_of(Boolean(f"b{i}"))]
    weights = recipe.prior_of(build_conditions(literals, width))
    assert weights.sum() == pytest.approx(1.0 if width > 1 else 0.7)
    assert (weights > 0).all()
