"""What holds private values shows none: a walk over every class of the rooms that see rows, counts, scores or noise."""

import copy
import importlib
import inspect
import io
import operator
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse

from dprules.accounting import Unit
from dprules.errors import DataError, PrivacyError
from dprules.jobs import FitRequest, OnlineRequest, StreamLearner, StreamSettings
from dprules.jobs.labels import with_labels
from dprules.jobs.online_cells import LazyCodes
from dprules.jobs.online_hashed import IdleNames, PlacesOfNames
from dprules.jobs.prediction import PredictedBatch, PredictedRows
from dprules.jobs.streams import _Source
from dprules.learners.lists.remaining import Remaining
from dprules.learners.scorecards.learn import Prices, _Learner
from dprules.learners.scorecards.settings import ScorecardSettings
from dprules.learners.streams import (
    ClippedBlock,
    ConditionBlock,
    DenseBlock,
    EpochLearner,
    EventBatch,
    EventFile,
    Follower,
    LiteralBlock,
    PackedBlock,
    Position,
    PrivateLearner,
    ScoredDraws,
    Secret,
    SegmentPolicy,
    SparseBlock,
    SparseNumbers,
    Stream,
    StreamFeatures,
    create_stream,
)
from dprules.learners.streams.attempt import Attempt
from dprules.learners.streams.dense import DenseLearner, DensePolicy
from dprules.learners.streams.epochs import WaitingRounds
from dprules.learners.streams.event_files import _Unzipped
from dprules.learners.streams.state import Kept, Standing
from dprules.learners.streams.timely import Piece
from dprules.mechanisms import AboveThreshold, KeyedBits, SecureBits, SeededBits
from dprules.mechanisms.above_threshold import _Runs
from dprules.mechanisms.draw import _Proposal
from dprules.mechanisms.exact import Uniform
from dprules.numbers import rational
from dprules.private import Private
from dprules.schema import Boolean, Categorical, Label, Schema, build_conditions, literals_of
from dprules.schema.bases import Bases
from dprules.tables import ColumnsTable, PackedSample, open_table, pack, read_records
from dprules.tables.cells import CodedCells
from dprules.tables.coded import CodeBlock, CodedSample, JointBlock
from dprules.tables.engines.postgres_copy import CopiedRows
from dprules.tables.events import CellReader, CodedEvents, EventReader
from dprules.tables.record_blocks import RecordBlock
from dprules.tables.sample import Plans
from dprules.tables.storage import Storage
from dprules.tables.tokens import tokenize
from dprules.tables.units import UnitKey

ROOMS = ("tables", "learners", "mechanisms", "jobs")

