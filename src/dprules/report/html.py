"""A report of a model: one HTML page, no scripts, nothing from the network."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dprules.models import Released, RuleList

BAR = 240
"""Pixels of a bar that covers all records."""


def render(released: Released) -> str:
    """Return the report as HTML."""
    environment = Environment(
        loader=PackageLoader("dprules.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    counted = isinstance(released.model, RuleList) and released.model.counts is not None
    return environment.get_template("report.html").render(
        released=released,
        rows=_rows(released),
        certificate=released.certificate,
        counted=counted,
        faults=released.faults(),
    )


def _rows(released: Released) -> list[dict[str, Any]]:
    """One row for each rule, or for each term of a weighted sum."""
    model = released.model
    if not isinstance(model, RuleList):
        terms = [(term.name, term.weight) for term in model.terms] + [("always", model.bias)]
        return [
            {"number": i + 1, "condition": name, "label": f"{weight:+.3f}", "bar": None}
            for i, (name, weight) in enumerate(terms)
        ]
    questions = [*(rule.question for rule in model.rules), "otherwise"]
    return [
        {"number": i + 1, "condition": question, "label": str(label), "bar": _bar(model, i)}
        for i, (question, label) in enumerate(zip(questions, model.labels, strict=True))
    ]


def _bar(rules: RuleList, place: int) -> dict[str, float] | None:
    """Coverage and purity of a rule, from the noisy counts that were bought."""
    if rules.counts is None:
        return None
    sizes = [sum(max(0, count) for count in cell) for cell in rules.counts]
    right = max(0, rules.counts[place][rules.classes.index(rules.labels[place])])
    share = sizes[place] / max(1, sum(sizes))
    purity = right / sizes[place] if sizes[place] else 0.0
    return {
        "share": share,
        "purity": purity,
        "right": BAR * share * purity,
        "wrong": BAR * share * (1 - purity),
    }
