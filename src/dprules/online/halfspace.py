"""Decision lists as halfspaces, with an explicit and optimal margin (theory B5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprules.data.literals import Literal
from dprules.errors import ParameterError
from dprules.lists.rule_list import RuleList


@dataclass(frozen=True, slots=True)
class Halfspace:
    """sign(<weights, z> + bias) over features z in {-1, 1}; 1 is the last class."""

    features: tuple[tuple[Literal, ...], ...]
    """The condition of each rule."""
    weights: NDArray[np.float64]
    bias: float
    margin: float
    """|<weights, z> + bias| is at least this part of |weights| + |bias|."""


def from_list(rules: RuleList) -> Halfspace:
    """A list of two classes as a halfspace over its conditions; its margin is the best there is.

    From the last rule to the first, a rule weighs as much as all later rules of the other label, and 2 more if the
    default has the other label.
    """
    if len(rules.classes) != 2:
        raise ParameterError(f"a halfspace has two classes; the list has {len(rules.classes)}. Merge some.")
    labels = [1 if rule.label == rules.classes[1] else -1 for rule in rules.rules]
    weights, bias, margin = of_labels(labels, 1 if rules.default == rules.classes[1] else -1)
    return Halfspace(tuple(rule.conditions for rule in rules.rules), weights, bias, margin)


def of_labels(labels: Sequence[int], default: int) -> tuple[NDArray[np.float64], float, float]:
    """Weights, bias and margin of a list given by the labels of its rules, -1 or 1.

    Examples
    --------
    >>> weights, bias, margin = of_labels([1, 1, 1], -1)  # a disjunction of three
    >>> weights.tolist(), bias, margin
    ([2.0, 2.0, 2.0], 4.0, 0.2)
    """
    later = {1: 0, -1: 0}
    weights: list[int] = []
    for label in reversed(labels):
        weight = later[-label] + (2 if default != label else 0)
        later[label] += weight
        weights.append(label * weight)
    vector = np.array(weights[::-1], dtype=np.float64)
    bias = float(vector.sum() + 2 * default)
    return vector, bias, 2 / float(np.abs(vector).sum() + abs(bias))


def doubled(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The doubling map z -> (z, -z): every halfspace gets non-negative weights, at the same margin."""
    return np.hstack([points, -points])
