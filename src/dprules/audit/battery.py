"""Every check, by name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from dprules.accounting import Above, Batched, Counts, Cover, Draws, FirstOnly, Guarded, Neighbours, Pure, Segment
from dprules.audit import stream_learners
from dprules.audit.checks import Finding, Point, Streams, list_points, stream_points
from dprules.audit.lower_bound import epsilon_lower_bound
from dprules.audit.subject import Subject

_ADD_REMOVE, _REPLACE, _ZERO_OUT = Neighbours.ADD_REMOVE, Neighbours.REPLACE, Neighbours.ZERO_OUT
_HALF = Fraction(1, 2)
_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class Check:
    """A named comparison of a claim with what can be found."""

    name: str
    what: str
    points: Callable[[Subject, int], tuple[Point, ...]]

    def run(self, subject: Subject | None = None, seed: int = 0) -> Finding:
        """Search with this seed, and compare."""
        return Finding(self.name, self.points(subject or Subject(), seed))


def battery(subject: Subject | None = None, seed: int = 0) -> Iterator[Finding]:
    """Run every check in turn."""
    for check in CHECKS:
        yield check.run(subject, seed)


def _list(name: str, what: str, event: Cover, copies: int = 1) -> Check:
    return Check(name, what, lambda subject, seed: list_points(subject, event, seed, copies=copies))


def _batched(neighbours: Neighbours) -> Callable[[Subject, int], tuple[Point, ...]]:
    above, eta = Above(Fraction(3, 5), Fraction(2, 5)), 0.5
    event = Batched(neighbours, Draws.of(1, 2, eta), above)

    def points(subject: Subject, seed: int) -> tuple[Point, ...]:
        learner = subject.batched(dimension=3, growth=exp(eta), draws=1, releases=2, limit=2)
        return stream_points(subject, event, learner, above, Streams(neighbours, 3, 4), seed)

    return points


def _paper(subject: Subject, seed: int) -> tuple[Point, ...]:
    above, eta = Above(Fraction(1, 10), Fraction(1, 10)), 0.5
    learner = stream_learners.FirstOnly(dimension=3, growth=exp(eta), draws=2, releases=1, limit=1)
    event = FirstOnly(_REPLACE, Draws.of(2, 1, eta), above)
    return stream_points(subject, event, learner, above, Streams(_REPLACE, 3, 3), seed)


def _segment_parts(subject: Subject, epsilon: Fraction) -> tuple[stream_learners.Segment, Segment, Above]:
    # scale makes the first threshold 1, so that streams of a few rounds have several segments.
    learner = subject.segment(dimension=2, epsilon=float(epsilon), scale=100.0)
    above = Above(epsilon / 2, epsilon / 2)
    return learner, Segment(_REPLACE, Draws(epsilon / 4, (epsilon / 4) ** 2), above), above


def _segment(subject: Subject, seed: int) -> tuple[Point, ...]:
    learner, event, above = _segment_parts(subject, Fraction(1))
    return stream_points(subject, event, learner, above, Streams(_REPLACE, 2, 4), seed, starts=5)


def _guarded(subject: Subject, seed: int) -> tuple[Point, ...]:
    learner, first, above = _segment_parts(subject, Fraction(1))
    eta = 0.25
    second = subject.batched(dimension=4, growth=exp(eta), draws=1, releases=1, limit=1)
    event = Guarded(_REPLACE, first, Batched(_REPLACE, Draws.of(1, 1, eta), above))
    guarded = stream_learners.Guarded(learner, second, most=1)
    return stream_points(subject, event, guarded, above, Streams(_REPLACE, 2, 3), seed)


def _running_draw(subject: Subject, seed: int) -> tuple[Point, ...]:
    """Scores (0, 3) and (1, 2): the changes have range 2."""
    tilt = 0.5
    claimed = subject.price(Pure(_REPLACE, Fraction(tilt) * 2)).epsilon(0)
    found = epsilon_lower_bound(
        lambda: subject.draw([0, 3], tilt).item(), lambda: subject.draw([1, 2], tilt).item(), runs=_RUNS
    )
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


def _running_threshold(subject: Subject, seed: int) -> tuple[Point, ...]:
    """One mistake more from the second round on."""
    above = Above(_HALF, _HALF)
    claimed = subject.price(Batched(_ZERO_OUT, Draws(Fraction(0), Fraction(0)), above)).epsilon(0)

    def run(counts: list[int]) -> int | None:
        return subject.above_threshold(4, 0.5, 0.5).start().first(counts)

    found = epsilon_lower_bound(lambda: run([0, 0, 1, 1]), lambda: run([0, 1, 2, 2]), runs=_RUNS)
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


def _running_counts(subject: Subject, seed: int) -> tuple[Point, ...]:
    claimed = subject.price(Counts(_ADD_REMOVE, _HALF)).epsilon(0)
    found = epsilon_lower_bound(lambda: subject.count(0, 0.5), lambda: subject.count(1, 0.5), runs=_RUNS)
    return (Point("epsilon", 0.0, claimed, found.epsilon),)


CHECKS: tuple[Check, ...] = (
    _list("list, add-remove", "DP-GreedyCover, the paper's score, all rounds", Cover(_ADD_REMOVE, Fraction(1))),
    _list(
        "list, add-remove, 3 rounds",
        "the same, capped at three draws",
        Cover(_ADD_REMOVE, Fraction(1), (Fraction(0),), 3),
    ),
    _list(
        "list, add-remove, reward 1/2",
        "correct examples count half",
        Cover(_ADD_REMOVE, Fraction(1), (_HALF,)),
    ),
    _list(
        "list, add-remove, rising reward",
        "a reward for each of three draws, the last at half the tilt",
        Cover(_ADD_REMOVE, Fraction(1), (Fraction(1, 4), _HALF, Fraction(1)), 3, _HALF),
    ),
    _list("list, replace", "one record exchanged", Cover(_REPLACE, Fraction(1))),
    _list(
        "list, replace, reward 1, 2 rounds",
        "the chain of a removal and an addition",
        Cover(_REPLACE, _HALF, (Fraction(1),), 2),
    ),
    _list("two lists together", "composition through dominating pairs", Cover(_ADD_REMOVE, Fraction(1)), copies=2),
    Check("batched, zero-out", "every cached mistake, a round left out", _batched(_ZERO_OUT)),
    Check("batched, replace", "every cached mistake, a round exchanged", _batched(_REPLACE)),
    Check("paper's Winnow, replace", "Algorithm 3 of the paper, with its sensitivity corrected", _paper),
    Check("segment", "pure epsilon without a horizon", _segment),
    Check("guarded", "segment with a public switch to batched", _guarded),
    Check("draw, as it runs", "black-box runs of the sampler", _running_draw),
    Check("AboveThreshold, as it runs", "black-box runs of the mechanism", _running_threshold),
    Check("noisy counts, as they run", "black-box runs of the mechanism", _running_counts),
)
