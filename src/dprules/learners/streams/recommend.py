"""Which algorithm suits a stream, as far as its schema tells."""

from dprules.schema import Boolean, Categorical, Ordered, Positive, Schema

TABLE = 3
"""So many columns with several values or cuts make a table, whose classes hang on combinations of them."""


def recommend(schema: Schema) -> str:
    """Return one sentence: which algorithm suits events of this schema, and why.

    Only the kinds of the columns and the number of classes are looked at, which are public.

    Examples
    --------
    >>> from dprules.schema import Label
    >>> recommend(Schema(Label("y", ("no", "yes")), [Boolean("a"), Boolean("b")]))
    'Recommended: segment, for yes-or-no columns of which a few decide.'
    """
    classes = len(schema.label.classes)
    if classes > 2:
        return f"Recommended: epochs, with delta 1e-6: the one algorithm for {classes} classes."
    columns = schema.columns
    if any(not isinstance(column, Categorical | Ordered | Boolean | Positive) for column in columns):
        return "Recommended: dense, for numbers without cuts: they are weighed and added up."
    split = [column for column in columns if isinstance(column, Categorical | Ordered) and column.size > 2]
    if len(split) >= min(TABLE, len(columns)) and split:
        return "Recommended: epochs, with delta 1e-6 and width 2: lists suit tables of categories and ranges."
    return "Recommended: segment, for yes-or-no columns of which a few decide."
