"""Values of a column that nobody wrote down: those whose noisy count reaches a threshold."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from flint import arb, ctx

from dprules.accounting.curve import Bound, Curve, symmetric
from dprules.accounting.events.event import Event, Fields, amount, refuse_zero_out
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError
from dprules.numbers import Real, as_ball, rounded_up, whole

MOST_THRESHOLD = 2**60
"""Counts and noise beyond do not fit 64 bits."""


@dataclass(frozen=True, slots=True)
class Values(Event, kind="values"):
    """The values that occur and whose count, with two-sided geometric noise, is at least `threshold`.

    A value that occurs once is released with probability p = e^(-tilt (threshold - 1)) / (1 + e^-tilt), one that does
    not occur never is; between two counts above 0 the release is tilt-DP (`docs/proofs/private_values.md`).

    Parameters
    ----------
    tilt : number
        Pr[noise = x] is proportional to e^(-tilt |x|).
    threshold : int
        At least 1.

    Examples
    --------
    >>> event = Values(tilt=1, threshold=15)
    >>> event.curve(Neighbours.ADD_REMOVE).delta(1.0) < 1e-6
    True
    """

    tilt: Real
    threshold: int
    label = "private values"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))
        object.__setattr__(self, "threshold", whole(self.threshold, "threshold"))
        if self.threshold > MOST_THRESHOLD:
            raise ParameterError("threshold must be at most 2**60. No table has so many rows.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the largest hockey sticks of a record more (P has it), a record less, or a record exchanged."""
        refuse_zero_out(neighbours)
        if neighbours is Neighbours.REPLACE:
            return symmetric(self._bound(_exchanged))
        return Curve(self._bound(_added), self._bound(_removed))

    def _bound(self, lines: "Lines") -> Bound:
        """Return the largest of some lines in x = e^epsilon, rounded up."""
        tilt = Fraction(self.tilt)

        def bound(epsilon: float) -> float:
            with ctx.workprec(128):
                less = as_ball(-tilt).exp()
                new = as_ball(-tilt * (self.threshold - 1)).exp() / (1 + less)
                # Differences are exact before they are exponentiated: where they are 0, a line is exactly 0.
                seen = as_ball(Fraction(epsilon) - tilt).exp()
                exchanged = as_ball(Fraction(epsilon) - 2 * tilt).exp()
                heights = lines(as_ball(Fraction(epsilon)).exp(), seen, exchanged, less, new)
                return min(1.0, max(0.0, *map(rounded_up, heights)))

        return bound

    def fields(self) -> dict[str, Any]:
        """Return tilt and threshold."""
        return {"tilt": str(self.tilt), "threshold": self.threshold}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read tilt and threshold."""
        return cls(fields.fraction("tilt"), fields.whole("threshold", most=MOST_THRESHOLD))


Lines = Callable[[arb, arb, arb, arb, arb], list[arb]]
"""From x = e^epsilon, x a, x a^2, a = e^-tilt and p: heights at x of the lines whose largest is the hockey stick."""


def _known(x_less: arb, less: arb) -> arb:
    """A count above 0 and the next one: randomised response with e^tilt, (1 - x a) / (1 + a)."""
    return (1 - x_less) / (1 + less)


def _added(x: arb, x_less: arb, x_less_twice: arb, less: arb, new: arb) -> list[arb]:
    """P has one record more, of a value that occurs, or of a new one, which shows itself with probability p."""
    return [_known(x_less, less), new]


def _removed(x: arb, x_less: arb, x_less_twice: arb, less: arb, new: arb) -> list[arb]:
    """P has one record less: if the value is new to Q, it says nothing there with probability 1 - p."""
    return [_known(x_less, less), 1 - x * (1 - new)]


def _exchanged(x: arb, x_less: arb, x_less_twice: arb, less: arb, new: arb) -> list[arb]:
    """P has a record of one value, Q has one of another in its place."""
    both_known = (1 - x_less_twice) / (1 + less) ** 2
    new_to_p = new + ((1 - new) - x_less) / (1 + less)
    new_to_q = (1 - (1 - new) * x_less) / (1 + less)
    return [both_known, new, new_to_p, new_to_q, 1 - (1 - new) * x]
