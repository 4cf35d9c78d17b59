"""Learn a list from a sample: buy class counts, choose a recipe, draw rules, buy counts of the rules (theory F)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from math import sqrt
from typing import Protocol

import numpy as np

from dprules.accounting import Budget, Certificate, Neighbours, Release, cover
from dprules.data.columns import Value
from dprules.data.features import conjunctions
from dprules.data.literals import Literal
from dprules.data.sample import Features, Sample
from dprules.errors import ParameterError
from dprules.lists import recipe
from dprules.lists.greedy_cover import TRUE, Drawn, greedy_cover
from dprules.lists.rule_list import Rule, RuleList
from dprules.lists.simplify import trimmed
from dprules.mechanisms import Bits, noisy_counts, os_bits
from dprules.numbers import Real, rational, rounded_down, rounded_up, whole

CLASSES_SHARE = 0.02
"""Of epsilon, for noisy class counts, where the recipe needs them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The public parameters of a fit."""

    epsilon: Real = 1.0
    delta: Real = 1e-6
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    width: int = 2
    max_rules: int | None = None
    reward: Real | None = None
    """None is the schedule of theory F; 0 the paper's score."""
    paper: bool = False
    """The paper's accounting."""
    rows: int | None = None
    """The number of rows, if it is public."""
    shares: Mapping[str, Real] = field(default_factory=dict)
    """Of epsilon: "counts" (of the rules), "cuts" (private cut points), "classes" (noisy class counts)."""
    unit: str = "row"
    unit_rows: int = 1
    public: tuple[str, ...] = ()
    """What was assumed public, beyond the schema."""

    def __post_init__(self) -> None:
        rational(self.epsilon, "epsilon")
        exact = rational(self.delta, "delta")
        if exact >= 1:
            raise ParameterError(f"delta must lie strictly between 0 and 1; got {self.delta}. 1e-6 is usual.")
        if self.width not in (1, 2, 3):
            raise ParameterError(
                f"width must be 1, 2 or 3; got {self.width!r}. More literals in a rule are hard to read."
            )
        if isinstance(self.width, bool) or not isinstance(self.width, int):
            raise ParameterError(f"width must be an int; got {type(self.width).__name__}.")
        if self.max_rules is not None:
            whole(self.max_rules, "max_rules")
        if self.rows is not None:
            whole(self.rows, "rows", least=0)
        if self.reward is not None and rational(self.reward, "reward", zero=True) > 1:
            raise ParameterError(f"reward must lie in [0, 1]; got {self.reward}. Leave it out for the schedule.")
        if self.paper and self.reward not in (None, 0):
            raise ParameterError("the paper's accounting goes with its score, reward 0. Use accounting='exact'.")
        unknown = set(self.shares) - {"counts", "cuts", "classes"}
        if unknown:
            raise ParameterError(f"shares may name counts, cuts and classes; got {', '.join(sorted(unknown))}.")
        for name, share in self.shares.items():
            if not 0 < rational(share, f"share {name!r}", zero=True) < 1:
                raise ParameterError(
                    f"share {name!r} must lie strictly between 0 and 1; got {share}. Leave it out for none."
                )
        if self.neighbours is Neighbours.ZERO_OUT:
            raise ParameterError("a table has no zero-out neighbours. Choose add-remove or replace.")

    @property
    def needs_classes(self) -> bool:
        """Whether the recipe needs noisy class counts."""
        return not self.paper and (self.reward is None or self.max_rules is None)


class Progress(Protocol):
    """Told how far a step has come; everything told is public."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show it."""
        ...


@dataclass(frozen=True, slots=True)
class Fitted:
    """A list and its certificate: everything here may be published."""

    rules: RuleList
    certificate: Certificate


