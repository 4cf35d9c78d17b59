"""Class weights as models show them: multiples of 1/64 that follow from settings and noisy class counts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite, sqrt

from dprules.models.meaning import Totals
from dprules.schema import Value

WEIGHTS = 64
"""Steps in a weight of 1, and by how much weights may differ."""
_ROUNDED = Fraction(1, 2 * WEIGHTS) + Fraction(1, 2**40)
"""Weights are rounded to steps, from numbers that settings write as doubles."""


def balancing_weights(class_counts: Sequence[float], noise: float) -> tuple[Fraction, ...]:
    """Return weights that make all classes weigh the same, the rarest 1.

    Counts below their noise are read as that, and a class that noise alone could have made larger weighs 1 as well.

    Examples
    --------
    >>> [str(weight) for weight in balancing_weights([900, 100, 120], 10)]
    ['7/64', '1', '1']
    """
    sizes = [max(count, noise, 1.0) for count in class_counts]
    least = min(sizes)
    # Two noises differ by sqrt(2) of one: three standard deviations of that.
    return tuple(round_weight(1 if size - least < sqrt(18) * noise else least / size) for size in sizes)


def round_weight(weight: float | Fraction) -> Fraction:
    """Return a weight of (0, 1] as it is used: the nearest multiple of 1/64 but 0."""
    return Fraction(max(1, round(weight * WEIGHTS)), WEIGHTS)


def follow_from(
    class_weight: object, classes: Sequence[Value], totals: Totals, weights: tuple[Fraction, ...] | None
) -> bool:
    """Whether weights are what the settings of a certificate and noisy class counts make of them.

    Examples
    --------
    >>> totals = Totals((900, 100), Fraction(10))
    >>> follow_from({"yes": 2.0}, ("no", "yes"), totals, (Fraction(1, 2), Fraction(1)))
    True
    >>> follow_from("balanced", ("no", "yes"), totals, (Fraction(1, 2), Fraction(1)))
    False
    """
    if class_weight is None or weights is None:
        return class_weight is weights
    if isinstance(class_weight, Mapping):
        return _are_given(class_weight, classes, weights)
    return class_weight == "balanced" and weights == balancing_weights(totals.counts, float(totals.sigma))


def _are_given(given: Mapping[str, object], classes: Sequence[Value], weights: Sequence[Fraction]) -> bool:
    """Whether weights are those that were given by name, the largest 1; classes that are not named weigh as 1 does."""
    named = [given.get(str(label), 1.0) for label in classes]
    exact = [Fraction(weight) for weight in named if isinstance(weight, float) and isfinite(weight) and weight > 0]
    if len(exact) < len(classes) or not set(given) <= set(map(str, classes)):
        return False
    shares = [weight / max(exact) for weight in exact]
    return all(
        (weight * WEIGHTS).denominator == 1 and abs(weight - share) <= _ROUNDED
        for weight, share in zip(weights, shares, strict=True)
    )
