"""One odd event of a stream in Python: it is one round, nothing stops, and every other round stays as it was."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dprules import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.learners.streams import StreamFeatures, Weights
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema

from . import odd
from .odd import NOT_EVENTS, ODD_NAMES

CELLS = odd.CELLS | odd.UNTYPED
OBJECTS = odd.OBJECTS | odd.UNTYPED

NAMES = ["a", "b", "c"]
RANDOM = np.random.default_rng(0)
TRUTHS = RANDOM.random((240, 3)) < 0.5
EXAMPLES = [dict(zip(NAMES, row, strict=True)) for row in TRUTHS.tolist()]
LABELS = np.where(TRUTHS[:, 0] | TRUTHS[:, 1], "yes", "no").tolist()
THREE = np.where(TRUTHS[:, 0], "yes", np.where(TRUTHS[:, 1], "no", "perhaps")).tolist()
NOTHING: tuple[Any, Any] = ({}, None)
Event = tuple[Any, Any]

PAPERS = dict(delta=1e-3, horizon=1000, margin=0.2)
"""What the paper's algorithms must be given."""


def private(**settings: Any) -> Callable[..., Any]:
    return lambda **more: PrivateWinnowClassifier(**{"epsilon": 5.0, "random_state": 0} | settings | more)


SETTINGS: dict[str, Callable[..., Any]] = {
    "segment": private(),
    "segment, Boolean": private(values="boolean"),
    "segment, pairs": private(values="positive", width=2),
    "dense": private(algorithm="dense"),
    "epochs": private(algorithm="epochs", values="boolean", memory=40),
    "guarded": private(algorithm="guarded", **PAPERS),
    "batched": private(algorithm="batched", **PAPERS),
    "paper": private(algorithm="paper", **PAPERS),
    "Winnow": lambda **more: WinnowClassifier(**more),
    "ConfidentWinnow": lambda **more: ConfidentWinnowClassifier(**more),
}
FEATURES = {"named": NAMES, "numbered": [*NAMES, "7"], "hashed": 64, "few coordinates": 2}


def make(setting: str, features: Any) -> Any:
    given = {"features": features, "classes": ["no", "yes"]}
    if setting == "one against the rest":
        del given["classes"]
    return SETTINGS[setting](**given)


def learn(model: Any, events: Sequence[Event]) -> Any:
    """Take events one by one, and return what is published at the end of each dozen."""
    published = []
    for number, (example, label) in enumerate(events):
        model.learn_one(example, label)
        if number % 12 == 0:
            published.append(str(model.hypothesis_))
    return published


def among(odd: Sequence[Event], usual: Sequence[Event]) -> list[Event]:
    """Put odd events between usual ones, the first of them at the start."""
    events = list(usual)
    for place, event in enumerate(odd):
        events.insert(7 * place, event)
    return [*events, *odd]


@pytest.fixture(params=SETTINGS)
def setting(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=FEATURES)
def features(request: pytest.FixtureRequest) -> Any:
    return FEATURES[request.param]


def usual(setting: str) -> list[Event]:
    return list(zip(EXAMPLES, THREE if "rest" in setting else LABELS, strict=True))


def test_what_is_not_a_record_is_a_round_in_which_nothing_is_learned(setting: str, features: Any) -> None:
    odd = [(event, "yes") for event in NOT_EVENTS.values()]
    expected = learn(make(setting, features), among([NOTHING] * len(odd), usual(setting)))
    assert learn(make(setting, features), among(odd, usual(setting))) == expected


def test_a_label_that_is_not_declared_is_a_round_in_which_nothing_is_learned(setting: str, features: Any) -> None:
    labels = [label for name, label in CELLS.items() if name != "class"]
    odd = [(EXAMPLES[0], label) for label in [*labels, True, False, np.True_, 1, 0, dict, "maybe", ["yes"]]]
    expected = learn(make(setting, features), among([(EXAMPLES[0], None)] * len(odd), usual(setting)))
    assert learn(make(setting, features), among(odd, usual(setting))) == expected


def test_a_cell_that_is_no_value_is_missing(setting: str, features: Any) -> None:
    odd = [(EXAMPLES[0] | {"a": cell}, "yes") for cell in OBJECTS.values()]
    missing = [(EXAMPLES[0] | {"a": None}, "yes")] * len(odd)
    expected = learn(make(setting, features), among(missing, usual(setting)))
    assert learn(make(setting, features), among(odd, usual(setting))) == expected


def test_no_cell_and_no_name_stops_a_stream(setting: str, features: Any) -> None:
    odd: list[Event] = [(EXAMPLES[0] | dict.fromkeys(NAMES, cell), "yes") for cell in CELLS.values()]
    odd += [(names, "yes") for names in ODD_NAMES.values()]
    learn(make(setting, features), among(odd, usual(setting)))


def test_an_odd_event_is_predicted_as_one_without_cells(setting: str, features: Any) -> None:
    model = make(setting, features)
    learn(model, usual(setting))
    nothing = model.predict_one({}), model.predict_proba_one({})
    for name, event in NOT_EVENTS.items():
        assert (model.predict_one(event), model.predict_proba_one(event)) == nothing, name
    for event in [*ODD_NAMES.values(), *({"a": cell} for cell in CELLS.values())]:
        assert model.predict_one(event) in model.classes_.tolist()
        assert set(model.predict_proba_one(event)) == set(model.classes_.tolist())


