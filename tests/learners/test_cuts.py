"""Private cuts by halving: the exact law of tiny columns, its price, planted faults, and cuts that are of use."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp
from random import Random
from typing import Any

import numpy as np
import pytest

from conftest import assert_law
from dprules.accounting import Account, Neighbours, Quantiles, Unit
from dprules.audit import both_ways, largest_loss
from dprules.errors import ParameterError
from dprules.jobs import FitRequest, ListSettings, fit
from dprules.learners import cuts
from dprules.learners.cuts import buy_cuts, draw_cuts
from dprules.mechanisms import SeededBits, draw, os_bits
from dprules.models import RuleList, cuts_of
from dprules.schema import Label, Numeric, PrivateCuts, Schema
from dprules.schema.grids import cut_grid
from dprules.tables import ColumnsTable, read_records

TILT = Fraction(1, 2)
LEVELS = 2
GRIDS = {3: (1.0, 2.0, 3.0), 5: (1.0, 2.0, 3.0, 4.0, 5.0)}
Tree = tuple[Any, ...]
"""A transcript of halving: (left side, cut, right side), or () where nothing was drawn."""


def column(places: int, levels: int = LEVELS) -> PrivateCuts:
    """A column whose cuts may be at 1, 2, ..., so many places."""
    return PrivateCuts("x", lower=0, upper=places + 1, number=2**levels - 1, step=1)


def draw_from(numbers: Any, asked: PrivateCuts, tilt: Fraction, bits: Any) -> tuple[float, ...]:
    """Cuts of a column of numbers."""
    places = np.searchsorted(cut_grid(asked), numbers, side="right")
    return draw_cuts(np.bincount(places, minlength=len(cut_grid(asked)) + 1), asked, tilt, bits)


def tree_law(
    numbers: Sequence[float], grid: Sequence[float], levels: int, tilt: float, both_sides: bool = False
) -> dict[Tree, float]:
    """Theory C and nothing else: every transcript and its probability.

    Parameters
    ----------
    both_sides : bool
        Plants a fault: a record at a cut is counted on both sides of it.
    """
    if levels == 0 or not grid:
        return {(): 1.0}
    weights = []
    for place in grid:
        below = sum(x < place for x in numbers)
        above = sum(x >= place for x in numbers)
        weights.append(exp(-tilt * abs(below - above) / 2))
    law: dict[Tree, float] = {}
    for at, place in enumerate(grid):
        lower = [x for x in numbers if x < place or (both_sides and x == place)]
        upper = [x for x in numbers if x >= place]
        left = tree_law(lower, grid[:at], levels - 1, tilt, both_sides)
        right = tree_law(upper, grid[at + 1 :], levels - 1, tilt, both_sides)
        for (a, p), (b, q) in product(left.items(), right.items()):
            law[a, place, b] = weights[at] / sum(weights) * p * q
    return law


def places_of(tree: Tree) -> tuple[float, ...]:
    return (*places_of(tree[0]), tree[1], *places_of(tree[2])) if tree else ()


def cuts_law(numbers: Sequence[float], grid: Sequence[float], levels: int, tilt: float) -> dict[object, float]:
    """The law of what is released: the cuts in their order."""
    law: dict[object, float] = {}
    for tree, probability in tree_law(numbers, grid, levels, tilt).items():
        law[places_of(tree)] = law.get(places_of(tree), 0) + probability
    return law


COLUMNS = {
    "nothing": [],
    "one number": [2.0],
    "at and between cuts": [0.5, 1.0, 2.0, 2.5, 2.5],
    "a point mass": [1.0, 1.0, 1.0, 1.0, 3.0],
    "beyond the bounds": [-7.0, 2.0, 99.0],
}


@pytest.mark.parametrize("numbers", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("places", GRIDS)
def test_the_code_that_runs_has_the_exact_law(numbers, places, bits):
    runs = [draw_from(numbers, column(places), TILT, bits) for _ in range(2000)]
    assert_law(runs, cuts_law(numbers, GRIDS[places], LEVELS, float(TILT)))


def loss(one: Sequence[float], other: Sequence[float], tilt: float = 0.5, both_sides: bool = False) -> float:
    """The largest log ratio of two transcripts' laws."""
    laws = [tree_law(numbers, GRIDS[5], LEVELS, tilt, both_sides) for numbers in (one, other)]
    return both_ways(largest_loss, *laws)