PUBLIC = {
    "dprules.tables.csv_files.CsvFile": "a path and the header line",
    "dprules.tables.lines.Header": "the header line",
    "dprules.jobs.end_to_end.outside.Traces": "exit codes and names of files, of commands on made-up files",
    "dprules.tables.coded.JointCodes": "how many groups each column has",
    "dprules.tables.engines.postgres_packing.Foreseen": "what a schema foresees",
    "dprules.tables.engines.postgres_packing.Packing": "what a schema foresees, and types of columns",
    "dprules.tables.fields.Bitmaps": "which bits follow from which codes",
    "dprules.tables.fields.Field": "some bits of a word",
    "dprules.tables.fields.Layout": "follows from a schema",
    "dprules.tables.record_blocks.BlockReader": "a schema; cells pass through",
    "dprules.learners.lists.counted_cover.Cell": "a rule and noisy counts, as they are released",
    "dprules.learners.lists.counted_cover.NoNoise": "nothing",
    "dprules.learners.lists.counted_cover.TiltedNoise": "a tilt, and where noise comes from",
    "dprules.learners.lists.greedy_cover.Exponential": "a tilt, and where noise comes from",
    "dprules.learners.lists.learn._Known": "noisy class counts",
    "dprules.learners.lists.plan.ListPlan": "bounds from public numbers",
    "dprules.learners.lists.plan._Bounds": "bounds from public numbers",
    "dprules.learners.lists.recipe.Recipe": "chosen from public numbers and released counts",
    "dprules.learners.lists.scores.LabelScores": "public numbers",
    "dprules.learners.lists.scores.Score": "public numbers",
    "dprules.learners.lists.settings.ListSettings": "what the user asks for",
    "dprules.learners.scorecards.descent.Target": "classes, their weights, and a noisy number of records",
    "dprules.learners.scorecards.descent.Weights": "what follows from noisy sums",
    "dprules.learners.scorecards.groups.Grouped": "a column, and shares that follow from noisy bins",
    "dprules.learners.scorecards.groups._Split": "of released weights",
    "dprules.learners.scorecards.learn.Prices": "prices",
    "dprules.learners.scorecards.odds.MadeUp": "made up from released shares",
    "dprules.learners.scorecards.optimism.Freedom": "from noisy counts and prices",
    "dprules.learners.scorecards.table.ScoreLaw": "from points and released shares",
    "dprules.learners.scorecards.settings.ScorecardSettings": "what the user asks for",
    "dprules.learners.scorecards.table.Bends": "what follows from noisy cells",
    "dprules.learners.scorecards.table.Curve": "what follows from noisy cells",
    "dprules.tables.residuals.Residuals": "public weights and tables",
    "dprules.learners.streams.batched.BatchedPolicy": "a function of what was released",
    "dprules.learners.streams.blocks.Weights": "a released hypothesis",
    "dprules.learners.streams.confident.ConfidentWinnow": "a yardstick without privacy",
    "dprules.learners.streams.dense.DensePolicy": "a function of what was released",
    "dprules.learners.streams.epoch_fit.FittedList": "a list and noisy counts, as they are released",
    "dprules.learners.streams.epoch_fit.Rewards": "public numbers",
    "dprules.learners.streams.epoch_plan.EpochPlan": "public numbers",
    "dprules.learners.streams.features.StreamFeatures": "a schema and a width",
    "dprules.learners.streams.guarded.GuardedPolicy": "a function of what was released",
    "dprules.learners.streams.private_winnow.DrawnIndices": "a release",
    "dprules.learners.streams.paper.PaperPolicy": "a function of what was released",
    "dprules.learners.streams.plan_epochs.EpochsPlan": "bounds from public numbers",
    "dprules.learners.streams.plan.GuardedPlan": "bounds from public numbers",
    "dprules.learners.streams.plan.LearnerPlan": "bounds from public numbers",
    "dprules.learners.streams.plan.StreamPlan": "bounds from public numbers",
    "dprules.learners.streams.plan._Setting": "public numbers",
    "dprules.learners.streams.segment.SegmentPolicy": "a function of what was released",
    "dprules.learners.streams.settings.StreamSettings": "what the user asks for",
    "dprules.learners.streams.following.ListedFile": "name and identity of a file",
    "dprules.learners.streams.state.Standing": "how many rounds, releases and batches there were",
    "dprules.learners.streams.winnow.Winnow": "a yardstick without privacy",
    "dprules.mechanisms.above_threshold.AboveThreshold": "public parameters",
    "dprules.mechanisms.cube_noise._RadiusLaw": "public parameters",
    "dprules.mechanisms.gaussian._Quantiles": "a table of the normal law",
    "dprules.jobs.settings._Kind": "which option belongs to which model",
    "dprules.mechanisms.bits.SeededBits": "reproducible, hence never private",
    "dprules.jobs.auditing.AuditReport": "about made-up instances",
    "dprules.jobs.assessment.ClassFigures": "what was released",
    "dprules.jobs.assessment.Evaluation": "what was released, and its certificate",
    "dprules.jobs.assessment.GroupFigures": "what was released",
    "dprules.jobs.assessment._Writer": "released counts and the law of their noise",
    "dprules.jobs.end_to_end.EndToEndReport": "about made-up files",
    "dprules.jobs.end_to_end.commands.Command": "about made-up files",
    "dprules.jobs.end_to_end.commands.Evaluate": "about made-up files",
    "dprules.jobs.end_to_end.commands.Fit": "about made-up files",
    "dprules.jobs.end_to_end.commands.FitAfterCut": "about made-up files",
    "dprules.jobs.end_to_end.commands.FitCard": "about made-up files",
    "dprules.jobs.end_to_end.commands.Learn": "about made-up files",
    "dprules.jobs.end_to_end.faults.Fault": "a function with a fault",
    "dprules.jobs.end_to_end.files.Neighbours": "made up",
    "dprules.jobs.figures.Figure": "a released number",
    "dprules.jobs.figures.Noise": "a law",
    "dprules.jobs.made_up.Difficulty": "of made-up tables",
    "dprules.jobs.made_up.MadeUp": "made up",
    "dprules.jobs.made_up._Questions": "of made-up cells",
    "dprules.jobs.scores.Groups": "of a released model",
    "dprules.jobs.typical.Trial": "settings",
    "dprules.learners.lists.plan.Typical": "of made-up tables",
    "dprules.learners.plan_tables.PlanTable": "words on public numbers",
    "dprules.jobs.checking.SchemaReport": "public facts: a schema, and what a fit would spend",
    "dprules.jobs.drafting.Source": "how a table is opened",
    "dprules.jobs.fitting.FitSummary": "public facts",
    "dprules.jobs.serving.app.App": "a public file; events pass through",
    "dprules.jobs.serving.limits.Limits": "public numbers",
    "dprules.jobs.serving.predicting.Predict": "a public file; events pass through",
    "dprules.jobs.serving.protocol.OneWrite": "shows nothing of the answers that pass through",
    "dprules.jobs.serving.protocol.PatientProtocol": "uvicorn's: shows nothing of what it has received",
    "dprules.jobs.serving.public_file.PublicFile": "a published model",
    "dprules.jobs.serving.served.Served": "a published model",
    "dprules.jobs.fitting.Spending": "a part of the budget, as charged",
    "dprules.jobs.answers.Answers": "a released hypothesis; examples pass through",
    "dprules.jobs.online_features.OnlineRequest": "columns and a width",
    "dprules.jobs.online_hashed.HashedColumns": "how many coordinates, and a public vocabulary",
    "dprules.jobs.online_hashed.HashedRequest": "how many coordinates, and a public vocabulary",
    "dprules.jobs.online.PlainLearner": "a yardstick without privacy",
    "dprules.tables.parquet_footers.DecimalType": "the declared type of a column",
    "dprules.tables.parquet_footers._Reader": "the footer of a file: names and types, no cell",
    "dprules.tables.engines.spark_parquet.Stored": "SQL text made from types",
    "dprules.tables.engines.spark_parquet._Leaves": "a session, and the name of a query",
}
"""Classes that hold nothing private, and why."""

