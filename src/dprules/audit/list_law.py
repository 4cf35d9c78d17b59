"""The exact law of DP-GreedyCover on a small sample, from theory A1 alone: every transcript, no lemma."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from dprules.audit.law import Law, Number
from dprules.numbers import Real, rational

Weight = Callable[[Fraction], Number]
Candidate = tuple[int, int]
"""A feature (or TRUE) and a label."""
TRUE = -1
"""The index of the constant true, which covers everything."""


@dataclass(frozen=True, slots=True)
class Example:
    """A record of a small sample.

    Parameters
    ----------
    features : tuple of bool
        The value of each feature on it.
    label : int
        Its class, counted from 0.
    """

    features: tuple[bool, ...]
    label: int

    def covered_by(self, feature: int) -> bool:
        """Whether a feature (or the constant true) holds."""
        return feature == TRUE or self.features[feature]


def tilted(tilt: float) -> Weight:
    """Weigh a score by exp(tilt * score), in floating point.

    Parameters
    ----------
    tilt : float
        The exponent of a draw.
    """
    return lambda score: exp(tilt * float(score))


def powered(growth: Fraction, unit: int = 1) -> Weight:
    """Weigh a score by growth^(unit * score), exactly: the tilt is unit * ln(growth).

    Parameters
    ----------
    growth : Fraction
        What one unit of score multiplies a weight by.
    unit : int
        Makes fractional scores whole.
    """
    return lambda score: growth ** int(unit * score)


def exact_list_law(
    sample: Sequence[Example],
    weight: Weight,
    features: int,
    labels: int = 2,
    rewards: Sequence[Real] = (0,),
    rounds: int | None = None,
    prior: Callable[[int], Number] = lambda feature: 1,
) -> Law:
    """Return the probability of every list that DP-GreedyCover may draw from a sample.

    Parameters
    ----------
    sample : sequence of Example
        The records.
    weight : callable
        Turns a score into a weight (`tilted`, or `powered` for exact rationals).
    features : int
        How many features there are besides the constant true.
    labels : int
        How many classes there are.
    rewards : sequence of numbers
        gamma for each round, the last one repeated.
    rounds : int or None
        A cap; the draw that reaches it is made among the constant-true candidates only. None: no cap.
    prior : callable
        A public factor for each feature.

    Examples
    --------
    >>> sample = [Example((True,), 1), Example((False,), 0)]
    >>> law = exact_list_law(sample, powered(Fraction(2)), features=1)
    >>> sum(law.values()), law[(0, 1), (TRUE, 0)]
    (Fraction(1, 1), Fraction(4, 15))
    """
    gammas = [rational(reward, "reward", zero=True) for reward in rewards]
    law: dict[Hashable, Number] = {}

    def draw(chosen: tuple[Candidate, ...], left: Sequence[Example], probability: Number) -> None:
        if chosen and chosen[-1][0] == TRUE:
            law[chosen] = law.get(chosen, 0) + probability
            return
        gamma = gammas[min(len(chosen), len(gammas) - 1)]
        used = {feature for feature, _ in chosen}
        open_features = [feature for feature in range(TRUE, features) if feature not in used]
        if rounds is not None and len(chosen) + 1 >= rounds:
            open_features = [TRUE]
        weights: dict[Candidate, Number] = {}
        for feature in open_features:
            for label in range(labels):
                score = _score(left, feature, label, gamma)
                weights[feature, label] = prior(feature) * weight(score)
        total = sum(weights.values())
        for rule, mass in weights.items():
            rest = [example for example in left if not example.covered_by(rule[0])]
            draw((*chosen, rule), rest, probability * mass / total)

    draw((), list(sample), Fraction(1))
    return law


def _score(left: Sequence[Example], feature: int, label: int, gamma: Fraction) -> Fraction:
    """Return gamma * correct - errors of a rule on the records that are left."""
    covered = [example for example in left if example.covered_by(feature)]
    correct = sum(example.label == label for example in covered)
    return gamma * correct - (len(covered) - correct)