CELLS = [k / 2 for k in range(1, 12)]
"""At the cuts, between them, and beside the first and the last."""


def numbers_of(counts: Sequence[int]) -> list[float]:
    return [cell for cell, count in zip(CELLS, counts, strict=True) for _ in range(count)]


# Found by search: the loss comes close to the price, and exceeds it where records at a cut count on both sides.
HARD = [
    ([0, 10, 0, 10, 10, 5, 10, 10, 0, 2, 2], 5.5, 5.5),
    ([0, 0, 10, 10, 10, 10, 5, 10, 10, 0, 0], 2.0, 4.5),
    ([0, 10, 3, 1, 0, 2, 5, 10, 10, 2, 0], 3.0, 1.0),
    ([1, 0, 0, 0, 0, 1, 2, 10, 10, 10, 0], 1.0, 5.5),
    ([5, 10, 0, 0, 1, 10, 10, 0, 5, 10, 10], 2.0, 5.0),
]


def pairs(neighbours: Neighbours) -> Iterator[tuple[list[float], list[float]]]:
    """Neighbouring columns, hard and random. A record without a number is in neither side: it comes or goes."""
    random = Random(3)
    chosen = [([random.choice((0, 0, 0, 1, 4)) for _ in CELLS], *random.choices(CELLS, k=2)) for _ in range(100)]
    for counts, one, other in [*HARD, *chosen]:
        numbers = numbers_of(counts)
        yield numbers, [*numbers, one]
        if neighbours is Neighbours.REPLACE:
            yield [*numbers, other], [*numbers, one]


def worst(neighbours: Neighbours, **fault: Any) -> float:
    return max(loss(*pair, **fault) for pair in pairs(neighbours))


@pytest.mark.parametrize("neighbours", [Neighbours.ADD_REMOVE, Neighbours.REPLACE])
def test_neighbours_stay_within_the_price(neighbours):
    price = float(Quantiles(TILT, LEVELS).curve(neighbours).pure)
    assert 0.75 * price < worst(neighbours) <= price * (1 + 1e-9)


@pytest.mark.parametrize(
    ("neighbours", "fault"),
    [
        (Neighbours.ADD_REMOVE, {"tilt": 1.0}),
        (Neighbours.REPLACE, {"tilt": 1.0}),
        (Neighbours.ADD_REMOVE, {"both_sides": True}),
    ],
    ids=["doubled tilt", "doubled tilt, replace", "counted on both sides"],
)
def test_a_planted_fault_exceeds_the_price(neighbours, fault):
    assert worst(neighbours, **fault) > 1.2 * float(Quantiles(TILT, LEVELS).curve(neighbours).pure)


def test_a_doubled_tilt_is_noticed(monkeypatch, bits):
    monkeypatch.setattr(cuts, "draw", lambda scores, tilt, bits: draw(scores, 2 * tilt, bits=bits))
    numbers = COLUMNS["at and between cuts"]
    runs = [draw_from(numbers, column(5), TILT, bits) for _ in range(2000)]
    with pytest.raises(AssertionError):
        assert_law(runs, cuts_law(numbers, GRIDS[5], LEVELS, float(TILT)))


def test_a_side_that_sees_the_other_is_noticed(monkeypatch, bits):
    """Cuts of the second level that are drawn from all numbers instead of their side's."""
    numbers = np.array([0.5, 0.5, 0.5, 1.0, 4.0])
    grid = np.array(GRIDS[5])
    everything = -np.abs(2 * np.searchsorted(numbers, grid, side="left") - len(numbers))

    def nosy(scores, tilt, bits):
        seen = everything[: len(scores)] if len(scores) < len(grid) else scores
        return draw(seen, tilt, bits=bits)

    monkeypatch.setattr(cuts, "draw", nosy)
    runs = [draw_from(numbers, column(5), 4 * TILT, bits) for _ in range(2000)]
    with pytest.raises(AssertionError):
        assert_law(runs, cuts_law(numbers.tolist(), GRIDS[5], LEVELS, 4 * float(TILT)))


