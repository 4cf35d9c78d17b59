"""A model in another language."""

from collections.abc import Sequence

from dprules.errors import ParameterError
from dprules.models import Released, read_released
from dprules.models.export.header import describe_released
from dprules.models.model import FORMS


def export(
    released: Released, to: str, table: str | None = None, dialect: str = "duckdb", marks: Sequence[str] = ()
) -> str:
    """Return a released model as SQL, Python or Markdown, ending with a line end.

    They say in a comment, or below the table, what is predicted, epsilon, delta, neighbours and unit, what
    missing and undeclared cells mean, and the digest of the model. A model whose noise was seeded is marked.

    Parameters
    ----------
    released : Released
        A model that verifies; also a fitted estimator, or the path of a model file.
    to : str
        "sql", "python" or "markdown".
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
    else:
        text = model.to_python(header) if to == "python" else model.to_markdown(header)
    return text.rstrip("\n") + "\n"