ABSTRACT = {
    "dprules.tables.table.Table",
    "dprules.learners.streams.blocks.Block",
    "dprules.learners.streams.learner.Learner",
}
"""Private classes that cannot be made."""


def modules_of(room: str) -> Iterator[ModuleType]:
    package = importlib.import_module(f"dprules.{room}")
    yield package
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def classes_of(module: ModuleType) -> dict[str, type]:
    """The classes that a module defines, by their full names; classes inside classes too."""
    found: dict[str, type] = {}
    waiting = [kind for kind in vars(module).values() if inspect.isclass(kind)]
    while waiting:
        kind = waiting.pop()
        if kind.__module__ == module.__name__ and name_of(kind) not in found:
            found[name_of(kind)] = kind
            waiting += [inner for inner in vars(kind).values() if inspect.isclass(inner)]
    return found


CLASSES = {name: kind for room in ROOMS for module in modules_of(room) for name, kind in classes_of(module).items()}


def is_plain(kind: type) -> bool:
    """Protocols, enumerations and errors hold no values of their own."""
    return bool(getattr(kind, "_is_protocol", False)) or issubclass(kind, Enum | BaseException)


def leaks(classes: dict[str, type]) -> list[str]:
    """Classes that are neither private nor known to be public."""
    return [
        name
        for name, kind in classes.items()
        if not issubclass(kind, Private) and not is_plain(kind) and name not in PUBLIC
    ]


def test_every_class_is_private_or_known_to_be_public():
    assert leaks(CLASSES) == [], "make them subclasses of Private, or say in PUBLIC why they are public"


def test_no_private_class_is_called_public_and_no_entry_is_stale():
    assert [name for name in PUBLIC if name not in CLASSES] == []
    assert [name for name in PUBLIC if issubclass(CLASSES[name], Private)] == []


def test_the_walk_notices_a_class_that_holds_rows():
    planted = ModuleType("dprules.tables.planted")
    place = {"__module__": planted.__name__}
    scores = type("Scores", (), place | {"__qualname__": "Outer.Scores"})
    vars(planted)["Rows"] = type("Rows", (), place)
    vars(planted)["Outer"] = type("Outer", (Private,), place | {"Scores": scores})
    vars(planted)["Words"] = type("Words", (Protocol,), place)
    vars(planted)["Borrowed"] = pa.Table
    assert sorted(leaks(classes_of(planted))) == [
        "dprules.tables.planted.Outer.Scores",
        "dprules.tables.planted.Rows",
    ]


