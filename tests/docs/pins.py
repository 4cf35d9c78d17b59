"""Digests that tie a proof note to the code it is about.

A note starts with lines `pin: module:name digest`. The digest is of the syntax tree without docstrings, so that
comments and layout may change and the mechanism may not. After reading a note again, renew its pins with

    python tests/docs/pins.py --write
"""

import ast
import hashlib
import importlib.util
import re
import sys
from pathlib import Path

NOTES = Path(__file__).parents[2] / "docs" / "proofs"
PIN = re.compile(r"^pin: (?P<module>[\w.]+):(?P<name>[\w.]+)(?: (?P<digest>\w+))?$", re.MULTILINE)


def digest(module: str, name: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    node: ast.AST = ast.parse(Path(spec.origin).read_text())
    for part in name.split("."):
        body = getattr(node, "body")  # noqa: B009
        node = next(child for child in body if getattr(child, "name", None) == part)
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            inner.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
    return hashlib.sha256(repr(_shape(node)).encode()).hexdigest()[:16]


def _shape(value: object) -> object:
    """The tree without what differs between versions of Python: absent fields, contexts, positions."""
    if isinstance(value, ast.AST):
        fields = [(name, _shape(child)) for name, child in ast.iter_fields(value) if name not in ("ctx", "kind")]
        return type(value).__name__, [(name, child) for name, child in fields if child not in (None, [])]
    return [_shape(child) for child in value] if isinstance(value, list) else value


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def renewed(text: str) -> str:
    return PIN.sub(lambda m: f"pin: {m['module']}:{m['name']} {digest(m['module'], m['name'])}", text)


if __name__ == "__main__" and "--write" in sys.argv:
    for note in sorted(NOTES.glob("*.md")):
        note.write_text(renewed(note.read_text()))
