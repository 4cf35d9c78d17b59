"""One wording for what a fit would spend."""

from dprules.cli.spending import describe_spending
from dprules.jobs import FitRequest, Spending, check_fit
from dprules.schema import Label, PrivateCuts, Schema


def test_a_line_for_each_part():
    parts = [Spending("cuts of age", 0.1, 0.0), Spending("rules\x1b[31m", 0.9, 1e-6)]
    first, *rest = describe_spending(1, 1e-6, parts).splitlines()
    assert first == "A fit with epsilon 1 and delta 1e-06 would spend:"
    assert rest[0] == "  cuts of age: epsilon 0.1, delta 0"
    assert "\x1b" not in rest[1]


def test_hundreds_of_columns_stay_readable():
    schema = Schema(Label("y", ("a", "b")), tuple(PrivateCuts(f"c{i}", 0, 9, 1) for i in range(200)))
    summary = check_fit(FitRequest({name: [] for name in schema.names}, schema))
    lines = describe_spending(summary.epsilon, summary.delta, summary.spending).splitlines()
    assert all(len(line) < 200 for line in lines)
    assert any("cuts of c0, cuts of c1" in line and "and 194 more: epsilon" in line for line in lines)
