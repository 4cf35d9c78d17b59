"""The jobs of a stream: made, learnt from a file exactly once, shown."""

import gzip
import io
import json
import math
import sys
import time

import pytest

from dprules.errors import DataError, ParameterError, SchemaError
from dprules.jobs import (
    Stream,
    stream_extend,
    stream_init,
    stream_learn,
    stream_predict,
    stream_recommend,
    stream_show,
    streams,
)
from dprules.schema import Boolean, Label, Schema

SCHEMA = Schema(Label("y", ("no", "yes")), (Boolean("a"),))
LINES = [json.dumps({"a": i % 2 == 0, "y": "yes" if i % 2 == 0 else "no"}) for i in range(2000)]


@pytest.fixture
def folder(tmp_path):
    published, features = stream_init(tmp_path / "s", SCHEMA, epsilon=8.0)
    assert features == 1
    assert published.verify()
    return tmp_path / "s"


def learn(folder, events, **options):
    usual = dict(batch=500, say=lambda sentence: None)
    with Stream.open(folder) as stream:
        return list(stream_learn(stream, str(events), **usual | options))


def rounds(folder):
    mark = stream_show(folder).stream
    assert mark is not None
    return mark.rounds


def test_a_file_is_learnt_once(folder, tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    assert learn(folder, path) == [500, 1000, 1500, 2000]
    assert learn(folder, path) == []
    assert rounds(folder) == 2000
    assert next(stream_predict(stream_show(folder).model, str(path)))[:2] == ["yes", "no"]


def test_a_file_is_learnt_once_whatever_it_is_called(folder, tmp_path):
    text = "\n".join(json.dumps({"id": i} | json.loads(line)) for i, line in enumerate(LINES)) + "\n"
    said: list[str] = []
    path = tmp_path / "e.jsonl"
    path.write_text(text)
    learn(folder, path)
    renamed = path.rename(tmp_path / "e.jsonl.1")
    zipped = tmp_path / "other.jsonl.gz"
    zipped.write_bytes(gzip.compress(text.encode()))
    for again in (renamed, zipped):
        assert learn(folder, again, say=said.append) == []
        assert "nothing new" in said.pop()
    assert learn(folder, zipped, source="another host")[-1] == 2000
    assert rounds(folder) == 4000


def test_a_batch_is_no_larger_than_its_matrix_may_be(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "MOST_BYTES", 0)
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    assert learn(folder, path, batch=10**9) == [1024, 2000]


def test_a_file_is_followed(folder, tmp_path, monkeypatch):
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(LINES[:10]) + "\n")
    later = iter([lambda: path.rename(tmp_path / "e.jsonl.1"), lambda: path.write_text('{"id": 1}\n')])

    def sleep(seconds: float) -> None:
        assert seconds == 0.25
        happen = next(later, None)
        if happen is None:
            raise KeyboardInterrupt
        happen()

    monkeypatch.setattr(time, "sleep", sleep)
    with Stream.open(folder) as stream:
        lines = stream_learn(stream, str(path), follow=True, every=0.25, say=lambda sentence: None)
        assert [next(lines), next(lines)] == [10, 1]
        with pytest.raises(KeyboardInterrupt):
            next(lines)
    assert rounds(folder) == 11


def test_new_columns(folder, tmp_path):
    wider = Schema(SCHEMA.label, (*SCHEMA.columns, Boolean("b")))
    published, features = stream_extend(folder, wider)
    assert features == 2
    assert published.verify()
    with pytest.raises(SchemaError):
        stream_extend(folder, SCHEMA)


def test_a_recommendation_is_one_sentence():
    assert stream_recommend(SCHEMA).endswith(".")


def test_standard_input(folder, monkeypatch):
    def send(lines):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join([*lines, ""]).encode())))

    send(LINES[:100])
    assert learn(folder, "-", offset=0) == [100]
    send(LINES[50:150])
    assert learn(folder, "-", offset=50) == [150]
    send(LINES[:1])
    with pytest.raises(DataError, match="were never learnt"):
        learn(folder, "-", offset=151)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="standard input is closed"):
        learn(folder, "-", offset=0)


@pytest.mark.parametrize(
    "options",
    [
        dict(batch=0),
        dict(every=0.0),
        dict(every=math.nan),
        dict(offset=3),
        dict(events="-", follow=True),
        dict(events="-"),
        dict(events="-", offset=-1),
    ],
)
def test_what_makes_no_sense_is_refused(folder, tmp_path, options):
    (tmp_path / "e.jsonl").write_text("")
    others = {name: value for name, value in options.items() if name != "events"}
    with pytest.raises(ParameterError):
        learn(folder, options.get("events", tmp_path / "e.jsonl"), **others)
