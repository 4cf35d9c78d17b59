"""Settings refuse what makes no sense, in one sentence."""

from typing import Any

import numpy as np
import pytest

from dprules.errors import ParameterError
from dprules.learners.scorecards import ScorecardSettings
from dprules.schema import Boolean, Categorical, Label, Numeric, PrivateCuts, PrivateValues, Schema

LABEL = Label("y", ("no", "yes"))
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no terms": ({"terms": 0}, "terms must be an integer of at least 1"),
    "a fraction": ({"terms": 1.5}, "terms must be an integer"),
    "true": ({"terms": True}, "terms must be an integer"),
    "another word": ({"terms": "ALL"}, "terms must be an integer of at least 1, or 'all'; got 'ALL'"),
    "a negative number as text": ({"terms": "-3"}, "terms must be an integer of at least 1, or 'all'; got '-3'"),
    "too many": ({"terms": 10**6}, "terms must be at most 10,000"),
    "another share": ({"shares": {"counts": 0.1}}, "shares of a scorecard may name cuts"),
    "all of epsilon": ({"shares": {"cuts": 1}}, "share 'cuts' must lie strictly between 0 and 1"),
    "another weight": ({"class_weight": "even"}, "class_weight must be None, 'balanced' or a weight"),
}


@pytest.mark.parametrize(("settings", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused(settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ScorecardSettings(**settings)


def test_numpy_integers_are_integers():
    assert ScorecardSettings(terms=np.int64(5)).document()["terms"] == 5


def test_bins_are_counted_with_missing_values_and_what_will_be_bought():
    columns = (
        Categorical("c", ("a", "b", "c")),
        Boolean("b"),
        PrivateCuts("x", lower=0, upper=10, number=7),
        PrivateValues("v", most=5),
    )
    assert ScorecardSettings().survey(Schema(LABEL, columns)) == {"columns": 4, "bins": 4 + 3 + 9 + 6}


def test_a_schema_that_leaves_nothing_to_ask_is_refused():
    with pytest.raises(ParameterError, match="no column leaves anything to ask"):
        ScorecardSettings().survey(Schema(LABEL, (Categorical("c", ("only",)),)))


@pytest.mark.parametrize(("terms", "all_kept"), [("all", True), (3, False), (4, True)])
def test_terms_are_all_kept_where_there_are_no_more(terms, all_kept):
    columns = [Numeric("x", cuts=(1.0,)), Boolean("b")]
    assert ScorecardSettings(terms).keeps_all(columns) is all_kept
