import pytest

from dprules.errors import ParameterError
from dprules.jobs import stream_init
from dprules.learners.questions import count_questions
from dprules.schema import Categorical, Label, Numeric, PrivateCuts, PrivateDates, PrivateValues, Schema

LABEL = Label("y", ("a", "b"))


def test_what_is_still_to_be_bought_counts_as_much_as_was_asked_for():
    public = Schema(
        LABEL, (Numeric("n", range(7)), Numeric("d", range(3)), Categorical("c", [str(i) for i in range(9)]))
    )
    private = Schema(
        LABEL,
        (PrivateCuts("n", 0, 9), PrivateDates("d", "2024-01-01", "2024-12-31", 3), PrivateValues("c", most=9)),
    )
    assert count_questions(private, 2) == count_questions(public, 2)


def test_nothing_to_ask_is_refused(tmp_path):
    nothing = Schema(LABEL, (Categorical("c", ["only"]),))
    with pytest.raises(ParameterError, match="no column leaves anything to ask"):
        count_questions(nothing, 2)
    with pytest.raises(ParameterError, match="no column leaves anything to ask"):
        stream_init(tmp_path / "stream", nothing)
    assert not (tmp_path / "stream").exists()


def test_too_many_conditions_are_refused():
    wide = Schema(LABEL, tuple(PrivateCuts(f"n{i}", lower=0, upper=1, number=63) for i in range(300)))
    with pytest.raises(ParameterError, match="conditions are too many"):
        count_questions(wide, 2)
