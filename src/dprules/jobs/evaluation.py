"""How good a model is: bought with epsilon, or on rows that are public."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Account, Assumption, Counts, Neighbours, Quote, Unit
from dprules.errors import DataError, ModelError, ParameterError, PrivacyError
from dprules.files import digest
from dprules.jobs.assessment import Evaluation, assess
from dprules.jobs.charging import LedgerLike, finish, naming_the_charge, open_account, require_ledger
from dprules.jobs.figures import Noise
from dprules.jobs.fitting import may_be_computed
from dprules.jobs.ledgers import settle
from dprules.jobs.prediction import predict_batches
from dprules.jobs.quiet import without_sizes
from dprules.jobs.scores import Groups
from dprules.mechanisms import Bits, noisy_counts, os_bits
from dprules.models import Released, read_released
from dprules.numbers import Real, as_asked, flag
from dprules.schema import Label, show_value
from dprules.tables import Table, open_table
from dprules.tables.cells import read_codes
from dprules.tables.units import UnitKey, choose_rows

__all__ = ["ANSWERS", "Evaluation", "evaluate"]

ANSWERS = "answers by true class"
"""The name of the release."""


@without_sizes
def evaluate(
    released: Released,
    data: object,
    *,
    epsilon: Real | None = None,
    public: bool = False,
    neighbours: str = "add-remove",
    label: str | None = None,
    unit: str | None = None,
    unit_rows: int = 1,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
    ledger: LedgerLike | None = None,
    dataset: str | None = None,
    deliver: Callable[[Evaluation], None] = lambda evaluation: None,
) -> Evaluation:
    """Count rows by the answer of the model and their true class: exactly on public rows, or with noise.

    Guarantee: epsilon-DP for what is returned, unless the rows are public: one histogram, and what follows from it.

    Parameters
    ----------
    released : Released
        A model that verifies; also a fitted estimator, or the path of a model file.
    data : object
        Rows with the label column.
    epsilon : number or None
        What to spend; not with `public`.
    public : bool
        Whether the rows are public.
    neighbours : str
        Of the price.
    label : str or None
        The column with the true labels, which has the classes of the model's label; None: the model's.
    unit : str or None
        Column that says whose a row is; not with `public`.
    unit_rows : int
        Rows of a unit that are kept, chosen at random.
    table, delimiter, multiline
        As for `open_table`.
    ledger, dataset
        As for `FitRequest`.
    deliver : callable
        Shows the figures or writes them. A ledger records the release after that.
    """
    released = read_released(released)
    require_ledger(ledger, dataset)
    if public and ledger is not None:
        raise ParameterError("public rows and a ledger cannot be combined.")
    if epsilon is None and not flag(public, "public"):
        raise PrivacyError("accuracy on private rows is a release. Give epsilon to buy it, or declare the rows public.")
    if epsilon is not None and flag(public, "public"):
        raise ParameterError("public rows cost nothing. Give epsilon, or declare the rows public, not both.")
    relation = Neighbours.parse(neighbours)
    if relation is Neighbours.ZERO_OUT:
        raise ParameterError("a table has no zero-out neighbours. Choose add-remove or replace.")
    truth = _true_label(released, label)
    whose = Unit(unit, unit_rows)
    if public and unit is not None:
        raise ParameterError("a unit is a matter of the price, and public rows have none. Leave out one of the two.")
    price = None if epsilon is None else _price(epsilon, relation, whose)
    groups = Groups.of(released.model, truth.classes)
    with open_table(data, table, delimiter, multiline) as opened:
        columns = [truth.name, *(column.name for column in released.model.columns), *([] if unit is None else [unit])]
        opened.require(columns)
        _require_unit(released, opened, unit, public)
        if price is None:
            counts = _count_answers(released, opened, truth, whose, len(groups.names), os_bits)
            _require_rows(counts, truth)
            exact = assess(groups, counts, Noise(None), truth, released.label.positive, None)
            exact = replace(exact, mark=released.model.mark)
            deliver(exact)
            return exact
        account, tilt = price
        account = open_account(account, ledger, dataset, partial(_quote, account, tilt), columns, secure=True)
        with naming_the_charge(account):
            counts = _count_answers(released, opened, truth, whose, len(groups.names), os_bits)
            account.charge(ANSWERS, Counts(tilt))
            noisy = noisy_counts(counts, tilt, os_bits)
        certificate = account.certificate(secure=True, assumptions=_assumptions(data, account, opened))
        certificate = certificate.for_model(released.digest())
        noised = assess(groups, noisy, Noise(tilt), truth, released.label.positive, certificate)
        evaluation = replace(noised, mark=released.model.mark)
    with naming_the_charge(account):
        deliver(evaluation)
    finish(account, digest(evaluation.document()))
    if ledger is not None:
        settle(released, ledger)
    return evaluation


def _require_unit(released: Released, table: Table, unit: str | None, public: bool) -> None:
    """Refuse to protect rows where the model protects whose they are: the rows of one person would cost more."""
    whose = released.certificate.unit.column
    if whose is not None and unit is None and not public and whose in table.names:
        raise PrivacyError(
            f"the model protects all rows of each {whose!r}, and these rows have that column. Give it as the unit."
        )


def _price(epsilon: Real, relation: Neighbours, unit: Unit) -> tuple[Account, Fraction]:
    """Return the account of the histogram, and its tilt: an exchange of rows touches two cells."""
    account = Account(as_asked(epsilon, "epsilon"), 0, relation, unit)
    touched = 1 if relation is Neighbours.ADD_REMOVE else 2
    return account, account.epsilon / (touched * unit.rows)


def _quote(account: Account, tilt: Fraction) -> Quote:
    """Return what the evaluation will charge."""
    charged = Account(account.epsilon, account.delta, account.neighbours, account.unit)
    charged.charge(ANSWERS, Counts(tilt))
    return Quote.of("evaluate", charged, fixed=True)


def _true_label(released: Released, name: str | None) -> Label:
    """Return the label to compare with; a column that the model asks about is none."""
    if set(released.model.classes) != set(released.label.classes):
        raise ModelError(
            "the model has other classes than its label, so no answer is right. Ask for the published file."
        )
    wanted = released.label.name if name is None else name
    if wanted in {column.name for column in released.model.columns}:
        raise ParameterError(
            f"column {wanted!r} is one that the model asks about, not the label that it predicts. "
            f"That is {released.label.name!r}."
        )
    return Label(wanted, released.label.classes, inferred=True)


def _require_rows(counts: NDArray[np.int64], truth: Label) -> None:
    """Refuse public rows of which none has a class of the model: the column is not its label."""
    if not counts.any():
        classes = ", ".join(map(show_value, truth.classes[:5])) + (", ..." if len(truth.classes) > 5 else "")
        raise DataError(
            f"column {truth.name!r} holds none of the classes that the model predicts ({classes}) in any row. "
            "Name the column that does with --label."
        )


def _assumptions(data: object, account: Account, table: Table) -> list[Assumption]:
    flags = {
        Assumption.RECORD_BY_RECORD: may_be_computed(data),
        Assumption.ROW_COUNT: account.neighbours is Neighbours.REPLACE,
        Assumption.BALANCED_QUOTES: table.assumes_balanced_quotes,
        Assumption.NO_ROW_STOPS: table.is_query,
    }
    return [Assumption.SCHEMA, Assumption.SETTINGS, *(one for one, holds in flags.items() if holds)]


def _count_answers(
    released: Released,
    table: Table,
    truth: Label,
    unit: Unit,
    groups: int,
    bits: Bits,
) -> NDArray[np.int64]:
    """Return how many rows each group decides, by their true class: private until noise is added.

    Rows are read once; those without a declared label or beyond the rows of their unit are left out.
    """
    column = truth.column()
    others = [truth.name, *([] if unit.column is None else [unit.column])]
    places, truths = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int16)]
    owners = [np.zeros((2, 0), dtype=np.uint64)]
    key = None if unit.column is None else UnitKey.drawn(bits)
    for batch in predict_batches(released.model, table, others):
        places.append(batch.places)
        truths.append(read_codes(column, batch.cells[truth.name]))
        if key is not None:
            owners.append(key.name_units(batch.cells[others[-1]]))
    where, codes = np.concatenate(places), np.concatenate(truths)
    chosen = codes >= 0
    if key is not None:
        whose = np.concatenate(owners, axis=1)
        rows = np.concatenate([whose, np.stack([where, codes]).astype(np.int64).view(np.uint64)])
        chosen &= choose_rows(whose, key.order_rows(rows), unit.rows)
    cells = where[chosen] * column.size + codes[chosen]
    return np.bincount(cells, minlength=groups * column.size).reshape(groups, column.size).astype(np.int64)
