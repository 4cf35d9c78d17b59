"""Learn a list from a table: the checks, the budget, the reading, the learning, the envelope."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dprules.accounting import Account, Assumed, Assumption, Charge, Neighbours, Quote, TakenFrom, Unit
from dprules.defaults import DELTA, EPSILON, NEIGHBOURS
from dprules.errors import ParameterError, PrivacyError
from dprules.jobs.charging import (
    LedgerLike,
    finish,
    naming_the_charge,
    open_account,
    preview_charge,
    require_ledger,
)
from dprules.jobs.check_rows import check_rows
from dprules.jobs.labels import require_matching_kind, with_labels
from dprules.jobs.quiet import without_sizes
from dprules.learners.cuts import SHARE, buy_cuts
from dprules.learners.lists import ListSettings
from dprules.learners.settings import Progress, Settings
from dprules.learners.values import buy_values
from dprules.ledger import ChargePreview
from dprules.mechanisms import Bits, SeededBits, os_bits
from dprules.models import Released
from dprules.numbers import Real, as_asked, flag, rational, read_memory
from dprules.private import Private
from dprules.schema import Column, PrivateCuts, PrivateValues, Schema, read_schema
from dprules.tables import (
    ColumnsTable,
    Records,
    Storage,
    Table,
    open_table,
    place_records,
    read_records,
    scratch_folder,
)


@dataclass(frozen=True, repr=False, eq=False)
class FitRequest(Private):
    """Everything that a fit needs; the data in it is private.

    Parameters
    ----------
    data : object
        A file, a folder, a pattern, a URL, a frame, an Ibis table or a dictionary of columns.
    schema : Schema, path or dict
        What is public of it.
    settings : Settings
        What to learn, and how: those of a list, a scorecard.
    epsilon, delta : number
        The budget.
    neighbours : str
        "add-remove" or "replace".
    unit : str or None
        Column that says whose a row is.
    unit_rows : int
        Rows of a unit that are kept.
    rows_are_public : bool
        Look at the rows first and refuse odd ones; the certificate says so.
    labels : object
        The label column, if it is not in the data.
    table : str or None
        The table's name in a database.
    delimiter : str or None
        Of a CSV file.
    multiline : bool
        Whether cells of a CSV file may hold line ends between quotes.
    seed : int or None
        For repeatable noise: the result is then not private.
    memory : str, int or None
        How much memory the fit may use, such as "2GB"; what does not fit lies in private files. None: all there is.
    master : str or None
        Where Spark runs, which then reads the data: local[2], spark://host:7077, yarn.
    ledger : str, Path, Ledger or None
        Records what is spent before it is spent: a file, or postgresql://user@host/database.
    dataset : str or None
        Name of the data set in the ledger.
    assumptions : tuple of Assumed
        What was inferred instead of declared.
    """

    data: object
    schema: Schema
    settings: Settings = field(default_factory=ListSettings)
    epsilon: Real = EPSILON
    delta: Real = DELTA
    neighbours: str | Neighbours = NEIGHBOURS
    unit: str | None = None
    unit_rows: int = 1
    rows_are_public: bool = False
    labels: Any = None
    table: str | None = None
    delimiter: str | None = None
    multiline: bool = False
    seed: int | None = None
    memory: str | int | None = None
    master: str | None = None
    ledger: LedgerLike | None = None
    dataset: str | None = None
    assumptions: tuple[Assumed, ...] = (Assumption.SCHEMA,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", read_schema(self.schema))
        require_ledger(self.ledger, self.dataset)
        if flag(self.rows_are_public, "rows_are_public") and self.ledger is not None:
            raise PrivacyError("rows_are_public and a ledger cannot be combined.")
        if self.memory is not None:
            read_memory(self.memory)
            if self.master is not None:
                raise ParameterError(
                    "Spark has settings of its own for memory, such as spark.executor.memory. Leave it out."
                )

    def account(self) -> Account:
        """Return the budget as an account that nothing has been charged to; a budget that makes no sense is refused."""
        relation = Neighbours.parse(self.neighbours)
        if relation is Neighbours.ZERO_OUT:
            raise ParameterError("a table has no zero-out neighbours. Choose add-remove or replace.")
        epsilon = as_asked(self.epsilon, "epsilon")
        delta = as_asked(self.delta, "delta", zero=True)
        account = Account(epsilon, delta, relation, Unit(self.unit, self.unit_rows))
        if account.delta == 0:
            raise ParameterError("delta must lie strictly between 0 and 1; got 0. 1e-6 is usual.")
        return account

    @property
    def columns(self) -> tuple[str, ...]:
        """What the fit asks about, the label and the unit included."""
        return (*self.schema.names, *([] if self.unit is None else [self.unit]))

    @property
    def table_name(self) -> str | None:
        """What the table is called: in its database, or by its file; the folder it lies in is nobody's business."""
        path = self.data if isinstance(self.data, str | Path) else None
        if self.table is not None or path is None or "://" in str(path):
            return self.table
        name = Path(path).name
        while Path(name).suffix.lower() in _ENDINGS:
            name = Path(name).stem
        return name if name and name.isprintable() and not set(name) & set("*?[") else None

    @contextmanager
    def opened(self) -> Iterator[Table]:
        """Open the table, with the labels if they were given apart."""
        data = self.data if self.labels is None else with_labels(self.data, self.labels, self.schema.label)
        memory = None if self.memory is None else read_memory(self.memory) // 4  # an engine's share
        with open_table(data, self.table, self.delimiter, self.multiline, memory, self.master) as table:
            yield table

    @contextmanager
    def storage(self) -> Iterator[Storage]:
        """Give blocks of records a place: memory, or with a limit also a private folder."""
        if self.memory is None:
            yield Storage()
            return
        with scratch_folder() as folder:
            yield Storage(read_memory(self.memory), folder)


