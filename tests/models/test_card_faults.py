"""What a scorecard shows must have been paid for."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

from dprules.accounting import Account, Assumption, Certificate, Counts, Gaussian, Neighbours, Release, Unit
from dprules.jobs.fitting import fit
from dprules.models import BINS, CLASS_COUNTS, RISK_TABLE, TERM_WEIGHTS, WEIGHTS, Points, Released, Scorecard
from dprules.models.card_faults import BINS_SHARE, CLASSES_SHARE, REFIT_SHARE, TABLE_SHARE
from dprules.schema import Categorical, Label, Numeric
from models.cards import many_classes, small, without_points
from models.genuine import random_request

SETTINGS = {"model": "scorecard", "terms": 20, "class_weight": None}
ALL_TERMS = SETTINGS | {"terms": "all"}
PARTS = {
    CLASS_COUNTS: CLASSES_SHARE,
    BINS: BINS_SHARE,
    WEIGHTS: 0.55,
    TERM_WEIGHTS: REFIT_SHARE,
    RISK_TABLE: TABLE_SHARE,
}


def priced(relation: str = "replace", parts: dict[str, float] = PARTS) -> dict[str, Any]:
    """Releases that share a budget."""
    histograms = (CLASS_COUNTS, BINS, RISK_TABLE)
    return {name: Gaussian.share(0.7, share, relation, histogram=name in histograms) for name, share in parts.items()}


RELEASES = priced()
WITHOUT_REFIT = priced(parts={name: PARTS[name] for name in PARTS if name != TERM_WEIGHTS} | {WEIGHTS: 0.75})


def paid(card: Scorecard, releases: dict[str, Any] = RELEASES) -> Scorecard:
    """The card, with the noise that was paid for."""
    totals = replace(card.totals, sigma=1 / releases[CLASS_COUNTS].mu)
    cells = None if card.cells is None else replace(card.cells, sigma=1 / releases[RISK_TABLE].mu)
    return replace(card, totals=totals, cells=cells)


def card() -> Scorecard:
    return paid(small())


def certify(
    releases: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    neighbours: str = "replace",
    **changes: Any,
) -> Certificate:
    account = Account(8, 1e-5, neighbours)
    account.charge_together(list((RELEASES if releases is None else releases).items()))
    assumed = [Assumption.SCHEMA, Assumption.SETTINGS, Assumption.ROW_COUNT]
    given = SETTINGS if settings is None else settings
    certificate = account.certificate(secure=True, assumptions=assumed, settings=given)
    return replace(certificate, **changes)


def without(*names: str) -> dict[str, Any]:
    return {name: event for name, event in RELEASES.items() if name not in names}


def test_a_card_that_was_paid_for_verifies_and_is_read_back(tmp_path):
    released = Released.of(card(), Label("y", ("no", "yes"), positive="yes"), certify())
    assert released.faults() == []
    assert Released.from_json(released.to_json()) == released
    released.save(tmp_path / "card.json")
    assert Released.load(tmp_path / "card.json").model == card()
    assert str(released).startswith(str(card()))


@pytest.mark.parametrize("seed", range(16))
def test_what_is_learnt_verifies(seed):
    request = random_request(seed)
    released = fit(request)
    assert released.faults() == []
    assert Released.from_json(released.to_json()) == released


def test_terms_need_weights_of_their_own_unless_all_are_kept():
    assert card().faults(certify(WITHOUT_REFIT)) == []
    assert card().faults(certify(WITHOUT_REFIT, ALL_TERMS)) == []
    bins = sum(column.size for column in card().columns)
    few = SETTINGS | {"terms": bins - 1}
    assert card().faults(certify(WITHOUT_REFIT, few)) == ["no release is for the weights of the terms"]
    assert card().faults(certify(WITHOUT_REFIT, few | {"terms": bins})) == []
    assert card().faults(certify(settings=few)) == []
    expected = "its settings keep all terms, and one release is for the weights of some"
    assert card().faults(certify(settings=ALL_TERMS)) == [expected]


def test_a_card_without_points_has_paid_for_looking():
    bare = paid(without_points())
    assert bare.faults(certify()) == []
    assert "no release is for the risk table" in bare.faults(certify(without(RISK_TABLE)))


@pytest.mark.parametrize("name", [CLASS_COUNTS, BINS, WEIGHTS, RISK_TABLE])
def test_each_part_must_have_been_released(name):
    assert card().faults(certify(without(name))) == [f"no release is for the {name}"]
    assert card().faults(certify(RELEASES | {name: Counts(1)})) == [f"no release is for the {name}"]


@pytest.mark.parametrize("name", RELEASES)
def test_each_part_is_released_once_and_at_its_own_price(name):
    certificate = certify()
    (charge,) = certificate.charges
    twice = replace(charge, releases=(*charge.releases, Release(name, RELEASES[name])))
    assert card().faults(replace(certificate, charges=(twice,))) == [f"several releases are for the {name}"]
    other = replace(RELEASES[name], histogram=not RELEASES[name].histogram)
    expected = f"the release of the {name} has the price of something else"
    assert card().faults(certify(RELEASES | {name: other})) == [expected]


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("factor", [Fraction(1, 10**50), 1 - Fraction(1, 10**9), 1 + Fraction(1, 10**9)])
def test_releases_share_what_was_charged_as_those_of_a_card_do(name, factor):
    releases = RELEASES | {name: replace(RELEASES[name], mu=RELEASES[name].mu * factor)}
    assert paid(small(), releases).faults(certify(releases)) == [UNSHARED]


def test_shares_are_those_of_the_relation():
    other = priced("add-remove")
    assert paid(small(), other).faults(certify(other, neighbours="add-remove")) == []
    assert paid(small(), other).faults(certify(other)) == [UNSHARED]
    assert card().faults(certify(without(TERM_WEIGHTS))) == [UNSHARED]


def test_neighbours_that_rows_do_not_have_are_a_fault_of_the_certificate():
    certificate = replace(certify(), neighbours=Neighbours.ZERO_OUT)
    assert card().faults(certificate) == []
    assert "its neighbours and its unit do not fit together" in certificate.faults()


UNSHARED = "its releases do not share what was charged as those of a scorecard do"


def shown(name: str, factor: Fraction) -> Scorecard:
    """The card, saying that its counts carry other noise."""
    made = card()
    if name == CLASS_COUNTS:
        return replace(made, totals=replace(made.totals, sigma=made.totals.sigma * factor))
    assert made.cells is not None
    return replace(made, cells=replace(made.cells, sigma=made.cells.sigma * factor))


@pytest.mark.parametrize("name", [CLASS_COUNTS, RISK_TABLE])
@pytest.mark.parametrize("factor", [Fraction(1, 2), 1 + Fraction(1, 10**12), Fraction(2)])
def test_counts_carry_the_noise_that_was_charged(name, factor):
    assert shown(name, factor).faults(certify()) == [f"the noise of its {name} is not what was charged"]


def moved(made: Scorecard, by: int, place: int = 0) -> Scorecard:
    """The card, with so many more records of a class in its first cell."""
    assert made.cells is not None
    first, *others = made.cells.counts
    changed = tuple(count + by * (at == place) for at, count in enumerate(first))
    return replace(made, cells=replace(made.cells, counts=(changed, *others)))


@pytest.mark.parametrize("place", [0, 1])
def test_cells_add_up_to_the_class_counts_up_to_noise(place):
    made = card()
    assert made.cells is not None
    spread = sqrt(len(made.cells.counts) * made.cells.sigma**2 + made.totals.sigma**2)
    for sign in (-1, 1):
        assert moved(made, sign * int(7.9 * spread), place).faults(certify()) == []
        assert moved(made, sign * int(8.3 * spread), place).faults(certify()) == [ASTRAY]
    assert moved(moved(made, 10**9), -(10**9), 1).faults(certify()) == [ASTRAY]


def test_cells_of_many_classes_add_up_to_all_records():
    made = paid(replace(many_classes(), points=card().points))
    assert made.cells is not None
    missing = sum(made.totals.counts) - sum(map(sum, made.cells.counts))
    whole = moved(made, missing)
    assert whole.faults(certify()) == []
    assert moved(moved(whole, 10**6), -(10**6), 1).faults(certify()) == []
    spread = sqrt(4 * made.cells.sigma**2 + 3 * made.totals.sigma**2)
    assert moved(whole, int(7.9 * spread)).faults(certify()) == []
    assert moved(whole, int(8.3 * spread)).faults(certify()) == [ASTRAY]


ASTRAY = "the counts of its cells do not add up to its class counts"


def with_column(column: Any) -> Scorecard:
    table = np.zeros((column.size + 1, 1), dtype=int)
    table[0] = 5
    return replace(card(), points=(Points.of(column, table),))


FAULTY: dict[str, tuple[Callable[[], Scorecard], Callable[[], Certificate]]] = {
    "a scorecard is learnt from rows, and the unit is none": (card, lambda: certify(unit=Unit(of="round"))),
    "its class weights are not those of its settings": (
        card,
        lambda: certify(settings=SETTINGS | {"class_weight": "balanced"}),
    ),
    "its settings are those of another model": (card, lambda: certify(settings=SETTINGS | {"model": "list"})),
    "it has more terms than its settings say": (card, lambda: certify(settings=SETTINGS | {"terms": 3})),
    "its settings do not say how many terms it may have": (
        card,
        lambda: certify(settings=SETTINGS | {"terms": True}),
    ),
    "the cuts of n were bought, and not charged": (
        lambda: with_column(Numeric("n", (1.0, 2.0), bought=True)),
        certify,
    ),
    "the values of c were bought, and not charged": (
        lambda: with_column(Categorical("c", ("a", "b"), bought=True)),
        certify,
    ),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_faults(fault):
    make, pay = FAULTY[fault]
    assert make().faults(pay()) == [fault]


def test_as_many_terms_as_the_settings_say_are_no_fault():
    assert card().faults(certify(settings=SETTINGS | {"terms": 4})) == []


def test_weights_of_classes_and_of_settings_agree():
    weighed = replace(card(), weights=(Fraction(1, 2), Fraction(1)))
    assert weighed.faults(certify(settings=SETTINGS | {"class_weight": {"no": 0.5}})) == []
    even = SETTINGS | {"class_weight": {"no": 1.0, "yes": 1.0}}
    for certificate in (certify(), certify(settings=even)):
        assert weighed.faults(certificate) == ["its class weights are not those of its settings"]
