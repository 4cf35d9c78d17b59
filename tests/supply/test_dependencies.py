"""The table of dependencies is that of pyproject.toml, and the source imports nothing else."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from release.bill import EXTRAS, read_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEEDED = [*PROJECT["dependencies"], *(line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra])]
GUESTS = {"h11", "ibis", "markupsafe", "pandas", "polars", "py4j"}
"""What is imported only where a user or another dependency has brought it."""


def read_bounds(requirement: str) -> str:
    return re.sub(r"^[\w.-]+(\[\w+\])?", "", requirement)


def test_the_table_has_every_dependency_and_its_bounds():
    rows = re.findall(
        r"^\| ([\w-]+) \|.*\| `([^`]+)` \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE
    )
    assert dict(rows) == {read_name(line): read_bounds(line) for line in NEEDED}
    assert len(rows) == len(NEEDED)


def test_the_versions_that_were_tested_are_allowed():
    from packaging.requirements import Requirement

    lines = (line.split("==") for line in (ROOT / "constraints.txt").read_text().split())
    tested = {read_name(name): version for name, version in lines}
    for extra in PROJECT["optional-dependencies"].values():
        here = [line for line in extra if not line.startswith("dprules[")]
        for line in [*PROJECT["dependencies"], *here]:
            name = read_name(line)
            assert name in tested or name == "pre-commit", name
            assert name not in tested or Requirement(line).specifier.contains(tested[name]), line


def list_imports(source: Path) -> set[str]:
    """The first parts of the names of all modules that a file imports, anywhere in it."""
    modules = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            modules |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module.split(".")[0])
    return modules


def test_nothing_else_is_imported():
    sources = (ROOT / "src").rglob("*.py")
    others = set().union(*map(list_imports, sources)) - sys.stdlib_module_names - GUESTS - {"dprules"}
    brought = packages_distributions()
    needed = {read_name(line) for line in NEEDED}
    assert others
    assert not [name for name in others if not needed & set(map(read_name, brought.get(name, [name])))]
