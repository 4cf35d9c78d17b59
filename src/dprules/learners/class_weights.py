"""Class weights: how much a record of each class counts. They are given, or follow from noisy class counts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

from dprules.errors import ParameterError
from dprules.numbers import Real, rational
from dprules.schema import Value

WEIGHTS = 64
"""Steps in a weight of 1, and by how much weights may differ."""

ClassWeight = str | Mapping[Any, Real] | None


def check_class_weight(class_weight: ClassWeight) -> None:
    """Refuse what is neither None, "balanced" nor a positive weight for each class."""
    if class_weight is None:
        return
    if isinstance(class_weight, Mapping) and class_weight:
        for weight in class_weight.values():
            rational(weight, "class_weight")
    elif not isinstance(class_weight, str) or class_weight != "balanced":
        raise ParameterError("class_weight must be None, 'balanced' or a weight for each class.")


def given_weights(class_weight: ClassWeight, classes: Sequence[Value]) -> tuple[Fraction, ...] | None:
    """Return the weights that were given, the largest 1, in multiples of 1/64; unknown classes are refused."""
    if not isinstance(class_weight, Mapping):
        return None
    given = {str(name): rational(weight, "class_weight") for name, weight in class_weight.items()}
    if len(given) < len(class_weight):
        raise ParameterError("class_weight names a class twice. Name each once.")
    unknown = set(given) - set(map(str, classes))
    if unknown:
        raise ParameterError(f"class_weight names {min(unknown)!r}, which is no class. Name declared classes.")
    weights = [given.get(str(label), Fraction(1)) for label in classes]
    if max(weights) > WEIGHTS * min(weights):
        raise ParameterError(f"class weights may differ by a factor of {WEIGHTS} at the most. Use milder ones.")
    return tuple(round_weight(weight / max(weights)) for weight in weights)


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


def write_class_weight(class_weight: ClassWeight) -> str | dict[str, float] | None:
    """Return it in JSON's types, for a certificate."""
    if isinstance(class_weight, Mapping):
        return {str(name): float(weight) for name, weight in class_weight.items()}
    return class_weight
