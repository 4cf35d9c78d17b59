import pytest

from dprules.accounting import Assumption, TakenFrom


def test_every_assumption_has_a_key_and_a_sentence_of_its_own():
    keys = [assumption.key for assumption in Assumption]
    assert len(set(keys)) == len({assumption.value for assumption in Assumption}) == len(Assumption)
    assert [Assumption.of_key(key) for key in keys] == list(Assumption)
    assert all(key == key.lower() and " " not in key for key in keys)


def test_unknown_keys_are_nothing():
    assert Assumption.of_key("all is well") is None
    assert Assumption.of_key(None) is None


def test_a_public_table_is_named():
    taken = TakenFrom("census 2020.csv")
    assert taken.value == "values and cuts, which were taken from the public table 'census 2020.csv'"
    assert Assumption.of_key(taken.key) == taken


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[31m", "x" * 1001])
def test_a_public_table_has_a_name_that_cannot_look_like_another_line(name):
    with pytest.raises(ValueError, match="on one line"):
        TakenFrom(name)
    assert Assumption.of_key(f"values-taken-from:{name}") is None