_ENDINGS = frozenset({".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq"})
"""Of files: no part of a table's name."""
LARGE_DELTA = 1e-3
"""Above it no number of rows makes a delta small."""
MOST_NAMED = 6
"""Releases of one charge that are named before a fit: a table may have hundreds of columns. Certificates name all."""


@dataclass(frozen=True, slots=True)
class Spending:
    """A part of the budget, and what it is for."""

    what: str
    epsilon: float
    delta: float

    @classmethod
    def of(cls, charge: Charge) -> "Spending":
        """Return what a charge takes."""
        names = [release.name for release in charge.releases]
        if len(names) > MOST_NAMED:
            names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED:,} more"]
        *firsts, last = names
        return cls(
            " and ".join([", ".join(firsts), last] if firsts else names), float(charge.epsilon), float(charge.delta)
        )


@dataclass(frozen=True, slots=True)
class FitSummary:
    """What a fit would do: public facts only.

    Parameters
    ----------
    survey : mapping
        How much there is to learn from, by name: literals and conditions, or columns and bins.
    epsilon, delta : float
        The budget.
    spending : tuple of Spending
        Its parts.
    charge : ChargePreview or None
        What its ledger would be charged.
    """

    survey: Mapping[str, int]
    epsilon: float
    delta: float
    spending: tuple[Spending, ...] = ()
    charge: ChargePreview | None = None

    def cautions(self) -> list[str]:
        """Return what to think about before anything is spent."""
        if self.delta <= LARGE_DELTA:
            return []
        return [f"Delta {self.delta:g} is large: with that probability a record may be published whole. 1e-6 is usual."]

    def document(self) -> dict[str, Any]:
        """Return everything in JSON's types."""
        budget = {"epsilon": self.epsilon, "delta": self.delta}
        charge = {} if self.charge is None else {"charge": asdict(self.charge)}
        return {**self.survey, **budget, "spending": [asdict(part) for part in self.spending], **charge}


@without_sizes
def check_fit(request: FitRequest) -> FitSummary:
    """Make every check that a fit makes; nothing is learnt and nothing is spent.

    Prices are checked by a rehearsal: the same fit, of a table with these columns and no rows.
    """
    with request.opened() as table:
        summary = _check(request, table)
        if request.rows_are_public:
            check_rows(table, request.schema)
    rehearsed = rehearse(request)
    preview = preview_charge(request.ledger, request.dataset, partial(_quote, request), request.columns)
    return replace(summary, spending=tuple(Spending.of(charge) for charge in rehearsed.charges), charge=preview)


def rehearse(request: FitRequest) -> Account:
    """Return an account with the charges of the same fit, of a table with these columns and no rows."""
    account = request.account()
    nothing: dict[str, list[object]] = {name: [] for name in request.columns}
    records = read_records(ColumnsTable(nothing), request.schema, account.unit, os_bits)
    _learn(request, records, account, [], os_bits, _silent)
    return account


def _quote(request: FitRequest) -> Quote:
    """Return what the fit will spend: its charges if they are known in advance, otherwise its budget."""
    fixed = request.settings.prices_are_fixed(request.schema)
    return Quote.of("fit", rehearse(request) if fixed else request.account(), fixed=fixed)


