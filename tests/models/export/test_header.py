"""Every export says what it predicts, how private it is, what missing cells mean, and which model it is."""

from dataclasses import replace

import pytest

from dprules.accounting import SEEDED
from dprules.jobs import export
from dprules.models import Released
from dprules.models.export.header import describe_missing, describe_model, describe_released
from dprules.schema import Label
from models.test_released import released_list, released_stream


def renamed(name: str) -> Released:
    """The model under another label; it does not verify any more."""
    released = released_list()
    return replace(released, label=Label(name, released.label.classes))


@pytest.mark.parametrize("released", [released_list, released_stream])
def test_the_parts_are_those_of_the_certificate(released):
    made = released()
    text = "\n".join(describe_released(made).lines)
    certificate = made.certificate
    assert f"It predicts y, one of: {', '.join(made.label.classes)}." in text
    assert f"epsilon {certificate.epsilon:g}, delta {certificate.delta:g}, {certificate.neighbours} neighbours" in text
    assert f"unit: {certificate.unit}." in text
    assert describe_missing("list") in text
    assert f"(SHA-256): {made.digest()}" in text
    assert SEEDED not in text


def test_a_model_without_its_envelope_says_what_it_knows():
    header = describe_model("list", ("no", "yes"))
    assert "without its certificate" in header.lines[0]
    assert header.lines[1:] == (describe_missing("list"),)
    assert header.answer_name == "prediction"


def test_marks_stand_first():
    seeded = replace(released_list(), certificate=replace(released_list().certificate, secure=False))
    assert describe_released(seeded, ["NOT VERIFIED"]).lines[:2] == ("NOT VERIFIED", SEEDED)


@pytest.mark.parametrize(("to", "before"), [("sql", "-- "), ("python", "# "), ("markdown", "- ")])
@pytest.mark.parametrize("name", ["a\nb; DROP TABLE x", "*/ y --", "</td><script>", "l\u2028m\rn"])
def test_no_label_can_leave_the_comment(to, before, name):
    """Each line of the header is one line of the export, whatever the label is called."""
    released = renamed(name)
    lines = export(released, to).split("\n")
    plain = export(renamed("y"), to).split("\n")
    said = [line for line in lines if line.startswith(before)]
    assert len(said) == len([line for line in plain if line.startswith(before)])
    assert not any(mark in line for line in said for mark in "\n\r\u2028\u2029\x0b\x0c\x85")
    assert to != "markdown" or not any("<script>" in line for line in lines)


def test_the_answer_is_named_after_the_label():
    assert 'AS "predicted_re""admitted"' in export(renamed('re"admitted'), "sql")
    assert "AS `predicted_a``b`" in export(renamed("a`b"), "sql", dialect="spark")
