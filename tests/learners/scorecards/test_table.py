"""The table finds the risks that made the cells, and says how sure it is."""

import numpy as np
import pytest

from dprules.learners.scorecards.table import MOST_ROWS, Curve, ScoreLaw, fit_curve, rake, tabulate
from dprules.models import Estimate

LAW = ScoreLaw(-45, np.full(90, 1 / 90), np.arange(-36, 45, 9))
MEANS = LAW.mean(LAW.scores.astype(np.float64))


def cells(slope: float, intercept: float, each: float = 5000.0) -> np.ndarray:
    risks = LAW.mean(1 / (1 + np.exp(-(intercept + slope * LAW.scores))))
    return np.array([each * (1 - risks), each * risks])


def risk_at(curve: Curve, score: float) -> Estimate:
    return curve.risk([round(score)], np.ones(1))


def law_of(lowest: int, highest: int) -> ScoreLaw:
    size = highest - lowest + 1
    return ScoreLaw(lowest, np.full(size, 1 / size), np.zeros(0, dtype=np.int64))


@pytest.mark.parametrize(("slope", "intercept"), [(0.05, -1.0), (0.1, 0.5), (0.02, 0.0)])
def test_the_curve_that_made_the_cells_is_found(slope, intercept):
    curve = fit_curve(cells(slope, intercept), LAW, 5.0, slope)
    assert curve.slope == pytest.approx(slope, rel=0.03)
    assert curve.intercept == pytest.approx(intercept, abs=0.05)
    assert curve.z > 20


def test_pure_noise_keeps_a_tenth_of_the_cards_own_slope():
    rng = np.random.default_rng(5)
    counts = rng.normal(0, 200, (2, 10)) + 100
    curves = [fit_curve(np.abs(rng.permutation(counts.ravel()).reshape(2, 10)), LAW, 200.0, 0.1) for _ in range(20)]
    weak = [curve for curve in curves if curve.z < 1]
    assert len(weak) > 8
    assert all(curve.slope == pytest.approx(0.01) for curve in weak)


def test_the_share_of_the_positive_class_is_kept():
    counts = cells(0.03, -1.0)
    curve = fit_curve(counts, LAW, 100.0, 0.03)
    risks = LAW.mean(1 / (1 + np.exp(-(curve.intercept + curve.slope * LAW.scores))))
    assert 5000 * risks.sum() == pytest.approx(counts[1].sum(), rel=1e-6)


def test_raking_weighs_both_measurements():
    counts = np.array([[10.0, 20.0], [30.0, 40.0]])
    assert rake(counts, np.array([40.0, 60.0]), 1.0, 1e-9).sum(axis=1) == pytest.approx([40, 60])
    assert rake(counts, np.array([40.0, 60.0]), 1e-9, 1.0).sum(axis=1) == pytest.approx([30, 70])
    # Two cells have twice the variance of one: two thirds of the way.
    assert rake(counts, np.array([60.0, 70.0]), 1.0, 1.0).sum(axis=1) == pytest.approx([50, 70])


def test_a_card_that_has_seen_the_records_is_trusted_less():
    plain = fit_curve(cells(0.02, 0.0, 300), LAW, 5.0, 0.02)
    wary = fit_curve(cells(0.02, 0.0, 300), LAW, 5.0, 0.02, optimism=20.0)
    assert wary.z < plain.z - 2
    assert 0 < wary.slope < plain.slope


def test_one_cell_has_no_slope():
    curve = fit_curve(np.array([[30.0], [70.0]]), law_of(0, 0), 1.0, 0.1)
    assert curve.z == 0
    assert risk_at(curve, 0).value == pytest.approx(0.7, abs=0.01)


@pytest.mark.parametrize("counts", [np.zeros((2, 10)), -np.ones((2, 10)), np.eye(2, 10) * 1e9], ids=str)
def test_odd_cells_give_risks_all_the_same(counts):
    curve = fit_curve(counts, LAW, 10.0, 0.1)
    assert 0 < risk_at(curve, 5).value < 1


@pytest.mark.parametrize(("lowest", "highest"), [(-40, 40), (0, 0), (-3, 500), (200, 300), (-900, -800)])
@pytest.mark.parametrize("slope", [0.001, 0.1, 3.0])
def test_rows_cover_all_scores_and_risks_never_fall(lowest, highest, slope):
    table = tabulate(Curve(-0.5, slope, np.eye(2) * 1e-4, 5.0), law_of(lowest, highest))
    values = [risk.value for risk in table.risks]
    assert len(values) <= MOST_ROWS + 1
    assert values == sorted(values)
    assert len(set(values)) == len(values) == len(table.starts) + 1
    assert all(risk.low <= risk.value <= risk.high and 0 < risk.value < 1 for risk in table.risks)
    assert all(lowest < start <= highest for start in table.starts)


