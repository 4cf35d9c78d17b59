"""Accuracy is a release: bought, or of public rows."""

import numpy as np
import pytest

from dprules.errors import ParameterError, PrivacyError
from dprules.jobs import evaluate, predict


def test_public_rows_are_counted_exactly(table, released):
    found = evaluate(released, table, public=True)
    assert found.accuracy == (predict(released.model, table) == np.array(table["y"])).mean()
    assert (found.rows, found.error, found.epsilon, found.certificate) == (2000, 0.0, None, None)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_bought_accuracy_is_certified(table, released, neighbours):
    found = evaluate(released, table, epsilon=1.0, neighbours=neighbours)
    assert abs(found.accuracy - evaluate(released, table, public=True).accuracy) < 0.05
    assert found.certificate is not None
    assert found.certificate.verify()
    assert (found.epsilon, found.certificate.delta) == (1.0, 0.0)
    assert 0 < found.error < 0.01


def test_undeclared_labels_are_left_out(released, table):
    odd = table.slice(0, 100).set_column(4, "y", [["perhaps"] * 40 + table["y"].to_pylist()[40:100]])
    assert evaluate(released, odd, public=True).rows == 60
    assert evaluate(released, odd.slice(0, 40), public=True).accuracy == 0
    assert evaluate(released, table.rename_columns([*"abn", "id", "z"]), public=True, label="z").rows == 2000


def test_what_is_refused(table, released):
    for wrong in (dict(), dict(epsilon=1.0, public=True)):
        with pytest.raises(PrivacyError, match="is a release"):
            evaluate(released, table, **wrong)
    with pytest.raises(ParameterError, match="zero-out"):
        evaluate(released, table, epsilon=1.0, neighbours="zero-out")
    with pytest.raises(ParameterError, match="epsilon"):
        evaluate(released, table, epsilon=-1.0)
