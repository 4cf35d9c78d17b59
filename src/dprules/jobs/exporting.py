"""A model in another language."""

import json
from collections.abc import Sequence

from dprules.accounting import SEEDED
from dprules.errors import ParameterError
from dprules.models import Released, read_released
from dprules.models.export.header import describe_released
from dprules.models.model import FORMS


def export(
    released: Released, to: str, table: str | None = None, dialect: str = "duckdb", marks: Sequence[str] = ()
) -> str:
    """Return a released model as SQL, Python, Markdown or JSON, ending with a line end.

    All but JSON say in a comment, or below the table, what is predicted, epsilon, delta, neighbours and unit, what
    missing and undeclared cells mean, and the digest of the model. A model whose noise was seeded is marked in all.

    Parameters
    ----------
    released : Released
        A model that verifies; also a fitted estimator, or the path of a model file.
    to : str
        "sql", "python", "markdown" or "json".
    table : str or None
        The table that SQL selects from; None: the one that it was learnt from, or "data".
    dialect : str
        "duckdb", "postgres", "spark" or "sqlite".
    marks : sequence of str
        Warnings that the export begins with, such as that the model does not verify.
    """
    if to not in FORMS:
        raise ParameterError(f"to must be one of {', '.join(FORMS)}; got {to!r}. Choose one.")
    released = read_released(released)
    model = released.model
    header = describe_released(released, marks)
    if to == "sql":
        text = model.to_sql(table or released.table or "data", dialect, header)
    elif to == "json":
        text = _mark(model.document(), released, marks)
    else:
        text = model.to_python(header) if to == "python" else model.to_markdown(header)
    return text.rstrip("\n") + "\n"


def _mark(document: dict[str, object], released: Released, marks: Sequence[str]) -> str:
    """Return JSON with its warnings: JSON has no comments, and a model that is not private must say so anywhere."""
    warnings = [*marks, *([] if released.certificate.private else [SEEDED])]
    return json.dumps(({"warning": " ".join(warnings)} if warnings else {}) | document, indent=2)
