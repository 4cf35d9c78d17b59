"""Scorecards: all releases of the code that runs, on neighbours and with one history, are within what was charged."""

from dataclasses import replace

import numpy as np
import pytest

from dprules.accounting import Account, Gaussian, Neighbours
from dprules.errors import PrivacyError
from dprules.learners.scorecards import ScorecardSettings, descent, learn, learn_scorecard, odds
from dprules.learners.scorecards.descent import descend
from dprules.learners.scorecards.groups import merge_rare
from dprules.learners.scorecards.noise import sigma_for
from dprules.learners.scorecards.scale import cell_starts
from dprules.mechanisms import SeededBits, gaussian
from dprules.models.card_faults import CLASSES_SHARE, TABLE_SHARE
from dprules.models.meaning import Totals
from dprules.schema import Label
from dprules.tables import CodedSample
from dprules.tables.coded import JointSample
from dprules.tables.residuals import LONGEST, UNIT, Residuals
from laws.replays import COLUMNS, History, Setup, class_counts, sample_of

COMMON = [(0, 0, 0), (2, 1, 1), (1, -1, 0)]
FEW = [(0, 0, 0), (0, 0, 1), (2, 1, 1), (-1, -1, 0)]
REPLACE = Neighbours.REPLACE
SETUPS = {
    "all terms": Setup(),
    "one term": Setup(terms=1),
    "three terms": Setup(terms=3),
    "balanced": Setup(class_weight="balanced"),
    "weighted": Setup(class_weight={"p": 5, "q": 1}),
    "replace": Setup(neighbours=REPLACE),
    "replace, two terms": Setup(terms=2, neighbours=REPLACE, class_weight={"q": 1, "p": 3}),
    "units": Setup(rows=3),
    "units, replace": Setup(rows=2, terms=2, neighbours=REPLACE),
}
MANY = {
    "all terms": Setup(classes=3),
    "two terms": Setup(classes=3, terms=2),
    "balanced": Setup(classes=3, class_weight="balanced"),
    "replace": Setup(classes=3, neighbours=REPLACE),
    "units": Setup(classes=3, rows=2),
}
DRIFTS = (0.0, 3.0)


@pytest.fixture(autouse=True)
def few_made_up_records(monkeypatch):
    """What leads to expect is public: it need not be known well here."""
    monkeypatch.setattr(odds, "DRAWN", 64)


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_what_neighbours_differ_by_is_within_what_was_charged(setup, drift, monkeypatch):
    assert setup.worst_ratio(COMMON, History(1, drift), monkeypatch) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_a_record_that_is_alone_is_within_what_was_charged(seed, monkeypatch):
    assert Setup(terms=2).worst_ratio([], History(seed, 2.0), monkeypatch) <= 1


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("setup", MANY.values(), ids=MANY)
def test_many_classes_are_within_what_was_charged(setup, drift, monkeypatch):
    assert setup.worst_ratio(COMMON, History(1, drift), monkeypatch, setup.kinds()[::2]) <= 1


@pytest.mark.parametrize(
    ("setup", "least"),
    [(Setup(), 1 - 1e-9), (Setup(terms=2), 1 - 1e-9), (Setup(rows=2), 1 - 1e-9), (Setup(classes=3), 0.99)],
    ids=["all terms", "two terms", "units", "three classes"],
)
def test_some_neighbours_differ_by_nearly_all_of_it(setup, least, monkeypatch):
    """Otherwise a sensitivity could be too large, or the search too weak to notice one that is too small."""
    assert setup.worst_ratio(COMMON, History(3, 3.0), monkeypatch) > least


def test_an_exchanged_class_moves_nearly_all_that_an_exchange_may(monkeypatch):
    """Weights that stay 0 buy no table: what is left is the rest of its share."""
    still = History(0, 0.0, spread=0.0)
    ratio = Setup(neighbours=REPLACE).worst_ratio(COMMON, still, monkeypatch)
    assert 0.99 * (1 - TABLE_SHARE) - CLASSES_SHARE < ratio <= 1 - TABLE_SHARE


