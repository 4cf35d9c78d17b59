"""Exact comparison of a uniform random number with a computable real.

Floating point decides almost every comparison; what it cannot decide is settled here with ball arithmetic
(FLINT/Arb), which returns enclosures, so a comparison is either certain or refined. No rounding error reaches a law.
"""

from collections.abc import Callable
from typing import Final

from flint import arb, ctx

from dprules.mechanisms.bits import Bits
from dprules.private import Private

Ball = Callable[[], arb]

UNIT_53: Final = 2.0**-53


class Uniform(Private):
    """A uniform number in [0, 1), known to as many binary digits as the comparisons so far needed.

    Guarantee: `below(ball)` is the comparison of *one* uniform real with the real number that `ball` encloses: later
    calls on the same object are consistent with earlier ones.
    """

    __slots__ = ("_bits", "_digits", "_length")

    def __init__(self, word: int, bits: Bits) -> None:
        self._digits, self._length, self._bits = word, 64, bits

    def below(self, ball: Ball) -> bool:
        """Whether the number is below the real enclosed by `ball()`, at every working precision."""
        while True:
            with ctx.workprec(2 * self._length):
                scaled = ball() * arb(2) ** self._length
                if scaled >= self._digits + 1:
                    return True
                if scaled <= self._digits:
                    return False
            self._digits = (self._digits << 64) | int(self._bits.words(1)[0])
            self._length += 64
