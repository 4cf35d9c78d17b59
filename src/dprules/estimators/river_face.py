"""River's classifier as a face of ours: without river installed, it is an empty one."""

from importlib import import_module
from typing import Any

try:
    _RIVER: Any = import_module("river.base").MiniBatchClassifier
except ImportError:
    _RIVER = None


def _face() -> type:
    """River's methods without its base class: one of them has a name that scikit-learn forbids."""
    bases = [] if _RIVER is None else reversed(_RIVER.__mro__[:-1])
    members = {name: member for base in bases for name, member in vars(base).items() if not name.startswith("__")}
    kept = {name: members[name] for name in members if name != "_more_tags" and not name.startswith("_abc")}
    return type("RiverFace", (), kept)


RiverFace: Any = _face()


def register(estimator: type) -> None:
    """Let river know that an estimator is one of its classifiers."""
    if _RIVER is not None:
        _RIVER.register(estimator)
