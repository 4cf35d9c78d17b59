"""The loop that the private Winnows share: predict, cache, notice that the cache is full, release (theory B).

A *policy* is public: it is a function of what has been released so far. It says which examples are cached, how many
make a segment, and how draws from their scores become the next policy. Everything else in here is private.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Event
from dprules.errors import ParameterError, SpentError
from dprules.learners.streams.blocks import Block, Integers, Weights
from dprules.mechanisms import AboveThreshold, Bits, Watch, draw, os_bits
from dprules.numbers import Real
from dprules.private import Private

CHUNK = 4096
LONGEST_LOOK = 65_536
"""Examples that are looked at with one hypothesis: few after a release, more and more while all is silent."""


class ScoredDraws(Private):
    """What a policy asks to be drawn: integer scores of candidates with a public prior, at a tilt, so many times."""

    __slots__ = ("prior", "scores", "size", "tilt")

    def __init__(self, scores: Integers, tilt: Real, size: int, prior: NDArray[np.float64] | None = None) -> None:
        self.scores = scores
        self.tilt = tilt
        self.size = size
        self.prior = prior


class Policy(Protocol):
    """A private Winnow between two releases: public, immutable."""

    @property
    def weights(self) -> Weights:
        """The released hypothesis."""
        ...

    @property
    def above(self) -> AboveThreshold | None:
        """The test that ends the segment; None if there will be no more releases."""
        ...

    @property
    def confidence(self) -> float:
        """Examples with y <w, x> at most this are cached."""
        ...

    @property
    def first_only(self) -> bool:
        """Whether only the first cached example of a segment enters the scores."""
        ...

    @property
    def forgets(self) -> bool:
        """Whether scores are cleared after a release."""
        ...

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """What to draw when the test has fired, from scores in multiples of 1/unit."""
        ...

    def after(self, indices: Integers) -> "Policy":
        """Return the policy that a release leads to."""
        ...

    def event(self) -> Event:
        """Return what the whole stream costs."""
        ...


@dataclass(frozen=True, slots=True)
class DrawnIndices:
    """A release: after which example of the block it came, and the indices that were drawn. Public."""

    position: int
    indices: tuple[int, ...]


class Secret(Private):
    """The private state of a learner: scores, the size of the cache, the noise of the running test."""

    __slots__ = ("cached", "scores", "watch")

    def __init__(self, scores: Integers, cached: int, watch: tuple[int, int] | None) -> None:
        self.scores = scores
        self.cached = cached
        self.watch = watch


class PrivateLearner(Private):
    """A policy that runs on a stream. Its scores are private; keep them in a store (`dprules stream`).

    Guarantee: the sequence of releases costs `policy.event()`; nothing else leaves this object.
    """

    __slots__ = ("_bits", "_broken", "_cached", "_scores", "_unit", "_watch", "policy")

    def __init__(self, policy: Policy, unit: int = 1, bits: Bits | None = None) -> None:
        self.policy = policy
        """The public policy in force."""
        self._bits: Bits = os_bits if bits is None else bits
        self._unit = unit
        self._scores = np.zeros(len(policy.weights.values), dtype=np.int64)
        self._cached = 0
        self._broken = False
        self._watch = self._start_watch()

    def secret(self) -> "Secret":
        """Everything private, for a private store only, never to be shown."""
        watch = None if self._watch is None else self._watch.secret()
        return Secret(self._scores.copy(), self._cached, watch)

    @classmethod
    def resume(cls, policy: Policy, secret: "Secret", unit: int = 1, bits: Bits | None = None) -> "PrivateLearner":
        """Go on with what was kept in a private store."""
        learner = cls(policy, unit, bits)
        learner._scores = secret.scores.copy()
        learner._cached = secret.cached
        above = policy.above
        learner._watch = None if above is None or secret.watch is None else above.resume(secret.watch, learner._bits)
        return learner

    @property
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""
        return self._bits.secure

    def learn(
        self, block: Block, labels: NDArray[np.int8], published: Callable[[DrawnIndices], None] = lambda release: None
    ) -> None:
        """Take labelled examples, labels -1 or 1 (0: nothing happened in this round), in their order."""
        self._require(block, labels)
        if self._broken:
            raise SpentError("This learner was stopped in the middle of a round and cannot go on. Start a new one.")
        self._broken = True  # until this block is done: what is half done must not be done again
        self._run(block, labels, published)
        self._broken = False

    def _require(self, block: Block, labels: NDArray[np.int8]) -> None:
        """The price holds for these blocks and labels only."""
        if block.unit != self._unit or block.dimension != len(self._scores):
            raise ParameterError("the block has other features than the learner was made for. Keep to one kind.")
        if labels.shape != (block.size,) or labels.dtype != np.int8 or not np.isin(labels, (-1, 0, 1)).all():
            raise ParameterError("labels must be one int8 of -1, 0 or 1 for each example.")

    def _run(self, block: Block, labels: NDArray[np.int8], published: Callable[[DrawnIndices], None]) -> None:
        start = 0
        look = CHUNK
        while start < block.size and self._watch is not None:
            stop = min(start + look, block.size)
            signs = labels[start:stop]
            cached = (signs * block.weigh(self.policy.weights, start, stop) <= self.policy.confidence) & (signs != 0)
            # Counts grow by one at each cached example; the watch sees all of them at once and draws one number.
            fired = self._watch.first(self._cached + np.cumsum(cached))
            end = stop if fired is None else start + fired + 1
            self._enter(block, labels, start + np.flatnonzero(cached[: end - start]))
            if fired is not None:
                published(DrawnIndices(end - 1, self._release()))
            start = end
            # A release changes the hypothesis, and with it what is cached from here on: look at few rounds again.
            look = CHUNK if fired is not None else min(2 * look, LONGEST_LOOK)

    def _enter(self, block: Block, labels: NDArray[np.int8], rows: Integers) -> None:
        entering = rows
        if self.policy.first_only:
            entering = rows[:1] if self._cached == 0 else rows[:0]
        block.add(entering, labels, self._scores)
        self._cached += len(rows)

    def _release(self) -> tuple[int, ...]:
        asked = self.policy.draws(self._scores, self._cached, self._unit)
        indices = draw(asked.scores, asked.tilt, asked.size, asked.prior, self._bits)
        before = self.policy
        self.policy = before.after(indices)
        if before.forgets:
            self._scores[:] = 0
        self._cached = 0
        self._watch = self._start_watch()
        return tuple(indices.tolist())

    def _start_watch(self) -> Watch | None:
        above = self.policy.above
        return None if above is None else above.start(self._bits)
