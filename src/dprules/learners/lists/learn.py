"""Learn a list from a sample: buy class counts, choose a recipe, draw rules and count what they cover (theory F)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import sqrt

import numpy as np

from dprules.accounting import Account, CountedCover, Counts, Cover, Neighbours, PaperCover, counted, cover
from dprules.accounting.counted import Parts
from dprules.errors import ParameterError
from dprules.learners.lists import recipe
from dprules.learners.lists.counted_cover import Cell, TiltedNoise, counted_cover
from dprules.learners.lists.greedy_cover import greedy_cover
from dprules.learners.lists.remaining import TRUE, Drawn, Remaining
from dprules.learners.lists.scores import quantise
from dprules.learners.lists.settings import CLASSES_SHARE, ListSettings
from dprules.learners.settings import Progress
from dprules.mechanisms import Bits, noisy_counts
from dprules.models import CLASS_COUNTS, RULE_COUNTS, RULES, Group, Rule, RuleList
from dprules.models.class_weights import balancing_weights
from dprules.numbers import Real, rational
from dprules.schema import Conditions, Literal, Value, build_conditions
from dprules.tables import Sample


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
    known = _buy_class_counts(sample, settings, account, bits)
    weights = settings.weights(classes)
    if settings.class_weight == "balanced":
        weights = balancing_weights(known.counts, known.noise)
    if settings.counts_are_free:
        plan = _choose_recipe(settings, known, weights, float(account.epsilon))
        return _draw_counted(sample, conditions, literals, classes, plan, weights, account, bits, progress)
    most = settings.max_rules if settings.is_paper else _number_of_rules(settings, known, float(account.epsilon))
    rules = _draw_plain(sample, conditions, literals, classes, settings, most, weights, account, bits, progress)
    if "counts" not in settings.shares:
        return rules
    tilt = _charge_counts(account, RULE_COUNTS, _share(settings, "counts", 0))
    return rules.with_counts(_count_rules(sample, rules, literals, tilt, bits), tilt)


@dataclass(frozen=True, slots=True)
class _Known:
    """Noisy class counts, and their standard deviation; nothing if the recipe does not need them."""

    counts: tuple[float, ...] = ()
    noise: float = 0.0


def _buy_class_counts(sample: Sample, settings: ListSettings, account: Account, bits: Bits) -> _Known:
    if not settings.needs_classes:
        return _Known()
    tilt = _charge_counts(account, CLASS_COUNTS, _share(settings, "classes", CLASSES_SHARE))
    noisy = noisy_counts(sample.totals(), tilt, bits)
    return _Known(tuple(float(count) for count in noisy), sqrt(2) / float(tilt))


def _share(settings: ListSettings, name: str, otherwise: Real) -> Fraction:
    return rational(settings.shares.get(name, otherwise), f"share {name!r}", zero=True)


def _charge_counts(account: Account, name: str, share: Fraction) -> Fraction:
    """Charge a histogram, and return the tilt that the share allows: an exchange touches two cells."""
    touched = 1 if account.neighbours is Neighbours.ADD_REMOVE else 2
    part = account.epsilon * share
    tilt = part / (touched * account.unit.rows)
    account.charge(name, Counts(tilt), part)
    return tilt


def _number_of_rules(settings: ListSettings, known: _Known, epsilon: float) -> int:
    return settings.max_rules or recipe.rules_for(sum(known.counts), epsilon)


def _choose_recipe(
    settings: ListSettings, known: _Known, weights: Sequence[Fraction] | None, epsilon: float
) -> recipe.Recipe:
    """Choose the number of rules and their rewards, from public numbers or noisy class counts."""
    rules = _number_of_rules(settings, known, epsilon)
    if settings.reward is not None:
        return recipe.Recipe(rules, float(settings.reward))
    equal = (Fraction(1),) * len(known.counts)
    weighted = [count * float(weight) for count, weight in zip(known.counts, weights or equal, strict=True)]
    first = recipe.first_reward(weighted, known.noise, epsilon)
    return recipe.Recipe(rules, first, recipe.odds_against_the_largest(weighted))


def _draw_counted(
    sample: Sample,
    conditions: Conditions,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    plan: recipe.Recipe,
    weights: tuple[Fraction, ...] | None,
    account: Account,
    bits: Bits,
    progress: Progress,
) -> RuleList:
    """Draw rules and count what they cover: the counts cost nothing."""
    parts = Parts.of(plan.rules)
    epsilon, delta = account.for_one_row(account.epsilon_left)
    # The number of rules came from noisy counts, so this price depends on an output: it adds up with theirs.
    tilt = Fraction(counted.tilt(epsilon, delta, plan.rules, account.neighbours, parts))
    account.charge(RULES, CountedCover(tilt, plan.rules, parts), account.epsilon_left)
    show = partial(progress, "drawing rules", total=plan.rules)
    show(0)
    remaining = Remaining(sample, conditions, recipe.prior_of(conditions), weights)
    noisy = plan.with_noise(sqrt(2 * len(classes)) / float(tilt * parts.cell))
    cells = counted_cover(remaining, plan.rules, noisy.score, TiltedNoise(tilt, bits), parts, show)
    return name_cells(cells, conditions, literals, classes, tilt, weights).simplified()


def _draw_plain(
    sample: Sample,
    conditions: Conditions,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    settings: ListSettings,
    most: int | None,
    weights: tuple[Fraction, ...] | None,
    account: Account,
    bits: Bits,
    progress: Progress,
) -> RuleList:
    """Draw rules at one reward below 1, and a default, at their own, lower price."""
    # What is drawn last is set aside first: counts of the rules have a share of their own.
    part = account.epsilon_left - account.epsilon * _share(settings, "counts", 0)
    if part <= 0:
        raise ParameterError("the shares leave nothing for the rules. Lower them.")
    rounds = None if most is None else most + 1
    reward = quantise(0 if settings.reward is None else settings.reward)
    epsilon, delta = account.for_one_row(part)
    event: Cover | PaperCover
    if settings.is_paper:
        event = PaperCover(cover.tilt(epsilon, delta, account.neighbours, accounting="paper"))
    else:
        event = Cover(cover.tilt(epsilon, delta, account.neighbours, reward, rounds), (reward,), rounds)
    account.charge(RULES, event, part)
    show = partial(progress, "drawing rules", total=rounds)
    show(0)
    prior = None if settings.is_paper else recipe.prior_of(conditions)
    rewards = (reward,) * (rounds or 1)
    drawn = greedy_cover(sample, conditions, event.tilt, rewards, bits, rounds is not None, prior, weights, show)
    return replace(name_rules(drawn, conditions, literals, classes), weights=weights).simplified()


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


def name_cells(
    cells: Sequence[Cell],
    conditions: Conditions,
    literals: Sequence[Literal],
    classes: Sequence[Value],
    tilt: Fraction,
    weights: tuple[Fraction, ...] | None = None,
) -> RuleList:
    """Return what was drawn and counted as a list of rules with counts."""
    rules = name_rules([cell.drawn for cell in cells], conditions, literals, classes)
    groups = tuple(Group(cell.counts, (cell.part * tilt,)) for cell in cells)
    return RuleList(rules.rules, rules.default, rules.classes, groups, weights)


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
