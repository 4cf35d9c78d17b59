"""What the table of a report shows: the rules of a list with bars, or the terms of a sum."""

from dataclasses import dataclass
from math import ceil, floor

from dprules.models import Estimate, Halfspace, RuleList, Told, show_number
from dprules.models.counted import show_interval
from dprules.schema import Clipped, show_value


@dataclass(frozen=True, slots=True)
class Mark:
    """A noisy number in words, and its place on a scale from 0 to 100.

    Parameters
    ----------
    words, interval : str
        The number and its interval, as they are printed.
    place, low, high : float
        Where they stand on the scale.
    """

    words: str
    interval: str
    place: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """One rule of a list, or the default.

    Parameters
    ----------
    question : tuple of str
        Its conditions; none for the default.
    label : str
        What it says.
    records, right : Mark or None
        How many records it decides, and the share that it gets right; None: too few to tell, or not counted.
    told : str
        The same in words.
    """

    question: tuple[str, ...]
    label: str
    records: Mark | None = None
    right: Mark | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class Weight:
    """One term of a sum: its name, its weight, and a bar that starts at the middle (50) of the scale."""

    name: str
    words: str
    start: float
    length: float


def list_lines(rules: RuleList) -> list[Line]:
    """Return the lines of a list, the default last."""
    questions = [*(tuple(map(str, rule.conditions)) for rule in rules.rules), ()]
    labels = [show_value(label) for label in rules.labels]
    told = rules.told()
    if not told:
        return [Line(question, label) for question, label in zip(questions, labels, strict=True)]
    whole = _width_of(rules.records(), told)
    return [
        Line(
            question,
            label,
            _mark_records(line.records, whole),
            None if line.right is None else mark_share(line.right),
            str(line),
        )
        for question, label, line in zip(questions, labels, told, strict=True)
    ]


def _width_of(every: Estimate | None, told: list[Told]) -> float:
    """Return how many records the whole width of a bar stands for."""
    if every is not None:
        return every.value
    return max([1.0, *(line.records.high for line in told if line.records is not None)])


def _mark_records(records: Estimate | None, whole: float) -> Mark | None:
    if records is None:
        return None
    places = [_percent(number / whole) for number in (records.value, records.low, records.high)]
    return Mark(show_number(records), show_interval(records), *places)


def mark_share(share: Estimate) -> Mark:
    """Return where a share stands on a scale from 0 to 100%."""
    interval = f"{floor(100 * share.low)} to {ceil(100 * share.high)}"
    return Mark(f"{share.value:.0%}", interval, *(_percent(part) for part in (share.value, share.low, share.high)))


def _percent(share: float) -> float:
    return round(100 * min(1.0, max(0.0, share)), 2)


def list_weights(halfspace: Halfspace) -> list[Weight]:
    """Return the terms of a sum, what is always added last."""
    terms = [(_name(term.feature, term.name), term.weight) for term in halfspace.terms]
    if halfspace.bias:
        terms.append(("always", halfspace.bias))
    largest = max((abs(weight) for _, weight in terms), default=0.0) or 1.0
    return [draw_weight(name, f"{weight:+.3f}", weight / largest) for name, weight in terms]


def _name(feature: object, name: str) -> str:
    return f"the number {name}" if isinstance(feature, Clipped) else name


def draw_weight(name: str, words: str, part: float) -> Weight:
    """Return a bar for a part of the largest weight, from -1 to 1."""
    start = 50.0 if part >= 0 else 50 + 50 * part
    return Weight(name, words, round(start, 2), round(abs(50 * part), 2))
