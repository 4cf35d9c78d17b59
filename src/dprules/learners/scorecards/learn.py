"""Learn a scorecard: class counts, bins, a descent, the terms that matter, their weights once more, and a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Account, Gaussian
from dprules.accounting import gaussian as price
from dprules.errors import ParameterError
from dprules.learners.scorecards.descent import Target, Weights, descend
from dprules.learners.scorecards.groups import Grouped, choose_segments, merge_rare, offsets_of, segment_weights
from dprules.learners.scorecards.noise import sigma_for
from dprules.learners.scorecards.odds import MadeUp, doubling_of, fit_scale, points_of_shares
from dprules.learners.scorecards.optimism import Freedom, variance_of
from dprules.learners.scorecards.recipe import ENOUGH_RECORDS, MOST_STEPS, SMALLEST_GROUP
from dprules.learners.scorecards.scale import cell_starts, reachable_scores, round_to_points, score_law
from dprules.learners.scorecards.settings import ScorecardSettings
from dprules.learners.scorecards.table import CONFIDENT, LEAST_RISK, ScoreLaw, fit_curve, rake, tabulate
from dprules.learners.settings import Progress
from dprules.mechanisms import Bits, gaussian
from dprules.models import Estimate, Scorecard, faults
from dprules.models.card_faults import BINS_SHARE, CLASSES_SHARE, REFIT_SHARE, TABLE_SHARE
from dprules.models.class_weights import WEIGHTS, balancing_weights
from dprules.models.meaning import Cells, Odds, RiskTable, Totals
from dprules.models.points import Points
from dprules.private import Private
from dprules.schema import Column, Label
from dprules.tables import AdditiveSample, GroupedSample
from dprules.tables.residuals import LONGEST_VECTOR

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Prices:
    """What each release of a card costs one record: parts of one total, fixed before the first of them."""

    classes: Gaussian
    bins: Gaussian
    descent: Gaussian
    refit: Gaussian | None
    table: Gaussian

    @classmethod
    def of(cls, account: Account, *, keeps_all: bool) -> "Prices":
        """Share out what is left of an account."""
        total = price.mu(account.epsilon_left, account.delta_left)
        refit = 0.0 if keeps_all else REFIT_SHARE
        rest = 1 - CLASSES_SHARE - BINS_SHARE - TABLE_SHARE - refit
        part = partial(Gaussian.share, total, neighbours=account.neighbours, rows=account.unit.rows)
        return cls(
            part(CLASSES_SHARE, histogram=True),
            part(BINS_SHARE, histogram=True),
            part(rest),
            part(refit) if refit else None,
            part(TABLE_SHARE, histogram=True),
        )

    def charge(self, account: Account) -> None:
        """Charge all of them together, before anything is drawn."""
        releases = [(faults.CLASS_COUNTS, self.classes), (faults.BINS, self.bins), (faults.WEIGHTS, self.descent)]
        releases += [] if self.refit is None else [(faults.TERM_WEIGHTS, self.refit)]
        account.charge_together([*releases, (faults.RISK_TABLE, self.table)], account.epsilon_left, account.delta_left)


def learn_scorecard(
    sample: AdditiveSample,
    columns: Sequence[Column],
    label: Label,
    settings: ScorecardSettings,
    account: Account,
    bits: Bits,
    progress: Progress = lambda step, done, total: None,
) -> Scorecard:
    """Learn a scorecard; every release is charged to the account before it is drawn.

    Guarantee: what the account's certificate says, for everything returned (`docs/proofs/scorecard.md`).
    """
    if account.epsilon_left < account.epsilon / 10**6:
        raise ParameterError("the shares leave nothing for the model. Lower them.")
    prices = Prices.of(account, keeps_all=settings.keeps_all(columns))
    # Whether noise fits 64 bits is public: refuse before anything is spent.
    sigma_for(prices.refit or prices.descent, LONGEST_VECTOR, len(columns), MOST_STEPS)
    prices.charge(account)
    return _Learner(sample, label, settings, prices, bits, progress).learn(columns)


class _Learner(Private):
    """One fit: the records, and what was released of them so far."""

    def __init__(
        self,
        sample: AdditiveSample,
        label: Label,
        settings: ScorecardSettings,
        prices: Prices,
        bits: Bits,
        progress: Progress,
    ) -> None:
        self._sample = sample
        self._settings = settings
        self._prices = prices
        self._bits = bits
        self._progress = progress
        self._classes = tuple(label.classes)
        # Of two classes the score speaks for the positive one; of more each class has a score.
        two = len(self._classes) == 2
        self._positive = (self._classes[1] if label.positive is None else label.positive) if two else self._classes[0]
        sigma = sigma_for(prices.classes, 1)
        self._totals = Totals(tuple(gaussian(sample.totals(), sigma, bits).tolist()), sigma)
        self._noise = float(sigma)
        self._sizes = np.maximum(np.array(self._totals.counts, dtype=np.float64), 0) + self._noise
        self._weights = settings.weights(self._classes)
        if settings.class_weight == "balanced":
            self._weights = balancing_weights(self._totals.counts, self._noise)

    def learn(self, columns: Sequence[Column]) -> Scorecard:
        """Return the card, or one without points where there is too little to learn from."""
        grouped = self._group(columns)
        noise = self._noise * sqrt(len(self._classes) / 2)  # two classes are what the constant is for
        if sum(self._totals.counts) < ENOUGH_RECORDS * noise or not grouped or len(self._classes) < 2:
            return self._without_points()
        target = self._target()
        start = Weights(np.zeros((sum(column.size for column in grouped), target.scores)), self._start(target))
        show = partial(self._progress, "learning weights")
        sample = self._by_groups(columns, grouped)
        fitted = descend(sample, grouped, start, target, self._prices.descent, self._bits, show)
        optimism = (free := self._freedom(grouped, self._prices.descent)).moved
        if self._prices.refit is not None:
            before = variance_of(grouped, fitted.groups)
            grouped, start = self._compress(grouped, fitted)
            if not grouped:
                return self._without_points()
            kept = variance_of(grouped, start.groups) / before
            sample = self._by_groups(columns, grouped)
            show = partial(self._progress, "learning points")
            fitted = descend(sample, grouped, start, target, self._prices.refit, self._bits, show)
            optimism = self._freedom(grouped, self._prices.refit).chosen(free, kept)
        grouped = [column.settled() for column in grouped]
        sample = self._by_groups(columns, grouped)
        points, rest, unit = round_to_points(grouped, fitted.groups)
        if not points.any():
            return self._without_points()
        if target.positive is None:
            return self._with_odds(sample, grouped, points, rest, unit, fitted, optimism)
        return self._with_risks(sample, grouped, points, unit, optimism)

    def _target(self) -> Target:
        weights = self._weights or (Fraction(1),) * len(self._classes)
        weighted = float(sum(size * float(weight) for size, weight in zip(self._sizes, weights, strict=True)))
        positive = self._classes.index(self._positive) if len(self._classes) == 2 else None
        return Target(positive, tuple(int(weight * WEIGHTS) for weight in weights), weighted)

    def _freedom(self, grouped: Sequence[Grouped], event: Gaussian) -> Freedom:
        total = float(self._sizes.sum())
        return Freedom.of(grouped, (self._sizes / total).tolist(), total, event)

    def _start(self, target: Target) -> Floats:
        """Return the scores of a record of which nothing is known: the odds of the classes, weighted."""
        sizes = self._sizes * np.array(target.class_weights) / WEIGHTS
        if target.positive is None:
            return np.asarray(np.log(sizes / sizes.sum()))
        return np.array([log(sizes[target.positive] / sizes[1 - target.positive])])

    def _by_groups(self, columns: Sequence[Column], grouped: Sequence[Grouped]) -> GroupedSample:
        """Return the records by the groups of some of the columns."""
        groups = {column.column.name: column.groups for column in grouped}
        places = [groups.get(column.name) for column in columns]
        return self._sample.grouped(places, [column.size for column in grouped])

    def _group(self, columns: Sequence[Column]) -> list[Grouped]:
        """Buy the bins, merge the rare ones, and drop columns of which one group is left."""
        sigma = sigma_for(self._prices.bins, 1, len(columns))
        counts = self._sample.bins()
        noisy = gaussian(np.concatenate(counts), sigma, self._bits).astype(np.float64)
        parts = np.split(noisy, np.cumsum([len(part) for part in counts])[:-1])
        least = SMALLEST_GROUP * BINS_SHARE**0.5 * float(sigma)  # 2 sqrt(columns) / mu, in terms of the noise
        merged = [merge_rare(column, part, least, float(sigma)) for column, part in zip(columns, parts, strict=True)]
        return [column for column in merged if column.size > 1]

    def _compress(self, grouped: Sequence[Grouped], fitted: Weights) -> tuple[list[Grouped], Weights]:
        """Keep the terms that matter most: segments of a few columns, and their mean weights to start from."""
        own = [fitted.groups[first:last] for first, last in offsets_of(grouped)]
        segments = choose_segments(grouped, own, self._settings.most_terms or 0)
        kept = [at for at, parts in enumerate(segments) if len(parts) > 1]
        joined = [grouped[at].joined(segments[at]) for at in kept]
        starts = [segment_weights(grouped[at], own[at], segments[at]) for at in kept]
        return joined, Weights(np.concatenate(starts) if starts else np.zeros((0, 1)), fitted.base)

    def _with_risks(
        self, sample: GroupedSample, grouped: Sequence[Grouped], points: Integers, unit: float, optimism: float
    ) -> Scorecard:
        """Buy the table of a card for two classes."""
        lowest, masses = score_law(grouped, points)
        starts = cell_starts(lowest, masses)
        law = ScoreLaw(lowest, masses, starts, reachable_scores(grouped, points))
        sigma = sigma_for(self._prices.table, 1)
        counts = gaussian(
            sample.score_counts(points, np.zeros(1, dtype=np.int64), starts, np.arange(2)), sigma, self._bits
        )
        totals = np.array(self._totals.counts, dtype=np.float64)
        raked = rake(counts.astype(np.float64), totals, float(sigma), self._noise)
        place = self._classes.index(self._positive)
        curve = fit_curve(raked[[1 - place, place]], law, float(sigma), unit, optimism)
        cells = Cells(tuple(starts.tolist()), tuple(tuple(cell) for cell in counts.T.tolist()), sigma)
        weights = self._weights or (Fraction(1), Fraction(1))
        decides_at = log(weights[1 - place] / weights[place])
        table = tabulate(curve, law, decides_at)
        return self._card(grouped, points, (0,), table, cells, curve.z)

    def _with_odds(
        self,
        sample: GroupedSample,
        grouped: Sequence[Grouped],
        points: Integers,
        rest: Integers,
        unit: float,
        fitted: Weights,
        optimism: float,
    ) -> Scorecard:
        """Buy the table of a card for many classes."""
        # Weights of classes are for the descent; probabilities are of the classes as they come.
        learnt = fitted.base - np.log([float(weight) for weight in self._weights or (1,) * len(self._classes)])
        base = np.rint(learnt / unit).astype(np.int64) + rest
        made_up = MadeUp.of(grouped, points, base)
        sigma = sigma_for(self._prices.table, 1)
        counts = gaussian(
            sample.score_counts(points, base, made_up.starts, np.arange(len(self._classes))), sigma, self._bits
        )
        known = self._sizes / self._sizes.sum()
        scale, z = fit_scale(counts.astype(np.float64), made_up, unit, float(sigma), known, optimism)
        doubling = Fraction(max(1, round(100 * doubling_of(unit, scale))), 100)
        # At a smaller scale points say less, and the shares of the classes more.
        shares = np.log(self._sizes / self._sizes.sum())
        start = (learnt * scale + (1 - min(scale, 1)) * shares) / (unit * scale)
        base = np.rint(start).astype(np.int64) + rest
        base -= base.max()  # what all classes have in common says nothing
        cells = Cells(tuple(made_up.starts.tolist()), tuple(tuple(cell) for cell in counts.T.tolist()), sigma)
        return self._card(grouped, points, tuple(base.tolist()), Odds(doubling), cells, z)

    def _card(
        self,
        grouped: Sequence[Grouped],
        points: Integers,
        base: tuple[int, ...],
        meaning: RiskTable | Odds,
        cells: Cells,
        z: float,
    ) -> Scorecard:
        made = [
            Points.of(column.column, points[first:last][column.groups])
            for column, (first, last) in zip(grouped, offsets_of(grouped), strict=True)
            if points[first:last].any()
        ]
        return Scorecard(
            tuple(made), base, self._classes, self._positive, meaning, self._totals, cells, round(z, 1), self._weights
        )

    def _without_points(self) -> Scorecard:
        """Return a card that knows the shares of the classes, and nothing else."""
        shares = self._sizes / self._sizes.sum()
        if len(self._classes) != 2:
            doubling = Fraction(10)
            base = points_of_shares(shares.tolist(), float(doubling))
            return self._bare(tuple(base.tolist()), Odds(doubling))
        place = self._classes.index(self._positive)
        share, reach = float(shares[place]), CONFIDENT * self._noise / float(self._sizes.sum())
        value = min(max(round(share, 3), LEAST_RISK), 1 - LEAST_RISK)
        low, high = round(max(0.0, share - reach), 3), round(min(1.0, share + reach), 3)
        return self._bare((0,), RiskTable((), (Estimate(value, min(low, value), max(high, value)),)))

    def _bare(self, base: tuple[int, ...], meaning: RiskTable | Odds) -> Scorecard:
        return Scorecard((), base, self._classes, self._positive, meaning, self._totals, weights=self._weights)
