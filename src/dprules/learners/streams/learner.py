"""What every private stream learner is, and the loop that the private Winnows share (theory B).

The loop: predict, cache, notice that the cache is full, release. A *policy* is public: a function of what has been
released so far. It says which examples are cached, how many make a segment, and how draws from their scores become the
next policy. Everything else in here is private.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Event
from dprules.errors import ModelError, ParameterError, SpentError
from dprules.learners.streams.blocks import Block, Integers, Weights
from dprules.learners.streams.packing import TORN, pack_numbers, unpack_numbers
from dprules.mechanisms import AboveThreshold, Bits, Watch, draw, os_bits
from dprules.models import RuleList
from dprules.numbers import Real
from dprules.private import Private
from dprules.schema import Conditions, Literal, Value

if TYPE_CHECKING:
    from dprules.learners.streams.settings import StreamSettings

Hypothesis = Weights | RuleList
"""What a learner releases."""
Document = Mapping[str, Any]
SIGNS = np.array([-1, 1, 0], dtype=np.int8)
"""By the code of the class: the negative one, the positive one; the last is code -1, nothing happened."""

CHUNK = 4096
LONGEST_LOOK = 65_536
"""Examples that are looked at with one hypothesis: few after a release, more and more while all is silent."""


class Questions(Protocol):
    """What is asked of an example: public."""

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        ...

    @property
    def unit(self) -> int:
        """Coordinates are multiples of 1/unit."""
        ...

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What may be asked of an example."""
        ...

    @property
    def conditions(self) -> Conditions | None:
        """Coordinates as conditions of literals; None if they are the literals, or numbers."""
        ...

    @property
    def classes(self) -> tuple[Value, ...]:
        """In the order of their codes."""
        ...


class Secret(Private):
    """The private state of a learner, for a private store only.

    Parameters
    ----------
    head : bytes
        What changes all the time, and is small.
    chunks : tuple of bytes
        What only grows, until the next generation starts with none.
    generation : int
        Counts how often the chunks were dropped.
    """

    __slots__ = ("chunks", "generation", "head")

    def __init__(self, head: bytes, chunks: tuple[bytes, ...] = (), generation: int = 0) -> None:
        self.head = head
        self.chunks = chunks
        self.generation = generation


class Learner(Private, ABC):
    """A private learner on a stream. What it releases is public, and everything else is not.

    Guarantee: the sequence of hypotheses, and when they come, costs `event`; nothing else leaves this object.
    """

    __slots__ = ("releases",)

    def __init__(self) -> None:
        self.releases = 0
        """How many hypotheses have been released."""

    @classmethod
    @abstractmethod
    def event(cls, settings: "StreamSettings", questions: Questions) -> Event:
        """Return what the whole stream costs, however long."""

    @classmethod
    @abstractmethod
    def start(cls, settings: "StreamSettings", questions: Questions, bits: Bits) -> Self:
        """Return a learner before its first round."""

    @classmethod
    @abstractmethod
    def resume(
        cls, settings: "StreamSettings", questions: Questions, public: Document, secret: Secret, bits: Bits
    ) -> Self:
        """Go on with what was kept in a private store; refuse what does not fit."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis:
        """The one in force: public."""

    @property
    @abstractmethod
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""

    @abstractmethod
    def take(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled rounds in their order: the code of the class of each, -1 if nothing happened in it."""

    @abstractmethod
    def public(self) -> dict[str, Any]:
        """Return everything public in JSON's types: with the settings and the questions, enough to go on."""

    @abstractmethod
    def secret(self) -> Secret:
        """Return everything private, for a private store only, never to be shown."""


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

    __slots__ = ("_bits", "_broken", "_cached", "_scores", "_unit", "_watch", "policy")

    def __init__(self, policy: Policy, unit: int = 1, bits: Bits | None = None) -> None:
        super().__init__()
        self.policy = policy
        """The public policy in force."""
        self._bits: Bits = os_bits if bits is None else bits
        self._unit = unit
        self._scores = np.zeros(len(policy.weights.values), dtype=np.int64)
        self._cached = 0
        self._broken = False
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
        small, scores = unpack_numbers(secret.head)
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
        tau, seen = (None, None) if self._watch is None else self._watch.secret()
        return Secret(pack_numbers({"cached": self._cached, "tau": tau, "seen": seen}, self._scores))

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
        self.releases += 1
        if before.forgets:
            self._scores[:] = 0
        self._cached = 0
        self._watch = self._start_watch()
        return tuple(indices.tolist())

    def _start_watch(self) -> Watch | None:
        above = self.policy.above
        return None if above is None else above.start(self._bits)
