from dprules.schema import Gap, GapsError


def gap(line: int | None) -> Gap:
    return Gap("columns.age.lower", "a number", line)


def test_one_gap_is_one_sentence() -> None:
    assert str(GapsError("s.toml", [gap(3)])) == "s.toml, line 3: columns.age.lower must be a number. Mend that entry."
    assert str(GapsError("model", [gap(None)])) == "model: columns.age.lower must be a number. Mend that entry."


def test_many_gaps_of_a_file_are_counted_and_all_are_kept() -> None:
    error = GapsError("s.toml", [gap(line) for line in range(1, 6)])
    assert str(error).startswith("s.toml has 5 gaps: line 1: columns.age.lower must be a number; line 2: ")
    assert str(error).endswith("; and 2 more. `dprules schema check` lists them.")
    assert len(error.gaps) == 5


def test_gaps_without_a_file_are_all_named() -> None:
    """There is no command to list them."""
    assert str(GapsError("the frame", [gap(None)] * 5)).count("must be a number") == 5
