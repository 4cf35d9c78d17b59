"""A first schema of a table."""

from dprules.errors import DataError
from dprules.jobs.quiet import without_sizes
from dprules.schema import Label, Schema, draft_column, draft_from_kinds
from dprules.schema.drafts import declarable_values
from dprules.tables import open_table, read_public_values


@without_sizes
def draft_schema(
    data: object,
    label: str,
    *,
    values_are_public: bool = False,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> Schema:
    """Draft a schema for a label column.

    Parameters
    ----------
    data : object
        A table of any kind.
    label : str
        The column to predict.
    values_are_public : bool
        Without it no cell is read: values, cuts and classes are placeholders to fill in by hand. With it, values are
        listed, cuts are put at quantiles, and the schema says that they were read off the data.
    table, delimiter, multiline
        As for `open_table`.
    """
    with open_table(data, table, delimiter, multiline) as opened:
        opened.require([label])
        names = [name for name in opened.names if name != label]
        if not names:
            raise DataError("the table has no column but the label. Rules need something to ask about.")
        if not values_are_public:
            kinds = opened.kinds()
            return draft_from_kinds(label, {name: kinds[name] for name in names})
        found = read_public_values(opened, [label, *names])
    classes = tuple(sorted(declarable_values(found[label][0])))
    if len(classes) < 2:
        raise DataError("the label column has fewer than two values. Name another one with --label.")
    columns = tuple(draft_column(name, *found[name]) for name in names)
    return Schema(Label(label, classes), columns, values_are_public=True)
