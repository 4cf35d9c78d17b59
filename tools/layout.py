"""Figures of the source tree: what a newcomer has to get through, and what may only fall.

    python tools/layout.py            print the figures
    python tools/layout.py --check    fail if a figure is above its limit in tools/layout.json
    python tools/layout.py --write    lower the limits to the present figures; a limit never rises

Cycles are modules in a strongly connected component of the import graph, imports inside functions and those for type
checkers included. An import goes around `__init__` if it names a module inside another package (`from
dprules.tables.cells import ...` outside `tables`). Type tests are `isinstance` and `case` on a column kind outside
`schema`; name tests compare the name of a stream algorithm with a text.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
LIMITS = Path(__file__).with_suffix(".json")
KINDS = {
    "Boolean",
    "Categorical",
    "Clipped",
    "Days",
    "Numeric",
    "Ordered",
    "Positive",
    "PrivateCuts",
    "PrivateDays",
    "PrivateValues",
    "Scaled",
}
"""Classes of columns."""
ALGORITHMS = {"segment", "batched", "guarded", "paper", "epochs", "dense", "card", "auto"}


class Import(NamedTuple):
    """One import statement of names of dprules."""

    module: str
    names: tuple[str, ...]
    inside: bool  # inside a function


class Module:
    """One file: its imports and its tests of types and names."""

    def __init__(self, path: Path) -> None:
        relative = path.relative_to(SOURCE).with_suffix("")
        parts = relative.parts[:-1] if relative.name == "__init__" else relative.parts
        self.name = ".".join(parts)
        self.lines = path.read_text().count("\n")
        self.tree = ast.parse(path.read_text())
        self.package = parts[1] if len(parts) > 1 else ""

    def imports(self) -> Iterator[Import]:
        """Yield the imports of dprules."""
        yield from _walk(self.tree, inside=False)

    def type_tests(self) -> int:
        """Count questions about the kind of a column."""
        return sum(_is_kind_test(node) for node in ast.walk(self.tree))

    def name_tests(self) -> int:
        """Count comparisons with the name of an algorithm."""
        return sum(_is_name_test(node) for node in ast.walk(self.tree))


def _walk(node: ast.AST, *, inside: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "dprules":
            yield Import(child.module or "", tuple(alias.name for alias in child.names), inside)
        elif isinstance(child, ast.Import):
            for alias in child.names:
                if alias.name.split(".")[0] == "dprules":
                    yield Import(alias.name, (), inside)
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(child, inside=inside or function)


def _is_kind_test(node: ast.AST) -> bool:
    if isinstance(node, ast.MatchClass):
        return isinstance(node.cls, ast.Name) and node.cls.id in KINDS
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return any(isinstance(name, ast.Name) and name.id in KINDS for name in ast.walk(node.args[1]))
    return False


def _is_name_test(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(text in ALGORITHMS for text in texts)


def count_cycles(modules: dict[str, Module]) -> int:
    """Return the number of modules in import cycles (Tarjan's components of more than one module)."""
    graph = {name: _targets(module, modules) for name, module in modules.items()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    in_cycles = 0

    def visit(name: str) -> None:
        nonlocal in_cycles
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            component = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            in_cycles += len(component) if len(component) > 1 else 0

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return in_cycles


def _targets(module: Module, modules: dict[str, Module]) -> set[str]:
    targets = set()
    for imported in module.imports():
        for name in imported.names or ("",):
            inner = f"{imported.module}.{name}"
            targets.add(inner if inner in modules else imported.module)
    return targets & set(modules) - {module.name}


def goes_around(module: Module, imported: Import, modules: dict[str, Module]) -> bool:
    """Whether an import names a module inside another package instead of what the package offers."""
    parts = imported.module.split(".")
    if len(parts) < 2 or parts[1] == module.package:
        return False
    return len(parts) > 2 or any(f"{imported.module}.{name}" in modules for name in imported.names)


def measure() -> dict[str, int]:
    """Return all figures."""
    files = sorted(SOURCE.rglob("*.py"))
    modules = {module.name: module for module in map(Module, files)}
    imports = [(module, imported) for module in modules.values() for imported in module.imports()]
    return {
        "files": len(files),
        "lines": sum(module.lines for module in modules.values()),
        "longest file": max(module.lines for module in modules.values()),
        "modules in cycles": count_cycles(modules),
        "imports inside functions": sum(imported.inside for _, imported in imports),
        "imports around __init__": sum(goes_around(module, imported, modules) for module, imported in imports),
        "type tests on columns": sum(module.type_tests() for module in modules.values() if module.package != "schema"),
        "name tests on algorithms": sum(module.name_tests() for module in modules.values()),
    }


TOTALS = ("files", "lines")
"""Printed, not checked: code that is needed may be added."""


def main(arguments: list[str]) -> int:
    """Print the figures; check or lower the limits if asked to."""
    figures = measure()
    limits = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    for name, figure in figures.items():
        limit = f" (at most {limits[name]:,})" if name in limits else ""
        print(f"{name:26} {figure:7,}{limit}")
    if "--write" in arguments:
        lowered = {name: min(n, limits.get(name, n)) for name, n in figures.items() if name not in TOTALS}
        LIMITS.write_text(json.dumps(lowered, indent=2) + "\n")
    worse = [name for name, limit in limits.items() if figures[name] > limit]
    if "--check" in arguments and worse:
        print(f"Above the limit: {', '.join(worse)}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
