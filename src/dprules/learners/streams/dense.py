"""Dense targets (theory B9): noisy sums of hinge gradients over public disjoint batches. Pure epsilon, no horizon.

w = 0; batches of clip(10 d / epsilon, 100, 2000) rounds
round: predict sign <w, x>; if y <w, x> < 1: s += y x
at the end of a batch: release s + noise in the cube norm; g = (s + noise) / length; s = 0
w += 1.5 g / sqrt(sum of |g|^2 so far), rounded to a public grid

For near-linear numeric data; rules are for "segment". It has no mistake bound.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import DenseStream
from dprules.errors import ModelError, ParameterError, SpentError
from dprules.learners.streams.blocks import Block, Floats, Integers, Weights
from dprules.learners.streams.learner import SIGNS, Document, Learner, Questions, Secret
from dprules.learners.streams.packing import TORN, pack_numbers, unpack_numbers
from dprules.mechanisms import Bits, cube_noise
from dprules.mechanisms.cube_noise import MOST_COORDINATES, SMALLEST_TILT
from dprules.numbers import Real, rational

if TYPE_CHECKING:
    from dprules.learners.streams.settings import StreamSettings

ROUNDS_BY_COORDINATE = 10
"""Times d / epsilon: rounds that the noise of a batch is spread over."""
SHORTEST_BATCH = 100
LONGEST_BATCH = 2000
RADIUS = 1.5
"""Of the steps of AdaGrad with one norm."""
MARGIN = 1
"""Examples with y <w, x> below it enter the sum: where the hinge loss falls."""


@dataclass(frozen=True)
class DensePolicy:
    """The learner between two releases: public, immutable.

    Parameters
    ----------
    event : DenseStream
        What the whole stream costs; it has the tilt of the noise.
    length : int
        Rounds of a batch.
    weights : Weights
        The hypothesis in force.
    squares : float
        The sum of |g|^2 over all releases so far.
    """

    event: DenseStream
    length: int
    weights: Weights
    squares: float = 0.0

    @classmethod
    def start(cls, dimension: int, unit: int, epsilon: Real, neighbours: str = "replace") -> "DensePolicy":
        """Before the first release, for so many coordinates (the bias included)."""
        event = DenseStream.within(epsilon, unit, neighbours)
        if Fraction(event.tilt) < SMALLEST_TILT or dimension > MOST_COORDINATES:
            raise ParameterError("algorithm 'dense' has at most 2**20 coordinates, and an epsilon of at least 1e-8.")
        return cls(event, batch_length(dimension, rational(epsilon, "epsilon")), Weights.zero(dimension))

    def after(self, noisy: Integers) -> "DensePolicy":
        """Take a step along a noisy sum."""
        gradient: Floats = noisy / (self.length * self.event.unit)
        squares = self.squares + float(gradient @ gradient)
        if squares == 0:  # nothing but zeros was released
            return self
        values = self.weights.values + RADIUS / sqrt(squares) * gradient
        return DensePolicy(self.event, self.length, Weights.on_grid(values), squares)

    def extended(self, dimension: int, places: Integers, epsilon: Real) -> "DensePolicy":
        """Return the policy for more coordinates: those of before at their places, the others at 0."""
        values = np.zeros(dimension)
        values[places] = self.weights.values
        length = batch_length(dimension, rational(epsilon, "epsilon"))
        return DensePolicy(self.event, length, Weights(values), self.squares)


def batch_length(dimension: int, epsilon: Fraction) -> int:
    """Return the rounds of a batch.

    Examples
    --------
    >>> batch_length(4, Fraction(1)), batch_length(22, Fraction(1)), batch_length(1000, Fraction(1))
    (100, 220, 2000)
    """
    return min(max(ceil(ROUNDS_BY_COORDINATE * dimension / epsilon), SHORTEST_BATCH), LONGEST_BATCH)


class DenseLearner(Learner):
    """Sums of the running batch wait in here, and are private.

    Parameters
    ----------
    policy : DensePolicy
        The public part.
    epsilon : number
        From which lengths of batches follow.
    bits : Bits
        Where the noise comes from.
    """

    __slots__ = ("_bits", "_broken", "_epsilon", "_rounds", "_sums", "policy")

    def __init__(self, policy: DensePolicy, epsilon: Real, bits: Bits) -> None:
        super().__init__()
        self.policy = policy
        """The public policy in force."""
        self._epsilon = epsilon
        self._bits = bits
        self._sums = np.zeros(len(policy.weights.values), dtype=np.int64)
        self._rounds = 0
        self._broken = False

    @classmethod
    def event(cls, settings: "StreamSettings", questions: Questions) -> DenseStream:
        """Return the price of all batches, which is that of one."""
        return _start_policy(settings, questions).event

    @classmethod
    def start(cls, settings: "StreamSettings", questions: Questions, bits: Bits) -> Self:
        """Return a learner that knows nothing."""
        return cls(_start_policy(settings, questions), settings.epsilon, bits)

    @classmethod
    def resume(
        cls, settings: "StreamSettings", questions: Questions, public: Document, secret: Secret, bits: Bits
    ) -> Self:
        """Go on with the sums of the running batch."""
        learner = cls.start(settings, questions, bits)
        before = learner.policy
        squares = public["squares"]
        if not isinstance(squares, int | float) or not (isfinite(squares) and squares >= 0):
            raise ModelError("the public state of the stream does not fit. Start a new stream, and add its epsilon.")
        weights = Weights.from_document(questions.dimension, public["weights"])
        learner.policy = DensePolicy(before.event, before.length, weights, float(squares))
        learner.releases = int(public["releases"])
        small, sums = unpack_numbers(secret.head, len(learner._sums))
        rounds = small.get("rounds")
        if rounds is None or not 0 <= rounds < before.length or len(sums) != len(learner._sums):
            raise ModelError(TORN)
        learner._rounds = rounds
        learner._sums = sums
        return learner

    @property
    def hypothesis(self) -> Weights:
        """The weights in force."""
        return self.policy.weights

    @property
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""
        return self._bits.secure

    @property
    def settled(self) -> int:
        """The rounds of the running batch but its last."""
        return self.policy.length - self._rounds - 1

    def public(self) -> dict[str, Any]:
        """Return the weights, the norms of all steps, and the number of releases."""
        weights = self.policy.weights.document()
        return {"releases": self.releases, "weights": weights, "squares": self.policy.squares}

    def secret(self) -> Secret:
        """Return the sums of the running batch, and how many rounds it has."""
        return Secret(pack_numbers({"rounds": self._rounds}, self._sums))

    def extend(self, questions: Questions, places: Integers) -> None:
        """Widen the weights and the sums of the running batch, whose rounds so far add 0 to a new coordinate."""
        if questions.unit != self.policy.event.unit:
            raise ParameterError("new columns must be of the kind that the stream has. Start a new stream.")
        sums = np.zeros(questions.dimension, dtype=np.int64)
        sums[places] = self._sums
        self.policy = self.policy.extended(questions.dimension, places, self._epsilon)
        self._sums = sums

    def take(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled rounds of two classes in their order."""
        if block.unit != self.policy.event.unit or block.dimension != len(self._sums):
            raise ParameterError("the block has other features than the learner was made for. Keep to one kind.")
        if codes.shape != (block.size,):
            raise ParameterError("codes must be one integer for each example.")
        if codes.size and not -1 <= codes.min() <= codes.max() <= 1:
            raise ParameterError("a stream of this algorithm has two classes. Choose algorithm 'epochs' for more.")
        if self._broken:
            raise SpentError("This learner was stopped in the middle of a round and cannot go on. Start a new one.")
        self._broken = True  # until this block is done: what is half done must not be done again
        labels = SIGNS[codes]
        start = 0
        while start < block.size:
            stop = min(start + self.policy.length - self._rounds, block.size)
            self._enter(block, labels, start, stop)
            if self._rounds == self.policy.length:
                self._release()
            start = stop
        self._broken = False

    def _enter(self, block: Block, labels: NDArray[np.int8], start: int, stop: int) -> None:
        signs = labels[start:stop]
        inside = (signs * block.weigh(self.policy.weights, start, stop) < MARGIN) & (signs != 0)
        block.add(start + np.flatnonzero(inside), labels, self._sums)
        self._rounds += stop - start

    def _release(self) -> None:
        noisy = cube_noise(self._sums, Fraction(self.policy.event.tilt), self._bits)
        self.policy = self.policy.after(noisy)
        self.releases += 1
        self._sums[:] = 0
        self._rounds = 0


def _start_policy(settings: "StreamSettings", questions: Questions) -> DensePolicy:
    return DensePolicy.start(questions.dimension, questions.unit, settings.epsilon, settings.neighbours)
