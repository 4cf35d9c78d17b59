"""The jobs of a stream: made, learnt from a file exactly once, shown."""

import io
import json
import sys

import pytest

from dprules.errors import DataError, ParameterError
from dprules.jobs import Stream, stream_init, stream_learn, stream_predict, stream_show
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
    usual = dict(source=None, batch=500, offset=None, follow=False, say=lambda sentence: None)
    with Stream.open(folder) as stream:
        return list(stream_learn(stream, str(events), **usual | options))


def test_a_file_is_learnt_once(folder, tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    assert learn(folder, path) == [500, 1000, 1500, 2000]
    assert learn(folder, path) == []
    published = stream_show(folder)
    assert published.stream is not None
    assert published.stream.rounds == 2000
    assert list(stream_predict(published.model, str(path), print))[:2] == ["yes", "no"]


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
    [dict(batch=0), dict(offset=3), dict(events="-", follow=True), dict(events="-"), dict(events="-", offset=-1)],
)
def test_what_makes_no_sense_is_refused(folder, tmp_path, options):
    (tmp_path / "e.jsonl").write_text("")
    others = {name: value for name, value in options.items() if name != "events"}
    with pytest.raises(ParameterError):
        learn(folder, options.get("events", tmp_path / "e.jsonl"), **others)
