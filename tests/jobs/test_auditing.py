import pytest

from dprules.errors import ParameterError
from dprules.jobs import audit


@pytest.mark.slow
def test_one_check_holds_and_a_planted_fault_is_told():
    told: list[tuple[int, int]] = []
    report = audit(only=["list, replace"], progress=lambda done, total: told.append((done, total)))
    assert report.holds
    assert report.planted is None
    assert told == [(0, 1)]
    planted = audit(only=["list, replace"], mutate="doubled-tilt")
    assert planted.planted
    assert not planted.holds


@pytest.mark.parametrize("wrong", [dict(only=["nothing"]), dict(mutate="nothing")], ids=str)
def test_unknown_names(wrong):
    with pytest.raises(ParameterError, match="got 'nothing'"):
        audit(**wrong)
