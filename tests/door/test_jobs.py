"""Whole jobs with an odd record in every source: none raises, and none shows the cell."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from dprules.cli.main import app
from dprules.jobs import FitRequest, ListSettings, Stream, fit, predict, stream_init, stream_learn, stream_show
from dprules.models import Released
from dprules.schema import Boolean, Label, Numeric, Schema

from .harness import (
    DATABASES,
    FEATURES,
    LABEL,
    LABELS,
    PUBLIC,
    RECORDS,
    SCHEMA,
    SOURCES,
    RefusedError,
    Source,
    csv_line,
    duckdb_table,
    header,
    quiet_libraries,
)
from .lines import BALANCED, JSON, TORN
from .odd import CELLS
from .test_events import JSON_LINES

EVERY: dict[str, Source] = SOURCES | {
    name: Source(duckdb_table(kinds), {"table": "t"}) for name, kinds in DATABASES.items()
}
SETTINGS = ListSettings(width=1, max_rules=2, reward=0.5)
FEW = ("missing", "letters", "not UTF-8", "beyond doubles", "not a number", "raising object")


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Whatever a test collects, prints or warns of must not have the cell in it."""
    collected: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield collected
    printed = capfd.readouterr()
    texts = [*collected, printed.out, printed.err, *(str(warning.message) for warning in caught)]
    assert not any("CANARY" in text for text in texts)


def run(source: Source, odd: dict[str, object], folder: Path, said: list[str]) -> bool:
    """Fit and predict; false if the source cannot hold the record."""
    with quiet_libraries():
        try:
            data = source.make(RECORDS, odd, folder)
        except RefusedError:
            return False
    options: dict[str, Any] = dict(source.options)
    request = FitRequest(data, SCHEMA, SETTINGS, seed=1, **options)
    released = fit(request)
    assert released.verify()
    answers = predict(released.model, data, **options)
    assert len(RECORDS) <= len(answers) <= len(RECORDS) + 1
    assert set(answers.tolist()) <= {0, 1}
    said += [str(released), released.to_json(), repr(request)]
    return True


def check(name: str, cells: dict[str, object], folder: Path, said: list[str]) -> None:
    wrong: dict[str, str] = {}
    for odd, cell in cells.items():
        for record in (RECORDS[0] | dict.fromkeys(FEATURES, cell), RECORDS[0] | {LABEL: cell}):
            try:
                run(EVERY[name], record, folder, said)
            except Exception as error:
                wrong[odd] = f"{type(error).__name__}: {error}"
    assert not wrong


@pytest.mark.parametrize("name", EVERY)
def test_a_fit_with_an_odd_record(name: str, tmp_path: Path, said: list[str]) -> None:
    check(name, {odd: CELLS[odd] for odd in FEW}, tmp_path, said)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_a_fit_with_every_odd_record(name: str, tmp_path: Path, said: list[str]) -> None:
    check(name, CELLS, tmp_path, said)


@pytest.mark.parametrize("name", ["events.csv", "events.jsonl"])
def test_a_stream_with_odd_events(name: str, tmp_path: Path, said: list[str]) -> None:
    odd = [line for line in [*BALANCED.values(), *TORN.values()] if b"\n" not in line]
    usual = [csv_line(record, b",") for record in RECORDS]
    start = [header(b",")]
    if name.endswith(".jsonl"):
        odd = list(JSON.values())
        usual = JSON_LINES
        start = []
    lines = [*usual, *odd, *usual]
    (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in [*start, *lines]))
    stream_init(tmp_path / "stream", Schema(LABELS, PUBLIC))
    with Stream.open(tmp_path / "stream") as stream:
        options = {"source": None, "batch": 10, "offset": None, "follow": False}
        acknowledged = list(stream_learn(stream, str(tmp_path / name), say=said.append, **options))  # type: ignore[arg-type]
        said.append(repr(stream))
    assert acknowledged[-1] == len(lines)
    published = stream_show(tmp_path / "stream")
    assert published.stream is not None
    assert published.stream.rounds == len(lines)  # every line is a round
    said += [str(published), published.to_json()]


def test_a_table_of_postgres(server: str, database: psycopg.Connection, tmp_path: Path, said: list[str]) -> None:
    """The commands fit and predict on a server; a cell that is no number is missing."""
    database.execute("CREATE TABLE stays (age text, smoker boolean, y text)")
    rows = [(str(20 + i % 50) if i else "CANARY", i % 2 == 0, "ab"[i % 2]) for i in range(400)]
    with database.cursor() as cursor:
        cursor.executemany("INSERT INTO stays VALUES (%s, %s, %s)", rows)
    schema = Schema(Label("y", ["a", "b"]), [Numeric("age", [30, 50]), Boolean("smoker")])
    (tmp_path / "schema.toml").write_text(schema.to_toml())
    model = tmp_path / "model.json"
    where = [server, "--table", "stays"]
    for command in (
        ["fit", *where, "--schema", str(tmp_path / "schema.toml"), "--epsilon", "1", "-o", str(model)],
        ["predict", str(model), *where, "-o", str(tmp_path / "out.csv")],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        said.append(done.output)
    assert Released.load(model).verify()
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 401
