"""How each kind of model is shown: a template, and what it needs to know. A new kind has a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dprules.models import Halfspace, Model, RuleList, Scorecard
from dprules.models.card_words import describe_card
from dprules.report.cards import draw_risks, draw_shapes, list_points, list_risks
from dprules.report.lines import list_lines, list_weights
from dprules.schema import show_value


@dataclass(frozen=True, slots=True)
class View:
    """A template, and the names that only it uses."""

    template: str
    names: Mapping[str, Any]


def view_of(model: Model) -> View:
    """Return how a model is shown."""
    return _VIEWS[model.kind](model)


def _view_list(rules: RuleList) -> View:
    return View("list.html", {"lines": list_lines(rules)})


def _view_sum(halfspace: Halfspace) -> View:
    return View("sum.html", {"weights": list_weights(halfspace)})


def _view_card(card: Scorecard) -> View:
    words = describe_card(card)
    names = {
        "columns": list_points(card),
        "classes": [show_value(value) for value in card.classes],
        "positive": show_value(card.positive),
        "risks": list_risks(card),
        "curve": draw_risks(card),
        "shapes": draw_shapes(card),
        "tables": () if card.points else words.tables,
        "opening": words.opening[1:],  # the first says how many records there were, which stands above
        "closing": words.closing,
    }
    return View("card.html", names)


_VIEWS: Mapping[str, Callable[[Any], View]] = {
    RuleList.kind: _view_list,
    Halfspace.kind: _view_sum,
    Scorecard.kind: _view_card,
}