def test_private_methods_are_not_overridden_by_a_dataclass():
    """A dataclass with eq or repr writes them anew."""
    for name, kind in CLASSES.items():
        if issubclass(kind, Private):
            for method in ("__eq__", "__reduce_ex__", "__copy__", "__deepcopy__"):
                assert getattr(kind, method) is getattr(Private, method), f"{name}.{method}"
            assert not hasattr(kind, "_repr_html_")


# One of each, with a canary in it.

CANARY = 987_654_321
WORD = "canary-of-a-cell"
BITS = SeededBits(1)
LABEL = Label("y", ("a", "b"))
SCHEMA = Schema(LABEL, (Categorical("x", (WORD, "v")), Boolean("b")))
CELLS = {"x": [WORD, "v"], "b": [True, False], "y": ["a", "b"], "n": [CANARY, CANARY]}
ARRAY = np.array([[CANARY, 1], [0, CANARY]])
LABELS = np.array([0, 1], dtype=np.int16)


def with_table(source: Any, **options: Any) -> Any:
    with open_table(source, **options) as table:
        return table


def in_csv(folder: Path) -> str:
    path = folder / "t.csv"
    path.write_text(f"x,y\n{WORD},a\n")
    return str(path)


def in_parquet(folder: Path) -> str:
    path = folder / "t.parquet"
    pyarrow.parquet.write_table(pa.table(CELLS), path)
    return str(path)


def in_duckdb(folder: Path) -> Any:
    path = folder / "t.db"
    with duckdb.connect(str(path)) as connection:
        connection.register("cells", pa.table(CELLS))
        connection.execute("CREATE TABLE t AS SELECT * FROM cells")
    return with_table(f"duckdb:///{path}", table="t")


def in_stream(folder: Path) -> Stream:
    create_stream(folder / "s", StreamSettings(), StreamFeatures(SCHEMA))
    with Stream.open(folder / "s") as stream:
        return stream


def in_event_file(folder: Path) -> EventFile:
    with EventFile(Path(in_csv(folder))) as file:
        return file


def following(folder: Path) -> Follower:
    with Follower(Path(in_csv(folder)), ["x"], _Source(in_stream(folder), "files"), print) as follower:
        return follower


def learner() -> PrivateLearner:
    made = PrivateLearner(SegmentPolicy.start(3, 1.0))
    made.learn(DenseBlock(ARRAY), np.ones(2, dtype=np.int8))
    return made


def dense_learner() -> DenseLearner:
    made = DenseLearner(DensePolicy.start(3, 1, 1), 1, BITS)
    made.take(DenseBlock(ARRAY), LABELS)
    return made


def epoch_learner() -> EpochLearner:
    settings = StreamSettings(algorithm="epochs", delta=1e-6)
    features = StreamFeatures(SCHEMA, lists=True)
    made = EpochLearner.start(settings, features, BITS)
    made.take(LiteralBlock.of(np.ones((2, len(features.literals)), dtype=np.bool_)), LABELS)
    return made


def waiting() -> WaitingRounds:
    made = WaitingRounds(2)
    made.add(pack(ARRAY > 0), LABELS)
    return made


def places_of_names() -> PlacesOfNames:
    made = PlacesOfNames(8)
    made.of(WORD)
    return made


def idle_names() -> IdleNames:
    made = IdleNames()
    made.note(WORD)
    return made


def coded() -> CodedSample:
    return CodedSample.of([LABELS], [2], LABELS, 2)


def scorecard_learner() -> _Learner:
    prices = Prices.of(FitRequest(None, SCHEMA).account(), keeps_all=True)
    return _Learner(coded(), LABEL, ScorecardSettings(), prices, BITS, lambda step, done, total: None)


def conditions() -> ConditionBlock:
    literals = [literal for name in "pq" for literal in literals_of(Boolean(name))]
    return ConditionBlock(np.ones((2, 4), dtype=np.bool_), build_conditions(literals, 2))


