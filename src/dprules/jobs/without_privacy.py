"""Lists without privacy: Rivest's, and the best that the private recipe finds without noise."""

from collections.abc import Sequence

from dprules.accounting import Unit
from dprules.defaults import WIDTH
from dprules.jobs.fitting import FitRequest
from dprules.jobs.quiet import without_sizes
from dprules.learners.lists import LENGTHS, name_rules, rivest, yardsticks
from dprules.mechanisms import os_bits
from dprules.models import RuleList
from dprules.schema import Literal, build_conditions
from dprules.tables import Sample, read_records


@without_sizes
def fit_without_privacy(
    request: FitRequest, max_rules: int | None = None, reward: float = 0.5, width: int = WIDTH
) -> RuleList:
    """Learn Rivest's greedy list **without privacy**.

    Parameters
    ----------
    request : FitRequest
        Data and schema; its settings and its budget are not used.
    max_rules : int or None
        Rules before the default.
    reward : float
        Of a correct record against an error, where no rule is free of errors.
    width : int
        Literals in one condition.
    """
    sample, literals = _public_sample(request)
    conditions = build_conditions(literals, width)
    drawn = rivest(sample, conditions, max_rules, (reward,))
    return name_rules(drawn, conditions, literals, request.schema.label.classes).simplified()


@without_sizes
def fit_yardstick(request: FitRequest, width: int = WIDTH) -> RuleList:
    """Learn the best list that the private recipe finds without noise, of a few settings: **not private**.

    Parameters
    ----------
    request : FitRequest
        Data and schema; its settings and its budget are not used.
    width : int
        Literals in one condition.
    """
    return fit_yardsticks(request, LENGTHS, width)[0]


@without_sizes
def fit_yardsticks(request: FitRequest, lengths: Sequence[int], width: int = WIDTH) -> list[RuleList]:
    """Learn the lists that the private recipe finds without noise, those right most often first: **not private**.

    Parameters
    ----------
    request : FitRequest
        Data and schema; its settings and its budget are not used.
    lengths : sequence of int
        Numbers of rules to try, each with a few first rewards.
    width : int
        Literals in one condition.
    """
    sample, literals = _public_sample(request)
    conditions = build_conditions(literals, width)
    return yardsticks(sample, conditions, literals, request.schema.label.classes, lengths)


def _public_sample(request: FitRequest) -> tuple[Sample, tuple[Literal, ...]]:
    schema = request.schema
    with request.opened() as table:
        records = read_records(table, schema, Unit(), os_bits)
    literals = tuple(schema.literals())
    return records.sample(literals, len(schema.label.classes)), literals
