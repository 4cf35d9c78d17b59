"""Every check, by name."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp

from dprules.accounting import (
    BatchedStream,
    CountedCover,
    Counts,
    Cover,
    EpochStream,
    FirstOnlyStream,
    Gaussian,
    GuardedStream,
    Neighbours,
    Pure,
    SegmentStream,
    StreamDraws,
    ThresholdTilts,
    Values,
)
from dprules.accounting.counted import Parts
from dprules.audit.checks import (
    AdaptivePairs,
    Entry,
    EntryPairs,
    Finding,
    Point,
    StreamPairs,
    list_points,
    stream_points,
    values_points,
)
from dprules.audit.counted_checks import counted_points
from dprules.audit.counted_law import Gains, Shown, show_every_side
from dprules.audit.dense_checks import dense_points, running_cube_points
from dprules.audit.epoch_checks import epoch_points
from dprules.audit.lower_bound import epsilon_lower_bound
from dprules.audit.scorecard_checks import card_points, histogram_points
from dprules.audit.stream_learners import FirstOnlyLaw, GuardedLaw, SegmentLaw
from dprules.audit.subject import Subject

_ADD_REMOVE = Neighbours.ADD_REMOVE
_REPLACE = Neighbours.REPLACE
_ZERO_OUT = Neighbours.ZERO_OUT
_ONE = Fraction(1)
_HALF = Fraction(1, 2)
_QUARTER = Fraction(1, 4)
_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class Check:
    """A named comparison of a claim with what can be found.

    Parameters
    ----------
    name : str
        How it is chosen.
    what : str
        What it is about, in words.
    points : callable
        Takes a subject and the seed of a search, and returns the comparisons.
    """

    name: str
    what: str
    points: Callable[[Subject, int], tuple[Point, ...]]

    def run(self, subject: Subject | None = None, seed: int = 0) -> Finding:
        """Search with this seed, and compare; without a subject, audit the package as it is."""
        return Finding(self.name, self.points(subject or Subject(), seed))


def battery(subject: Subject | None = None, seed: int = 0) -> Iterator[Finding]:
    """Run every check in turn.

    Parameters
    ----------
    subject : Subject or None
        What is audited; None: the package as it is.
    seed : int
        Seed of the searches.
    """
    for check in CHECKS:
        yield check.run(subject, seed)


def _list_check(name: str, what: str, event: Cover, neighbours: Neighbours, copies: int = 1) -> Check:
    return Check(name, what, lambda subject, seed: list_points(subject, event, neighbours, seed, copies=copies))


def _counted_check(name: str, what: str, neighbours: Neighbours) -> Check:
    """One rule alone has a blunter draw than the count of what it leaves, two rules have all kinds of counts."""
    events = [CountedCover(_ONE, rounds, Parts.of(rounds)) for rounds in (1, 2)]

    def points(subject: Subject, seed: int) -> tuple[Point, ...]:
        return tuple(point for event in events for point in counted_points(subject, event, neighbours, seed))

    return Check(name, what, points)


def _adapted_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    event = CountedCover(_ONE, 2, Parts.of(2))
    return tuple(
        point
        for neighbours in (_ADD_REMOVE, _REPLACE)
        for point in counted_points(subject, event, neighbours, seed, show_every_side, _adapt, starts=3)
    )


def _adapt(round_: int, shown: Sequence[Shown]) -> Gains:
    """Count errors half if the first rule has shown enough records of the first class, and what is right if not."""
    if not shown:
        return Gains()
    return Gains(_ONE, _HALF) if shown[0][0] else Gains(_HALF, _ONE)


def _epochs_check(name: str, what: str, neighbours: Neighbours) -> Check:
    """Two epochs of two rounds: with a watch, which may tell as much as a fit, and without."""
    fit = CountedCover(_HALF, 1, Parts.of(1))
    events = (EpochStream((fit,), ThresholdTilts(_HALF, _HALF)), EpochStream((CountedCover(_HALF, 2, Parts.of(2)),)))

    def points(subject: Subject, seed: int) -> tuple[Point, ...]:
        return tuple(point for event in events for point in epoch_points(subject, event, neighbours, seed))

    return Check(name, what, points)


def _values_check(name: str, what: str, neighbours: Neighbours, rows: int = 1) -> Check:
    event = Values(_HALF, threshold=8)
    return Check(name, what, lambda subject, seed: values_points(subject, event, neighbours, rows))


def _card_check(name: str, what: str, neighbours: Neighbours, columns: int, longest: int) -> Check:
    return Check(name, what, lambda subject, seed: card_points(subject, neighbours, columns, longest))


def _histogram_check(name: str, what: str, neighbours: Neighbours, columns: int = 1, rows: int = 1) -> Check:
    return Check(name, what, lambda subject, seed: histogram_points(subject, neighbours, columns, rows))


def _batched_points(neighbours: Neighbours, subject: Subject, seed: int) -> tuple[Point, ...]:
    eta = 0.5
    above = ThresholdTilts(Fraction(3, 5), Fraction(2, 5))
    event = BatchedStream(StreamDraws.of(1, 2, eta), above)
    learner = subject.batched(dimension=3, growth=exp(eta), draws=1, releases=2, limit=2)
    return stream_points(subject, event, learner, above, StreamPairs(neighbours, 3, 4), seed)


def _dense_points(neighbours: Neighbours) -> Callable[[Subject, int], tuple[Point, ...]]:
    return lambda subject, seed: dense_points(subject, neighbours, seed)


def _lives_points(pairs: type[EntryPairs[Entry]], subject: Subject, seed: int) -> tuple[Point, ...]:
    """Lives of one release and of two, so that four rounds hold up to four lives: all cost what one does."""
    eta = 0.5
    above = ThresholdTilts(Fraction(2, 5), Fraction(2, 5))
    points: list[Point] = []
    for releases in (1, 2):
        learner = subject.batched(dimension=2, growth=exp(eta), draws=1, releases=releases, limit=1)
        event = BatchedStream(StreamDraws.of(1, releases, eta), above)
        for neighbours in (_REPLACE, _ZERO_OUT):
            points += stream_points(subject, event, learner, above, pairs(neighbours, 2, 4), seed, starts=4)
    return tuple(points)


def _paper_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    eta = 0.5
    above = ThresholdTilts(Fraction(1, 10), Fraction(1, 10))
    learner = FirstOnlyLaw(dimension=3, growth=exp(eta), draws=2, releases=1, limit=1)
    event = FirstOnlyStream(StreamDraws.of(2, 1, eta), above)
    return stream_points(subject, event, learner, above, StreamPairs(_REPLACE, 3, 3), seed)


def _segment_parts(subject: Subject) -> tuple[SegmentLaw, SegmentStream, ThresholdTilts]:
    """Return a learner at epsilon 1 and its price: half for AboveThreshold, a quarter for all draws of a segment."""
    # scale makes the first threshold 1, so that streams of a few rounds have several segments.
    learner = subject.segment(dimension=2, epsilon=1.0, scale=100.0)
    above = ThresholdTilts(_HALF, _HALF)
    return learner, SegmentStream(StreamDraws.of(1, 1, _QUARTER), above), above


def _segment_points(pairs: EntryPairs[Entry], subject: Subject, seed: int) -> tuple[Point, ...]:
    learner, event, above = _segment_parts(subject)
    return stream_points(subject, event, learner, above, pairs, seed, starts=5)


def _guarded_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    """A segment, a life of one release, and a segment again."""
    first, before, above = _segment_parts(subject)
    eta = 0.25
    second = subject.batched(dimension=4, growth=exp(eta), draws=1, releases=1, limit=1)
    event = GuardedStream(before, BatchedStream(StreamDraws.of(1, 1, eta), above))
    guarded = GuardedLaw(first, second, switch_after=1)
    return stream_points(subject, event, guarded, above, StreamPairs(_REPLACE, 2, 3), seed)


def _running_draw_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    """Scores (0, 3) and (1, 2): the changes have range 2."""
    tilt = 0.5
    claimed = subject.price(Pure(2 * Fraction(tilt)), _REPLACE).epsilon(0)
    found = epsilon_lower_bound(
        lambda: subject.draw([0, 3], tilt).item(), lambda: subject.draw([1, 2], tilt).item(), runs=_RUNS
    )
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


def _running_threshold_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    """One mistake more from the second round on; the draws cost next to nothing."""
    event = BatchedStream(StreamDraws.of(1, 1, 1e-12), ThresholdTilts(_HALF, _HALF))
    claimed = subject.price(event, _ZERO_OUT).epsilon(0)

    def run(counts: list[int]) -> int | None:
        # Threshold 1: the most telling outcome, to fire in the second round, is then a common one.
        return subject.above_threshold(1, 0.5, 0.5).start().first(counts)

    found = epsilon_lower_bound(lambda: run([0, 0, 1, 1]), lambda: run([0, 1, 2, 2]), runs=_RUNS)
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


def _running_counts_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    claimed = subject.price(Counts(_HALF), _ADD_REMOVE).epsilon(0)
    found = epsilon_lower_bound(lambda: subject.count(0, 0.5), lambda: subject.count(1, 0.5), runs=_RUNS)
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


def _running_gaussian_points(subject: Subject, seed: int) -> tuple[Point, ...]:
    """Gaussian noise has no pure epsilon: runs are compared at a delta that they can tell from nothing."""
    delta = 0.05
    claimed = subject.price(Gaussian(_HALF), _ADD_REMOVE).epsilon(delta)
    # All at once, which is much quicker: each direction takes its runs of both.
    runs = [iter(subject.gaussian([count] * (2 * _RUNS), 2.0).tolist()) for count in (0, 1)]
    found = epsilon_lower_bound(lambda: next(runs[0]), lambda: next(runs[1]), delta, runs=_RUNS)
    return (Point("epsilon", delta, claimed, found.epsilon),)


CHECKS: tuple[Check, ...] = (
    _list_check("list, add-remove", "DP-GreedyCover, the paper's score, all rounds", Cover(_ONE), _ADD_REMOVE),
    _list_check(
        "list, add-remove, 3 rounds",
        "the same, capped at three draws",
        Cover(_ONE, (Fraction(0),), rounds=3),
        _ADD_REMOVE,
    ),
    _list_check(
        "list, add-remove, reward 1/2",
        "correct examples count half",
        Cover(_ONE, (_HALF,)),
        _ADD_REMOVE,
    ),
    _list_check(
        "list, add-remove, rising reward",
        "a reward for each of three draws",
        Cover(_ONE, (_QUARTER, _HALF, _ONE), rounds=3),
        _ADD_REMOVE,
    ),
    _list_check("list, replace", "one record exchanged", Cover(_ONE), _REPLACE),
    _list_check(
        "list, replace, reward 1/2",
        "one record exchanged, correct examples count half",
        Cover(_ONE, (_HALF,)),
        _REPLACE,
    ),
    _list_check(
        "list, replace, reward 1, 2 rounds",
        "the chain of a removal and an addition",
        Cover(_HALF, (_ONE,), rounds=2),
        _REPLACE,
    ),
    _list_check("two lists together", "composition through dominating pairs", Cover(_ONE), _ADD_REMOVE, copies=2),
    _counted_check("counted list, add-remove", "one and two rules with noisy counts of what they cover", _ADD_REMOVE),
    _counted_check("counted list, replace", "the same, one record exchanged", _REPLACE),
    Check("counted list, adaptive rewards", "gains and losses that follow from earlier counts", _adapted_points),
    Check("batched, zero-out", "every cached mistake, a round left out", partial(_batched_points, _ZERO_OUT)),
    Check("batched, replace", "every cached mistake, a round exchanged", partial(_batched_points, _REPLACE)),
    Check("paper's Winnow, replace", "Algorithm 3 of the paper, with its sensitivity corrected", _paper_points),
    Check("restart", "batched: several lives at the price of one", partial(_lives_points, StreamPairs)),
    Check("segment", "pure epsilon without a horizon", partial(_segment_points, StreamPairs(_REPLACE, 2, 4))),
    Check("guarded", "segment, then at a public moment a life of batched, and segment again", _guarded_points),
    Check("restart, adaptive", "examples chosen from earlier releases", partial(_lives_points, AdaptivePairs)),
    Check(
        "segment, adaptive",
        "examples chosen from earlier releases",
        partial(_segment_points, AdaptivePairs(_REPLACE, 2, 3)),
    ),
    _epochs_check("epochs, zero-out", "lists on disjoint epochs, watched, a round left out", _ZERO_OUT),
    _epochs_check("epochs, replace", "the same, a round exchanged", _REPLACE),
    _values_check("values, add-remove", "private values, a record more or less", _ADD_REMOVE),
    _values_check("values, replace", "private values, a record exchanged", _REPLACE),
    _values_check("values, units of two rows", "private values, up to two rows more or less", _ADD_REMOVE, rows=2),
    _card_check("scorecard, add-remove", "two steps of a descent, up to two records", _ADD_REMOVE, 1, 3),
    _card_check("scorecard, replace", "the same, one record exchanged", _REPLACE, 1, 1),
    _card_check("scorecard, two columns", "a record adds to a group of each column", _ADD_REMOVE, 2, 1),
    _histogram_check(
        "card histograms, add-remove", "counts by class, bin or score, a record more or less", _ADD_REMOVE
    ),
    _histogram_check("card histograms, replace", "the same, one record exchanged", _REPLACE),
    _histogram_check("card histograms, two columns", "the bins of two columns together", _ADD_REMOVE, columns=2),
    _histogram_check("card histograms, units of two rows", "up to two rows more or less", _ADD_REMOVE, rows=2),
    Check("dense, zero-out", "noisy sums of two batches, a round left out", _dense_points(_ZERO_OUT)),
    Check("dense, replace", "the same, a round exchanged", _dense_points(_REPLACE)),
    Check("cube noise, as it runs", "black-box runs of the mechanism", running_cube_points),
    Check("draw, as it runs", "black-box runs of the sampler", _running_draw_points),
    Check("AboveThreshold, as it runs", "black-box runs of the mechanism", _running_threshold_points),
    Check("noisy counts, as they run", "black-box runs of the mechanism", _running_counts_points),
    Check("Gaussian noise, as it runs", "black-box runs of the mechanism, at delta 0.05", _running_gaussian_points),
)
