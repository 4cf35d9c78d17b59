"""Privately notice that a growing count has passed a threshold."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp, expm1, inf, log, log1p
from typing import Any, Final

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError, SpentError
from dprules.mechanisms.bits import Bits, os_bits
from dprules.mechanisms.counts import geometric
from dprules.mechanisms.exact import UNIT_53, Uniform
from dprules.numbers import Real, approximately, as_ball, rational, whole
from dprules.private import Private

# Sums of logarithms over runs are good to a relative 2^-48 each; this covers all but absurd numbers of runs.
_DOUBT: Final = 2.0**-38
_MOST_ROUNDS: Final = 4096
"""Single rounds for which one uniform number is kept: their logarithms add up to a relative 2^-40."""
_EDGE: Final = 1 << 61


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """Fire soon after an integer count reaches `threshold`: the public parameters of one-sided AboveThreshold.

    Each watch draws one tau >= 0 with Pr[tau >= x] = e^(-noise_tilt x) and fires at a test with probability
    min(1, exp(-test_tilt (threshold + tau - count))).

    Guarantee: if neighbours shift all counts from some round on by one c in {-1, 0, 1} and none before, a watch is
    max(noise_tilt, test_tilt)-DP and ((noise_tilt + test_tilt)^2 / 8)-zCDP, however long it runs; watches of
    disjoint segments together cost one (`docs/proofs/above_threshold.md`).

    Parameters
    ----------
    threshold : int
        The public count to notice.
    noise_tilt, test_tilt : number
        e1 and e2 of the note.
    every : int
        Rounds between tests, counted from the start of the watch; public.

    Examples
    --------
    >>> from dprules.mechanisms import SeededBits
    >>> watch = AboveThreshold(threshold=3, noise_tilt=50, test_tilt=50).start(SeededBits(1))
    >>> watch.first([0, 1, 1, 2, 3, 4])
    4
    """

    threshold: int
    noise_tilt: Real
    test_tilt: Real
    every: int = 1

    def __post_init__(self) -> None:
        rational(self.noise_tilt, "noise_tilt")
        rational(self.test_tilt, "test_tilt")
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int):
            raise ParameterError(f"threshold must be an integer; got {self.threshold!r}. Round it.")
        whole(self.every, "every")

    def start(self, bits: Bits | None = None) -> "Watch":
        """Begin a watch with fresh noise."""
        return Watch(self, os_bits if bits is None else bits)

    def resume(self, secret: tuple[int, int], bits: Bits | None = None) -> "Watch":
        """Go on with a watch whose secret was kept in a private store."""
        tau, rounds = secret
        return Watch(self, os_bits if bits is None else bits, whole(tau, "tau", 0), whole(rounds, "rounds", 0))


class Watch(Private):
    """One running AboveThreshold. It holds private noise."""

    __slots__ = (
        "_bits",
        "_floor",
        "_lack",
        "_left",
        "_level",
        "_number",
        "_once",
        "_parameters",
        "_rounds",
        "_runs",
        "_seen",
        "_since",
        "_spent",
        "_tau",
        "_tilt",
        "_uniform",
    )
    # Of single rounds since the last uniform number: log of the survival, of one round, and where it is in doubt.
    _level: float
    _once: float
    _floor: float
    _uniform: float
    _number: Uniform
    _runs: list[tuple[int, int]]
    _lack: int
    _since: int
    _seen: int | None
    _left: int

    def __init__(self, parameters: AboveThreshold, bits: Bits, tau: int | None = None, rounds: int = 0) -> None:
        self._parameters = parameters
        self._bits = bits
        self._tilt = approximately(rational(parameters.test_tilt, "test_tilt"))
        self._tau = geometric(parameters.noise_tilt, bits=bits) if tau is None else tau
        self._rounds = rounds
        self._spent = False
        self._forget()

    def __repr__(self) -> str:
        return f"<{'watch' if self._bits.secure else 'seeded watch (not private)'} of {self._parameters}>"

    def secret(self) -> tuple[int, int]:
        """Its noise, and how many rounds it has seen: for a private store only, never to be shown."""
        if self._spent:
            raise SpentError("This watch has fired; start a new one for the next segment.")
        return self._tau, self._rounds

    def test(self, count: int) -> bool:
        """Take the count of one more round; true if the watch fires.

        Numerics: exact, and one random word for many rounds: the inversion of `first`, one round at a time.
        """
        if count != self._seen or not self._left:
            if self._parameters.every != 1:
                return self.first(np.array([count])) is not None
            self._turn(count)
        self._left -= 1
        self._rounds += 1
        self._level += self._once
        return False if self._level > self._floor else self._decide()

    def _turn(self, count: int) -> None:
        """Go on with another count, or with a fresh uniform number: the watch has survived the last one."""
        if self._spent:
            raise SpentError("This watch has fired; start a new one for the next segment.")
        if self._left:
            self._runs.append((self._lack, self._rounds - self._since))
        else:
            word = int(self._bits.words(1)[0])
            self._number = Uniform(word, self._bits)
            self._uniform = (word >> 11) * UNIT_53
            self._floor = log(self._uniform + 2 * _DOUBT)
            self._level = 0.0
            self._runs = []
            self._left = _MOST_ROUNDS
        self._seen = count
        self._since = self._rounds
        self._lack = min(self._parameters.threshold + self._tau - count, _EDGE)
        exponent = self._lack * self._tilt
        if exponent <= 0:
            self._once = -inf
        else:
            self._once = log(-expm1(-exponent)) if exponent < 1 else log1p(-exp(-exponent))

    def _decide(self) -> bool:
        """Whether the watch fires in a round that it does not survive beyond doubt."""
        survival = exp(self._level)
        if self._lack > 0 and survival > self._uniform - 2 * _DOUBT:
            lacks, lengths = zip(*self._runs, (self._lack, self._rounds - self._since), strict=True)
            runs = _Runs(np.array(lacks), np.array(lengths), rational(self._parameters.test_tilt, "test_tilt"))
            if self._number.below(partial(runs.ball, runs.tests)):
                return False
        self._forget()
        self._spent = True
        return True

    def _forget(self) -> None:
        """Leave the uniform number of single rounds; a fresh one for what follows has the same law."""
        self._seen = None
        self._left = 0
        self._runs = []

    def first(self, counts: ArrayLike) -> int | None:
        """Take the counts of the next rounds at once; the position at which the watch fired, or None.

        Numerics: exact, and one random word a block: the number is drawn by inversion of the survival function, so
        silent rounds cost no randomness. Time depends on the counts.
        """
        if self._spent:
            raise SpentError("This watch has fired; start a new one for the next segment.")
        values = np.asarray(counts)
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise ParameterError("counts must be a one-dimensional array of integers.")
        self._forget()
        every = self._parameters.every
        offset = -(self._rounds + 1) % every
        fired = self._fire(values[offset::every])
        self._rounds += len(values)
        self._spent = fired is not None
        return None if fired is None else offset + every * fired

    def _fire(self, counts: NDArray[Any]) -> int | None:
        """The first test that fires among consecutive tests of these counts."""
        if len(counts) == 0:
            return None
        starts = np.concatenate(([0], 1 + np.flatnonzero(counts[1:] != counts[:-1])))
        lacks = _differences(self._parameters.threshold + self._tau, counts[starts])
        lengths = np.diff(starts, append=len(counts))
        return _first_fire(_Runs(lacks, lengths, rational(self._parameters.test_tilt, "test_tilt")), self._bits)


def _differences(limit: int, counts: NDArray[Any]) -> NDArray[np.int64]:
    """Limit - count; beyond +-2^61, where a test is certain or hopeless anyway, only the sign matters."""
    edge = _EDGE
    if abs(limit) < edge and counts.dtype.itemsize < 8:
        return limit - counts.astype(np.int64)
    near = (counts >= -edge) & (counts <= edge)
    if abs(limit) < edge and bool(np.all(near)):
        return limit - counts.astype(np.int64)
    return np.array([min(max(limit - int(count), -edge), edge) for count in counts.tolist()], dtype=np.int64)


class _Runs(Private):
    """Runs of tests that lack the same count, and the probability of surviving them."""

    __slots__ = ("_lacks", "_lengths", "_logs", "_tilt", "_totals")

    def __init__(self, lacks: NDArray[Any], lengths: NDArray[Any], tilt: Fraction) -> None:
        self._lacks, self._lengths, self._tilt = lacks, lengths, tilt
        exponents = np.maximum(lacks, 0) * approximately(tilt)
        with np.errstate(divide="ignore"):
            near = np.log(-np.expm1(-np.minimum(exponents, 1.0)))
        self._logs = np.where(exponents < 1, near, np.log1p(-np.exp(-np.maximum(exponents, 1.0))))
        self._totals = np.concatenate(([0.0], np.cumsum(self._logs * lengths)))

    @property
    def tests(self) -> int:
        return int(self._lengths.sum())

    @property
    def doubt(self) -> float:
        """A bound on the error of `survival`."""
        return _DOUBT + len(self._lacks) * 2.0**-48

    def guess(self, uniform: float) -> int:
        """About the number of tests survived by the uniform number `uniform`."""
        goal = np.log(max(uniform, UNIT_53))
        run = int(np.searchsorted(-self._totals, -goal, side="left")) - 1
        if run < 0 or run >= len(self._lacks):
            return self.tests if run >= 0 else 0
        inside = (goal - self._totals[run]) / self._logs[run] if np.isfinite(self._logs[run]) else 0.0
        return int(self._lengths[:run].sum()) + min(int(inside), int(self._lengths[run]))

    def survival(self, tests: int) -> float:
        """The probability of surviving the first `tests` tests, within `doubt`."""
        ends = np.cumsum(self._lengths)
        run = int(np.searchsorted(ends, tests, side="left")) if tests else 0
        before = int(ends[run] - self._lengths[run])
        if tests == before:
            return float(np.exp(self._totals[run]))
        return float(np.exp(self._totals[run] + self._logs[run] * (tests - before)))

    def ball(self, tests: int) -> arb:
        """The same, enclosed at the working precision."""
        product = arb(1)
        for lack, length in zip(self._lacks.tolist(), self._lengths.tolist(), strict=True):
            if tests <= 0:
                break
            once = 1 - (-as_ball(self._tilt * max(lack, 0))).exp() if lack > 0 else arb(0)
            product *= once ** min(length, tests)
            tests -= length
        return product


def _first_fire(runs: _Runs, bits: Bits) -> int | None:
    """Invert the survival function at one uniform number: the first test t with survival(t + 1) <= U."""
    word = int(bits.words(1)[0])
    uniform = (word >> 11) * UNIT_53
    # Silent to the end, beyond doubt: the usual case, and it costs one word.
    if runs.survival(runs.tests) > uniform + runs.doubt:
        return None
    guess = runs.guess(uniform)
    if guess < runs.tests and (
        (guess == 0 or runs.survival(guess) > uniform + runs.doubt) and runs.survival(guess + 1) < uniform - runs.doubt
    ):
        return guess
    number = Uniform(word, bits)
    # Survival falls with the number of tests: halve, comparing one and the same uniform number exactly.
    survived, fired = 0, runs.tests + 1
    while fired - survived > 1:
        middle = (survived + fired) // 2
        if number.below(partial(runs.ball, middle)):
            survived = middle
        else:
            fired = middle
    return survived if survived < runs.tests else None
