"""Commands that put a model to use."""

import shlex

from dprules.models import Released, RuleList
from dprules.schema import Clipped


def list_commands(released: Released, file: str) -> list[tuple[str, list[str]]]:
    """Return pairs of a purpose and the words of a command, quoted so that it can be copied.

    Parameters
    ----------
    released : Released
        The model: not every one has every form.
    file : str
        The name of its file.
    """
    model = f"./{file}" if file.startswith("-") else file
    table = released.table or "patients"
    found = [
        ("Check it again", ["verify", model]),
        ("Label new rows", ["predict", model, "new.csv", "--keep", "id", "-o", "labels.csv"]),
    ]
    if not any(isinstance(column, Clipped) for column in released.model.columns):
        query = ["export", model, "--to", "sql", f"--table={table}", "--dialect", "postgres", "-o", "model.sql"]
        found.append(("As a query (also duckdb, spark, sqlite)", query))
    if isinstance(released.model, RuleList):
        found.append(
            ("As a Python module that needs nothing else", ["export", model, "--to", "python", "-o", "model.py"])
        )
        found.append(("As a table for a document", ["export", model, "--to", "markdown", "-o", "model.md"]))
    return [(purpose, [shlex.quote(word) for word in ("dprules", *words)]) for purpose, words in found]
