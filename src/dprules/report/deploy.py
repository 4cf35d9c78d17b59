"""Commands that put a model to use."""

import shlex

from dprules.models import Released


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
    exports = {
        "sql": ("As a query (also duckdb, spark, sqlite)", [f"--table={table}", "--dialect", "postgres"], "model.sql"),
        "python": ("As a Python module that needs nothing else", [], "model.py"),
        "markdown": ("As a table for a document", [], "model.md"),
    }
    likely = ["--probabilities"] if released.model.has_probabilities else []
    found = [
        ("Check it again", ["verify", model]),
        ("Label new rows", ["predict", model, "new.csv", "--keep", "id", *likely, "-o", "labels.csv"]),
    ]
    found += [
        (purpose, ["export", model, "--to", form, *words, "-o", output])
        for form, (purpose, words, output) in exports.items()
        if form in released.model.forms
    ]
    return [(purpose, [shlex.quote(word) for word in ("dprules", *words)]) for purpose, words in found]
