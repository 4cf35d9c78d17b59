"""Canaries: a word in private cells must never be seen in what is printed, logged, warned of, raised or written."""

import gzip
import json
import logging
import pickle
import traceback
import warnings
from itertools import product
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from cli.test_stream import SCHEMA as STREAM_SCHEMA
from cli.test_stream import events
from door.odd import NUMBERS, OBJECTS, TEXTS
from dprules import (
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
    WinnowClassifier,
)
from dprules.cli.exits import Exit
from dprules.errors import DprulesError
from dprules.jobs.example import SCHEMA, hospital_stays

CANARY = "canary-0xC0FFEE"
PLACES = ("age", "ward", "diabetes", "readmitted")
WORDS = (CANARY, CANARY.upper(), CANARY.encode().hex(), "CANARY")
"""How a canary may look in an error, in hexadecimal or in capitals."""


def assert_silent(text):
    for word in WORDS:
        assert word not in text, text[max(0, text.index(word) - 300) : text.index(word) + 100]


def table(*places):
    """Stays with the canary in some cells of the named columns."""
    stays = hospital_stays(400, 1)
    for place in places:
        texts = [CANARY if i % 3 == 0 else str(cell) for i, cell in enumerate(stays[place].to_pylist())]
        stays = stays.set_column(stays.schema.get_field_index(place), place, pa.array(texts))
    return stays


# Sources: each writes a table and returns the words that name it.


def csv(folder, stays):
    pyarrow.csv.write_csv(stays, folder / "d.csv")
    return (str(folder / "d.csv"),)


def archive(folder, stays):
    csv(folder, stays)
    (folder / "d.csv.gz").write_bytes(gzip.compress((folder / "d.csv").read_bytes()))
    return (str(folder / "d.csv.gz"),)


def torn_archive(folder, stays):
    archive(folder, stays)
    (folder / "d.csv.gz").write_bytes((folder / "d.csv.gz").read_bytes()[:-200])
    return (str(folder / "d.csv.gz"),)


def torn(folder, stays):
    """Quotes that are never closed, lines that are too long, a null byte."""
    header, *lines = (folder / csv(folder, stays)[0]).read_text().splitlines()
    (folder / "d.csv").write_text("\n".join([header, *(f'{CANARY},"{CANARY}' + line + ",x,\0" for line in lines)]))
    return (str(folder / "d.csv"),)


def multiline(folder, stays):
    return (*torn(folder, stays), "--multiline")


def without_header(folder, stays):
    path = csv(folder, stays)[0]
    lines = (folder / path).read_bytes().splitlines(keepends=True)
    (folder / "d.csv").write_bytes(b"".join(lines[1:]))
    return (path,)


ODD_LINES = (
    f'"{CANARY}'.encode(),
    b"\xff\xfe" + CANARY.encode(),
    CANARY.encode() + b"\0" * 20,
    b"\xed\xa0\x80" + CANARY.encode(),
    f"{CANARY}\r{CANARY}".encode(),
    b"\xef\xbb\xbf" + CANARY.encode(),
    ("," * 40 + CANARY).encode(),
    CANARY.encode() * 3000,
    b'"' + CANARY.encode() + b'"' + CANARY.encode(),
    b"9" * 400 + b"," + CANARY.encode(),
    b"=1+" + CANARY.encode(),
)


def odd_lines(folder, stays):
    """Records that are no records, between others."""
    path = folder / csv(folder, stays)[0]
    header, *lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([header, *lines[:50], *ODD_LINES, *lines[50:]]) + b"\n")
    return (str(path),)


def odd_cells(folder, stays):
    """Odd bytes in cells of records that are records."""
    path = folder / csv(folder, stays)[0]
    header, *lines = path.read_bytes().splitlines()
    odd = [line.replace(b",", b" ").replace(b'"', b"'") for line in ODD_LINES]
    swapped = [cell + line[line.index(b",") :] for cell, line in zip(odd, lines, strict=False)]
    path.write_bytes(b"\n".join([header, *swapped, *lines]) + b"\n")
    return (str(path),)