# What is bought, and for how much.


def schema(*columns: PrivateCuts) -> Schema:
    return Schema(Label("y", ("a", "b")), columns)


def records(cells: dict[str, Any], asked: Schema, unit: Unit = Unit()) -> Any:  # noqa: B008 - a frozen value
    return read_records(ColumnsTable(cells), asked, unit, os_bits)


TWO = schema(PrivateCuts("x", lower=0, upper=10, number=7, step=1), PrivateCuts("z", lower=0, upper=1, number=1))
CELLS_OF_TWO = {"x": np.arange(10.0), "z": np.linspace(0, 1, 10), "y": ["a", "b"] * 5}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("unit", [Unit(), Unit("x", 3)], ids=["rows", "units"])
def test_columns_share_what_is_set_aside_for_cuts(neighbours, unit):
    account = Account(2.0, 1e-6, neighbours, unit)
    bought = buy_cuts(records(CELLS_OF_TWO, TWO, unit), TWO, account, 0.25, os_bits)
    (charge,) = account.charges
    assert charge.epsilon == Fraction(1, 2)
    assert [release.name for release in charge.releases] == [cuts_of("x"), cuts_of("z")]
    for release in charge.releases:
        assert release.event.curve(account.neighbours).pure * unit.rows == Fraction(1, 4)
    assert charge.holds(account.neighbours, unit)
    assert all(isinstance(c, Numeric) and c.bought for c in bought.columns)


def test_nothing_is_charged_where_no_cuts_are_asked_for():
    account = Account(1.0, 1e-6)
    plain = Schema(Label("y", ("a", "b")), (Numeric("x", (1.0,)),))
    assert buy_cuts(records({"x": [1], "y": ["a"]}, plain), plain, account, 0.1, os_bits) is plain
    assert account.charges == ()


def test_shares_that_leave_nothing_are_refused():
    with pytest.raises(ParameterError, match="leave nothing"):
        buy_cuts(records(CELLS_OF_TWO, TWO), TWO, Account(1.0, 1e-6), 1, os_bits)


def test_a_column_without_numbers_has_cuts_like_any_other():
    """That all cells are missing must not stop a fit, or be seen in any other way than through the draws."""
    empty = {"x": [None, "text", float("nan")], "z": ["", "inf", "1e200"], "y": ["a", "b", "a"]}
    bought = buy_cuts(records(empty, TWO), TWO, Account(1.0, 1e-6), 0.1, os_bits)
    assert all(isinstance(c, Numeric) for c in bought.columns)


def test_a_fit_names_its_cuts_in_the_certificate():
    random = np.random.default_rng(0)
    x = random.uniform(0, 10, 3000)
    cells = {"x": x, "z": random.random(3000), "y": np.where(x > 5, "a", "b")}
    released = fit(FitRequest(cells, TWO, ListSettings(shares={"cuts": 0.2}), epsilon=10.0))
    assert released.verify()
    assert isinstance(released.model, RuleList)
    assert [column.name for column in released.model.columns if isinstance(column, Numeric) and column.bought]
    assert "cuts of x, cuts of z (private cuts): epsilon 2" in str(released.certificate)


def test_cuts_see_at_most_one_row_of_a_person():
    """One person with most of the rows must not move the cuts."""
    random = np.random.default_rng(0)
    cells = {
        "x": np.concatenate([random.random(2000) * 0.2, np.full(20_000, 0.9)]),
        "who": np.concatenate([np.arange(2000), np.full(20_000, 5000)]),
        "y": random.choice(["a", "b"], 22_000),
    }
    asked = schema(PrivateCuts("x", lower=0, upper=1, number=3, step=0.01))
    for rows in (1, 3):
        unit = Unit("who", rows)
        bought = buy_cuts(records(cells, asked, unit), asked, Account(20.0, 1e-6, unit=unit), 0.5, os_bits)
        assert isinstance(bought.columns[0], Numeric)
        assert max(bought.columns[0].cuts) < 0.25


