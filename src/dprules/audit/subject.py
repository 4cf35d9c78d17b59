"""What is audited: mechanisms and prices as the package has them, or with one planted fault."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp

from dprules.accounting import (
    Batched,
    Cover,
    Curve,
    Draws,
    Event,
    FirstOnly,
    Neighbours,
    Segment,
    compose,
    price,
)
from dprules.audit import stream_learners
from dprules.audit.list_law import Weight, tilted
from dprules.audit.stream_law import Round, Tests
from dprules.mechanisms import AboveThreshold, draw, noisy_counts
from dprules.mechanisms.draw import Indices


@dataclass(frozen=True, slots=True)
class Subject:
    """Every part that a check may put to the test."""

    price: Callable[[Event], Curve] = price
    together: Callable[[list[Event]], Curve] = compose.compose
    weight: Callable[[float], Weight] = tilted
    tests: Callable[[float, float], Tests] = lambda noise, test: Tests(exp(-noise), exp(-test))
    batched: type[stream_learners.Batched] = stream_learners.Batched
    segment: type[stream_learners.Segment] = stream_learners.Segment
    draw: Callable[[list[int], float], Indices] = draw
    count: Callable[[int, float], int] = lambda count, tilt: int(noisy_counts(count, tilt))
    above_threshold: type[AboveThreshold] | Callable[[int, float, float], AboveThreshold] = AboveThreshold


@dataclass(frozen=True, slots=True)
class _KeptScores(stream_learners.Segment):
    """A segment learner that does not clear its scores, at the price of one segment."""

    def scored(self, segments: Sequence[Sequence[Round]]) -> Sequence[Round]:
        """All of them."""
        return [example for segment in segments for example in segment]


def _narrow_draws(event: Event) -> Curve:
    """Prices 2 eta where 4 eta is due: the paper's slip."""
    if isinstance(event, Batched | FirstOnly | Segment):
        half = Draws(event.draws.total / 2, event.draws.squares / 4)
        event = replace(event, draws=half)
    return price(event)


def _two_rounds(event: Event) -> Curve:
    """Prices two rounds, however many there are."""
    return price(replace(event, rounds=2) if isinstance(event, Cover) else event)


def _one_of_many(events: list[Event]) -> Curve:
    """Prices several releases as if they were one."""
    return price(events[0])


def _label_flip_chain(event: Event) -> Curve:
    """Prices an exchange of records as an addition."""
    if isinstance(event, Cover) and event.neighbours is Neighbours.REPLACE:
        event = replace(event, neighbours=Neighbours.ADD_REMOVE)
    return price(event)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A planted fault, and the check that must notice it."""

    subject: Subject
    caught_by: str
    what: str


MUTATIONS: dict[str, Mutation] = {
    "doubled-tilt": Mutation(
        Subject(weight=lambda tilt: tilted(2 * tilt)),
        "list, add-remove",
        "draws from exp(2 tilt score) at the price of exp(tilt score)",
    ),
    "two-rounds": Mutation(Subject(price=_two_rounds), "list, add-remove", "runs M + 1 rounds at the price of two"),
    "exchange-as-addition": Mutation(
        Subject(price=_label_flip_chain), "list, replace", "prices an exchanged record as an added one"
    ),
    "one-of-many": Mutation(Subject(together=_one_of_many), "two lists together", "prices two lists as one"),
    "narrow-draws": Mutation(
        Subject(price=_narrow_draws), "paper's Winnow, replace", "prices a draw at 2 eta instead of 4 eta"
    ),
    "truncated-cache": Mutation(
        Subject(batched=stream_learners.FirstOnly),
        "batched, zero-out",
        "adds only the first cached mistakes at the price of all of them",
    ),
    "kept-scores": Mutation(
        Subject(segment=_KeptScores), "segment", "keeps the scores of earlier segments at the price of one"
    ),
    "halved-noise": Mutation(
        Subject(tests=lambda noise, test: Tests(exp(-2 * noise), exp(-2 * test))),
        "batched, zero-out",
        "runs AboveThreshold with half its noise",
    ),
    "sharp-draw": Mutation(
        Subject(draw=lambda scores, tilt: draw(scores, 2 * Fraction(tilt))),
        "draw, as it runs",
        "the sampler itself draws with twice the tilt",
    ),
    "sharp-counts": Mutation(
        Subject(count=lambda count, tilt: int(noisy_counts(count, 2 * tilt))),
        "noisy counts, as they run",
        "counts carry half the noise that they are priced for",
    ),
    "eager-threshold": Mutation(
        Subject(above_threshold=lambda limit, noise, test: AboveThreshold(limit, 2 * noise, 2 * test)),
        "AboveThreshold, as it runs",
        "the mechanism itself runs with half its noise",
    ),
}