def _check(request: FitRequest, table: Table) -> FitSummary:
    account = request.account()
    schema = request.schema
    if request.unit == schema.label.name:
        raise ParameterError(f"column {request.unit!r} is the label, and cannot say whose a row is. Name another one.")
    _require_something_left(request)
    table.require(request.columns)
    require_matching_kind(table.kinds()[schema.label.name], schema.label)
    survey = request.settings.survey(schema)
    return FitSummary(survey, float(account.epsilon), float(account.delta))


def _require_something_left(request: FitRequest) -> None:
    """Refuse shares that add up to everything before the first of them is spent."""
    if sum_shares(request.settings, request.schema.columns) >= 1:
        raise ParameterError("the shares leave nothing for the model. Lower them.")


def sum_shares(settings: Settings, columns: Sequence[Column]) -> Fraction:
    """Return the part of epsilon that is spent on something else than the model."""
    shares: list[Real] = [column.share for column in columns if isinstance(column, PrivateValues)]
    if any(isinstance(column, PrivateCuts) for column in columns):
        shares.append(settings.shares.get("cuts", SHARE))
    return sum((rational(share, "share", zero=True) for share in shares), settings.part_of_epsilon())


def _silent(step: str, done: int, total: int | None) -> None:
    """Show no progress."""


@without_sizes
def fit(
    request: FitRequest, progress: Progress = _silent, deliver: Callable[[Released], None] = lambda released: None
) -> Released:
    """Learn a model and return it in its envelope.

    Guarantee: what the certificate inside says, for everything that is returned.

    Parameters
    ----------
    request : FitRequest
        What to learn from, and how.
    progress : callable
        Told how far each step has come: public things only.
    deliver : callable
        Puts the model where users find it, such as a file. A ledger records the release after that.
    """
    if not isinstance(request, FitRequest):
        raise ParameterError("fit takes a request: fit(FitRequest(data, schema, epsilon=1)).")
    bits: Bits = os_bits if request.seed is None else SeededBits(request.seed)
    with request.storage() as storage, request.opened() as table:
        _check(request, table)
        account = open_account(
            request.account(),
            request.ledger,
            request.dataset,
            partial(_quote, request),
            request.columns,
            secure=bits.secure,
        )
        if request.rows_are_public:
            check_rows(table, request.schema)
        progress("reading the table", 0, None)
        with naming_the_charge(account):
            records = place_records(table, request.schema, account.unit, bits, storage)
            assumptions = _assumptions(request, account, table)
            released = _learn(request, records, account, assumptions, bits, progress)
    with naming_the_charge(account):
        deliver(released)
    finish(account, released.digest())
    return released


def _learn(
    request: FitRequest,
    records: Records,
    account: Account,
    assumptions: list[Assumed],
    bits: Bits,
    progress: Progress,
) -> Released:
    """Buy values and cuts, learn, certify: each release is charged before it is drawn."""
    settings = request.settings
    schema = buy_values(records, request.schema, account, bits)
    schema = buy_cuts(records, schema, account, settings.shares.get("cuts", SHARE), bits)
    model = settings.learn(records, schema, account, bits, progress)
    certificate = account.certificate(secure=bits.secure, assumptions=assumptions, settings=settings.document())
    return Released.of(model, schema.label, certificate, request.table_name)


def may_be_computed(data: object) -> bool:
    """Whether rows may have been computed from others before: those in memory may, a file is taken as it is."""
    return not isinstance(data, str | Path)


def _assumptions(request: FitRequest, account: Account, table: Table) -> list[Assumed]:
    flags: Mapping[Assumption, bool] = {
        Assumption.RECORD_BY_RECORD: may_be_computed(request.data),
        Assumption.ROW_COUNT: account.neighbours is Neighbours.REPLACE,
        Assumption.VALUES_READ_OFF: request.schema.values_are_public,
        Assumption.CLASSES_FROM_LABELS: request.schema.label.inferred,
        Assumption.ROWS_CHECKED: request.rows_are_public,
        Assumption.BALANCED_QUOTES: table.assumes_balanced_quotes,
        Assumption.NO_ROW_STOPS: table.is_query,
    }
    like = request.schema.values_like
    taken = [] if like is None else [TakenFrom(like)]
    return [*request.assumptions, Assumption.SETTINGS, *(one for one, holds in flags.items() if holds), *taken]
