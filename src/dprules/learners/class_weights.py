"""Class weights as they are given: how much a record of each class counts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprules.errors import ParameterError
from dprules.models.class_weights import WEIGHTS, round_weight
from dprules.numbers import Real, rational
from dprules.schema import Value

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


def write_class_weight(class_weight: ClassWeight) -> str | dict[str, float] | None:
    """Return it in JSON's types, for a certificate."""
    if isinstance(class_weight, Mapping):
        return {str(name): float(weight) for name, weight in class_weight.items()}
    return class_weight
