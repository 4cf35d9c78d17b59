"""What follows from a histogram over groups of a model and true classes: accuracy, recall, precision, AUC."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprules.jobs.figures import Array
from dprules.models import Model
from dprules.schema import Value


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups that a model puts rows into, one for each of its answers. Public.

    Parameters
    ----------
    names : tuple of str
        How each group is printed.
    said : array
        The class that each group is given, by its place.
    scores : array or None
        For each class, how likely a group is to be of it, for ranking; None: the model does not rank.
    classes : tuple
        In the label's order.
    """

    names: tuple[str, ...]
    said: NDArray[np.int64]
    scores: Array | None
    classes: tuple[Value, ...]

    @classmethod
    def of(cls, model: Model, classes: Sequence[Value]) -> "Groups":
        """Return the groups of a model, with classes in the order of the label."""
        place = {value: i for i, value in enumerate(classes)}
        answers = model.answers()
        said = np.array([place[answer.label] for answer in answers])
        shares = [answer.probabilities for answer in answers if answer.probabilities is not None]
        order = [model.classes.index(value) for value in classes]
        scores = np.array(shares)[:, order] if len(shares) == len(answers) else None
        return cls(tuple(answer.name for answer in answers), said, scores, tuple(classes))

    def confuse(self, counts: Array) -> Array:
        """Return predicted times true classes from groups times true classes; leading axes stay."""
        says = (np.arange(len(self.classes))[:, None] == self.said).astype(np.float64)
        table: Array = says @ counts
        return table

    def measure(self, counts: Array) -> dict[str, Array]:
        """Return every figure of histograms; leading axes stay, and what is undefined is NaN."""
        table = self.confuse(counts)
        right = np.diagonal(table, axis1=-2, axis2=-1)
        true = table.sum(-2)
        rows = true.sum(-1)
        recall = ratio(right, true)
        measured = {
            "table": table,
            "true": true,
            "rows": rows,
            "accuracy": ratio(right.sum(-1), rows),
            "recall": recall,
            "precision": ratio(right, table.sum(-1)),
            "balanced": recall.mean(-1),
            "shares": ratio(true, rows[..., None]),
            "leads": right.sum(-1, keepdims=True) - true,
            "sizes": counts.sum(-1),
            "purity": ratio(counts[..., np.arange(len(self.said)), self.said], counts.sum(-1)),
        }
        return measured if self.scores is None else measured | {"auc": self._areas(counts, self.scores)}

    def _areas(self, counts: Array, scores: Array) -> Array:
        """For each class against the others, how often a row of it is ranked above one that is not."""
        every = counts.sum(-1)
        return np.stack(
            [area(counts[..., k], every - counts[..., k], scores[:, k]) for k in range(len(self.classes))], axis=-1
        )


def ratio(part: Array, whole: Array) -> Array:
    """Return part over whole, NaN where there is no whole."""
    undefined = np.full(np.broadcast(part, whole).shape, np.nan)
    found: Array = np.divide(part, whole, out=undefined, where=whole > 0)
    return found


def area(positive: Array, negative: Array, scores: Array) -> Array:
    """Return the share of pairs that the scores of groups rank rightly; a tie is half a pair.

    Noise of different cells is independent, so the numerator stays unbiased where counts are noisy.

    Examples
    --------
    >>> float(area(np.array([0.0, 9.0]), np.array([9.0, 0.0]), np.array([0.1, 0.8])))
    1.0
    """
    values, place = np.unique(scores, return_inverse=True)
    pooled = (place.reshape(-1)[:, None] == np.arange(len(values))).astype(np.float64)
    hits, misses = positive @ pooled, negative @ pooled
    below = np.cumsum(misses, axis=-1) - misses / 2
    positives, negatives = hits.sum(-1), misses.sum(-1)
    pairs = np.where((positives > 0) & (negatives > 0), positives * negatives, 0.0)
    return ratio((hits * below).sum(-1), pairs)
