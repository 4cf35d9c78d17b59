"""A model in another language."""

import json

from dprules.accounting import SEEDED
from dprules.errors import ParameterError
from dprules.models import Released, RuleList

FORMS = ("sql", "python", "markdown", "json")


def export(released: Released, to: str, table: str | None = None, dialect: str = "duckdb") -> str:
    """Return a released model as SQL, Python, Markdown or JSON, ending with a line end.

    Parameters
    ----------
    released : Released
        A model that verifies.
    to : str
        "sql", "python", "markdown" or "json".
    table : str or None
        The table that SQL selects from; None: the one that it was learnt from, or "data".
    dialect : str
        "duckdb", "postgres" or "sqlite".
    """
    if to not in FORMS:
        raise ParameterError(f"to must be one of {', '.join(FORMS)}; got {to!r}. Choose one.")
    model = released.model
    if to == "sql":
        text = model.to_sql(table or released.table or "data", dialect)
    elif to == "json":
        text = model.to_json()
    elif not isinstance(model, RuleList):
        raise ParameterError(f"a halfspace has no {to} form yet. Export sql or json.")
    else:
        text = model.to_python() if to == "python" else model.to_markdown()
    return mark_seeded(text, to, released).rstrip("\n") + "\n"


def mark_seeded(text: str, to: str, released: Released) -> str:
    """Return an export with a mark if its noise was seeded: such a model is not private, wherever it goes."""
    if released.certificate.private:
        return text
    if to == "json":
        return json.dumps({"warning": SEEDED} | json.loads(text), indent=2)
    return {"sql": f"-- {SEEDED}\n", "python": f"# {SEEDED}\n", "markdown": f"**{SEEDED}**\n\n"}[to] + text