MAKERS: dict[str, Callable[[Path], Any]] = {
    "CodedCells": lambda folder: CodedCells(np.array([0]), [WORD]),
    "DuckDBTable": in_duckdb,
    "CsvTable": lambda folder: with_table(in_csv(folder)),
    "ParquetTable": lambda folder: with_table(in_parquet(folder)),
    "ColumnsTable": lambda folder: ColumnsTable(CELLS),
    "ArrowTable": lambda folder: with_table(pa.table(CELLS)),
    "_PandasTable": lambda folder: with_table(pd.DataFrame(CELLS)),
    "_PolarsTable": lambda folder: with_table(pl.DataFrame(CELLS)),
    "_IbisTable": lambda folder: with_table(ibis.memtable(pd.DataFrame(CELLS))),
    "TokenizedLines": lambda folder: tokenize(f"{WORD}\n".encode(), b",", [0], 1, multiline=False),
    "TextCells": lambda folder: tokenize(f"{WORD}\n".encode(), b",", [0], 1, multiline=False).column(0),
    "CopiedRows": lambda folder: CopiedRows([b"\0\1\0\0\0\x10" + WORD.encode()], 1),
    "CodeBlock": lambda folder: CodeBlock([LABELS], LABELS),
    "JointBlock": lambda folder: JointBlock(ARRAY.astype(np.uint32), LABELS.astype(np.uint16)),
    "Plans": lambda folder: Plans(Bases.plain(2), np.array([True, False])),
    "RecordBlock": lambda folder: RecordBlock(ARRAY.astype(np.uint64), {"x": [WORD]}),
    "Storage": lambda folder: Storage(CANARY, str(folder)),
    "UnitKey": lambda folder: UnitKey(WORD.encode() * 2),
    "LocalRecords": lambda folder: read_records(ColumnsTable(CELLS), SCHEMA, Unit(), BITS),
    "Derivation": lambda folder: Plans(Bases.plain(2), np.zeros(2, dtype=np.bool_)).plan(
        np.array([[0, -1, -1]], dtype=np.int32)
    ),
    "Remaining": lambda folder: Remaining(
        PackedSample.from_booleans(ARRAY > 0, LABELS, 2), np.array([[0, -1, -1]], dtype=np.int32)
    ),
    "PackedSample": lambda folder: PackedSample.from_booleans(ARRAY > 0, LABELS, 2),
    "CodedSample": lambda folder: coded(),
    "JointSample": lambda folder: coded().grouped([np.arange(3)]),
    "_Learner": lambda folder: scorecard_learner(),
    "DenseBlock": lambda folder: DenseBlock(ARRAY),
    "ClippedBlock": lambda folder: ClippedBlock(ARRAY),
    "PackedBlock": lambda folder: PackedBlock(pack(ARRAY > 0), 2),
    "LiteralBlock": lambda folder: LiteralBlock.of(ARRAY > 0),
    "SparseNumbers": lambda folder: SparseNumbers(scipy.sparse.csr_matrix(ARRAY)),
    "WaitingRounds": lambda folder: waiting(),
    "EpochLearner": lambda folder: epoch_learner(),
    "IdleNames": lambda folder: idle_names(),
    "LazyCodes": lambda folder: LazyCodes([], {WORD: CANARY}),
    "PlacesOfNames": lambda folder: places_of_names(),
    "SparseBlock": lambda folder: SparseBlock(scipy.sparse.csr_matrix(ARRAY)),
    "ConditionBlock": lambda folder: conditions(),
    "Piece": lambda folder: Piece([WORD.encode()], True),
    "EventBatch": lambda folder: EventBatch([{"x": WORD}], Position(1, file=CANARY, identity=WORD)),
    "EventFile": in_event_file,
    "_Unzipped": lambda folder: _Unzipped(io.BytesIO(WORD.encode())),
    "Follower": following,
    "_Source": lambda folder: _Source(in_stream(folder), "files"),
    "Position": lambda folder: Position(1, file=CANARY, identity=WORD),
    "CellReader": lambda folder: CellReader(SCHEMA.columns[0]),
    "EventReader": lambda folder: EventReader(SCHEMA.columns, LABEL.column()),
    "CodedEvents": lambda folder: CodedEvents({"x": np.array([CANARY])}, np.array([CANARY])),
    "ScoredDraws": lambda folder: ScoredDraws(ARRAY.ravel(), 1, 1),
    "Secret": lambda folder: Secret(ARRAY.ravel(), CANARY, (CANARY, CANARY)),
    "PrivateLearner": lambda folder: learner(),
    "DenseLearner": lambda folder: dense_learner(),
    "Stream": in_stream,
    "State": lambda folder: in_stream(folder)._state,
    "Database": lambda folder: in_stream(folder)._state._database,
    "Kept": lambda folder: Kept(Standing("s", 1, 1, 0), {"x": WORD}, Secret(WORD.encode())),
    "Attempt": lambda folder: Attempt(WORD.encode(), WORD.encode(), CANARY, WORD, Position(CANARY)),
    "AttemptFile": lambda folder: in_stream(folder)._attempts,
    "Watch": lambda folder: AboveThreshold(3, 1, 1).resume((CANARY, CANARY)),
    "_Runs": lambda folder: _Runs(np.array([CANARY]), np.array([1]), rational(1, "tilt")),
    "SecureBits": lambda folder: SecureBits(),
    "KeyedBits": lambda folder: KeyedBits(),
    "_Proposal": lambda folder: _Proposal([CANARY, 0], rational(1, "tilt"), None),
    "Uniform": lambda folder: Uniform(CANARY, BITS),
    "FitRequest": lambda folder: FitRequest(pd.DataFrame(CELLS), SCHEMA, labels=[WORD]),
    "LabelledTable": lambda folder: with_labels(CELLS, ["a", "b"], LABEL),
    "PredictedRows": lambda folder: PredictedRows([WORD], [[WORD]], {"score": [CANARY]}),
    "PredictedBatch": lambda folder: PredictedBatch(
        1, np.array([CANARY]), np.array([WORD]), {"x": np.array([CANARY])}, {"x": [WORD]}
    ),
    "StreamLearner": lambda folder: StreamLearner(StreamSettings(), OnlineRequest((Boolean("b"),)), (), 1),
}
"""By the name of the class."""
NEED_A_SERVER = {
    "PostgresTable",
    "SparkBlocks",
    "SparkCoded",
    "SparkCsvTable",
    "SparkGrouped",
    "SparkRecords",
    "SparkSample",
    "SparkTable",
}
"""Whose makers would start a server: tables like DuckDB's, and what Spark keeps elsewhere."""
PRIVATE = {name: kind for name, kind in CLASSES.items() if issubclass(kind, Private)}