# Where cuts may be, and where they fall.


@pytest.mark.parametrize(
    ("lower", "upper", "step", "places"),
    [
        (0, 1, 0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        (0, 1, 0.3, [0.3, 0.6, 0.9]),
        (17, 20, 1, [18.0, 19.0]),
        (-0.2, 0.2, 0.1, [-0.1, 0.0, 0.1]),
        (0.5, 2, 0.5, [1.0, 1.5]),
    ],
)
def test_cuts_are_written_as_people_write_numbers(lower, upper, step, places):
    assert cut_grid(PrivateCuts("x", lower=lower, upper=upper, step=step)) == tuple(places)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0, 1), (0, 100), (-3, 4), (1900, 2030), (0, 1e6), (0, 3e-7), (1e12, 2e12)]
)
def test_without_a_step_there_are_enough_places_and_short_numbers(lower, upper):
    grid = cut_grid(PrivateCuts("x", lower=lower, upper=upper))
    assert 499 <= len(grid) <= 2500
    assert list(grid) == sorted(set(grid))
    assert lower < grid[0]
    assert grid[-1] < upper
    assert max(len(f"{place:.15g}".lstrip("-").replace(".", "").lstrip("0")) for place in grid) <= 13
    assert all(float(f"{place:.15g}") == place for place in grid)


def test_cuts_fall_near_the_quantiles(bits):
    numbers = np.random.default_rng(0).gamma(2, 10, 20_000)
    asked = PrivateCuts("x", lower=0, upper=200, number=7, step=0.5)
    found = draw_from(numbers, asked, Fraction(1, 30), bits)  # 3 levels: epsilon 0.1
    shares = [(numbers < cut).mean() for cut in found]
    assert shares == pytest.approx([k / 8 for k in range(1, 8)], abs=0.03)


def test_a_point_mass_does_not_take_all_cuts(bits):
    """92% zeros, as capital gains are: the side above the mass is cut on its own."""
    above = np.random.default_rng(0).uniform(50, 1000, 1600)
    numbers = np.concatenate([np.zeros(18_400), above])
    asked = PrivateCuts("x", lower=0, upper=1000, number=7, step=1)
    found = draw_from(numbers, asked, Fraction(1, 10), bits)
    shares = [(above < cut).mean() for cut in found if cut > 100]
    assert shares == pytest.approx([1 / 4, 1 / 2, 3 / 4], abs=0.1)


def test_a_seed_repeats_the_cuts():
    numbers = np.random.default_rng(0).random(500)
    asked = PrivateCuts("x", lower=0, upper=1)
    runs = [draw_from(numbers, asked, Fraction(1, 20), SeededBits(seed)) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.slow
def test_medians_are_as_good_as_those_of_opendp(bits):
    """An oracle for plausibility: at one epsilon the errors of the two have the same size."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_private_quantile
    from opendp.measures import max_divergence
    from opendp.metrics import symmetric_distance
    from opendp.mod import binary_search_param, enable_features

    enable_features("contrib")
    numbers = np.sort(np.random.default_rng(0).normal(50, 15, 400).clip(0.5, 99.5))
    asked = PrivateCuts("x", lower=0, upper=100, number=1, step=0.5)
    grid = cut_grid(asked)
    epsilon = 0.2
    space = vector_domain(atom_domain(T=float, nan=False)), symmetric_distance()

    def make(scale):
        return make_private_quantile(*space, max_divergence(), grid, 0.5, scale)

    theirs = make(binary_search_param(make, d_in=1, d_out=epsilon))
    ours = [draw_from(numbers, asked, Fraction(epsilon), bits)[0] for _ in range(400)]
    others = [float(theirs(numbers.tolist())) for _ in range(400)]

    def error(found):
        return np.mean([abs((numbers < cut).mean() - 0.5) for cut in found])

    assert error(ours) < 2 * error(others) + 0.005
    assert error(others) < 4 * error(ours) + 0.005
