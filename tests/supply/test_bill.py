"""The bill of materials says what is needed, and not where it came from."""

from release.bill import drop_addresses, mark_scopes


def component(name):
    return {"bom-ref": f"{name}==1", "name": name, "externalReferences": [{"type": "vcs", "url": "file:///home/x"}]}


BILL = {
    "components": [component(name) for name in ("Tomli_W", "numpy", "pyspark")],
    "metadata": {"tools": {"components": [component("tool")]}},
}


def test_no_address_is_left_anywhere():
    assert "file:" in str(BILL)
    assert "file:" not in str(drop_addresses(BILL))
    assert [part["name"] for part in drop_addresses(BILL)["components"]] == [
        part["name"] for part in BILL["components"]
    ]


def test_what_only_an_extra_needs_is_optional():
    marked = mark_scopes(drop_addresses(BILL), {"tomli-w", "NumPy"})
    scopes = {part["name"]: part["scope"] for part in marked["components"]}
    assert scopes == {"Tomli_W": "required", "numpy": "required", "pyspark": "optional"}