def test_a_card_is_learnt_and_not_only_its_intercept(monkeypatch):
    for setup in (Setup(), Setup(terms=2), Setup(classes=3)):
        run = setup.run(COMMON, History(0, 3.0), monkeypatch)
        assert len(run.asked) > 12
        assert len(run.asked[-1][0]) == 2  # the table: by class, or by hit and miss


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("setup", [Setup(terms=2, class_weight="balanced"), Setup(classes=3)], ids=["two", "three"])
def test_no_history_stops_a_fit(setup, spread, monkeypatch):
    """Noise may be anything, and a fit that it stopped would have spent its budget for nothing."""
    for seed in range(6):
        for drift in (0.0, -2.0):
            assert setup.run(COMMON, History(seed, drift * spread, spread), monkeypatch).result


class Counted:
    """A source that counts what it is asked for."""

    secure = False

    def __init__(self):
        self.words_drawn = 0
        self._source = SeededBits(5)

    def words(self, size):
        self.words_drawn += size
        return self._source.words(size)


@pytest.mark.parametrize("terms", ["all", 2])
def test_every_sum_has_noise_of_its_own(terms, monkeypatch):
    """The real mechanism, and fresh words for each entry of each release."""
    released = []

    def release(sums, sigma, bits):
        noisy = gaussian(sums, sigma, bits)
        released.append((noisy - sums) / float(sigma))
        return noisy

    monkeypatch.setattr(learn, "gaussian", release)
    monkeypatch.setattr(descent, "gaussian", release)
    bits = Counted()
    label = Label("y", ("p", "q"))
    learn_scorecard(
        sample_of(COMMON * 200, 2), COLUMNS, label, ScorecardSettings(terms=terms), Account(3.0, 1e-6), bits
    )
    noise = np.concatenate([each.ravel() for each in released])
    assert len(released) > 12
    assert bits.words_drawn >= noise.size
    assert len(np.unique(noise)) > 0.9 * noise.size
    assert 0.8 < noise.std() < 1.2


def _without_root(monkeypatch):
    for module in (learn, descent):
        monkeypatch.setattr(
            module, "sigma_for", lambda event, longest, histograms=1, steps=1: sigma_for(event, longest, 1, steps)
        )


def _one_step(monkeypatch):
    monkeypatch.setattr(
        descent, "sigma_for", lambda event, longest, histograms, steps: sigma_for(event, longest, histograms)
    )


def _half_the_noise(monkeypatch):
    for module in (learn, descent):
        monkeypatch.setattr(module, "sigma_for", lambda *arguments: sigma_for(*arguments) / 2)


def _second_record(monkeypatch):
    """Residuals follow from how many other records there are."""
    plain = JointSample.sums

    def sums(sample, residuals):
        others = int(class_counts(sample).sum()) - len(COMMON)
        return plain(sample, replace(residuals, base=residuals.base + 700 * others))

    monkeypatch.setattr(JointSample, "sums", sums)


def _column_twice(monkeypatch):
    """Joint codes are added to the groups of their first column twice."""
    plain = JointSample.sums

    def sums(sample, residuals):
        found = plain(sample, residuals)
        found[: sample.sizes[0]] *= 2
        return found

    monkeypatch.setattr(JointSample, "sums", sums)


def _table_twice(monkeypatch):
    plain = JointSample.score_counts
    monkeypatch.setattr(JointSample, "score_counts", lambda *arguments: 2 * plain(*arguments))


def _classes_twice(monkeypatch):
    plain = CodedSample.totals
    monkeypatch.setattr(CodedSample, "totals", lambda sample: 2 * plain(sample))


def _with_another_table(monkeypatch, change):
    monkeypatch.setattr(
        descent,
        "Residuals",
        lambda weights, base, table, *others: Residuals(weights, base, change(table), *others),
    )


def _unclipped(monkeypatch):
    scores = np.arange(-2048, 2049) / 256
    table = np.trunc(UNIT * (1 / (1 + np.exp(-scores)) - np.array([[0], [1]]))).astype(np.int32)
    _with_another_table(monkeypatch, lambda clipped: table)


def _weighted_late(monkeypatch):
    """A class weight of 2 that comes after the clipping."""
    _with_another_table(monkeypatch, lambda table: table * np.array([[1], [2]], dtype=np.int32))


