"""The loop that the private Winnows share (theory B): predict, cache, notice that the cache is full, release.

A *policy* is public: a function of what has been released so far. It says which examples are cached, how many make a
segment, and how draws from their scores become the next policy. Everything else in here is private.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Event
from dprules.errors import ModelError, ParameterError, SpentError
from dprules.learners.streams.blocks import Block, Integers, Weights
from dprules.learners.streams.learner import SIGNS, Document, Learner, Questions, Secret
from dprules.learners.streams.packing import TORN, pack_numbers, unpack_numbers
from dprules.mechanisms import AboveThreshold, Bits, Watch, draw, os_bits
from dprules.numbers import Real
from dprules.private import Private

if TYPE_CHECKING:
    from dprules.learners.streams.settings import StreamSettings

CHUNK = 4096
LONGEST_LOOK = 65_536
"""Examples that are looked at with one hypothesis: few after a release, more and more while all is silent."""
MOST_WAITING = 256
"""Cached examples of single rounds that wait to enter the scores together."""


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

    def document(self) -> dict[str, Any]:
        """Return what releases have changed, in JSON's types."""
        ...

    def at(self, document: Document) -> "Policy":
        """Return this policy, which is one before the first release, where a document says that it was."""
        ...


@dataclass(frozen=True, slots=True)
class DrawnIndices:
    """A release: after which example of the block it came, and the indices that were drawn. Public."""

    position: int
    indices: tuple[int, ...]


class PrivateLearner(Learner):
    """A policy that runs on a stream. Its scores are private; keep them in a store (`dprules stream`)."""

    __slots__ = ("_bits", "_broken", "_cached", "_make", "_scores", "_unit", "_waiting", "_watch", "policy")

    def __init__(self, policy: Policy, unit: int = 1, bits: Bits | None = None) -> None:
        super().__init__()
        self.policy = policy
        """The public policy in force."""
        self._bits: Bits = os_bits if bits is None else bits
        self._unit = unit
        self._scores = np.zeros(len(policy.weights.values), dtype=np.int64)
        self._cached = 0
        self._broken = False
        self._waiting: list[tuple[Any, int]] = []
        self._make: Callable[[list[Any]], Block] | None = None
        self._watch = self._start_watch()

    @classmethod
    def event(cls, settings: "StreamSettings", questions: Questions) -> Event:
        """Return the price of all that the policy will ever lead to."""
        return settings.policy(questions.dimension).event()

    @classmethod
    def start(cls, settings: "StreamSettings", questions: Questions, bits: Bits) -> Self:
        """Return a learner with the policy of the settings."""
        return cls(settings.policy(questions.dimension), questions.unit, bits)

    @classmethod
    def resume(
        cls, settings: "StreamSettings", questions: Questions, public: Document, secret: Secret, bits: Bits
    ) -> Self:
        """Go on with scores, the cache's size and the noise of the running test."""
        learner = cls(settings.policy(questions.dimension).at(public["policy"]), questions.unit, bits)
        small, scores = unpack_numbers(secret.head, len(learner._scores))
        cached, tau, seen = small.get("cached"), small.get("tau"), small.get("seen")
        above = learner.policy.above
        if cached is None or len(scores) != len(learner._scores) or (above is None) != (tau is None):
            raise ModelError(TORN)
        learner.releases = int(public["releases"])
        learner._scores = scores
        learner._cached = cached
        learner._watch = None if above is None or tau is None else above.resume((tau, seen or 0), bits)
        return learner

    @property
    def hypothesis(self) -> Weights:
        """The weights in force."""
        return self.policy.weights

    @property
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""
        return self._bits.secure

    def public(self) -> dict[str, Any]:
        """Return the policy and the number of releases."""
        return {"releases": self.releases, "policy": self.policy.document()}

    def secret(self) -> Secret:
        """Return the scores, the size of the cache, the noise of the running test."""
        self._enter_waiting()
        tau, seen = (None, None) if self._watch is None else self._watch.secret()
        return Secret(pack_numbers({"cached": self._cached, "tau": tau, "seen": seen}, self._scores))

    def extend(self, questions: Questions, places: Integers) -> None:
        """Widen the weights and the scores of the running segment: rounds before count 0 for a new coordinate."""
        extended = getattr(self.policy, "extended", None)
        if extended is None:
            raise ParameterError("the bound of this algorithm is for the columns it has. Start a new stream.")
        self._enter_waiting()
        scores = np.zeros(questions.dimension, dtype=np.int64)
        scores[places] = self._scores
        self.policy = extended(questions.dimension, places)
        self._scores = scores

    def take(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled rounds of two classes in their order."""
        if codes.size and not -1 <= codes.min() <= codes.max() <= 1:
            raise ParameterError("a stream of this algorithm has two classes. Choose algorithm 'epochs' for more.")
        self.learn(block, SIGNS[codes])

    def learn(
        self, block: Block, labels: NDArray[np.int8], published: Callable[[DrawnIndices], None] = lambda release: None
    ) -> None:
        """Take labelled examples, labels -1 or 1 (0: nothing happened in this round), in their order."""
        self._require(block, labels)
        self._begin()
        self._enter_waiting()
        self._run(block, labels, published)
        self._broken = False

    def take_one(self, row: Any, sign: int, make: Callable[[list[Any]], Block]) -> tuple[int, ...] | None:
        """Take one round, as a block of one would; return the indices of the release that it led to, if any.

        The caller has looked at what the hypothesis in force says of the example. A cached example waits until others
        come, or a release is due, so that the scores are touched once for all of them.

        Parameters
        ----------
        row : object
            The example if y <w, x> is at most the policy's confidence, None if not, or if nothing happened.
        sign : int
            The label of the example, -1 or 1.
        make : callable
            Makes a block of such examples.
        """
        if self._watch is None:
            return None
        self._begin()
        drawn = None
        if row is not None:
            if self._cached == 0 or not self.policy.first_only:
                self._waiting.append((row, sign))
                self._make = make
            self._cached += 1
            if len(self._waiting) >= MOST_WAITING:
                self._enter_waiting()
        if self._watch.test(self._cached):
            self._enter_waiting()
            drawn = self._release()
        self._broken = False
        return drawn

    def _begin(self) -> None:
        if self._broken:
            raise SpentError("This learner was stopped in the middle of a round and cannot go on. Start a new one.")
        self._broken = True  # until this round or block is done: what is half done must not be done again

    def _enter_waiting(self) -> None:
        """Add the cached examples of single rounds to the scores; they have been counted."""
        if self._waiting and self._make is not None:
            block = self._make([row for row, _ in self._waiting])
            labels = np.array([sign for _, sign in self._waiting], dtype=np.int8)
            self._waiting.clear()
            self._require_features(block)
            block.add(np.arange(block.size), labels, self._scores)

    def _require(self, block: Block, labels: NDArray[np.int8]) -> None:
        """The price holds for these blocks and labels only."""
        self._require_features(block)
        if labels.shape != (block.size,) or labels.dtype != np.int8 or not np.isin(labels, (-1, 0, 1)).all():
            raise ParameterError("labels must be one int8 of -1, 0 or 1 for each example.")

    def _require_features(self, block: Block) -> None:
        if block.unit != self._unit or block.dimension != len(self._scores):
            raise ParameterError("the block has other features than the learner was made for. Keep to one kind.")

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
        self.releases += 1
        if before.forgets:
            self._scores[:] = 0
        self._cached = 0
        self._watch = self._start_watch()
        return tuple(indices.tolist())

    def _start_watch(self) -> Watch | None:
        above = self.policy.above
        return None if above is None else above.start(self._bits)