def fit_list(
    sample: Sample,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    settings: Settings,
    *,
    spent: Sequence[Release] = (),
    bits: Bits | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Fitted:
    """Learn a list under settings; `spent` was released before (private cuts) and counts against epsilon.

    Guarantee: (epsilon, delta)-DP under `settings.neighbours` for everything returned, `spent` included.
    """
    source = os_bits if bits is None else bits
    features = conjunctions(literals, settings.width)
    budget = _Purse(settings, spent)
    plan = _recipe(sample, settings, budget, source)
    epsilon = budget.rest(reserve=settings.shares.get("counts", 0))
    tilt = _tilt(settings, epsilon, plan)
    prior = None if settings.paper else recipe.prior(features)
    told = partial(progress, "drawing rules", total=plan.rounds)
    told(0)
    drawn = greedy_cover(sample, features, tilt, plan.rewards, source, plan.capped, prior, plan.last, told)
    budget.pay(_rules_release(settings, epsilon, tilt, plan))
    rules = named(drawn, features, literals, classes).simplified()
    if "counts" in settings.shares:
        tilt = budget.buy_counts("counts of the rules", settings.shares["counts"])
        bought = rules.with_counts(_rule_counts(sample, rules, literals, tilt, source))
        rules = trimmed(bought, noise=sqrt(2 * len(classes)) / float(tilt))
    return Fitted(rules, _certificate(settings, budget, source))


class _Purse:
    """Epsilon as it is spent."""

    def __init__(self, settings: Settings, spent: Sequence[Release]) -> None:
        self._settings = settings
        Budget.of(settings.epsilon, settings.delta, {k: v for k, v in settings.shares.items() if v})
        self._total = rational(settings.epsilon, "epsilon")
        self.releases = list(spent)

    def pay(self, release: Release) -> None:
        self.releases.append(release)

    def share(self, share: Real) -> Fraction:
        return self._total * Fraction(share)

    def rest(self, reserve: Real) -> float:
        """What is left for the rules, rounded down."""
        spent = sum((Fraction(release.epsilon) for release in self.releases), Fraction(0))
        left = self._total - spent - self.share(reserve)
        if left <= 0:
            raise ParameterError("the shares leave nothing for the rules. Lower them.")
        return rounded_down(left)

    def buy_counts(self, name: str, share: Real) -> Fraction:
        """Pay for a histogram, and return the tilt that the share allows: an exchange touches two cells."""
        touched = 1 if self._settings.neighbours is Neighbours.ADD_REMOVE else 2
        epsilon = rounded_down(self.share(share))
        tilt = Fraction(epsilon) / touched / self._settings.unit_rows
        self.pay(
            Release(name, "noisy counts", epsilon, {"tilt": str(tilt), "rows of a unit": self._settings.unit_rows})
        )
        return tilt


def _recipe(sample: Sample, settings: Settings, budget: _Purse, bits: Bits) -> recipe.Recipe:
    if settings.paper:
        return recipe.constant_reward(settings.max_rules, 0)
    if not settings.needs_classes:
        assert settings.reward is not None
        return recipe.constant_reward(settings.max_rules, settings.reward)
    share = settings.shares.get("classes", CLASSES_SHARE)
    tilt = budget.buy_counts("class counts", share)
    noisy = [float(count) for count in noisy_counts(sample.totals(sample.everything()), tilt, bits)]
    rows = settings.rows if settings.rows is not None else sum(noisy)
    rules = settings.max_rules or recipe.rules_for(rows, float(settings.epsilon))
    if settings.reward is not None:
        return recipe.short_list(rules, settings.reward)
    return recipe.short_list(rules, recipe.first_reward(noisy, sqrt(2) / float(tilt), float(settings.epsilon)))


def _tilt(settings: Settings, epsilon: float, plan: recipe.Recipe) -> Fraction:
    """The largest reward is charged: a schedule that ends at 1 costs no less."""
    epsilon, delta = _for_one_row(settings, epsilon)
    if settings.paper:
        return Fraction(cover.tilt(epsilon, delta, settings.neighbours, accounting="paper"))
    return Fraction(cover.tilt(epsilon, delta, settings.neighbours, max(plan.rewards), plan.rounds, plan.last))


def _for_one_row(settings: Settings, epsilon: float) -> tuple[float, float]:
    """What one row may cost if a unit has several: group privacy divides epsilon, and delta by sum e^(i eps)."""
    rows, delta = settings.unit_rows, float(settings.delta)
    part = epsilon / rows * (1 - 2.0**-50)
    return (epsilon, delta) if rows == 1 else (part, delta / sum(np.exp(i * part) for i in range(rows)) * (1 - 1e-12))


def _rules_release(settings: Settings, epsilon: float, tilt: Fraction, plan: recipe.Recipe) -> Release:
    parameters = {
        "tilt": str(tilt),
        "rounds": plan.rounds,
        "last": str(plan.last),
        "schedule": [str(reward) for reward in plan.rewards],
        "width": settings.width,
        "accounting": "paper" if settings.paper else "exact",
        "rows of a unit": settings.unit_rows,
    }
    return Release("rules", "draws of rules", epsilon, parameters)


def named(
    drawn: Sequence[Drawn], features: Features, literals: Sequence[Literal], classes: Sequence[Value]
) -> RuleList:
    """Name what was drawn: a list of rules over literals and classes."""
    assert drawn[-1][0] == TRUE
    rules = tuple(
        Rule(tuple(literals[i] for i in features[feature] if i >= 0), classes[label]) for feature, label in drawn[:-1]
    )
    return RuleList(rules, classes[drawn[-1][1]], tuple(classes))


def _rule_counts(
    sample: Sample, rules: RuleList, literals: Sequence[Literal], tilt: Fraction, bits: Bits
) -> list[list[int]]:
    """One noisy histogram over rules and classes: the cells are disjoint."""
    place = {literal: i for i, literal in enumerate(literals)}
    alive, cells = sample.everything(), []
    for rule in rules.rules:
        members = np.array(sorted(place[c] for c in rule.conditions), dtype=np.int32)
        covered, alive = sample.split(alive, members)
        cells.append(sample.totals(covered))
    noisy = noisy_counts(np.array([*cells, sample.totals(alive)]), tilt, bits)
    return [[int(count) for count in cell] for cell in noisy.tolist()]


def _certificate(settings: Settings, budget: _Purse, bits: Bits) -> Certificate:
    public = ["the schema: columns, values, cuts and classes", "all settings of the fit", *settings.public]
    if settings.rows is not None or settings.neighbours is Neighbours.REPLACE:
        public.append("the number of rows")
    return Certificate(
        epsilon=rounded_up(rational(settings.epsilon, "epsilon")),
        delta=rounded_up(rational(settings.delta, "delta")),
        neighbours=settings.neighbours.value,
        unit=settings.unit,
        accounting="paper" if settings.paper else "exact",
        releases=tuple(budget.releases),
        assumed_public=tuple(public),
        noise="secure" if bits.secure else "seeded",
        software=f"dprules {version('dprules')}",
    )
