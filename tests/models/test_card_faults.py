"""What a scorecard shows must have been paid for."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dprules.accounting import Account, Assumption, Certificate, Counts, Gaussian, Release, Unit
from dprules.models import BINS, CLASS_COUNTS, RISK_TABLE, TERM_WEIGHTS, WEIGHTS, Points, Released, Scorecard
from dprules.schema import Categorical, Label, Numeric
from models.cards import small, without_points

MU = Fraction(1, 10)
SETTINGS = {"terms": 20, "class_weight": None}
RELEASES = {
    CLASS_COUNTS: Gaussian(MU, histogram=True),
    BINS: Gaussian(Fraction(1, 7), histogram=True),
    WEIGHTS: Gaussian(Fraction(1, 2)),
    TERM_WEIGHTS: Gaussian(Fraction(1, 5)),
    RISK_TABLE: Gaussian(MU, histogram=True),
}


def certify(
    releases: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, **changes: Any
) -> Certificate:
    account = Account(8, 1e-5, "replace")
    account.charge_together(list((RELEASES if releases is None else releases).items()))
    assumed = [Assumption.SCHEMA, Assumption.SETTINGS, Assumption.ROW_COUNT]
    given = SETTINGS if settings is None else settings
    certificate = account.certificate(secure=True, assumptions=assumed, settings=given)
    return replace(certificate, **changes)


def without(*names: str) -> dict[str, Any]:
    return {name: event for name, event in RELEASES.items() if name not in names}


def test_a_card_that_was_paid_for_verifies_and_is_read_back(tmp_path):
    released = Released.of(small(), Label("y", ("no", "yes"), positive="yes"), certify())
    assert released.faults() == []
    assert Released.from_json(released.to_json()) == released
    released.save(tmp_path / "card.json")
    assert Released.load(tmp_path / "card.json").model == small()
    assert str(released).startswith(str(small()))


def test_terms_need_no_weights_of_their_own():
    assert small().faults(certify(without(TERM_WEIGHTS))) == []
    assert small().faults(certify(without(TERM_WEIGHTS), {"terms": "all", "class_weight": None})) == []


def test_a_card_without_points_needs_class_counts_alone():
    card = replace(without_points(), totals=small().totals)
    assert card.faults(certify({CLASS_COUNTS: RELEASES[CLASS_COUNTS]})) == []
    assert card.faults(certify()) == []
    assert card.faults(certify(without(CLASS_COUNTS))) == ["no release is for the class counts"]


@pytest.mark.parametrize("name", [CLASS_COUNTS, BINS, WEIGHTS, RISK_TABLE])
def test_each_part_must_have_been_released(name):
    assert f"no release is for the {name}" in small().faults(certify(without(name)))
    assert f"no release is for the {name}" in small().faults(certify(RELEASES | {name: Counts(1)}))


@pytest.mark.parametrize("name", RELEASES)
def test_each_part_is_released_once_and_at_its_own_price(name):
    certificate = certify()
    (charge,) = certificate.charges
    twice = replace(charge, releases=(*charge.releases, Release(name, RELEASES[name])))
    assert f"several releases are for the {name}" in small().faults(replace(certificate, charges=(twice,)))
    other = replace(RELEASES[name], histogram=not RELEASES[name].histogram)
    expected = f"the release of the {name} has the price of something else"
    assert small().faults(certify(RELEASES | {name: other})) == [expected]


def shown(name: str, sigma: Fraction) -> Scorecard:
    """The card, saying that its counts carry other noise."""
    card = small()
    if name == CLASS_COUNTS:
        return replace(card, totals=replace(card.totals, sigma=sigma))
    assert card.cells is not None
    return replace(card, cells=replace(card.cells, sigma=sigma))


@pytest.mark.parametrize("name", [CLASS_COUNTS, RISK_TABLE])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(99_999, 100_000), Fraction(2)])
def test_counts_carry_the_noise_that_was_charged(name, share):
    assert shown(name, 10 * share).faults(certify()) == [f"the noise of its {name} is not what was charged"]
    assert shown(name, 10 * Fraction(1_000_001, 1_000_000)).faults(certify()) == [], "noise is rounded up"


def with_column(column: Any) -> Scorecard:
    table = np.zeros((column.size + 1, 1), dtype=int)
    table[0] = 5
    return replace(small(), points=(Points.of(column, table),))


FAULTY: dict[str, tuple[Callable[[], Scorecard], Callable[[], Certificate]]] = {
    "a scorecard is learnt from rows, and the unit is none": (small, lambda: certify(unit=Unit(of="round"))),
    "its class weights are not those of its settings": (
        small,
        lambda: certify(settings={"terms": 20, "class_weight": "balanced"}),
    ),
    "it has more terms than its settings say": (small, lambda: certify(settings={"terms": 3, "class_weight": None})),
    "its settings do not say how many terms it may have": (small, lambda: certify(settings={"terms": True})),
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
    assert small().faults(certify(settings={"terms": 4, "class_weight": None})) == []


def test_weights_of_classes_and_of_settings_agree():
    weighed = replace(small(), weights=(Fraction(1, 2), Fraction(1)))
    assert weighed.faults(certify(settings={"terms": 20, "class_weight": {"no": 0.5}})) == []
    assert weighed.faults(certify()) == ["its class weights are not those of its settings"]
