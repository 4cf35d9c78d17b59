"""Figures with what noise may have done to them: intervals, and no number that noise could have made up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, expm1, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.numbers import Real

Array = NDArray[np.float64]
TOO_FEW = "too few to tell"
DEVIATIONS = 3
"""A total below so many standard deviations of its noise may be noise alone."""

_TAIL = 0.01
"""On either side of an interval: 98% of the simulated noise, so that 95% is certain in spite of the simulation."""
_DRAWS = 4_000
_FEWEST_DRAWS = 200
_MOST_NUMBERS = 2**26
"""Of noise, in all draws: histograms with very many cells have fewer draws."""
_BLOCK = 2**21
"""Of noise, at once."""
_SEED = 9


@dataclass(frozen=True, slots=True)
class Figure:
    """A released number, and between what the number without noise lies: in at least 95 of 100 releases.

    Parameters
    ----------
    value : float or None
        The number; None: `unknown` says why there is none.
    low, high : float or None
        The interval; both None: the number is exact, or nothing is known.
    unknown : str
        Why there is no number.

    Examples
    --------
    >>> print(Figure(0.8, 0.78, 0.82))
    0.800 (0.780 to 0.820)
    >>> print(Figure(None, unknown="too few to tell"))
    too few to tell
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    unknown: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return self.unknown if self.high is None else f"{self.unknown} (at most {_show(self.high)})"
        return _show(self.value) + (f" ({self.interval})" if self.interval else "")

    @property
    def interval(self) -> str:
        """The interval in words; empty if there is none."""
        return "" if self.low is None or self.high is None else f"{_show(self.low)} to {_show(self.high)}"

    def document(self) -> dict[str, Any]:
        """Return value, low and high in JSON's types."""
        told = {"unknown": self.unknown} if self.unknown else {}
        return {"value": self.value, "low": self.low, "high": self.high} | told


def _show(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.3f}"


@dataclass(frozen=True, slots=True)
class Noise:
    """The known law of the noise in each cell of a histogram: two-sided geometric.

    Parameters
    ----------
    tilt : number or None
        Of the noise; None: there is none.
    """

    tilt: Real | None

    @property
    def deviation(self) -> float:
        """The standard deviation of one cell."""
        if self.tilt is None:
            return 0.0
        return sqrt(2 * exp(-float(self.tilt))) / -expm1(-float(self.tilt))

    def could_make(self, total: float, cells: int) -> bool:
        """Whether the noise of so many cells could have made up their noisy total."""
        return total < DEVIATIONS * self.deviation * sqrt(cells)

    def simulate(self, counts: Array, measure: Callable[[Array], dict[str, Array]]) -> dict[str, Array]:
        """Return what `measure` says of the noisy counts less noise of the same law, once more for each draw.

        The noise is symmetric. So for a ratio of sums these are the ratios that a test against the known law would not
        refuse, and their quantiles have the coverage that they claim; for other figures they have it nearly.
        """
        parts = [measure(counts - noise) for noise in self._draw_blocks(counts.shape)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _draw_blocks(self, shape: tuple[int, ...]) -> Iterator[Array]:
        """Draw with a seed: nothing private is in it, and one release has one interval."""
        random = np.random.default_rng(_SEED)
        size = max(1, int(np.prod(shape)))
        draws = int(np.clip(_MOST_NUMBERS // size, _FEWEST_DRAWS, _DRAWS))
        block = max(1, _BLOCK // size)
        scale = 1 / float(self.tilt or 1)
        for start in range(0, draws, block):
            # The floor of an exponential is geometric, and a difference of two is two-sided.
            first, second = np.floor(random.exponential(scale, (2, min(block, draws - start), *shape)))
            yield first - second


def share_interval(simulated: Array) -> tuple[float, float]:
    """Return the interval of a number in [0, 1]; draws in which it is undefined may be either end."""
    low = float(np.quantile(np.nan_to_num(simulated, nan=0.0), _TAIL))
    high = float(np.quantile(np.nan_to_num(simulated, nan=1.0), 1 - _TAIL))
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))


def count_interval(simulated: Array) -> tuple[int, int]:
    """Return the interval of a number of records."""
    low, high = np.quantile(simulated, [_TAIL, 1 - _TAIL])
    return max(0, int(np.floor(low))), max(0, int(np.ceil(high)))


def simultaneous_bounds(simulated: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds of several numbers, one a column, which hold all at once."""
    tail = _TAIL / simulated.shape[1]
    known = simulated[~np.isnan(simulated).any(axis=1)]
    lows, highs = np.quantile(known if len(known) else np.zeros_like(simulated), [tail, 1 - tail], axis=0)
    return lows, highs
