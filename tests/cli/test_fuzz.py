"""Files that nobody wrote on purpose: whatever is in a schema, a model, a table or a stream, commands end in words."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.helpers import Ran, write_lines
from cli.quietly import run_quietly
from cli.test_stream import SCHEMA as STREAM_SCHEMA
from cli.test_stream import events
from dprules.cli.exits import Exit
from fuzz.mutations import mutate, scramble

pytestmark = pytest.mark.slow
MANY = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
KNOWN = (Exit.OK, Exit.PARAMETER, Exit.PRIVACY, Exit.FILE, Exit.INPUT, Exit.UNVERIFIED)


def check(*words: object) -> Ran:
    """The command works, or says in one sentence why it does not."""
    ran = run_quietly(*words)
    assert ran.code in KNOWN, (words, ran.err)
    assert "Traceback" not in ran.err
    if ran.code != Exit.OK and "verify" not in words:
        assert ran.err.count("\n") == 1 or ran.err.startswith("NOT VERIFIED"), ran.err
    return ran


def write_json(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


@pytest.fixture(scope="module")
def folder(stays, tmp_path_factory):
    made: Path = tmp_path_factory.mktemp("fuzz")
    lines = (stays / "stays.csv").read_text().splitlines()
    write_lines(made / "stays.csv", lines[:40])
    shutil.copy(stays / "schema.toml", made / "schema.toml")
    shutil.copy(stays / "model.json", made / "model.json")
    (made / "stream.toml").write_text(STREAM_SCHEMA)
    write_lines(made / "events.jsonl", events(20))
    run_quietly("stream", "init", made / "stream", "--features", made / "stream.toml", "--epsilon", "8")
    run_quietly("stream", "learn", made / "stream", made / "events.jsonl")
    return made


def use_model(model, folder):
    """Every command that takes a model."""
    check("verify", model)
    check("verify", model, "--json")
    check("show", model)
    for more in ((), ("--unverified",)):
        check("show", model, "--json", *more)
        check("predict", model, folder / "stays.csv", *more)
        check("evaluate", model, folder / "stays.csv", "--public", *more)
        check("report", model, "-o", folder / "report.html", "--force", *more)
    check("show", model, "--unverified")
    for form in ("python", "markdown"):
        check("export", model, "--to", form, "--unverified")
    for dialect in ("duckdb", "postgres", "sqlite"):
        check("export", model, "--to", "sql", "--dialect", dialect, "--unverified")


@MANY
@given(st.integers(0, 2**32))
def test_models_of_lists(folder, seed):
    document = mutate(json.loads((folder / "model.json").read_text()), seed)
    use_model(write_json(folder / "mutated.json", document), folder)


@MANY
@given(st.integers(0, 2**32))
def test_models_of_streams(folder, seed):
    document = mutate(json.loads((folder / "stream" / "hypothesis.json").read_text()), seed)
    use_model(write_json(folder / "mutated.json", document), folder)


@MANY
@given(st.integers(0, 2**32))
def test_published_files_of_streams(folder, seed):
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "stream", copy)
    path = copy / "hypothesis.json"
    write_json(path, mutate(json.loads(path.read_text()), seed))
    check("stream", "show", copy)
    check("stream", "show", copy, "--unverified")
    check("stream", "predict", copy, folder / "events.jsonl", "--unverified")
    check("stream", "export", copy, "--to", "sql", "--unverified")
    check("stream", "learn", copy, folder / "events.jsonl")


def as_toml(document: Any) -> str | None:
    try:
        return tomli_w.dumps(document)
    except (TypeError, ValueError, AttributeError, RecursionError, UnicodeError):
        return None


def use_schema(schema, folder):
    fit = ("fit", folder / "stays.csv", "--schema", schema, "--force")
    check(*fit, "-o", folder / "fitted.json", "--dry-run")
    ran = check(*fit, "-o", folder / "fitted.json", "--max-rules", "2", "--report", folder / "fitted.html")
    if ran.code == Exit.OK:
        assert check("verify", folder / "fitted.json").code == Exit.OK
        for dialect in ("duckdb", "sqlite"):
            check("export", folder / "fitted.json", "--to", "sql", "--dialect", dialect)
        check("export", folder / "fitted.json", "--to", "python")
        check("predict", folder / "fitted.json", folder / "stays.csv")
    ran = check(*fit, "--model", "scorecard", "-o", folder / "card.json", "--report", folder / "card.html")
    if ran.code == Exit.OK:
        assert check("verify", folder / "card.json").code == Exit.OK
        check("predict", folder / "card.json", folder / "stays.csv", "--probabilities")


@MANY
@given(st.integers(0, 2**32))
def test_schemas(folder, seed):
    import tomllib

    document = mutate(tomllib.loads((folder / "schema.toml").read_text()), seed)
    text = as_toml(document)
    if text is not None:
        (folder / "mutated.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        use_schema(folder / "mutated.toml", folder)


@MANY
@given(st.integers(0, 2**32))
def test_schemas_of_streams(folder, seed):
    import tomllib

    text = as_toml(mutate(tomllib.loads(STREAM_SCHEMA), seed))
    if text is not None:
        (folder / "mutated.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        shutil.rmtree(folder / "new", ignore_errors=True)
        ran = check("stream", "init", folder / "new", "--features", folder / "mutated.toml")
        if ran.code == Exit.OK:
            check("stream", "learn", folder / "new", folder / "events.jsonl")
            check("stream", "show", folder / "new")


@MANY
@given(st.integers(0, 2**32))
def test_bytes_of_schemas_and_models(folder, seed):
    (folder / "scrambled.toml").write_bytes(scramble((folder / "schema.toml").read_bytes(), seed))
    use_schema(folder / "scrambled.toml", folder)
    (folder / "scrambled.json").write_bytes(scramble((folder / "model.json").read_bytes(), seed))
    check("show", folder / "scrambled.json", "--unverified")
    check("verify", folder / "scrambled.json")


def use_table(data, folder, *more):
    check("schema", "draft", data, *more, "--label", "readmitted", "-o", folder / "drafted.toml", "--force")
    public = ("--values-are-public", "-o", folder / "public.toml", "--force")
    if check("schema", "draft", data, *more, "--label", "readmitted", *public).code == Exit.OK:
        check(
            "fit",
            data,
            *more,
            "--schema",
            folder / "public.toml",
            "-o",
            folder / "public.json",
            "--force",
            "--max-rules",
            "2",
        )
    fit = ("fit", data, *more, "--schema", folder / "schema.toml", "-o", folder / "fitted.json", "--force")
    check(*fit, "--max-rules", "2")
    check(*fit, "--model", "scorecard")
    check(*fit, "--rows-are-public", "--dry-run")
    check("predict", folder / "model.json", data, *more, "--keep", "age", "--probabilities")
    check("evaluate", folder / "model.json", data, *more, "--epsilon", "1")


@MANY
@given(st.integers(0, 2**32))
def test_tables(folder, seed):
    data = folder / "scrambled.csv"
    data.write_bytes(scramble((folder / "stays.csv").read_bytes(), seed))
    use_table(data, folder, *(("--multiline",) if seed % 2 else ()))


@MANY
@given(st.binary(max_size=300))
def test_tables_of_any_bytes(folder, data):
    header = (folder / "stays.csv").read_bytes().splitlines(keepends=True)[0]
    for start in (b"", header):
        (folder / "any.csv").write_bytes(start + data)
        use_table(folder / "any.csv", folder)
    for name in ("any.parquet", "any.csv.gz"):
        (folder / name).write_bytes(data)
        use_table(folder / name, folder)


@MANY
@given(st.binary(max_size=300))
def test_events_of_any_bytes(folder, data):
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "stream", copy)
    for name in ("any.jsonl", "any-events.csv"):
        (folder / name).write_bytes(b"a,n,y\n" * name.endswith("csv") + data)
        check("stream", "learn", copy, folder / name)
        check("stream", "predict", copy, folder / name)


@MANY
@given(st.integers(0, 2**32))
def test_private_states_of_streams(folder, seed):
    """A disk may return anything."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "stream", copy)
    path = copy / "private" / "state.db"
    path.write_bytes(scramble(path.read_bytes(), seed))
    check("stream", "learn", copy, folder / "events.jsonl")
    check("stream", "show", copy)


