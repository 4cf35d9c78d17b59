"""Canaries: a word in private cells must never be seen in what is printed, logged, warned of, raised or written."""

import logging
import pickle
import traceback
import warnings

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from test_commands import run

from dprules import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.cli.exits import Exit
from dprules.data import open_table
from dprules.data.example import SCHEMA, hospital_stays
from dprules.errors import DprulesError

CANARY = "canary-0xC0FFEE"
PLACES = ("age", "ward", "diabetes", "readmitted")


def table(*places):
    """Stays with the canary in some cells of the named columns."""
    stays = hospital_stays(400, 1)
    for place in places:
        texts = [CANARY if i % 3 == 0 else str(cell) for i, cell in enumerate(stays[place].to_pylist())]
        stays = stays.set_column(stays.schema.get_field_index(place), place, pa.array(texts))
    return stays


def csv(folder, stays):
    pyarrow.csv.write_csv(stays, folder / "d.csv")
    return (str(folder / "d.csv"),)


def torn(folder, stays):
    """Quotes that are never closed, lines that are too long, a null byte."""
    pyarrow.csv.write_csv(stays, folder / "d.csv")
    header, *lines = (folder / "d.csv").read_text().splitlines()
    (folder / "d.csv").write_text("\n".join([header, *(f'{CANARY},"{CANARY}' + line + ",x,\0" for line in lines)]))
    return (str(folder / "d.csv"),)


def parquet(folder, stays):
    pyarrow.parquet.write_table(stays, folder / "d.parquet")
    return (str(folder / "d.parquet"),)


def database(folder, stays):
    with duckdb.connect(str(folder / "d.db")) as connection:
        connection.register("stays", stays)
        connection.execute("CREATE TABLE t AS SELECT * FROM stays")
    return (f"duckdb:///{folder / 'd.db'}", "--table", "t")


@pytest.mark.parametrize("source", [csv, torn, parquet, database])
@pytest.mark.parametrize("places", [*((p,) for p in PLACES), PLACES], ids="-".join)
def test_no_command_shows_a_cell(source, places, tmp_path, monkeypatch, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    data, *more = source(tmp_path, table(*places))
    schema, model = tmp_path / "schema.toml", tmp_path / "model.json"
    schema.write_text(SCHEMA.to_toml())
    seen = ""
    commands = [
        ("fit", data, *more, "--schema", str(schema), "-o", str(model), "--report", str(tmp_path / "report.html")),
        ("schema", "draft", data, *more, "--label", "readmitted", "-o", str(tmp_path / "draft.toml")),
        ("show", str(model)),
        ("predict", str(model), data, *more),
        ("evaluate", str(model), data, *more, "--label", "readmitted", "--epsilon", "1"),
    ]
    for command in commands:
        code, out, err = run(monkeypatch, capsys, *command)
        assert code in (Exit.OK, Exit.INPUT, Exit.FILE)  # a torn table leaves no model to show
        seen += out + err
    written = "".join(p.read_text() for p in tmp_path.iterdir() if p.suffix in (".json", ".html", ".toml"))
    assert CANARY not in seen + written + caplog.text


FRAMES = {
    "text in a Boolean matrix": lambda: (np.array([[CANARY, "1"], ["0", "1"]], dtype=object), [0, 1]),
    "a frame of text": lambda: (pd.DataFrame({"a": [CANARY, "b"], "b": [1, 2]}), [0, 1]),
    "labels of many kinds": lambda: (np.array([[0, 1], [1, 1], [1, 0]]), np.array([CANARY, 1, None], dtype=object)),
    "continuous labels": lambda: (np.array([[0, 1], [1, 1]]), [0.123454321, 1.5]),
    "ragged rows": lambda: ([[1, CANARY], [0]], [0, 1]),
    "unequal lengths": lambda: (np.array([[0, 1], [1, 1]]), [CANARY]),
}


def told(call):
    """All that an exception says, with its causes, its context and the repr of its arguments."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            call()
            text = ""
        except (DprulesError, ValueError, TypeError) as error:
            text = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
            text += repr(error.args)
    return text + "".join(str(w.message) for w in warned)


@pytest.mark.parametrize("case", FRAMES)
def test_no_estimator_shows_a_cell(case):
    text = told(lambda: PrivateDecisionListClassifier().fit(*FRAMES[case]()))
    assert CANARY not in text
    assert "0.123454321" not in text


def test_no_estimator_shows_a_cell_of_a_frame_with_a_schema():
    stays = table(*PLACES).to_pandas()
    model = PrivateDecisionListClassifier(schema=SCHEMA)
    text = told(lambda: model.fit(stays.drop(columns="readmitted"), stays["readmitted"]))
    assert CANARY not in text + str(vars(model)) + pickle.dumps(model).decode("latin-1")


def test_no_table_shows_a_cell():
    with open_table(table(*PLACES)) as opened:
        assert CANARY not in repr(opened)
        assert CANARY not in told(lambda: opened.require(["none"]))


def test_the_plain_list_may_say_what_it_likes():
    """It is not private: this only shows that the canary would be noticed."""
    assert CANARY in repr(DecisionListClassifier().fit(np.eye(2), [CANARY, "b"]).rule_list_)
