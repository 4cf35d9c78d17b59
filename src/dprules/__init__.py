"""Differentially private decision lists from tables, and differentially private Winnow from streams."""

# Nothing is imported here: a command sets its signal handlers after this file, and Ctrl-C before that is a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dprules.accounting import Certificate
    from dprules.estimators import (
        ConfidentWinnowClassifier,
        DecisionListClassifier,
        PrivateDecisionListClassifier,
        PrivateScorecardClassifier,
        PrivateWinnowClassifier,
        WinnowClassifier,
    )
    from dprules.ledger import Ledger
    from dprules.models import Released, RuleList, Scorecard
    from dprules.schema import Schema

    __version__: str
__all__ = [
    "Certificate",
    "ConfidentWinnowClassifier",
    "DecisionListClassifier",
    "Ledger",
    "PrivateDecisionListClassifier",
    "PrivateScorecardClassifier",
    "PrivateWinnowClassifier",
    "Released",
    "RuleList",
    "Schema",
    "Scorecard",
    "WinnowClassifier",
    "__version__",
]

_ROOMS = {
    "Certificate": "accounting",
    "ConfidentWinnowClassifier": "estimators",
    "DecisionListClassifier": "estimators",
    "Ledger": "ledger",
    "PrivateDecisionListClassifier": "estimators",
    "PrivateScorecardClassifier": "estimators",
    "PrivateWinnowClassifier": "estimators",
    "Released": "models",
    "RuleList": "models",
    "Schema": "schema",
    "Scorecard": "models",
    "WinnowClassifier": "estimators",
}
_MODULES = (
    "accounting",
    "audit",
    "errors",
    "estimators",
    "jobs",
    "learners",
    "ledger",
    "mechanisms",
    "models",
    "report",
    "schema",
    "tables",
)
"""What `dprules.models` and the like may name without an import of its own."""


def __getattr__(name: str) -> object:
    """Load a room when one of its names is first used: `dprules plan` should not wait for scikit-learn."""
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("dprules")
    if name in _ROOMS:
        return getattr(import_module(f"dprules.{_ROOMS[name]}"), name)
    if name in _MODULES:
        return import_module(f"dprules.{name}")
    raise AttributeError(f"module 'dprules' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
