"""How accurate a list is: bought with epsilon, or on rows that are public."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dprules.data.schema import Label
from dprules.data.table import Table
from dprules.lists.rule_list import RuleList
from dprules.mechanisms import Bits, noisy_counts
from dprules.numbers import Real, rational


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Accuracy, and how it was paid for."""

    accuracy: float
    rows: int
    """Rows with a declared label; noisy unless they are public."""
    epsilon: float | None
    """None: the rows are public."""
    error: float
    """About 95% of the time the noise moves the accuracy by less than this."""


def evaluate(rules: RuleList, table: Table, label: str, epsilon: Real | None, bits: Bits | None = None) -> Evaluation:
    """Count right and wrong answers; with `epsilon`, in two noisy cells.

    Guarantee: epsilon-DP under add-remove neighbours (2 epsilon under replace).
    """
    codes = table.sample_codes(rules.columns, Label(label, rules.classes))
    predicted = rules.labels_of(rules.cells_of(codes.matrix))
    truth = np.array(rules.classes)[codes.labels]
    weights = np.ones(len(truth), dtype=np.int64) if codes.weights is None else codes.weights
    counts = np.array([int(weights[predicted == truth].sum()), int(weights[predicted != truth].sum())])
    error = 0.0
    if epsilon is not None:
        tilt = rational(epsilon, "epsilon")
        counts = np.maximum(noisy_counts(counts, tilt, bits), 0)
        error = min(1.0, 2 * sqrt(2) / float(tilt) / max(1, int(counts.sum())))
    total = max(1, int(counts.sum()))
    return Evaluation(float(counts[0] / total), int(counts.sum()), None if epsilon is None else float(epsilon), error)