def _steps_by_exact_counts(monkeypatch):

    def descend_otherwise(sample, columns, start, target, *others):
        return descend(sample, columns, start, replace(target, records=300.0 * class_counts(sample).sum()), *others)

    monkeypatch.setattr(learn, "descend", descend_otherwise)


def _start_at_exact_counts(monkeypatch):
    """The descent starts from the odds of the exact class counts."""

    def descend_otherwise(sample, columns, start, target, *others):
        counts = class_counts(sample) + 0.5
        return descend(sample, columns, replace(start, base=np.log(counts[1:] / counts[:1])), target, *others)

    monkeypatch.setattr(learn, "descend", descend_otherwise)


def _groups_by_exact_counts(monkeypatch):
    plain = CodedSample.bins
    exact = {}

    def bins(sample):
        exact.update(zip([column.name for column in COLUMNS], plain(sample), strict=True))
        return plain(sample)

    monkeypatch.setattr(CodedSample, "bins", bins)
    monkeypatch.setattr(
        learn, "merge_rare", lambda column, counts, *others: merge_rare(column, exact[column.name], 1.0, 1.0)
    )


def _cells_by_exact_counts(monkeypatch):
    """The table has a cell less if the number of records is odd."""
    plain = CodedSample.totals
    exact = []

    def totals(sample):
        exact.append(int(plain(sample).sum()))
        return plain(sample)

    monkeypatch.setattr(CodedSample, "totals", totals)
    monkeypatch.setattr(learn, "cell_starts", lambda *arguments: cell_starts(*arguments)[exact[-1] % 2 :])


def _table_not_charged(monkeypatch):
    plain = learn.Prices.charge

    def charge(prices, account):
        plain(replace(prices, table=replace(prices.table, mu=prices.table.mu / 2)), account)

    monkeypatch.setattr(learn.Prices, "charge", charge)


def _exact_result(monkeypatch):
    """The card prints what was counted."""
    plain = CodedSample.totals
    exact = []

    def totals(sample):
        exact.append(tuple(plain(sample).tolist()))
        return plain(sample)

    monkeypatch.setattr(CodedSample, "totals", totals)
    monkeypatch.setattr(learn, "Totals", lambda noisy, sigma: Totals(exact[-1], sigma))


FAULTS = {
    "sensitivity without sqrt(columns)": _without_root,
    "noise of one step": _one_step,
    "half the noise": _half_the_noise,
    "a residual that looks at other records": _second_record,
    "a column added twice": _column_twice,
    "the table counted twice": _table_twice,
    "classes counted twice": _classes_twice,
    "no clipping": _unclipped,
    "class weights above 1": _weighted_late,
    "steps by exact counts": _steps_by_exact_counts,
    "a start at exact counts": _start_at_exact_counts,
    "groups by exact counts": _groups_by_exact_counts,
    "cells by exact counts": _cells_by_exact_counts,
    "a table that is not paid for": _table_not_charged,
    "exact counts in the result": _exact_result,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_in_the_learner_is_noticed(fault, monkeypatch):
    fault(monkeypatch)
    assert Setup().worst_ratio(COMMON, History(3, 3.0), monkeypatch, FEW) > 1


def test_vectors_priced_as_numbers_are_noticed(monkeypatch):
    """With several classes a residual is longer than 512."""
    monkeypatch.setattr(Residuals, "longest", LONGEST)
    assert Setup(classes=3).worst_ratio(COMMON, History(3, 3.0), monkeypatch, FEW) > 1


def test_an_exchange_that_is_shared_like_an_addition_is_refused(monkeypatch):
    """The account prices events by itself: what is shared out wrongly is not charged, and nothing runs."""
    plain = Gaussian.share
    shared = lambda total, share, neighbours, rows, histogram=False: plain(total, share, histogram=histogram)  # noqa: E731
    monkeypatch.setattr(Gaussian, "share", shared)
    for setup in (Setup(neighbours=REPLACE), Setup(rows=2)):
        with pytest.raises(PrivacyError, match="would cost more than is left"):
            setup.run(COMMON, History(0), monkeypatch)
