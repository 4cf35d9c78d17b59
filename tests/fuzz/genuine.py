"""Files as dprules writes them: what hostile ones are made from."""

import gzip
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from dprules.accounting import (
    Account,
    Assumption,
    BatchedStream,
    CountedCover,
    Counts,
    Cover,
    DenseStream,
    EpochStream,
    Event,
    Gaussian,
    GuardedStream,
    PaperCover,
    Quantiles,
    SegmentStream,
    Unit,
    Values,
)
from dprules.accounting.events.stream_parts import StreamDraws, ThresholdTilts
from dprules.jobs import FitRequest, ListSettings, fit
from dprules.learners.scorecards import ScorecardSettings
from dprules.learners.streams import Stream, StreamSettings, create_stream
from dprules.schema import Schema
from fuzz.parsers import SOURCE
from learners.streams.events import FEATURES, make_events
from models.cards import CARDS

SCHEMA = """
decimal = ","
values_like = "census"

[label]
column = "y"
classes = ["no", "yes"]
positive = "yes"

[columns]
a = "boolean"
gone = "ignore"
since = { kind = "date", cuts = ["2020-01-01", "2021-01-01"] }

[columns.b]
kind = "categorical"
values = ["u", "v", "w"]
missing = "literal"

[columns.n]
kind = "numeric"
cuts = [1, 2.5, 3]

[columns.bought]
kind = "numeric"
lower = 0
upper = 100
step = 1
number = 7
"""
CODEBOOK = """column,kind,values,lower,upper,step,label,positive
y,,no|yes,,,,yes,yes
a,boolean,,,,,,
b,categorical,u|v|w,,,,,
n,numeric,,0,10,0.5,,
since,date,,2020-01-01,2021-01-01,,,
gone,ignore,,,,,,
"""
ROWS = make_events(200)


@cache
def models() -> dict[str, Any]:
    """Return documents of models in their envelopes, by kind."""
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    schema = Schema.from_toml(
        '[label]\ncolumn = "y"\nclasses = ["no", "yes"]\n[columns]\na = "boolean"\nb = "boolean"\n'
        'n = { kind = "numeric", lower = 0, upper = 4, number = 3 }\n'
    )
    listed = fit(FitRequest(columns, schema, ListSettings(max_rules=3), epsilon=5.0))
    card = fit(FitRequest(columns, schema, ScorecardSettings(2), epsilon=5.0))
    return {"list": listed.document(), "scorecard": card.document()}


@cache
def certificates() -> list[dict[str, Any]]:
    """Return a certificate for every kind of event, small."""
    tilt = Fraction(1, 50)
    above = ThresholdTilts.of((tilt, tilt))
    segment = SegmentStream(StreamDraws.of(3, 4, tilt), above)
    batched = BatchedStream(StreamDraws.of(2, 3, tilt), above)
    counted = CountedCover(tilt, 3)
    streams: list[Event] = [segment, batched, GuardedStream(segment, batched), DenseStream(tilt, 2)]
    streams.append(EpochStream((counted,), above))
    cover = Cover(tilt, (Fraction(1, 2), Fraction(1, 4)), 2)
    tables: list[Event] = [counted, cover, PaperCover(tilt), Counts(tilt), Quantiles(tilt, 3), Values(tilt, 400)]
    tables.append(Gaussian(tilt))
    return [certify(event, "round") for event in streams] + [certify(event, "row") for event in tables]


def certify(event: Event, unit: str, *, times: int = 1) -> dict[str, Any]:
    """Return the certificate of a budget that an event, charged so often, fits into."""
    neighbours = "zero-out" if unit == "round" else "add-remove"
    account = Account(100, Fraction(1, 2), neighbours, Unit(of=unit))
    for _ in range(times):
        account.charge("rules", event, account.epsilon / (2 * times), account.delta / (2 * times))
    assumed = (Assumption.FEATURES, Assumption.SETTINGS, Assumption.ROUND_COUNT)
    return account.certificate(secure=True, assumptions=assumed, settings={"model": "list"}).document()


def cards() -> list[dict[str, Any]]:
    """Return documents of scorecards without their envelopes."""
    return [card.document() for card in CARDS.values()]


def make_stream(folder: Path, algorithm: str = "segment") -> Path:
    """Make a stream that has learnt a little."""
    create_stream(folder, StreamSettings(epsilon=Fraction(20), algorithm=algorithm), FEATURES)
    with Stream.open(folder) as stream:
        stream.learn(ROWS[:100], SOURCE, 100)
        stream.learn(ROWS[100:], SOURCE, 200)
    return folder


def json_lines() -> bytes:
    """Return events as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in ROWS[:20])


def csv_lines() -> bytes:
    """Return rows as a CSV file."""
    rows = [[str(row[name]) for name in ("a", "b", "n", "y")] for row in ROWS[:20]]
    return ("a,b,n,y\n" + "".join(",".join(row) + "\n" for row in rows)).encode()


def parquet_file(folder: Path) -> bytes:
    """Return rows as a Parquet file with two row groups."""
    path = folder / "genuine.parquet"
    table = pa.table({name: [row[name] for row in ROWS[:20]] for name in ("a", "b", "n", "y")})
    pyarrow.parquet.write_table(table, path, row_group_size=10)
    return path.read_bytes()


def zipped(data: bytes) -> bytes:
    """Return data as a gzip file."""
    return gzip.compress(data, 1)
