"""Private values: the code that runs has its law, the law is within its price, and planted faults are not."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp

import pytest

from conftest import assert_law
from dprules.accounting import Account, Neighbours, Unit, Values
from dprules.audit import Law, both_ways, exact_values_law, hockey_stick, neighbouring_counts
from dprules.learners import values
from dprules.learners.values import keep_values, price_values
from dprules.mechanisms import noisy_counts
from dprules.schema import PrivateValues

EVENT = Values(Fraction(1, 2), threshold=4)
RARE = Values(Fraction(1, 2), threshold=8)
TABLES = {
    "nothing": {},
    "once": {"a": 1},
    "around the threshold": {"a": 3, "b": 4, "c": 2},
    "one far above": {"a": 40, "b": 1},
}


def kept_law(counts: dict[str, int], event: Values, most: int) -> dict[object, float]:
    """The values with the largest noisy counts that reach the threshold, by every noise up to +-40."""
    less = exp(-float(event.tilt))
    cells = []
    for name, count in counts.items():
        reached = {(-count - z, name): less ** abs(z) * (1 - less) / (1 + less) for z in range(-40, 41)}
        missed = [outcome for outcome in reached if -outcome[0] < event.threshold]
        lost = sum(reached.pop(outcome) for outcome in missed)
        cells.append([(None, lost), *reached.items()])
    law: dict[object, float] = {}
    for outcome in product(*cells):
        ranked = sorted(place for place, _ in outcome if place is not None)[:most]
        kept = tuple(sorted(name for _, name in ranked))
        probability = 1.0
        for _, factor in outcome:
            probability *= factor
        law[kept] = law.get(kept, 0.0) + probability
    return law


def run(counts, bits, event=EVENT, most=1000, runs=4000):
    return [keep_values(counts, event, most, bits) for _ in range(runs)]


@pytest.mark.parametrize(
    "most", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("table", TABLES)
def test_the_code_that_runs_has_the_exact_law(table, most, bits):
    assert_law(run(TABLES[table], bits, most=most), kept_law(TABLES[table], EVENT, most))


FAULTS = {
    "half the noise": lambda counts, tilt, bits: noisy_counts(counts, 2 * tilt, bits),
    "one lower": lambda counts, tilt, bits: noisy_counts(counts, tilt, bits) + 1,
    "records counted twice": lambda counts, tilt, bits: noisy_counts(2 * counts, tilt, bits),
    "one noise for all": lambda counts, tilt, bits: counts + noisy_counts([0], tilt, bits),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_faulty_mechanism_is_noticed(fault, monkeypatch, bits):
    counts = TABLES["around the threshold"]
    monkeypatch.setattr(values, "noisy_counts", fault)
    with pytest.raises(AssertionError):
        assert_law(run(counts, bits), kept_law(counts, EVENT, 1000))


def worst(
    neighbours: Neighbours, epsilon: float, event: Values = EVENT, rows: int = 1, most: int | None = None
) -> float:
    """The largest hockey stick of small neighbours."""
    limit = event.threshold + 2 if most is None else most

    def law(counts: Sequence[int]) -> Law:
        return exact_values_law(counts, float(event.tilt), event.threshold)

    pairs = neighbouring_counts(neighbours, rows, limit)
    return max(both_ways(hockey_stick, law(one), law(other), epsilon) for one, other in pairs)


RELATIONS = [Neighbours.ADD_REMOVE, Neighbours.REPLACE]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3, 0.5, 0.52, 0.7, 0.99, 1.0, 1.01, 2.0])
@pytest.mark.parametrize("event", [EVENT, Values(2, 2), Values(Fraction(1, 10), 1), Values(Fraction(1, 8), 9)], ids=str)
def test_the_price_is_the_largest_of_small_neighbours(neighbours, epsilon, event):
    """Not only an upper bound: some neighbours attain it."""
    assert event.curve(neighbours).delta(epsilon) == pytest.approx(worst(neighbours, epsilon, event), rel=1e-9)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_planted_faults_exceed_the_price(neighbours):
    epsilon = 0.5 if neighbours is Neighbours.ADD_REMOVE else 1.0
    price = RARE.curve(neighbours).delta(epsilon)
    assert worst(neighbours, epsilon, Values(RARE.tilt, RARE.threshold - 1)) > 1.2 * price
    assert worst(neighbours, epsilon, Values(2 * RARE.tilt, RARE.threshold)) > 1.2 * price
    twice = [exact_values_law([2 * n], float(RARE.tilt), RARE.threshold) for n in (0, 1)]
    assert both_ways(hockey_stick, *twice, epsilon) > 1.2 * price


def test_an_exchange_priced_as_an_addition_is_noticed():
    assert worst(Neighbours.REPLACE, 0.5, RARE) > 1.2 * RARE.curve(Neighbours.ADD_REMOVE).delta(0.5)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("rows", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_what_is_bought_is_within_its_shares_and_as_low_as_they_allow(neighbours, rows):
    """All rows of a unit on one value of its own, or on several, or on values that others have, too."""
    column = PrivateValues("x", share=0.5, delta=0.5)
    account = Account(3.0, 0.02, neighbours, Unit() if rows == 1 else Unit("who", rows))
    event = price_values(column, account)
    # With the rows of a unit on several values there are many tables: few others are enough to have every kind.
    found = worst(neighbours, 1.5, event, rows, most=None if rows == 1 else 1)
    assert 0.3 * 0.01 < found <= 0.01
    lower = Values(event.tilt, event.threshold - 1)
    if rows == 1:
        assert worst(neighbours, 1.5, lower, rows) > 0.01
    assert lower.curve(neighbours).for_group(rows).delta(1.5) > 0.01
