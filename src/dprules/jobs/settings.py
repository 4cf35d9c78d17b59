"""The public parameters of learners, and which of them belong to which model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dprules.errors import ParameterError
from dprules.learners.lists import ListSettings
from dprules.learners.lists.settings import SHARES as LIST_SHARES
from dprules.learners.scorecards.settings import SHARES as SCORECARD_SHARES
from dprules.learners.scorecards.settings import ScorecardSettings
from dprules.learners.settings import Settings
from dprules.models.class_weights import WEIGHTS

__all__ = ["LARGEST_RATIO", "ListSettings", "ScorecardSettings", "Settings", "choose_settings"]

LARGEST_RATIO = WEIGHTS
"""By which class weights may differ."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of model that is learnt from tables: its settings, and what they are called."""

    settings: Callable[..., Settings]
    options: tuple[str, ...]
    shares: tuple[str, ...]


_KINDS = {
    "list": _Kind(ListSettings, ("width", "max_rules", "reward", "accounting", "class_weight"), LIST_SHARES),
    "scorecard": _Kind(ScorecardSettings, ("terms", "class_weight"), SCORECARD_SHARES),
}


def choose_settings(model: str, options: Mapping[str, Any], shares: Mapping[str, float]) -> Settings:
    """Return the settings of a kind of model; what belongs to another kind is refused.

    Parameters
    ----------
    model : str
        "list" or "scorecard".
    options : mapping
        What was given, by name: "width", "max_rules", "reward", "accounting", "terms", "class_weight".
    shares : mapping
        Parts of epsilon that were given, by name: "counts", "classes", "cuts".

    Examples
    --------
    >>> choose_settings("scorecard", {"terms": 10}, {}).document()["terms"]
    10
    """
    kind = _KINDS.get(model)
    if kind is None:
        raise ParameterError(f"model must be {' or '.join(_KINDS)}; got {model!r}. Choose one.")
    for name in [*options, *shares]:
        if name not in (*kind.options, *kind.shares):
            owner = next(other for other, its in _KINDS.items() if name in (*its.options, *its.shares))
            what = f"share for {name}" if name in shares else name.replace("_", " ")
            raise ParameterError(f"a {model} has no {what}. Leave it out, or choose model {owner}.")
    return kind.settings(**options, shares=dict(shares))
