import pytest

from dprules.learners.streams.recommend import recommend
from dprules.schema import Boolean, Categorical, Clipped, Label, Numeric, Positive, Schema

YES = Label("y", ("no", "yes"))
COLOUR = [Categorical(f"c{i}", ("red", "green", "blue")) for i in range(3)]


@pytest.mark.parametrize(
    ("schema", "algorithm"),
    [
        (Schema(YES, [Boolean("a"), Positive("b")]), "segment"),
        (Schema(YES, [Boolean("a"), *COLOUR]), "epochs"),
        (Schema(YES, [Numeric("n", (1.0, 2.0))]), "epochs"),
        (Schema(YES, [Boolean("a"), Boolean("b"), COLOUR[0], Boolean("c")]), "segment"),
        (Schema(YES, [Clipped("a"), Clipped("b")]), "dense"),
        (Schema(Label("y", ("a", "b", "c")), [Boolean("a")]), "epochs"),
    ],
)
def test_one_sentence_that_names_the_algorithm(schema, algorithm):
    sentence = recommend(schema)
    assert sentence.startswith(f"Recommended: {algorithm},")
    assert sentence.endswith(".")
    assert "\n" not in sentence