def test_the_first_label_decides_nothing(setting: str) -> None:
    """Without classes they are false and true, whatever comes first."""
    if "rest" in setting:
        pytest.skip("its classes are declared")
    truths = [label == "yes" for label in LABELS]
    for first in ["yes", None, 1, 0.5, object()]:
        model = SETTINGS[setting](features=NAMES)
        learn(model, [(EXAMPLES[0], first), *zip(EXAMPLES, truths, strict=True)])
        assert model.classes_.tolist() == [False, True]
        assert model.classes_.dtype == bool


def as_objects(cells: Sequence[Any]) -> Any:
    column = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        column[place] = cell
    return column


def test_blocks_with_odd_cells_and_labels(setting: str) -> None:
    """The first block is a usual one; each later block is one odd event."""
    names = [name for name in CELLS if name != "masked"]
    for label_is_odd in (False, True):
        blocks, lists, frames = (make(setting, NAMES) for _ in range(3))
        for model in (blocks, lists, frames):
            model.partial_fit(pd.DataFrame(TRUTHS, columns=NAMES), usual_labels(setting), classes=declared(setting))
        for name in names:
            label = CELLS[name] if label_is_odd else "yes"
            cells = EXAMPLES[0] if label_is_odd else dict.fromkeys(NAMES, CELLS[name])
            row = as_objects(list(cells.values()))
            frame = pd.DataFrame(
                {column: pd.Series(as_objects([cell]), dtype=object) for column, cell in cells.items()}
            )
            frames.partial_fit(frame, as_objects([label]))
            with pytest.warns(UserWarning, match="feature names"):
                blocks.partial_fit(row.reshape(1, -1), as_objects([label]))
            with pytest.warns(UserWarning, match="feature names"):
                lists.partial_fit([list(cells.values())], [label])
        assert str(blocks.hypothesis_) == str(frames.hypothesis_) == str(lists.hypothesis_)


def usual_labels(setting: str) -> list[str]:
    return THREE if "rest" in setting else LABELS


def declared(setting: str) -> list[str]:
    return ["no", "perhaps", "yes"] if "rest" in setting else ["no", "yes"]


@pytest.mark.parametrize("labels", [np.array([True]), np.array([1]), np.array([1.5]), pd.Series([True]), [True], [1j]])
def test_the_type_of_a_later_block_of_labels_stops_nothing(labels: Any) -> None:
    one, two = (make("segment", NAMES) for _ in range(2))
    for model in (one, two):
        model.learn_one(*usual("segment")[0])
    one.partial_fit(pd.DataFrame(TRUTHS[:1], columns=NAMES), labels)
    two.partial_fit(pd.DataFrame(TRUTHS[:1], columns=NAMES), [None])
    one.learn_many(pd.DataFrame(TRUTHS[:1], columns=NAMES), labels)
    two.learn_many(pd.DataFrame(TRUTHS[:1], columns=NAMES), [None])
    rest = usual("segment")
    assert learn(one, rest) == learn(two, rest)


def test_frames_with_odd_cells_and_labels(setting: str, features: Any) -> None:
    """A frame with odd cells and labels, against one in which they are missing."""
    objects = [cell for name, cell in OBJECTS.items() if name != "masked"]
    nothing = [None] * len(objects)
    odd, missing = make(setting, features), make(setting, features)
    for model, cells in ((odd, objects), (missing, nothing)):
        frame = pd.DataFrame({"a": pd.Series(as_objects(cells), dtype=object), "b": True})
        model.learn_many(frame, ["yes"] * len(cells))
        model.learn_many(frame, cells)
        model.learn_many(frame, ["no"] * len(cells))
    assert str(odd.hypothesis_) == str(missing.hypothesis_)
    cells = list(CELLS.values())
    odd.learn_many(pd.DataFrame({"a": pd.Series(as_objects(cells), dtype=object)}), cells)


# Events of a stream on disk.

SCHEMA = Schema(
    Label("y", ["no", "yes"]), [Numeric("a", [0.5]), Boolean("b"), Categorical("c", ["1", "2"], missing_literal=True)]
)


def rounds(events: Sequence[Any], features: StreamFeatures) -> list[tuple[float, ...]]:
    """What a learner sees of each event: its label and every feature."""
    block = features.block(events)
    basis = [Weights(row) for row in np.eye(features.count + 1)[:-1]]
    values = np.array([block.weigh(weights) for weights in basis])
    return [(float(code), *row) for code, row in zip(features.codes(events), values.T.tolist(), strict=True)]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("name", NOT_EVENTS)
def test_an_event_of_a_queue_that_is_not_a_record(name: str, width: int) -> None:
    event = NOT_EVENTS[name]
    features = StreamFeatures(SCHEMA, width)
    others = [{"a": 1, "b": True, "c": "1", "y": "yes"}, {"a": 0.1, "y": "no"}]
    assert rounds([others[0], event, others[1]], features) == rounds([others[0], {}, others[1]], features)


@pytest.mark.parametrize("kind", OBJECTS)
def test_a_cell_of_a_queue_that_is_no_value(kind: str) -> None:
    cell = OBJECTS[kind]
    features = StreamFeatures(SCHEMA)
    missing = {"a": 1, "b": True, "c": "1", "y": "yes"}
    for name in missing:
        assert rounds([missing | {name: cell}] * 2, features) == rounds([missing | {name: None}] * 2, features)


@pytest.mark.parametrize("kind", ODD_NAMES)
def test_names_that_are_not_declared_are_left_out(kind: str) -> None:
    features = StreamFeatures(SCHEMA)
    other = {"a": 1, "y": "no"}
    assert rounds([ODD_NAMES[kind] | {"y": "yes"}, other], features) == rounds([{"y": "yes"}, other], features)