NUMBERS = ["0", "-1", "1", "2", "1e-300", "1e300", "nan", "inf", "-inf", "1e-17", "0.5", "499", "99999999999999999999"]
SHARES = ["--counts", "--cuts", "--class-counts"]
OPTIONS = {
    "fit": ["--epsilon", "--delta", "--max-rules", "--width", "--reward", "--unit-rows", "--seed", "--terms", *SHARES],
    "evaluate": ["--epsilon"],
    "plan list": ["--features", "--epsilon", "--delta", "--rows", "--error", "--width", "--failure"],
    "plan stream": ["--features", "--margin", "--horizon", "--epsilon", "--delta", "--failure"],
    "stream init": ["--epsilon", "--delta", "--horizon", "--margin", "--switch-after", "--width"],
}
ALGORITHMS = ["segment", "guarded", "batched", "paper"]


@MANY
@given(st.data())
def test_numbers_of_options(folder, data):
    command = data.draw(st.sampled_from(sorted(OPTIONS)))
    chosen = data.draw(st.lists(st.sampled_from(OPTIONS[command]), unique=True, min_size=1, max_size=4))
    numbers = [word for option in chosen for word in (option, data.draw(st.sampled_from(NUMBERS)))]
    schema = folder / "schema.toml"
    algorithm = data.draw(st.sampled_from(ALGORITHMS))
    kind = ("--model", data.draw(st.sampled_from(["list", "scorecard"])))
    shutil.rmtree(folder / "new", ignore_errors=True)
    usual: dict[str, tuple[Any, ...]] = {
        "fit": (folder / "stays.csv", "--schema", schema, "-o", folder / "o.json", "--force", "--unit", "age", *kind),
        "evaluate": (folder / "model.json", folder / "stays.csv"),
        "plan list": ("--features", "10"),
        "plan stream": ("--features", "10", "--margin", "0.2", "--horizon", "1000"),
        "stream init": (
            folder / "new",
            "--features",
            folder / "stream.toml",
            "--algorithm",
            algorithm,
        ),
    }
    ran = run_quietly(*command.split(), *usual[command], *numbers)
    assert ran.code in (*KNOWN, Exit.USAGE), ran.err
