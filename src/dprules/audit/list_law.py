"""The exact law of DP-GreedyCover on a small sample, from theory A1 alone: every transcript, no lemma."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from dprules.audit.law import Law, Number
from dprules.numbers import Real, rational

Weight = Callable[[Fraction], Number]
TRUE = -1
"""The index of the constant true, which covers everything."""


@dataclass(frozen=True, slots=True)
class Example:
    """The values of the features on a record, and its label."""

    features: tuple[bool, ...]
    label: int

    def covered_by(self, feature: int) -> bool:
        """Whether a feature (or the constant true) holds."""
        return feature == TRUE or self.features[feature]


def tilted(tilt: float) -> Weight:
    """Weigh a score by exp(tilt * score), in floating point."""
    return lambda score: exp(tilt * float(score))


def powered(growth: Fraction, unit: int = 1) -> Weight:
    """Weigh a score by growth^(unit * score), exactly: the tilt is unit * ln(growth)."""
    return lambda score: growth ** int(unit * score)


def exact_list_law(
    sample: Sequence[Example],
    weight: Weight,
    features: int,
    labels: int = 2,
    rewards: Sequence[Real] = (0,),
    rounds: int | None = None,
    prior: Callable[[int], Number] = lambda feature: 1,
    last: Real = 1,
) -> Law:
    """Return the probability of every list that DP-GreedyCover may draw from a sample.

    Parameters
    ----------
    weight: turns a score into a weight (`tilted`, or `powered` for exact rationals)
    features, labels: how many there are
    rewards: gamma for each round, the last one repeated
    rounds: a cap; the draw that reaches it is made among the constant-true candidates only
    prior: a public factor for each feature
    last: a factor of the scores in the draw that reaches the cap

    Examples
    --------
    >>> sample = [Example((True,), 1), Example((False,), 0)]
    >>> law = exact_list_law(sample, powered(Fraction(2)), features=1)
    >>> sum(law.values()), law[(0, 1), (TRUE, 0)]
    (Fraction(1, 1), Fraction(4, 15))
    """
    blunted = rational(last, "last")
    gammas = [rational(reward, "reward", zero=True) for reward in rewards]
    law: dict[Hashable, Number] = {}

    def draw(chosen: tuple[tuple[int, int], ...], left: Sequence[Example], probability: Number) -> None:
        if chosen and chosen[-1][0] == TRUE:
            law[chosen] = law.get(chosen, 0) + probability
            return
        gamma = gammas[min(len(chosen), len(gammas) - 1)]
        used = {feature for feature, _ in chosen}
        finishing = rounds is not None and len(chosen) + 1 >= rounds
        open_features = [TRUE] if finishing else [f for f in range(TRUE, features) if f not in used]
        weights: dict[tuple[int, int], Number] = {}
        for feature in open_features:
            covered = [example for example in left if example.covered_by(feature)]
            for label in range(labels):
                correct = sum(example.label == label for example in covered)
                score = gamma * correct - (len(covered) - correct)
                weights[feature, label] = prior(feature) * weight(blunted * score if finishing else score)
        total = sum(weights.values())
        for rule, mass in weights.items():
            rest = [example for example in left if not example.covered_by(rule[0])]
            draw((*chosen, rule), rest, probability * mass / total)

    draw((), list(sample), Fraction(1))
    return law
