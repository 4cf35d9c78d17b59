"""Rivest's greedy list, without privacy: the yardstick."""

from collections.abc import Sequence

import numpy as np

from dprules.learners.lists.remaining import TRUE, Drawn
from dprules.schema import Conditions
from dprules.tables import ClassCounts, Sample


def rivest(
    sample: Sample, conditions: Conditions, max_rules: int | None = None, rewards: Sequence[float] = (0.5,)
) -> list[Drawn]:
    """Take the rule without errors that covers the most, remove what it covers, go on; **not private**.

    Where no rule is free of errors, the best by reward * correct - errors is taken, with `rewards` for the first rules
    and the last one repeated. On data that some list labels without error the result errs nowhere.
    """
    found: list[Drawn] = []
    left = sample.counts(conditions)
    totals = sample.totals()
    most = len(conditions) if max_rules is None else max_rules
    while len(found) < most and np.count_nonzero(totals) > 1:
        choice = _best(left, float(rewards[min(len(found), len(rewards) - 1)]))
        if choice is None:
            break
        covered, sample = sample.cover(conditions[choice[0]])
        found.append(choice)
        left -= covered.counts(conditions)
        totals -= covered.totals()
    return [*found, (TRUE, int(np.argmax(totals)))]


def _best(counts: ClassCounts, reward: float) -> Drawn | None:
    errors = counts.sum(axis=0) - counts
    pure = np.where(errors == 0, counts, 0)
    score = pure.astype(np.float64) if pure.any() else np.where(counts > 0, reward * counts - errors, -np.inf)
    label, feature = np.unravel_index(int(np.argmax(score)), score.shape)
    return (int(feature), int(label)) if score[label, feature] > 0 else None
