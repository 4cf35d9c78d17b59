"""Model files: JSON that is large, deep, long, or says something else than a model does."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given

from dprules.errors import ModelError
from dprules.files import DEEPEST, LARGEST_DOCUMENT, MOST_ITEMS, read_document, read_document_file
from dprules.models import Halfspace, Released
from dprules.models.documents import MOST_RELEASES
from dprules.models.points import MOST_POINTS, Points
from dprules.schema import Boolean
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import REFUSED, require_words
from fuzz.mutations import mutate_json, scramble

LIMITS = {
    "characters": (LARGEST_DOCUMENT, lambda size: '{"a":"' + "x" * (size - 8) + '"}'),
    "items": (MOST_ITEMS, lambda size: '{"a":"' + "," * (size - 1) + '"}'),
    "depth": (DEEPEST, lambda size: '{"a":' + "[" * (size - 1) + "]" * (size - 1) + "}"),
    "exponent": (sys.float_info.max_10_exp, lambda size: f'{{"a":-1e{size}}}'),
    "digits": (sys.get_int_max_str_digits(), lambda size: '{"a":' + "9" * size + "}"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_documents(name, tmp_path):
    limit, write = LIMITS[name]
    assert list(read_document(write(limit))) == ["a"]
    with pytest.raises(ModelError):
        read_document(write(limit + 1))
    (tmp_path / "m.json").write_text(write(limit))
    assert list(read_document_file(tmp_path / "m.json")) == ["a"]
    (tmp_path / "m.json").write_text(write(limit + 1))
    with pytest.raises(ModelError):
        read_document_file(tmp_path / "m.json")


def test_the_largest_numbers_of_a_stream(learnt):
    published = json.loads((learnt / "hypothesis.json").read_text())
    model = published["model"]
    assert Halfspace.from_document(model | {"releases": MOST_RELEASES}).releases == MOST_RELEASES
    with pytest.raises(ModelError, match="too large"):
        Halfspace.from_document(model | {"releases": MOST_RELEASES + 1})
    mark = published["stream"]
    read = Released.from_document(published | {"stream": mark | {"rounds": MOST_RELEASES}})
    assert read.stream is not None
    assert read.stream.rounds == MOST_RELEASES
    with pytest.raises(ModelError, match="which stream"):
        Released.from_document(published | {"stream": mark | {"rounds": MOST_RELEASES + 1}})
    largest = sys.float_info.max
    assert Halfspace.from_document(model | {"bias": int(largest)}).bias == largest
    with pytest.raises(ModelError, match="not a number"):
        Halfspace.from_document(model | {"bias": 2 * int(largest)})


def test_the_most_points_of_a_line():
    columns = {"a": Boolean("a")}
    otherwise = {"column": "a", "lines": [], "otherwise": [MOST_POINTS]}
    assert Points.from_document(otherwise, columns, 1).otherwise == (MOST_POINTS,)
    with pytest.raises(ModelError, match="small whole numbers"):
        Points.from_document(otherwise | {"otherwise": [MOST_POINTS + 1]}, columns, 1)


BOMBS = {
    "empty tables": '{"a":[' + ",".join(["{}"] * (LARGEST_DOCUMENT // 3 - 10)) + "]}",
    "empty lists": '{"a":[' + ",".join(["[[]]"] * (LARGEST_DOCUMENT // 5 - 10)) + "]}",
    "as many items as may be": '{"a":[' + ",".join(["{}"] * (MOST_ITEMS // 2 - 10)) + "]}",
    "very deep": "[" * 10**7,
    "one long number": "9" * 10**7,
    "one long text": '{"format":"' + "a" * 10**7 + '"}',
    "keys": "{" + ",".join(f'"{i}":0' for i in range(10**6)) + "}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / "bomb.json").write_text(BOMBS[name])
    assert require_words(guard.parse("model", tmp_path / "bomb.json")).kind == REFUSED


def read_hostile(guard, folder: Path, learnt: Path, seed: int) -> None:
    """A model of each kind, with its envelope and without."""
    published = json.loads((learnt / "hypothesis.json").read_text())
    for kind, document in {**genuine.models(), "halfspace": published}.items():
        whole = json.dumps(document).encode()
        for parser, text in (
            ("model", mutate_json(document, seed)),
            ("model", scramble(whole, seed)),
            (kind, mutate_json(document["model"], seed)),
        ):
            (folder / "hostile.json").write_bytes(text)
            require_words(guard.parse(parser, folder / "hostile.json"))
    cards = genuine.cards()
    (folder / "hostile.json").write_bytes(mutate_json(cards[seed % len(cards)], seed))
    require_words(guard.parse("scorecard", folder / "hostile.json"))


@QUICK
@given(seed=SEEDS)
def test_hostile_models(guard, learnt, tmp_path, seed):
    read_hostile(guard, tmp_path, learnt, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_models(guard, learnt, tmp_path, seed):
    read_hostile(guard, tmp_path, learnt, seed)
