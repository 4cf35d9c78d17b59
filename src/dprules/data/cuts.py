"""Private cut points: quantiles of a numeric column within public bounds, through OpenDP."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dprules.data.schema import PrivateCuts
from dprules.errors import DataError, ParameterError
from dprules.numbers import rounded_down

GRID = 1000
"""Candidate positions between the bounds."""


def private_cuts(values: NDArray[np.float64], column: PrivateCuts, epsilon: float) -> tuple[float, ...]:
    """Buy the quantiles i/(number + 1) of a column, each with an equal part of epsilon, and return them increasing.

    Guarantee: epsilon-DP under add-remove neighbours, by OpenDP's `make_private_quantile` (exact noise).
    """
    try:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_private_quantile
        from opendp.measures import max_divergence
        from opendp.metrics import symmetric_distance
        from opendp.mod import binary_search_param, enable_features
    except ImportError:
        raise ParameterError("private cuts need OpenDP. Install it with: pip install 'dprules[cuts]'.") from None
    enable_features("contrib")
    grid = np.linspace(column.lower, column.upper, GRID + 2)[1:-1].tolist()
    clipped = np.clip(values, column.lower, column.upper).tolist()
    space = vector_domain(atom_domain(T=float, nan=False)), symmetric_distance()
    found, each = set(), rounded_down(Fraction(epsilon) / column.number)
    for k in range(1, column.number + 1):
        alpha = k / (column.number + 1)

        def make(scale: float, alpha: float = alpha) -> Any:
            return make_private_quantile(*space, max_divergence(), grid, alpha, scale)

        scale = binary_search_param(cast("Callable[[float], Any]", make), d_in=1, d_out=each)
        found.add(_run(make(scale), clipped))
    return tuple(sorted(found))


def _run(measurement: object, values: Sequence[float]) -> float:
    try:
        return float(measurement(values))  # type: ignore[operator]
    except Exception:
        failed = True
    assert failed
    raise DataError("the private quantiles could not be computed. Check the bounds in the schema.")
