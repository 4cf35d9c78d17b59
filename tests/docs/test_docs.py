import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import pins, release

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTES = sorted(note for note in pins.NOTES.glob("*.md") if note.name != "index.md")
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = "\n".join(page.read_text() for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))])
ROOMS = (
    "accounting",
    "audit",
    "estimators",
    "jobs",
    "learners.lists",
    "learners.streams",
    "mechanisms",
    "models",
    "report",
    "schema",
    "tables",
)


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_a_proof_note_is_pinned_to_the_code_it_was_read_with(note):
    text = note.read_text()
    assert pins.PIN.search(text), f"{note.name} pins nothing"
    stale = [m["name"] for m in pins.PIN.finditer(text) if pins.digest(m["module"], m["name"]) != m["digest"]]
    assert not stale, f"read docs/proofs/{note.name} again, {stale} changed; then python tests/docs/pins.py --write"


def test_a_pin_notices_a_change_and_ignores_comments(tmp_path, monkeypatch):
    (tmp_path / "pinned.py").write_text('def f(x):\n    """Doc."""\n    return x + 1  # why\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    before = pins.digest("pinned", "f")
    (tmp_path / "pinned.py").write_text("def f(x):\n    return (x + 1)\n")
    assert pins.digest("pinned", "f") == before
    (tmp_path / "pinned.py").write_text("def f(x):\n    return x + 2\n")
    assert pins.digest("pinned", "f") != before


@pytest.mark.parametrize("note", [*NOTES, DOCS / "threats.md"], ids=lambda note: note.stem)
def test_the_tests_that_a_note_names_exist(note):
    named = re.findall(r"(tests/[\w/]+\.py)::(\w+)", note.read_text())
    assert named
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"


def test_every_citation_resolves():
    known = set(re.findall(r"@\w+\{(\w+),", (DOCS / "references.bib").read_text()))
    text = PAGES + "\n".join(source.read_text() for source in SOURCES)
    cited = {key for group in re.findall(r"\[([A-Z][A-Za-z]+\d\d)(?:,[^\]]*)?\]", text) for key in [group]}
    assert cited
    assert cited <= known, cited - known


def test_every_room_is_in_the_reference():
    directives = set(re.findall(r"^::: dprules\.([\w.]+)", PAGES, re.MULTILINE))
    assert set(ROOMS) <= directives


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_a_docstring_for_the_reference(room):
    module = importlib.import_module(f"dprules.{room}")
    values = {
        "GRID",
        "MISSING",
        "RULES",
        "RULE_COUNTS",
        "CLASS_COUNTS",
        "HYPOTHESES",
        "CHECKS",
        "MUTATIONS",
        "SEEDED",
        "os_bits",
    }
    aliases = {
        "Say",
        "Replacement",
        "Value",
        "Conditions",
        "ClassCounts",
        "Words",
        "Model",
        "Labels",
        "Event",
        "Law",
        "Number",
    }
    named = [name for name in module.__all__ if name not in values | aliases]
    assert not [name for name in named if not getattr(module, name).__doc__]


@pytest.mark.parametrize("room", ROOMS)
def test_parameters_are_described_as_numpydoc_has_them(room):
    """A docstring with a Parameters section names each parameter and describes it on a line of its own."""
    folder = ROOT / "src" / "dprules" / Path(*room.split("."))
    old_form = []
    for source in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and "Parameters\n" in (ast.get_docstring(node) or ""):
                section = (ast.get_docstring(node) or "").split("----------\n", 1)[1].split("\n\n", 1)[0]
                if any(re.match(r"\w[\w, ]*\w: ", line) for line in section.splitlines()):
                    old_form.append(f"{source.name}:{node.name}")
    assert not old_form


def test_no_function_is_long_and_no_file_is_huge():
    for source in SOURCES:
        text = source.read_text()
        assert text.count("\n") <= 450, source
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                size = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
                assert size <= 50, f"{source}: {node.name} has {size} lines"


def test_nothing_is_validated_by_assert():
    """`python -O` leaves asserts out."""
    for source in SOURCES:
        found = [node.lineno for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Assert)]
        assert not found, f"{source}: {found}"


def test_links_between_pages_resolve():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_release_check_names_placeholders():
    assert release.find_gaps()  # until there are addresses to name


COMMANDS = [
    ["plan", "list"],
    ["plan", "stream"],
    ["audit"],
    ["schema", "draft"],
    ["schema", "check"],
    ["fit"],
    ["show"],
    ["verify"],
    ["export"],
    ["predict"],
    ["evaluate"],
    ["report"],
    ["serve"],
    ["demo"],
    ["stream", "init"],
    ["stream", "learn"],
    ["stream", "predict"],
    ["stream", "serve"],
    ["stream", "show"],
    ["stream", "export"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_is_in_the_docs(command):
    text = subprocess.run(
        [sys.executable, "-m", "dprules", *command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"},
    ).stdout
    options = set(re.findall(r"--[a-z][a-z-]+", text)) - {"--help"}
    assert options
    assert all(option in PAGES for option in options), [o for o in options if o not in PAGES]
