"""Slots: whatever is chosen below their curve, one after the other, costs no more than their product."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.approximate import Approximate
from dprules.accounting import Counts, Curve, Gaussian, Neighbours, Pure, Slots, compose, counted
from dprules.accounting.events import CountedCover
from dprules.errors import ParameterError

RELATION = Neighbours.ADD_REMOVE
Law = tuple[list[float], list[float]]
"""Probabilities of the outcomes on the two neighbours."""


def stick(law: Law, epsilon: float) -> float:
    """HS_epsilon(P || Q)."""
    return sum(max(0.0, p - exp(epsilon) * q) for p, q in zip(*law, strict=True))


def curve_of(law: Law) -> Curve:
    backward = (law[1], law[0])
    return Curve(lambda e: stick(law, e), lambda e: stick(backward, e))


def in_turn(first: Law, second: list[Law]) -> Law:
    """The law of a release, and of another that is chosen by its outcome."""
    both: list[list[float]] = [[], []]
    for place, law in enumerate(second):
        for side in (0, 1):
            both[side] += [first[side][place] * mass for mass in law[side]]
    return both[0], both[1]


def response(epsilon: float, delta: float = 0.0) -> Law:
    """Randomised response that tells all with probability delta."""
    yes = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    no = (1 - delta) / (1 + exp(epsilon))
    return [yes, no, delta, 0.0], [no, yes, 0.0, delta]


@st.composite
def laws(draw, outcomes=3):
    """Two laws whose ratios are bounded, or not."""
    weights = [draw(st.lists(st.integers(0, 20), min_size=outcomes, max_size=outcomes)) for _ in range(2)]
    for side in weights:
        side[0] += 1
    return tuple([w / sum(side) for w in side] for side in weights)


def check_a_tree_of_choices(first, second):
    """Exact laws: the second release is chosen by the outcome of the first, and the hull of all is the slot."""
    slots = Slots(2, tuple(map(curve_of, (first, *second))))
    for law in (first, *second):
        assert slots.gap(curve_of(law)) is None
    total = slots.total()
    forward = in_turn(first, list(second))
    backward = (forward[1], forward[0])
    for epsilon in np.linspace(0, 6, 25).tolist():
        assert stick(forward, epsilon) <= total.forward(epsilon) + 1e-12
        assert stick(backward, epsilon) <= total.backward(epsilon) + 1e-12


@settings(max_examples=6, deadline=None)
@given(first=laws(), second=st.tuples(laws(), laws(), laws()))
def test_a_tree_of_choices_costs_no_more_than_two_slots(first, second):
    check_a_tree_of_choices(first, second)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(first=laws(), second=st.tuples(laws(), laws(), laws()))
def test_many_trees_of_choices_cost_no_more_than_two_slots(first, second):
    check_a_tree_of_choices(first, second)


def test_the_counterexample_of_the_composition_note():
    """B if A said yes, else C: more than A and B, more than A and C, less than two slots of the hull of all three."""
    a, b, c = response(1.0), response(1 / 500), response(1e-9, 7.3e-4)
    # Of the four outcomes of A only the first two occur.
    tree = in_turn(a, [b, c, c, c])
    branches = [stick(in_turn(a, [other] * 4), 1.0) for other in (b, c)]
    assert stick(tree, 1.0) > 1.2 * max(branches)
    slots = Slots(
        2, (Pure(1).curve(RELATION), Pure(1 / 500).curve(RELATION), Approximate(1e-9, 7.3e-4).curve(RELATION))
    )
    assert slots.total().delta(1.0) >= stick(tree, 1.0)


def test_a_step_that_exceeds_its_slot_is_found():
    law = [0.5, 0.3, 0.2], [0.25, 0.5, 0.25]
    slot = Slots(3, (curve_of(law),))
    wider = [0.501, 0.299, 0.2], law[1]
    assert slot.gap(curve_of(wider)) is not None
    turned = law[1], law[0]
    assert slot.gap(curve_of(turned)) is not None  # directions do not mix


def test_lists_and_gaussians():
    tilt = counted.tilt(1.0, 1e-6, 10, RELATION)
    ten = CountedCover(tilt, 10).curve(RELATION)
    two = Slots(2, (ten,))
    assert two.gap(ten) is None
    assert two.gap(CountedCover(tilt * 0.9, 10).curve(RELATION)) is None
    assert two.gap(CountedCover(tilt * 1.01, 10).curve(RELATION)) is not None
    assert 1.3 < two.total().epsilon(1e-6) < 1.42  # the sum is 2
    bare = Slots(2, (Approximate(1, 1e-6).curve(RELATION),))
    assert bare.total().epsilon(2e-6) > 1.99
    gaussians = Slots(4, (Gaussian(0.1).curve(RELATION),))
    assert gaussians.total().epsilon(1e-6) == pytest.approx(Gaussian(0.2).curve(RELATION).epsilon(1e-6), rel=0.02)


def test_pure_steps_add_up_at_the_most():
    slots = Slots(3, (Counts(Fraction(1, 10)).curve(RELATION),))
    assert slots.total().pure == Fraction(3, 10)
    assert slots.total().delta(0.31) == 0.0


def test_a_step_has_no_larger_pure_epsilon_than_its_slot():
    """Between the last two points of the grid: below the polygon, and beyond the pure epsilon of the slots."""
    slots = Slots(5, (Counts(1).curve(RELATION),))
    over = Fraction(50_008, 100_000)
    law = response(float(over))
    ten = law
    for _ in range(9):
        ten = in_turn(ten, [law] * len(ten[0]))
        ten = _without_nothing(ten)
    assert stick(ten, 5.0) > 6e-6  # five such steps are not 5-DP
    assert slots.total().delta(5.0) == 0
    assert slots.gap(compose.curve([Counts(over)] * 2, RELATION)) == 1.0


def _without_nothing(law: Law) -> Law:
    """Join outcomes of one ratio, and leave out those that never occur."""
    joint: dict[float, list[float]] = {}
    for p, q in zip(*law, strict=True):
        if p or q:
            both = joint.setdefault(round(log(p / q), 6), [0.0, 0.0])
            both[0] += p
            both[1] += q
    return [p for p, _ in joint.values()], [q for _, q in joint.values()]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**90), Fraction(1, 10**18)])
def test_slots_that_are_narrower_than_a_grid_can_be(epsilon):
    slots = Slots(2, (Pure(epsilon).curve(RELATION),))
    assert slots.gap(Pure(epsilon / 2).curve(RELATION)) is None
    assert slots.total().delta(0.0) < 1e-10
    assert compose.curve([Pure(epsilon)] * 3).delta(0.0) < 1e-10


@pytest.mark.parametrize("number", [0, -1, 10**9, True, 1.5])
def test_a_number_of_slots_that_makes_no_sense(number):
    with pytest.raises(ParameterError, match="slots"):
        Slots(number, (Pure(1).curve(RELATION),))


def test_slots_without_a_shape():
    with pytest.raises(ParameterError, match="shape"):
        Slots(1, ())


def test_a_hull_is_the_largest_of_its_shapes_in_each_direction():
    shapes = [curve_of(law) for law in (([0.9, 0.1], [0.5, 0.5]), ([0.5, 0.5], [0.9, 0.1]))]
    hull = Slots(1, tuple(shapes)).hull
    for epsilon, direction in product([0.0, 0.2, log(2), 2.0], ["forward", "backward"]):
        wanted = max(getattr(shape, direction)(epsilon) for shape in shapes)
        assert getattr(hull, direction)(epsilon) == wanted