def parquet(folder, stays):
    pyarrow.parquet.write_table(stays, folder / "d.parquet")
    return (str(folder / "d.parquet"),)


def bytes_in_parquet(folder, stays):
    """Text columns that are not UTF-8, as other writers leave them."""
    for place in PLACES:
        cells = [b"\xff" + str(cell).encode() for cell in stays[place].to_pylist()]
        column = pa.array(cells, pa.binary()).view(pa.string())
        stays = stays.set_column(stays.schema.get_field_index(place), place, column)
    return parquet(folder, stays)


def torn_parquet(folder, stays):
    parquet(folder, stays)
    whole = (folder / "d.parquet").read_bytes()
    (folder / "d.parquet").write_bytes(whole[:300] + b"\0" * 300 + whole[600:])
    return (str(folder / "d.parquet"),)


def files(folder, stays):
    (folder / "d").mkdir()
    for i in range(2):
        pyarrow.csv.write_csv(stays, folder / "d" / f"{i}.csv")
    return (str(folder / "d"),)


def database(folder, stays):
    with duckdb.connect(str(folder / "d.db")) as connection:
        connection.register("stays", stays)
        connection.execute("CREATE TABLE t AS SELECT * FROM stays")
    return (f"duckdb:///{folder / 'd.db'}", "--table", "t")


def failing_view(folder, stays):
    """A view whose rows cannot be computed: engines quote the cell."""
    database(folder, stays)
    with duckdb.connect(str(folder / "d.db")) as connection:
        names = ", ".join(f'CAST("{c}" AS INTEGER) AS "{c}"' for c in stays.column_names)
        connection.execute(f"CREATE VIEW v AS SELECT {names} FROM t")
    return (f"duckdb:///{folder / 'd.db'}", "--table", "v")


SOURCES = [
    csv,
    archive,
    torn_archive,
    torn,
    multiline,
    without_header,
    odd_lines,
    odd_cells,
    parquet,
    bytes_in_parquet,
    torn_parquet,
    files,
    database,
    failing_view,
]


def commands(source, folder):
    """Every command that touches the table, or a model made of it."""
    schema, model = folder / "schema.toml", folder / "model.json"
    schema.write_text(SCHEMA.to_toml())
    fit = ("fit", *source, "--schema", schema)
    return [
        (*fit, "--dry-run"),
        (*fit, "-o", model, "--report", folder / "report.html"),
        (*fit, "-o", folder / "replace.json", "--neighbours", "replace", "--unit", "ward", "--json"),
        (*fit, "-o", folder / "public.json", "--rows-are-public"),
        (*fit, "-o", folder / "card.json", "--model", "scorecard", "--report", folder / "card.html"),
        ("show", folder / "card.json"),
        ("evaluate", folder / "card.json", *source, "--epsilon", "1"),
        ("schema", "draft", *source, "--label", "readmitted", "-o", folder / "draft.toml"),
        ("show", model),
        ("verify", model),
        *(("export", model, "--to", form) for form in ("sql", "python", "markdown")),
        ("report", model, "-o", folder / "page.html"),
        ("predict", model, *source),
        ("evaluate", model, *source, "--epsilon", "1"),
        ("evaluate", model, *source, "--public"),
    ]


def run_all(shell, source, folder):
    """What all commands print and write."""
    seen = ""
    for command in commands(source, folder):
        ran = shell(*command)
        # A table that cannot be read at all leaves no model to show.
        assert ran.code in (Exit.OK, Exit.INPUT, Exit.FILE), (command, ran)
        assert "Traceback" not in ran.err
        seen += ran.out + ran.err
    return seen + "".join(p.read_text() for p in folder.iterdir() if p.suffix in (".json", ".html", ".toml"))


