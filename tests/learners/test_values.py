"""Values bought privately: what is charged, when, for whom, and what a fit makes of them."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dprules import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.accounting import Account, Counts, Release, Unit, Values
from dprules.errors import ParameterError, PrivacyError, SchemaError
from dprules.jobs import FitRequest, ListSettings, check_fit, fit
from dprules.learners.streams import StreamFeatures
from dprules.learners.values import buy_values, keep_values, price_values
from dprules.mechanisms import SeededBits, os_bits
from dprules.models import Released, RuleList, values_of
from dprules.schema import Boolean, Categorical, Label, PrivateValues, Schema
from dprules.tables import ColumnsTable, LocalRecords, Words, read_records

CITY = PrivateValues("city", share=0.05, delta=0.1)
LABEL = Label("y", ("no", "yes"))
SCHEMA = Schema(LABEL, (CITY, Boolean("b")))
ROWS = 60_000
RANDOM = np.random.default_rng(0)
ZIPF = 1 / np.arange(1, 31) / (1 / np.arange(1, 31)).sum()
PLACES = RANDOM.choice(30, ROWS, p=ZIPF)
CELLS: dict[str, Any] = {
    "city": np.array([f"City {i:02d}" for i in range(30)])[PLACES],
    "b": RANDOM.random(ROWS) < 0.5,
    "y": np.where((PLACES % 3 == 0) ^ (RANDOM.random(ROWS) < 0.05), "yes", "no"),
}


class Silent:
    """A source that must not be asked."""

    secure = True

    def words(self, size: int) -> Words:
        raise AssertionError("random words were drawn")


def records(cells: dict[str, Any], schema: Schema = SCHEMA, unit: Unit = Unit()) -> LocalRecords:  # noqa: B008 - frozen
    return read_records(ColumnsTable(cells), schema, unit, os_bits)


def bought(schema: Schema, place: int = 0) -> tuple[Any, ...]:
    column = schema.columns[place]
    assert isinstance(column, Categorical)
    assert column.bought
    return tuple(column.values)


# The price.


def test_the_threshold_is_what_one_record_hardly_reaches():
    """At epsilon 1, delta 1e-6: the noise has tilt 0.05, and Pr[1 + noise >= 310] is just below 1e-7."""
    assert price_values(CITY, Account(1, 1e-6)) == Values(Fraction(0.05), 310)


@pytest.mark.parametrize("rows", [1, 3, 100])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("epsilon", [0.01, 1, 30])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.3])
def test_every_budget_has_a_threshold_that_it_pays_for(rows, neighbours, epsilon, delta):
    account = Account(epsilon, delta, neighbours, Unit() if rows == 1 else Unit("who", rows))
    event = price_values(CITY, account)
    account.charge("values", event, account.epsilon * Fraction(CITY.share), account.delta * Fraction(CITY.delta))
    (charge,) = account.charges
    assert charge.holds(account.neighbours, account.unit)
    assert replace(charge, releases=(Release("values", replace(event, threshold=event.threshold + 9)),)).holds(
        account.neighbours, account.unit
    )
    lower = replace(charge, releases=(Release("values", replace(event, threshold=max(1, event.threshold - 1))),))
    assert event.threshold == 1 or not lower.holds(account.neighbours, account.unit)


@pytest.mark.parametrize("budget", [(1e-14, 1e-6), (1, 0)], ids=["epsilon", "delta"])
def test_a_budget_that_buys_nothing_is_refused(budget):
    account = Account(*budget)
    with pytest.raises(ParameterError, match=r"too small|leave nothing"):
        buy_values(records({"city": ["a"], "b": [True], "y": ["no"]}), SCHEMA, account, Silent())


def test_each_column_is_charged_on_its_own():
    schema = Schema(LABEL, (PrivateValues("city", 0.1, 0.2), PrivateValues("b", 0.3, 0.25)))
    account = Account(2.0, 1e-6)
    buy_values(records(CELLS, schema), schema, account, os_bits)
    assert [charge.releases[0].name for charge in account.charges] == ["values of city", "values of b"]
    assert [float(charge.epsilon) for charge in account.charges] == pytest.approx([0.2, 0.6])
    assert [float(charge.delta) for charge in account.charges] == pytest.approx([2e-7, 2.5e-7])
    assert all(charge.holds(account.neighbours, account.unit) for charge in account.charges)


def test_nothing_is_charged_where_no_values_are_asked_for():
    account = Account(1.0, 1e-6)
    plain = Schema(LABEL, (Boolean("b"),))
    assert buy_values(records(CELLS, plain), plain, account, Silent()) == plain
    assert account.charges == ()


# Charge first, then run.


@pytest.mark.parametrize("shares", [(0.5, 0.1), (0.1, 0.5)], ids=["epsilon", "delta"])
def test_shares_that_leave_nothing_are_refused_before_anything_is_drawn(shares):
    greedy = Schema(LABEL, (PrivateValues("city", *shares), PrivateValues("b", *shares)))
    with pytest.raises(ParameterError, match="leave nothing for the model"):
        buy_values(records(CELLS, greedy), greedy, Account(1.0, 1e-6), Silent())


def test_values_are_charged_before_they_are_drawn(monkeypatch):
    def refuse(account, releases, *amounts):
        raise PrivacyError("would cost more than is left")

    monkeypatch.setattr(Account, "charge_together", refuse)
    with pytest.raises(PrivacyError):
        buy_values(records(CELLS), SCHEMA, Account(1.0, 1e-6), Silent())


# What is counted.


def test_values_with_many_records_are_bought_and_rare_ones_are_not():
    found = bought(buy_values(records(CELLS), SCHEMA, Account(1.0, 1e-6), os_bits))
    often = {f"City {i:02d}": np.count_nonzero(i == PLACES) for i in range(30)}
    assert {city for city, count in often.items() if count > 310 + 300} <= set(found)
    assert found == tuple(sorted(found))
    rare = {"city": [f"secret {i}" for i in range(300)] * 3, "b": [True] * 900, "y": ["no", "yes"] * 450}
    assert bought(buy_values(records(rare), SCHEMA, Account(1.0, 1e-6), os_bits)) == ()


def test_only_the_most_frequent_are_kept(bits):
    counts = {f"v{i:04d}": 1000 + 100 * i for i in range(50)}
    kept = keep_values(counts, Values(1, 30), 10, bits)
    assert kept == tuple(f"v{i:04d}" for i in range(40, 50))


def test_forms_of_one_value_are_one_value():
    ones: list[object] = [1, 1.0, "1", "1.0", True, "TRUE"]
    cells: dict[str, Any] = {"city": ones * 200, "b": [True] * 1200, "y": ["no", "yes"] * 600}
    read = records(cells)
    assert read.counts_of_values("city") == {"1": 1200}
    after = buy_values(read, SCHEMA, Account(1.0, 1e-6), os_bits)
    assert bought(after) == ("1",)
    assert set(read.codes(after.columns[0]).tolist()) == {0}
    assert {after.columns[0].code(cell) for cell in ones} == {0}


def test_a_unit_counts_as_often_as_it_is_priced():
    """A person with most of the rows must not reveal a value that only this person has."""
    cells = {
        "city": ["Paris"] * 3000 + ["secret"] * 50_000,
        "who": [*range(3000), *([5000] * 50_000)],
        "b": [True] * 53_000,
        "y": ["no"] * 53_000,
    }
    for rows in (1, 3):
        unit = Unit("who", rows)
        assert records(cells, unit=unit).counts_of_values("city") == {"Paris": 3000, "secret": rows}
        found = buy_values(records(cells, unit=unit), SCHEMA, Account(20.0, 1e-6, unit=unit), os_bits)
        assert bought(found) == ("Paris",)


def test_rows_that_are_not_used_reveal_nothing():
    """Rows without a declared label are left out before anything is counted, and their values get no noise."""
    cells = {"city": ["a"] * 4 + ["hidden"] * 9999, "b": [True] * 10_003, "y": ["no"] * 4 + ["?"] * 9999}
    assert records(cells).counts_of_values("city") == {"a": 4}


def test_a_seed_repeats_the_values():
    counts = {f"v{i}": 20 for i in range(100)}
    runs = [keep_values(counts, Values(Fraction(1, 4), 20), 100, SeededBits(seed)) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


# A fit.


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_a_fit_buys_values_and_says_so(neighbours):
    released = fit(FitRequest(CELLS, SCHEMA, epsilon=2.0, neighbours=neighbours))
    assert isinstance(released.model, RuleList)
    assert released.verify()
    assert "values of city (private values): epsilon 0.1, delta 1e-07" in str(released.certificate)
    column = next(c for c in released.model.columns if c.name == "city")
    assert isinstance(column, Categorical)
    assert column.bought
    assert Released.from_json(released.to_json()) == released
    accuracy = np.mean(released.model.predict(pd.DataFrame(CELLS).head(500).to_dict("records")) == CELLS["y"][:500])
    assert accuracy > 0.8


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("columns", [(CITY,), (CITY, Boolean("b")), (replace(CITY, missing_literal=True),)], ids=len)
@pytest.mark.parametrize("max_rules", [None, 2])
def test_a_table_without_values_to_buy_stops_nothing(rows, columns, max_rules):
    cells = {name: cells[:rows].tolist() for name, cells in CELLS.items()}
    for accounting in ("exact", "paper"):
        settings = ListSettings(max_rules=max_rules, accounting=accounting)
        released = fit(FitRequest(cells, Schema(LABEL, columns), settings))
        assert released.verify()
        assert Released.from_json(released.to_json()) == released


def test_cells_without_a_usable_value_stop_nothing():
    cells = {"city": [None, "", "a\nb", "?", b"\xff", 1e300, [], "x" * 999], "b": [True] * 8, "y": ["no", "yes"] * 4}
    assert records(cells).counts_of_values("city") == {}
    assert fit(FitRequest(cells, SCHEMA)).verify()


def test_a_rehearsal_counts_what_may_be_bought_and_spends_nothing():
    small = Schema(LABEL, (PrivateValues("city", most=10), Boolean("b")))
    assert check_fit(FitRequest(CELLS, small)).survey["literals"] == 10 + 10 + 2
    wide = Schema(LABEL, tuple(PrivateValues(name) for name in "abcdef"))
    with pytest.raises(ParameterError, match="conditions are too many"):
        check_fit(FitRequest({name: ["a"] for name in (*"abcdef", "y")}, wide))


def test_shares_that_a_fit_cannot_pay_are_refused():
    greedy = Schema(LABEL, (PrivateValues("city", 0.97), Boolean("b")))
    with pytest.raises((ParameterError, PrivacyError)):
        fit(FitRequest(CELLS, greedy, ListSettings(shares={"classes": 0.1})))


FORGERIES = {
    "left out": lambda releases: (),
    "of another column": lambda releases: tuple(Release(values_of("b"), r.event) for r in releases),
    "as something else": lambda releases: tuple(Release(r.name, Counts(r.event.tilt)) for r in releases),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_values_that_were_not_charged_do_not_verify(forge):
    released = fit(FitRequest(CELLS, SCHEMA, epsilon=5.0))
    certificate = released.certificate
    first, *others = certificate.charges
    changed = forge(first.releases)
    charges = (*([replace(first, releases=changed)] if changed else []), *others)
    forged = Released.of(released.model, LABEL, replace(certificate, charges=charges, model_digest=None))
    assert "the values of city were bought, and not charged" in forged.faults()


def test_a_lower_threshold_than_was_paid_for_does_not_verify():
    released = fit(FitRequest(CELLS, SCHEMA))
    first, *others = released.certificate.charges
    (release,) = first.releases
    assert isinstance(release.event, Values)
    cheaper = Release(release.name, replace(release.event, threshold=release.event.threshold - 1))
    charges = (replace(first, releases=(cheaper,)), *others)
    forged = replace(released, certificate=replace(released.certificate, charges=charges))
    assert any("values of city" in fault for fault in forged.faults())


# Who else is asked.


def test_estimators_buy_values():
    frame = pd.DataFrame({name: CELLS[name] for name in ("city", "b")})
    model = PrivateDecisionListClassifier(epsilon=2.0, schema=SCHEMA).fit(frame, CELLS["y"])
    assert model.certificate_.verify()
    assert "values of city" in str(model.certificate_)
    assert model.score(frame, CELLS["y"]) > 0.8
    with pytest.raises(ParameterError, match="public values"):
        DecisionListClassifier(schema=SCHEMA).fit(frame, CELLS["y"])


def test_streams_have_public_values_only():
    with pytest.raises(SchemaError, match="a stream needs public values"):
        StreamFeatures(SCHEMA)


def test_rows_that_are_public_are_checked_without_the_values():
    assert fit(FitRequest(CELLS, SCHEMA, rows_are_public=True)).verify()
