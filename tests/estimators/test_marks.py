"""Everything that shows a result with seeded noise says that it is not private, and nothing else does."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dprules import PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier, Released
from dprules.accounting import SEEDED
from dprules.jobs import evaluate, export
from dprules.schema import Label, Numeric, Schema

AGE = np.random.default_rng(0).integers(0, 110, 2000)
FRAME = pd.DataFrame({"age": AGE, "y": np.where(AGE > 50, "yes", "no")})
SCHEMA = Schema(Label("y", ["no", "yes"]), [Numeric("age", [25.0, 50.5])])
SEEDS = [0, np.random.RandomState(0), np.random.default_rng(0), None]


def table_things(estimator: Any, seed: Any, folder: Path) -> dict[str, Any]:
    unfitted = estimator(epsilon=5, schema=SCHEMA, random_state=seed)
    fitted = estimator(epsilon=5, schema=SCHEMA, random_state=seed).fit(FRAME)
    changed = estimator(epsilon=5, schema=SCHEMA, random_state=seed).fit(FRAME).set_params(random_state=None)
    fitted.model_.save(folder / "model.json")
    return {
        "unfitted": unfitted,
        "fitted": fitted,
        "changed after the fit": changed,
        "released": fitted.model_,
        "loaded": Released.load(folder / "model.json"),
        "model of a file": Released.load(folder / "model.json").model,
        "model": fitted.model_.model,
        "attribute": fitted.rule_list_ if hasattr(fitted, "rule_list_") else fitted.scorecard_,
        "certificate": fitted.certificate_,
        "bought evaluation": evaluate(fitted, FRAME, epsilon=1),
        "public evaluation": evaluate(fitted, FRAME, public=True),
    }


def stream_things(seed: Any, **settings: Any) -> dict[str, Any]:
    made = {"epsilon": 5, "random_state": seed, "classes": ["no", "yes"]} | settings
    model = PrivateWinnowClassifier(**made)
    unfitted = PrivateWinnowClassifier(**made)
    labels = FRAME.y if len(made["classes"]) == 2 else np.where(AGE > 80, "perhaps", FRAME.y)
    model.partial_fit(FRAME[["age"]] > 50, labels)
    return {"unfitted": unfitted, "learning": model, "hypothesis": model.hypothesis_, "certificate": model.certificate_}


def check(things: dict[str, Any], seeded: bool) -> None:
    for name, thing in things.items():
        texts = [str(thing), repr(thing)]
        if hasattr(thing, "_repr_html_"):
            texts.append(thing._repr_html_())
        assert [SEEDED in text for text in texts] == [seeded] * len(texts), name


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: type(seed).__name__)
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, PrivateScorecardClassifier])
def test_tables(estimator: Any, seed: Any, tmp_path: Path) -> None:
    things = table_things(estimator, seed, tmp_path)
    check(things, seed is not None)
    written = [export(things["released"], form) for form in ("sql", "python", "markdown")]
    model = things["model"]
    written += [model.to_sql("t"), model.to_python(), model.to_markdown()]
    assert [SEEDED in text for text in written] == [seed is not None] * len(written)
    assert things["released"] == things["loaded"]
    assert ("warning" in things["bought evaluation"].document()) == (seed is not None)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: type(seed).__name__)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"algorithm": "dense"},
        {"algorithm": "epochs", "values": "boolean"},
    ],
    ids=str,
)
def test_streams(seed: Any, settings: dict[str, Any]) -> None:
    check(stream_things(seed, **settings), seed is not None)


def test_a_seeded_stream_marks_its_sql() -> None:
    for seed in (0, None):
        assert (SEEDED in stream_things(seed)["hypothesis"].to_sql("t")) == (seed is not None)
