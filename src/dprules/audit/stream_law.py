"""The exact law of the private Winnows on a short stream, from theory B alone: every transcript, tau summed exactly.

A transcript has one entry a round: None, or the tuple of indices that was released.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from dprules.audit.law import Law, Number

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One labelled example of a stream.

    Parameters
    ----------
    features : tuple of int
        Each -1 or 1.
    label : int
        -1 or 1.
    """

    features: Vector
    label: int

    @property
    def term(self) -> Vector:
        """What it adds to the scores."""
        return tuple(self.label * x for x in self.features)


@dataclass(frozen=True, slots=True)
class Choice:
    """A round whose example is chosen from what was released before, and when (theory B12).

    Parameters
    ----------
    options : tuple of Round or None
        What there is to choose from.
    """

    options: tuple[Round | None, ...]

    def after(self, said: Sequence[object]) -> Round | None:
        """Return the example that follows a transcript: other releases, or other times, choose another one."""
        key = [(place, indices) for place, indices in enumerate(said) if isinstance(indices, tuple)]
        return self.options[sum((place + 1) * (1 + sum(indices)) for place, indices in key) % len(self.options)]


Rounds = Sequence[Round | Choice | None]
"""A stream; None is a round in which nothing happened (zero-out neighbours)."""


@dataclass(frozen=True, slots=True)
class ThresholdLaw:
    """The law of AboveThreshold.

    Parameters
    ----------
    noise : Fraction or float
        The decay of tau, e^-e1.
    test : Fraction or float
        The decay of the firing probability, e^-e2.
    every : int
        Rounds between tests, a public schedule.
    """

    noise: Number
    test: Number
    every: int = 1

    def first_fire(self, counts: Sequence[int], threshold: int) -> list[Number]:
        """Return the probability that the first test to fire is at each of the counts."""
        tested = [(i, count) for i, count in enumerate(counts) if (i + 1) % self.every == 0]
        fired: list[Number] = [Fraction(0)] * len(counts)
        certain = max([0, *(count - threshold for _, count in tested)])
        for tau in range(certain):  # some test may fire for sure: one tau at a time
            silent: Number = (1 - self.noise) * self.noise**tau
            for i, count in tested:
                chance = self.test ** max(0, threshold + tau - count)
                fired[i] += silent * chance
                silent = silent * (1 - chance)
        # From there on the chance is c_i w with w = test^tau: sum the polynomial in w term by term.
        silence: list[Number] = [Fraction(1)]
        for i, count in tested:
            c = self.test ** (threshold - count)
            fired[i] += c * sum(k * self._moment(power + 1, certain) for power, k in enumerate(silence))
            silence = [a - c * b for a, b in zip([*silence, 0], [0, *silence], strict=True)]
        return fired

    def _moment(self, power: int, start: int) -> Number:
        """Return the sum over tau >= start of Pr[tau] test^(power tau)."""
        ratio = self.noise * self.test**power
        return (1 - self.noise) * ratio**start / (1 - ratio)


class StreamLaw(Protocol):
    """What a law needs to know of a stream learner: public state, the cache rule, the threshold, the release."""

    def threshold(self) -> int | None:
        """Return the threshold of the next segment, None if there is none."""
        ...

    def caches(self, example: Round) -> bool:
        """Whether the released hypothesis puts this example in the cache."""
        ...

    def release(self, segments: Sequence[Sequence[Round]]) -> Iterator[tuple[Vector, Number, "StreamLaw"]]:
        """Yield each possible release, its probability given the cached examples by segment, and what follows it."""
        ...


def exact_stream_law(stream: Rounds, learner: StreamLaw, tests: ThresholdLaw) -> Law:
    """Return the probability of every transcript of a learner on a stream.

    Parameters
    ----------
    stream : sequence of Round, Choice or None
        The rounds; None where nothing happened. An adaptive adversary has choices.
    learner : StreamLaw
        The learner before its first round.
    tests : ThresholdLaw
        How AboveThreshold notices that a segment is full.

    Examples
    --------
    >>> from dprules.audit import BatchedLaw
    >>> learner = BatchedLaw(dimension=2, growth=Fraction(3, 2), draws=1, releases=1, limit=1)
    >>> tests = ThresholdLaw(noise=Fraction(1, 2), test=Fraction(1, 2))
    >>> law = exact_stream_law([Round((1, -1), 1)], learner, tests)
    >>> sum(law.values()), law[(None,)]
    (Fraction(1, 1), Fraction(1, 3))
    """
    law: dict[Hashable, Number] = {}

    def walk(learner: StreamLaw, past: tuple[Sequence[Round], ...], said: tuple[object, ...], mass: Number) -> None:
        """Add the transcripts that begin with `said`, which ends with the segments `past`."""
        limit = learner.threshold()
        # Silence says nothing new: until the next release the rest of the stream is fixed.
        rest = [example.after(said) if isinstance(example, Choice) else example for example in stream[len(said) :]]
        silent = (*said, *[None] * len(rest))
        if limit is None or not rest:
            law[silent] = law.get(silent, 0) + mass
            return
        cached = [example is not None and learner.caches(example) for example in rest]
        counts = [sum(cached[: i + 1]) for i in range(len(rest))]
        fired = tests.first_fire(counts, limit)
        law[silent] = law.get(silent, 0) + mass * (1 - sum(fired))
        for i, chance in enumerate(fired):
            if chance == 0:
                continue
            segment = [example for example, kept in zip(rest[: i + 1], cached, strict=False) if example and kept]
            for indices, probability, after in learner.release((*past, segment)):
                walk(after, (*past, segment), (*said, *[None] * i, indices), mass * chance * probability)

    walk(learner, (), (), Fraction(1))
    return law
