"""Rivest's greedy list, without privacy: the yardstick."""

from collections.abc import Sequence

import numpy as np

from dprules.data.sample import Counts, Features, Sample
from dprules.lists.greedy_cover import TRUE, Drawn


def rivest(
    sample: Sample, features: Features, max_rules: int | None = None, rewards: Sequence[float] = (0.5,)
) -> list[Drawn]:
    """Take the rule without errors that covers the most, remove what it covers, go on; **not private**.

    Where no rule is free of errors, the best by reward * correct - errors is taken, with `rewards` for the first rules
    and the last one repeated. On data that some list labels without error the result errs nowhere.
    """
    found: list[Drawn] = []
    alive = sample.everything()
    left, totals = sample.counts(features, alive), sample.totals(alive)
    most = len(features) if max_rules is None else max_rules
    while len(found) < most and np.count_nonzero(totals) > 1:
        choice = _best(left, float(rewards[min(len(found), len(rewards) - 1)]))
        if choice is None:
            break
        covered, alive = sample.split(alive, features[choice[0]])
        found.append(choice)
        left -= sample.counts(features, covered)
        totals -= sample.totals(covered)
    return [*found, (TRUE, int(np.argmax(totals)))]


def _best(counts: Counts, reward: float) -> Drawn | None:
    errors = counts.sum(axis=0) - counts
    pure = np.where(errors == 0, counts, 0)
    score = pure.astype(np.float64) if pure.any() else np.where(counts > 0, reward * counts - errors, -np.inf)
    label, feature = np.unravel_index(int(np.argmax(score)), score.shape)
    return (int(feature), int(label)) if score[label, feature] > 0 else None