@pytest.mark.parametrize("source", SOURCES)
def test_no_command_shows_a_cell(source, shell, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        seen = run_all(shell, source(tmp_path, table(*PLACES)), tmp_path)
    assert_silent(seen + caplog.text + "".join(str(w.message) for w in warned))


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("place", PLACES)
def test_no_command_shows_a_cell_of_one_column(source, place, shell, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    assert_silent(run_all(shell, source(tmp_path, table(place)), tmp_path) + caplog.text)


@pytest.mark.slow
def test_no_command_shows_a_cell_of_a_postgresql_table(shell, server, database, tmp_path, caplog):
    """`database` is a connection to a server of our own."""
    caplog.set_level(logging.DEBUG)
    stays = table(*PLACES)
    names = ", ".join(f'"{name}" text' for name in stays.column_names)
    database.execute(f"CREATE TABLE stays ({names})")
    with database.cursor() as cursor:
        marks = ", ".join(["%s"] * stays.num_columns)
        cells = [[None if c is None else str(c) for c in row.values()] for row in stays.to_pylist()]
        cursor.executemany(psycopg.sql.SQL(f"INSERT INTO stays VALUES ({marks})"), cells)
    failing = ", ".join(f'CAST("{c}" AS INTEGER) AS "{c}"' for c in stays.column_names)
    database.execute(f"CREATE VIEW failing AS SELECT {failing} FROM stays")
    for name in ("stays", "failing"):
        folder = tmp_path / name
        folder.mkdir()
        assert_silent(run_all(shell, (server, "--table", name), folder) + caplog.text)


ODD_EVENTS = (
    json.dumps({"a": CANARY, "n": CANARY, "y": CANARY, CANARY: 1}).encode(),
    b"{" + CANARY.encode(),
    b'"' + CANARY.encode() + b'"',
    b"\xff" + CANARY.encode(),
    b'{"a": "\\ud800' + CANARY.encode() + b'"}',
    b'{"' + CANARY.encode() + b'": ' + b"[" * 3000,
    b'{"n": ' + b"9" * 5000 + b', "y": "' + CANARY.encode() + b'"}',
)


def test_cells_of_events_never_reach_the_screen(shell, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    (tmp_path / "schema.toml").write_text(STREAM_SCHEMA)
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"\n".join([*ODD_EVENTS, *(line.encode() for line in events(10))]) + b"\n")
    rows = [f"{CANARY},{CANARY},{CANARY}", f'"{CANARY}', f"{CANARY}," * 9]
    (tmp_path / "e.csv").write_text("\n".join(["a,n,y", *rows]) + "\n")
    stream = tmp_path / "s"
    seen = ""
    for command in (
        ("init", stream, "--features", tmp_path / "schema.toml"),
        ("learn", stream, path),
        ("learn", stream, tmp_path / "e.csv", "--json"),
        ("show", stream),
        ("predict", stream, path),
        ("predict", stream, tmp_path / "e.csv"),
        ("export", stream, "--to", "sql"),
        ("export", stream),
    ):
        ran = shell("stream", *command)
        assert ran.code == Exit.OK, ran.err
        seen += ran.out + ran.err
    assert_silent(seen + (stream / "hypothesis.json").read_text() + caplog.text)
    assert CANARY.encode() not in (stream / "private" / "state.db").read_bytes()


# Estimators.


def all_that_is_told(call):
    """All that an exception says, with its causes, its context and the repr of its arguments."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            call()
            text = ""
        except (DprulesError, ValueError, TypeError) as error:
            text = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
            text += repr(error.args)
            chain: BaseException | None = error
            while chain is not None:  # also what `from None` hides
                text += repr(chain)
                chain = chain.__cause__ or chain.__context__
    return text + "".join(str(w.message) for w in warned)


FRAMES: dict[str, Any] = {
    "text in a Boolean matrix": lambda: (np.array([[CANARY, "1"], ["0", "1"]], dtype=object), [0, 1]),
    "text in a list of rows": lambda: ([[CANARY, 1], [0, 1]], [0, 1]),
    "a text array": lambda: (np.array([[CANARY, "1"], ["0", "1"]]), [0, 1]),
    "a frame of text": lambda: (pd.DataFrame({"a": [CANARY, "b"], "b": [1, 2]}), [0, 1]),
    "a frame of Polars": lambda: (pl.DataFrame({"a": [CANARY, "b"], "b": [1, 2]}), [0, 1]),
    "an Arrow table": lambda: (pa.table({"a": [CANARY, "b"], "b": [1, 2]}), [0, 1]),
    "an Ibis table": lambda: (ibis.memtable(pd.DataFrame({"a": [CANARY, "b"], "b": [1, 2]})), [0, 1]),
    "categories": lambda: (pd.DataFrame({"a": pd.Categorical([CANARY, "b"]), "b": [1, 2]}), [0, 1]),
    "labels of many kinds": lambda: (np.array([[0, 1], [1, 1], [1, 0]]), np.array([CANARY, 1, None], dtype=object)),
    "labels that are lists": lambda: (np.array([[0, 1], [1, 1]]), [[CANARY, 1], [2]]),
    "a matrix of labels": lambda: (np.array([[0, 1], [1, 1]]), np.array([[CANARY, "a"], ["b", "c"]])),
    "continuous labels": lambda: (np.array([[0, 1], [1, 1]]), [0.123454321, 1.5]),
    "ragged rows": lambda: ([[1, CANARY], [0]], [0, 1]),
    "a cube": lambda: ([[[CANARY]]], [0]),
    "no matrix": lambda: (CANARY, [0]),
    "one row": lambda: ([CANARY, 1], [0]),
    "unequal lengths": lambda: (np.array([[0, 1], [1, 1]]), [CANARY]),
}
MODELS = [
    PrivateDecisionListClassifier(),
    PrivateDecisionListClassifier(classes=[0, 1]),
    PrivateScorecardClassifier(),
    PrivateScorecardClassifier(classes=[0, 1], terms="all"),
    PrivateWinnowClassifier(),
    PrivateWinnowClassifier(classes=[0, 1], values="real"),
    PrivateWinnowClassifier(classes=[0, 1], width=2),
    DecisionListClassifier(),
    WinnowClassifier(),
]


@pytest.mark.parametrize("case", FRAMES)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_no_estimator_shows_a_cell(case, model):
    text = all_that_is_told(lambda: model.fit(*FRAMES[case]()))
    assert_silent(text)
    assert "0.123454321" not in text


ODD = OBJECTS | NUMBERS | TEXTS


def odd_column(cell):
    column = np.empty(4, dtype=object)
    column[:] = [0, 1, 0, 1]
    column[2] = cell
    return column


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("where", ["X", "y", "both"])
def test_no_odd_cell_stops_an_estimator_or_is_seen(name, where):
    cell = ODD[name]
    plain = np.array([0, 1, 0, 1], dtype=object)
    X = np.column_stack([odd_column(cell) if where != "y" else plain, plain])
    y = odd_column(cell) if where != "X" else plain
    for make in (PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier):
        model = make(classes=[0, 1])
        assert all_that_is_told(lambda model=model: model.fit(X, y).predict(X)) == ""
        assert_silent(str(model.__dict__))
    online = PrivateWinnowClassifier(classes=[0, 1], features=["a"])
    online.learn_one({"a": X[2, 0]}, y[2])
    online.predict_one({"a": X[2, 0]})
    hashed = PrivateWinnowClassifier(classes=[0, 1])
    hashed.learn_one({CANARY: X[2, 0]}, y[2])
    assert_silent(f"{hashed.__dict__}{hashed.name_features({CANARY: 1})}{hashed.hypothesis_}{hashed.certificate_}")


def test_no_estimator_shows_a_cell_of_a_frame_with_a_schema():
    stays = table(*PLACES).to_pandas()
    makers = (PrivateDecisionListClassifier, PrivateScorecardClassifier)
    for frame, make in product((stays, pl.DataFrame(stays), pa.table(stays)), makers):
        model = make(schema=SCHEMA)
        text = all_that_is_told(lambda model=model, frame=frame: model.fit(frame))
        assert_silent(text + str(vars(model)) + pickle.dumps(model).decode("latin-1"))


def test_the_plain_list_may_say_what_it_likes():
    """It is not private: this only shows that the canary would be noticed."""
    assert CANARY in repr(DecisionListClassifier().fit(np.eye(2), [CANARY, "b"]).rule_list_)
