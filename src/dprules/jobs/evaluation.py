"""How accurate a model is: bought with epsilon, or on rows that are public."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dprules.accounting import Account, Assumption, Certificate, Counts, Neighbours
from dprules.errors import ParameterError, PrivacyError
from dprules.jobs.prediction import predict_batches
from dprules.jobs.quiet import without_sizes
from dprules.mechanisms import noisy_counts
from dprules.models import Released
from dprules.numbers import Real
from dprules.schema import Label
from dprules.tables import open_table
from dprules.tables.cells import read_codes

ANSWERS = "right and wrong answers"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Accuracy, and how it was paid for.

    Parameters
    ----------
    accuracy : float
        The share of right answers.
    rows : int
        Rows with a declared label; noisy unless they are public.
    error : float
        About 95% of the time the noise moves the accuracy by less than this.
    certificate : Certificate or None
        What was spent; None: the rows are public.
    """

    accuracy: float
    rows: int
    error: float
    certificate: Certificate | None

    @property
    def epsilon(self) -> float | None:
        """What was spent; None: the rows are public."""
        return None if self.certificate is None else self.certificate.epsilon


@without_sizes
def evaluate(
    released: Released,
    data: object,
    *,
    epsilon: Real | None = None,
    public: bool = False,
    neighbours: str = "add-remove",
    label: str | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> Evaluation:
    """Count right and wrong answers, exactly on public rows or in two noisy cells.

    Parameters
    ----------
    released : Released
        A model that verifies.
    data : object
        Rows with the label column.
    epsilon : number or None
        What to spend; not with `public`.
    public : bool
        Whether the rows are public.
    neighbours : str
        Of the price.
    label : str or None
        The column with the true labels; None: the model's.
    table, delimiter, multiline
        As for `open_table`.
    """
    if (epsilon is None) == (not public):
        raise PrivacyError("accuracy on private rows is a release. Give --epsilon to buy it, or --public, not both.")
    relation = Neighbours.parse(neighbours)
    if relation is Neighbours.ZERO_OUT:
        raise ParameterError("a table has no zero-out neighbours. Choose add-remove or replace.")
    truth = Label(label or released.label.name, released.label.classes, inferred=True)
    account = None if epsilon is None else Account(epsilon, 0, relation)
    touched = 1 if relation is Neighbours.ADD_REMOVE else 2
    if account is not None:
        account.charge(ANSWERS, Counts(account.epsilon / touched))
    counts = _count_answers(released, data, truth, table, delimiter, multiline)
    if account is None:
        return Evaluation(_share(counts), int(counts.sum()), 0.0, None)
    counts = np.maximum(noisy_counts(counts, account.epsilon / touched), 0)
    error = min(1.0, 2 * sqrt(2) * touched / float(account.epsilon) / max(1, int(counts.sum())))
    certificate = account.certificate(secure=True, assumptions=_assumptions(relation, multiline))
    return Evaluation(_share(counts), int(counts.sum()), error, certificate)


def _assumptions(relation: Neighbours, multiline: bool) -> list[Assumption]:
    found = [Assumption.SCHEMA, Assumption.SETTINGS]
    if relation is Neighbours.REPLACE:
        found.append(Assumption.ROW_COUNT)
    if multiline:
        found.append(Assumption.BALANCED_QUOTES)
    return found


def _share(counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    return float(counts[0] / max(1, int(counts.sum())))


def _count_answers(
    released: Released, data: object, truth: Label, table: str | None, delimiter: str | None, multiline: bool
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how many rows with a declared label are answered right, and how many wrong, from one reading."""
    column = truth.column()
    right = 0
    known = 0
    with open_table(data, table, delimiter, multiline) as opened:
        opened.require([truth.name])
        for batch in predict_batches(released.model, opened, [truth.name]):
            codes = read_codes(column, batch.cells[truth.name])
            known += int((codes >= 0).sum())
            right += int((batch.labels == np.array(truth.classes)[codes])[codes >= 0].sum())
    return np.array([right, known - right])
