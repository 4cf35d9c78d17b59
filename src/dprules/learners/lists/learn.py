"""Learn a list from a sample: buy class counts, choose a recipe, draw rules, buy counts of the rules (theory F)."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Protocol

import numpy as np

from dprules.accounting import Account, Counts, Cover, Neighbours, PaperCover, cover
from dprules.errors import ParameterError
from dprules.learners.lists import recipe
from dprules.learners.lists.greedy_cover import TRUE, Drawn, greedy_cover
from dprules.learners.lists.settings import ListSettings
from dprules.mechanisms import Bits, noisy_counts
from dprules.models import CLASS_COUNTS, RULE_COUNTS, RULES, Rule, RuleList
from dprules.numbers import Real, rational
from dprules.schema import Conditions, Literal, Value, build_conditions
from dprules.tables import Sample

CLASSES_SHARE = 0.02
"""Of epsilon, for noisy class counts, where the recipe needs them."""


class Progress(Protocol):
    """Told how far a step has come; everything told is public."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show it."""
        ...


def learn_list(
    sample: Sample,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    settings: ListSettings,
    account: Account,
    bits: Bits,
    progress: Progress = lambda step, done, total: None,
) -> RuleList:
    """Learn a list; every release is charged to the account before it is drawn.

    Guarantee: what the account's certificate says, for everything returned.
    """
    conditions = build_conditions(literals, settings.width)
    plan = _choose_recipe(sample, settings, account, bits)
    # What is drawn last is set aside first: counts of the rules have a share of their own.
    part = account.epsilon_left - account.epsilon * _share(settings, "counts", 0)
    if part <= 0:
        raise ParameterError("the shares leave nothing for the rules. Lower them.")
    event = _rules_event(settings, account, part, plan)
    account.charge(RULES, event, part)
    show = partial(progress, "drawing rules", total=plan.rounds)
    show(0)
    prior = None if settings.is_paper else recipe.prior_of(conditions)
    drawn = greedy_cover(
        sample, conditions, event.tilt, plan.rewards, bits, plan.capped, prior, plan.default_tilt_ratio, show
    )
    rules = name_rules(drawn, conditions, literals, classes).simplified()
    if "counts" not in settings.shares:
        return rules
    tilt = _charge_counts(account, RULE_COUNTS, _share(settings, "counts", 0))
    return rules.with_counts(_count_rules(sample, rules, literals, tilt, bits))


def _share(settings: ListSettings, name: str, otherwise: Real) -> Fraction:
    return rational(settings.shares.get(name, otherwise), f"share {name!r}", zero=True)


def _charge_counts(account: Account, name: str, share: Fraction) -> Fraction:
    """Charge a histogram, and return the tilt that the share allows: an exchange touches two cells."""
    touched = 1 if account.neighbours is Neighbours.ADD_REMOVE else 2
    part = account.epsilon * share
    tilt = part / (touched * account.unit.rows)
    account.charge(name, Counts(tilt), part)
    return tilt


def _choose_recipe(sample: Sample, settings: ListSettings, account: Account, bits: Bits) -> recipe.Recipe:
    """Choose the number of rules and their rewards, from public numbers or noisy class counts."""
    if settings.is_paper:
        return recipe.constant_reward(settings.max_rules, 0)
    if settings.reward is not None and settings.max_rules is not None:
        return recipe.constant_reward(settings.max_rules, settings.reward)
    tilt = _charge_counts(account, CLASS_COUNTS, _share(settings, "classes", CLASSES_SHARE))
    noisy = [float(count) for count in noisy_counts(sample.totals(), tilt, bits)]
    epsilon = float(account.epsilon)
    rules = settings.max_rules or recipe.rules_for(sum(noisy), epsilon)
    if settings.reward is not None:
        return recipe.short_list(rules, settings.reward)
    return recipe.short_list(rules, recipe.first_reward(noisy, sqrt(2) / float(tilt), epsilon))


def _rules_event(settings: ListSettings, account: Account, part: Fraction, plan: recipe.Recipe) -> Cover | PaperCover:
    """Return the sharpest draws that this part of epsilon allows; the largest reward is charged."""
    epsilon, delta = account.for_one_row(part)
    if settings.is_paper:
        return PaperCover(cover.tilt(epsilon, delta, account.neighbours, accounting="paper"))
    # The number of rules came from noisy counts, so this price depends on an output: it adds up with theirs.
    tilt = cover.tilt(epsilon, delta, account.neighbours, max(plan.rewards), plan.rounds, plan.default_tilt_ratio)
    return Cover(tilt, plan.rewards, plan.rounds, plan.default_tilt_ratio)


def name_rules(
    drawn: Sequence[Drawn], conditions: Conditions, literals: Sequence[Literal], classes: Sequence[Value]
) -> RuleList:
    """Return what was drawn as a list of rules over literals and classes; the last draw is the default."""
    *firsts, (last, default) = drawn
    if last != TRUE:
        raise ParameterError("a list must end with the constant true.")
    rules = tuple(
        Rule(tuple(literals[i] for i in conditions[condition] if i >= 0), classes[label]) for condition, label in firsts
    )
    return RuleList(rules, classes[default], tuple(classes))


def _count_rules(
    sample: Sample, rules: RuleList, literals: Sequence[Literal], tilt: Fraction, bits: Bits
) -> list[list[int]]:
    """One noisy histogram over rules and classes: the cells are disjoint."""
    place = {literal: i for i, literal in enumerate(literals)}
    cells = []
    for rule in rules.rules:
        members = np.array(sorted(place[condition] for condition in rule.conditions), dtype=np.int32)
        covered, sample = sample.cover(members)
        cells.append(covered.totals())
    noisy = noisy_counts(np.array([*cells, sample.totals()]), tilt, bits)
    return [[int(count) for count in cell] for cell in noisy.tolist()]
