"""Schemas as notebooks show them."""

import re
from html import unescape

from dprules.schema import Boolean, Categorical, Label, Numeric, Schema


def test_every_column_with_what_is_declared_of_it():
    schema = Schema(
        Label("<i>ill</i>", ("no", "yes"), positive="yes"),
        (Numeric("age", (30.0, 50.5)), Boolean("smokes"), Categorical("town", [f"<{i}>" for i in range(50)])),
    )
    page = schema._repr_html_()
    assert set(re.findall(r"<(\w+)", page)) == {"dl", "dt", "dd"}
    entries = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    shown = {unescape(name): unescape(entry) for name, entry in entries.items()}
    assert list(shown) == ["<i>ill</i> (label)", "age", "smokes", "town"]
    assert shown["<i>ill</i> (label)"] == "classes: no, yes; positive: yes"
    assert "30, 50.5" in shown["age"]
    assert shown["smokes"] == "kind: boolean"
    assert shown["town"].endswith("<18>, <19> and 30 more")
