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


def test_a_file_that_was_renamed_is_not_learned_twice(folder, tmp_path):
    """By its identity; its name alone would make it another source."""
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    learn(folder, path)
    renamed = path.rename(tmp_path / "e.jsonl.1")
    for follow in (False, True):
        with pytest.raises(DataError, match=r"was learned before, as source '.*/e\.jsonl'"):
            learn(folder, renamed, follow=follow)
    assert learn(folder, renamed, source=str(path)) == []
    assert learn(folder, renamed, source="another host")[-1] == 2000
    assert rounds(folder) == 4000


def test_two_paths_are_two_sources_whatever_is_in_them(folder, tmp_path, monkeypatch):
    text = "\n".join(LINES) + "\n"
    (tmp_path / "a.jsonl").write_text(text)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl.gz", tmp_path / "a.jsonl"):
        learn(folder, name)
    assert rounds(folder) == 4000


def test_what_a_file_is_that_has_replaced_another(folder, tmp_path):
    path, other = tmp_path / "e.jsonl", tmp_path / "f.jsonl"
    path.write_text("\n".join(LINES[:100]) + "\n")
    learn(folder, path)
    for replacement, expected in (("copy", [105]), ("new", [105])):
        other.write_text("\n".join(LINES[:105]) + "\n")
        other.replace(path)
        with pytest.raises(DataError, match="is another file"):
            learn(folder, path)
        assert learn(folder, path, **{replacement: True}) == expected
        assert learn(folder, path, **{replacement: True}) == []
    assert rounds(folder) == 210


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
        dict(events="-", offset=0, new=True),
        dict(new=True, copy=True),
    ],
)
def test_what_makes_no_sense_is_refused(folder, tmp_path, options):
    (tmp_path / "e.jsonl").write_text("")
    others = {name: value for name, value in options.items() if name != "events"}
    with pytest.raises(ParameterError):
        learn(folder, options.get("events", tmp_path / "e.jsonl"), **others)
