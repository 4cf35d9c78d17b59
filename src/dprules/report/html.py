"""A report of a model: one HTML page, no scripts, nothing from the network."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from dprules.lists.model import Model


def render(model: Model) -> str:
    """Return the report as HTML."""
    environment = Environment(
        loader=PackageLoader("dprules.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    rules = model.rules
    lines = [*(" and ".join(map(str, rule.conditions)) for rule in rules.rules), "otherwise"]
    labels = [*(str(rule.label) for rule in rules.rules), str(rules.default)]
    rows = [
        {"number": i + 1, "condition": line, "label": label, "bar": _bar(model, i)}
        for i, (line, label) in enumerate(zip(lines, labels, strict=True))
    ]
    return environment.get_template("report.html").render(
        rows=rows, certificate=model.certificate, counted=rules.counts is not None, verified=model.verify()
    )


def _bar(model: Model, cell: int) -> dict[str, object] | None:
    """Coverage and purity of a rule, from the noisy counts that were bought."""
    if model.rules.counts is None:
        return None
    sizes = [sum(max(0, count) for count in counts) for counts in model.rules.counts]
    labels = [*(rule.label for rule in model.rules.rules), model.rules.default]
    right = max(0, model.rules.counts[cell][model.rules.classes.index(labels[cell])])
    share = sizes[cell] / max(1, sum(sizes))
    purity = right / sizes[cell] if sizes[cell] else 0.0
    return {"share": share, "purity": purity, "right": 240 * share * purity, "wrong": 240 * share * (1 - purity)}
