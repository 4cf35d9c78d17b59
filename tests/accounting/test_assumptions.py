from dprules.accounting import Assumption


def test_every_assumption_has_a_key_and_a_sentence_of_its_own():
    keys = [assumption.key for assumption in Assumption]
    assert len(set(keys)) == len({assumption.value for assumption in Assumption}) == len(Assumption)
    assert [Assumption.of_key(key) for key in keys] == list(Assumption)
    assert all(key == key.lower() and " " not in key for key in keys)


def test_unknown_keys_are_nothing():
    assert Assumption.of_key("all is well") is None
    assert Assumption.of_key(None) is None