@pytest.mark.parametrize("decides_at", [0.0, 1.4, -2.0])
@pytest.mark.parametrize("slope", [0.02, 0.07, 0.5])
def test_a_row_begins_where_the_answer_changes(decides_at, slope):
    curve = Curve(0.37, slope, np.eye(2) * 1e-4, 5.0)
    table = tabulate(curve, law_of(-200, 200), decides_at)
    turn = next(score for score in range(-200, 201) if 0.37 + slope * score >= decides_at)
    assert turn in table.starts


def floored(each: float, noise: float, seed: int) -> np.ndarray:
    """Cells of risks that no logistic curve has: a tenth at least, and a step."""
    rng = np.random.default_rng(seed)
    positive = rng.binomial(int(each), np.where(MEANS < 10, 0.1, 0.8))
    return np.array([each - positive, positive]) + rng.normal(0, noise, (2, len(MEANS)))


def test_cells_that_no_logistic_curve_has_bend_it():
    curve = fit_curve(floored(3000, 5.0, 1), LAW, 5.0, 0.1)
    assert curve.bends is not None
    for mean, truth in zip(MEANS, np.where(MEANS < 10, 0.1, 0.8), strict=True):
        assert risk_at(curve, float(mean)).value == pytest.approx(truth, abs=0.08)
    odds = [curve.log_odds(score) for score in range(-60, 60)]
    assert np.diff(odds).min() > -1e-9


def test_a_bend_is_said_in_the_interval():
    bent = fit_curve(floored(3000, 5.0, 2), LAW, 5.0, 0.1)
    fitting = fit_curve(cells(0.05, -0.5, 3000), LAW, 5.0, 0.05)
    widths = [risk_at(curve, 0.0).high - risk_at(curve, 0.0).low for curve in (bent, fitting)]
    assert widths[0] > 3 * widths[1]


def test_cells_that_fit_are_not_bent():
    rng = np.random.default_rng(8)
    offsets = []
    for _ in range(40):
        noisy = rng.binomial(400, cells(0.05, -0.5, 1.0)[1])
        bends = fit_curve(np.array([400.0 - noisy, noisy]), LAW, 1.0, 0.05).bends
        offsets.append(0.0 if bends is None else float(np.abs(bends.offsets).max()))
    assert np.median(offsets) < 0.05


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6, 1e15])
def test_wild_counts_and_slopes_stop_nothing(size):
    rng = np.random.default_rng(3)
    for slope in (1e-6, 0.1, 50.0):
        curve = fit_curve(rng.normal(0, size, (2, 10)), LAW, size, slope)
        table = tabulate(curve, law_of(-500, 500))
        assert [risk.value for risk in table.risks] == sorted({risk.value for risk in table.risks})


def test_intervals_hold_the_truth():
    """In about 95 of 100 runs, over sampling and noise."""
    rng = np.random.default_rng(11)
    truth = cells(0.05, -0.5, 1.0)[1]
    wanted = 1 / (1 + np.exp(-(-0.5 + 0.05 * 22)))
    held = []
    for _ in range(300):
        positive = rng.binomial(300, truth)
        noisy = np.array([300.0 - positive, positive]) + rng.normal(0, 8, (2, 10))
        risk = risk_at(fit_curve(noisy, LAW, 8.0, 0.05), 22.0)
        held.append(risk.low <= wanted <= risk.high)
    assert 0.90 < np.mean(held) < 0.99


def test_where_nothing_is_trusted_the_interval_holds_no_slope():
    rng = np.random.default_rng(4)
    counts = rng.binomial(300, 0.5, (2, len(MEANS))).astype(float)
    curve = fit_curve(counts, LAW, 5.0, 0.3, optimism=30.0)
    assert curve.slope == pytest.approx(0.03)
    for score in (-45, 44):
        assert risk_at(curve, score).low < 0.5 < risk_at(curve, score).high


def test_scores_that_cannot_occur_have_no_row():
    reachable = np.array([0, 39])
    law = ScoreLaw(0, np.eye(40)[0] * 0.6 + np.eye(40)[39] * 0.4, np.array([1]), reachable)
    table = tabulate(Curve(-2.0, 0.1, np.eye(2) * 1e-4, 5.0), law)
    assert table.starts == (39,)
    assert table.ranges(reachable) == ["0", "39"]


@pytest.mark.parametrize("size", [3, 12, 200])
def test_every_row_begins_at_a_score_that_occurs(size):
    rng = np.random.default_rng(size)
    reachable = np.sort(rng.choice(400, size, replace=False)).astype(np.int64)
    masses = np.zeros(400)
    masses[reachable] = 1 / size
    table = tabulate(Curve(-8.0, 0.04, np.eye(2) * 1e-6, 5.0), ScoreLaw(0, masses, np.array([200]), reachable))
    assert set(table.starts) <= set(reachable.tolist())
    assert len(table.risks) <= MOST_ROWS + 1
    rows = table.rows_of(reachable)
    assert sorted(set(rows.tolist())) == list(range(len(table.risks)))
