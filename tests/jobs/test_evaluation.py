"""Accuracy is a release: bought, or of public rows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from dprules.accounting import Counts
from dprules.errors import DataError, ModelError, ParameterError, PrivacyError
from dprules.jobs import FitRequest, evaluate, fit, predict, predict_probabilities
from dprules.jobs.evaluation import ANSWERS
from dprules.schema import Label


def test_public_rows_are_counted_exactly(table, released):
    found = evaluate(released, table, public=True)
    assert found.accuracy.value == (predict(released.model, table) == np.array(table["y"])).mean()
    assert (found.rows.value, found.rows.low, found.epsilon, found.certificate) == (2000, None, None, None)


def test_a_scorecard_is_counted_by_the_rows_of_its_table(table, card):
    found = evaluate(card, table, public=True)
    truth = np.array(table["y"])
    assert found.accuracy.value == (predict(card.model, table) == truth).mean()
    assert found.auc.value == pytest.approx(
        roc_auc_score(truth == "yes", predict_probabilities(card.model, table)[:, 1])
    )
    assert [group.name for group in found.groups] == [answer.name for answer in card.model.answers()]
    bought = evaluate(card, table, epsilon=1.0)
    assert abs(bought.accuracy.value - found.accuracy.value) < 0.05
    assert bought.certificate.verify()


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_bought_figures_are_certified(table, released, neighbours):
    found = evaluate(released, table, epsilon=1.0, neighbours=neighbours)
    assert abs(found.accuracy.value - evaluate(released, table, public=True).accuracy.value) < 0.05
    assert found.certificate is not None
    assert found.certificate.verify()
    assert (found.epsilon, found.certificate.delta) == (1.0, 0.0)
    [release] = found.certificate.releases
    assert release.name == ANSWERS
    assert release.event == Counts(1 if neighbours == "add-remove" else Fraction(1, 2))
    assert 0 < found.accuracy.high - found.accuracy.low < 0.1


def test_the_histogram_has_noise(table, released):
    """Once in 2 e^1000 releases all would agree."""
    drawn = {evaluate(released, table, epsilon=0.1).rows.value for _ in range(20)}
    assert len(drawn) > 5


def test_rows_of_a_unit_are_priced(table, released):
    owners = pa.array(np.repeat(np.arange(200), 10))
    owned = table.append_column("who", owners)
    found = evaluate(released, owned, epsilon=4.0, unit="who", unit_rows=2)
    assert found.rows.low <= 400 <= found.rows.high
    assert found.certificate.verify()
    assert str(found.certificate.unit) == "value of 'who' (at most 2 rows of each)"
    assert found.certificate.releases[0].event == Counts(2)
    with pytest.raises(ParameterError, match="a matter of the price"):
        evaluate(released, owned, public=True, unit="who")


def test_undeclared_labels_are_left_out(released, table):
    odd = table.slice(0, 100).set_column(4, "y", [["perhaps"] * 40 + table["y"].to_pylist()[40:100]])
    assert evaluate(released, odd, public=True).rows.value == 60
    assert evaluate(released, table.rename_columns([*"abn", "id", "z"]), public=True, label="z").rows.value == 2000


def test_a_column_that_is_not_the_label_is_refused_by_its_name(released, table):
    with pytest.raises(DataError, match="column 'id' holds none of the classes"):
        evaluate(released, table, public=True, label="id")
    with pytest.raises(DataError, match="no column 'other'"):
        evaluate(released, table, public=True, label="other")
    for paid in (dict(public=True), dict(epsilon=1.0)):
        with pytest.raises(ParameterError, match="column 'a' is one that the model asks about"):
            evaluate(released, table, label="a", **paid)


def test_private_rows_without_labels_do_not_abort(released, table):
    """That would tell whether any row has one."""
    for rows in (table, table.slice(0, 0)):
        found = evaluate(released, rows, epsilon=1.0, label="id")
        assert found.accuracy.value is None or found.rows.value < 30
    assert evaluate(released, table.slice(0, 0), epsilon=100.0).verdict.startswith("Noise alone could")


def test_what_is_refused(table, released):
    with pytest.raises(PrivacyError, match="is a release"):
        evaluate(released, table)
    with pytest.raises(ParameterError, match="not both"):
        evaluate(released, table, epsilon=1.0, public=True)
    with pytest.raises(ParameterError, match="zero-out"):
        evaluate(released, table, epsilon=1.0, neighbours="zero-out")
    with pytest.raises(ParameterError, match="epsilon"):
        evaluate(released, table, epsilon=-1.0)


@pytest.mark.parametrize("answer", ["no", 1, None])
def test_rows_are_public_only_if_it_says_true(answer, table, released):
    with pytest.raises(ParameterError, match="public must be True or False"):
        evaluate(released, table, public=answer)


def test_a_model_that_protects_people_is_not_evaluated_row_by_row(table, schema):
    """Many rows of one person would cost more than epsilon says."""
    protected = fit(FitRequest(table, schema, epsilon=5.0, unit="id"))
    with pytest.raises(PrivacyError, match="protects all rows of each 'id'"):
        evaluate(protected, table, epsilon=1.0)
    assert evaluate(protected, table, epsilon=1.0, unit="id").certificate.unit.column == "id"
    assert evaluate(protected, table, public=True).rows.value == 2000
    assert evaluate(protected, table.drop_columns(["id"]), epsilon=1.0).epsilon == 1.0


def test_a_model_with_other_classes_than_its_label_has_no_right_answers(table, released):
    odd = replace(released, label=Label("y", ("a", "b")))
    with pytest.raises(ModelError, match="other classes than its label"):
        evaluate(odd, table, public=True)


def test_figures_are_tied_to_their_model(table, released):
    assert evaluate(released, table, epsilon=1.0).certificate.model_digest == released.digest()