def test_there_is_one_of_each():
    makeable = {name for name in PRIVATE if name not in ABSTRACT}
    missing = {name.rsplit(".", 1)[1] for name in makeable} - set(MAKERS) - NEED_A_SERVER
    assert missing == set(), "give MAKERS one of each"
    assert all(inspect.isabstract(PRIVATE[name]) for name in ABSTRACT)


@pytest.fixture(params=MAKERS)
def holder(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = MAKERS[request.param](tmp_path)
    assert type(made).__name__ == request.param
    return made


def test_nothing_is_shown(holder, capsys):
    for text in (repr(holder), str(holder), f"{holder}", f"{holder!r}"):
        assert str(CANARY) not in text
        assert WORD not in text
    print(holder)
    assert WORD not in capsys.readouterr().out
    assert len(repr(holder)) < 400


def test_nothing_is_pickled_or_copied(holder):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(PrivacyError, match="cannot be copied or pickled"):
            pickle.dumps(holder, protocol)
    for copied in (copy.copy, copy.deepcopy, lambda value: copy.deepcopy([value])):
        with pytest.raises(PrivacyError, match="cannot be copied or pickled"):
            copied(holder)


def test_nothing_is_compared(holder):
    for compare in (operator.eq, operator.ne):
        for one, other in ((holder, 1), (1, holder), (holder, object()), ([holder], [1])):
            with pytest.raises(PrivacyError, match="cannot be compared"):
                compare(one, other)
    for order in (operator.lt, operator.ge):
        with pytest.raises(TypeError):
            order(holder, holder)
    assert operator.eq(holder, holder)
    assert len({holder, holder}) == 1


def test_an_error_names_the_class_and_nothing_else(holder):
    with pytest.raises(PrivacyError) as told:
        pickle.dumps(holder)
    assert str(told.value).startswith(type(holder).__name__)
    assert WORD not in str(told.value)


def test_a_store_that_is_closed_shows_nothing_of_sqlite(tmp_path):
    stream = in_stream(tmp_path)
    with pytest.raises(DataError, match="is closed") as told:
        stream.learn([{"x": WORD}], "s", 1)
    assert WORD not in str(told.value)
