import pytest

from dprules.accounting import Neighbours
from dprules.errors import ParameterError


def test_names_and_relations():
    for relation in Neighbours:
        assert Neighbours.parse(relation) is Neighbours.parse(relation.value) is relation
        assert str(relation) == relation.value


@pytest.mark.parametrize("name", ["nearby", "", None, 1, "ADD-REMOVE"])
def test_unknown_names_are_refused(name):
    with pytest.raises(ParameterError, match="neighbours must be add-remove or replace"):
        Neighbours.parse(name)
