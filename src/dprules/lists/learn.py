"""From a table and a schema to a model: what the command line and the estimators call."""

from dataclasses import replace

from dprules.accounting import Neighbours, Release
from dprules.data.check import check_rows
from dprules.data.columns import Categorical
from dprules.data.draft import PLACEHOLDER
from dprules.data.encode import encode
from dprules.data.schema import Schema
from dprules.data.table import Table, Unit
from dprules.errors import ParameterError, SchemaError
from dprules.lists.fit import Progress, Settings, fit_list
from dprules.lists.model import Model
from dprules.mechanisms import Bits
from dprules.numbers import Real, rational, rounded_down

CUTS_SHARE = 0.1
"""Of epsilon, for private cut points, where the schema asks for some."""


def learn_list(
    table: Table,
    schema: Schema,
    settings: Settings,
    *,
    unit: Unit | None = None,
    bits: Bits | None = None,
    rows_are_public: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> Model:
    """Read the table, buy cuts if the schema asks for them, and learn a list.

    Parameters
    ----------
    rows_are_public: first refuse odd rows (`check_rows`); the certificate says that they were looked at
    """
    table.require([schema.label.name, *(column.name for column in schema.columns)])
    for column in schema.columns:
        if isinstance(column, Categorical) and column.values == (PLACEHOLDER,):
            raise SchemaError(f"the values of {column.name} are still the placeholder {PLACEHOLDER!r}. Fill them in.")
    progress("reading the table", 0, None)
    if unit is not None:
        settings = replace(settings, unit=f"value of {unit.column}", unit_rows=unit.rows)
        table = table.bounded(unit, [schema.label.name, *(column.name for column in schema.columns)])
    if rows_are_public:
        check_rows(table, schema)
    schema, spent = _with_bought_cuts(table, schema, settings)
    literals = schema.literals()
    sample = encode(
        table.sample_codes(schema.columns, schema.label), schema.columns, literals, len(schema.label.classes)
    )
    public = settings.public
    if schema.values_are_public:
        public += ("values and cuts, read off the data and declared public",)
    if rows_are_public:
        public += ("the rows themselves, which were checked before the fit",)
    settings = replace(settings, public=public)
    fitted = fit_list(sample, literals, schema.label.classes, settings, spent=spent, bits=bits, progress=progress)
    return Model(fitted.rules, fitted.certificate)


def _with_bought_cuts(table: Table, schema: Schema, settings: Settings) -> tuple[Schema, list[Release]]:
    """Buy quantiles, an equal part of the share for each column."""
    asked = schema.private_cuts
    if not asked:
        return schema, []
    if settings.neighbours is not Neighbours.ADD_REMOVE or settings.unit_rows > 1:
        raise ParameterError("private cuts are priced for add-remove neighbours and single rows. Declare public cuts.")
    from dprules.data.cuts import private_cuts

    share: Real = settings.shares.get("cuts", CUTS_SHARE)
    each = rounded_down(rational(settings.epsilon, "epsilon") * rational(share, "share 'cuts'") / len(asked))
    cuts = {column.name: private_cuts(table.numbers(column.name), column, each) for column in asked}
    spent = [
        Release(f"cuts of {c.name}", "private quantiles", each, {"number": c.number, "rows of a unit": 1})
        for c in asked
    ]
    return schema.with_cuts(cuts), spent
