"""Scorecards in words: an index card, whatever it is printed on, and the sum of one row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from textwrap import wrap
from typing import TYPE_CHECKING

from dprules.models.counted import Estimate, describe_learning
from dprules.models.meaning import Odds, RiskTable
from dprules.models.points import Points
from dprules.models.segments import Segment, piece_at, segments_of
from dprules.schema import show_value

if TYPE_CHECKING:  # cards are described here
    from dprules.models.scorecard import Scorecard

DOUBTFUL = 2.0
"""Below so many standard deviations noise alone may have made up what points mean."""
_WIDTH = 72
"""Characters of a condition on one line of the card."""
_REMEDY = "Take more rows or a larger epsilon."
_MISSING = "(A value that cannot be read, or that is not declared, counts as missing.)"

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardTable:
    """A table of a card: the first column is text, the others are numbers."""

    titles: Cells
    rows: tuple[Cells, ...]

    def lines(self) -> list[str]:
        """Return the table as lines of text: numbers stand to the right, long text is wrapped."""
        texts = [wrap(row[0], _WIDTH, subsequent_indent="    ", break_on_hyphens=False) or [""] for row in self.rows]
        first = max(len(part) for parts in [[self.titles[0]], *texts] for part in parts)
        widths = [
            max(map(len, column)) for column in zip(self.titles[1:], *(row[1:] for row in self.rows), strict=True)
        ]
        made = [_align(self.titles[0], self.titles[1:], first, widths)] if any(self.titles) else []
        for parts, row in zip(texts, self.rows, strict=True):
            made.append(_align(parts[0], row[1:], first, widths))
            made += [f"  {part}" for part in parts[1:]]
        return made


def _align(text: str, numbers: Sequence[str], first: int, widths: Sequence[int]) -> str:
    columns = [f"{number:>{width}}" for number, width in zip(numbers, widths, strict=True)]
    return "  ".join([f"  {text:<{first}}", *columns]).rstrip()


@dataclass(frozen=True, slots=True)
class CardWords:
    """Everything that a card says: sentences, and the tables between them.

    Parameters
    ----------
    opening : tuple of str
        Sentences on what it was learnt from, and on what to do.
    tables : tuple of CardTable
        The points, and what scores mean.
    closing : tuple of str
        Sentences on what it predicts, and how far to trust it.
    """

    opening: tuple[str, ...]
    tables: tuple[CardTable, ...]
    closing: tuple[str, ...]

    def __str__(self) -> str:
        tables = ["\n".join(table.lines()) for table in self.tables]
        closing = ["\n".join(self.closing)] if self.closing else []
        return "\n\n".join(["\n".join(self.opening), *tables, *closing])


def describe_card(card: "Scorecard") -> CardWords:
    """Return what a card says."""
    learnt = describe_learning(card.records(), card.classes, card.weights)
    if not card.points:
        why = "for points there are too few records at this epsilon" if len(card.classes) > 1 else "there is one class"
        opening = (learnt, f"Only the shares of the classes were learnt: {why}.")
        return CardWords(opening, (_describe_shares(card),), (_describe_prediction(card),))
    tables = [_describe_points(card)]
    closing = [_describe_prediction(card), *_describe_doubt(card.z), _MISSING]
    if isinstance(card.meaning, RiskTable):
        tables.append(_describe_risks(card, card.meaning))
    else:
        closing.insert(0, f"Every {_show_doubling(card.meaning)} points more double the odds of a class.")
    opening = (learnt, "Of each column one line holds: add up the points of these lines.")
    return CardWords(opening, tuple(tables), tuple(closing))


def explain(card: "Scorecard", row: Mapping[str, object]) -> str:
    """Say which lines hold of a row, with their points, what they add up to, and what that means."""
    lines = []
    for points in _rank(card.points):
        code = points.column.code(row.get(points.column.name))
        lines.append((piece_at(points, code).words, *map(show_points, points.table()[code].tolist())))
    if any(card.base):
        lines.append(("every record", *map(show_points, card.base)))
    label = show_value(card.predict([row])[0].item())
    if isinstance(card.meaning, Odds):
        return _explain_odds(card, row, lines, label)
    width = max((len(number) for _, number in lines), default=0)
    parts = [f"{number:>{width}}  {words}" for words, number in lines]
    score = card.scores(card.read_rows([row]), 1)
    risk = card.meaning.risks[card.meaning.rows_of(score).item()]
    found = f"risk of {show_value(card.positive)} {show_risk(risk)}, so {label}."
    return "\n".join(
        [*parts, f"The score is {score.item()}: {found}" if card.points else f"There are no points: {found}"]
    )


def _explain_odds(card: "Scorecard", row: Mapping[str, object], lines: Sequence[Cells], label: str) -> str:
    """Say what a row gets for each class."""
    scores = card.decision_function([row])[0].tolist()
    shares = card.predict_proba([row])[0].tolist()
    below = [("score", *map(show_points, scores)), ("probability", *(f"{share:.1%}" for share in shares))]
    table = CardTable(("", *map(show_value, card.classes)), (*lines, *below, *_handicap_rows(card)))
    return "\n".join([*table.lines(), f"So {label}."])


def show_points(points: int) -> str:
    """Write points with their sign.

    Examples
    --------
    >>> show_points(5), show_points(0), show_points(-12)
    ('+5', '0', '-12')
    """
    return f"{points:+d}" if points else "0"


def show_risk(risk: Estimate) -> str:
    """Write a risk as it is run, and its interval, rounded outwards.

    Examples
    --------
    >>> show_risk(Estimate(0.032, 0.021, 0.05))
    '3.2% (2.1 to 5.0)'
    """
    value, interval = _risk_cells(risk)
    return f"{value} ({interval})"


def _risk_cells(risk: Estimate) -> Cells:
    # A little is allowed before rounding outwards: 1000 * 0.029 is 29.000000000000004.
    low, high = floor(1000 * risk.low + 1e-6) / 10, ceil(1000 * risk.high - 1e-6) / 10
    return f"{100 * risk.value:.1f}%", f"{low:.1f} to {high:.1f}"


def _show_doubling(odds: Odds) -> str:
    """Write the number as it is, if it has few digits."""
    short = round(float(odds.doubling), 3)
    return show_value(short) if Fraction(str(short)) == odds.doubling else f"about {float(odds.doubling):.4g}"


def _rank(points: Sequence[Points]) -> list[Points]:
    """Return columns in the order of their largest points."""
    return sorted(points, key=lambda part: -max(segment.size for segment in segments_of(part)))


def rank_segments(card: "Scorecard") -> list[tuple[Points, tuple[Segment, ...]]]:
    """Return columns with their segments, in the order in which they are printed."""
    return [(points, segments_of(points)) for points in _rank(card.points)]


def _describe_points(card: "Scorecard") -> CardTable:
    """Return every segment of every column with its points, and what every record starts from."""
    rows = [
        (segment.words, *map(show_points, segment.points))
        for _, segments in rank_segments(card)
        for segment in segments
    ]
    if any(card.base):
        rows.append(("every record", *map(show_points, card.base)))
    if isinstance(card.meaning, RiskTable):
        return CardTable(("", "points"), tuple(rows))
    return CardTable(("", *map(show_value, card.classes)), (*rows, *_handicap_rows(card)))


def _handicap_rows(card: "Scorecard") -> list[Cells]:
    """Return what class weights add when a class is predicted."""
    return [("for the prediction, by class weights", *map(show_points, card.handicaps))] if any(card.handicaps) else []


def _describe_risks(card: "Scorecard", table: RiskTable) -> CardTable:
    rows = [(scores, *_risk_cells(risk)) for scores, risk in zip(card.ranges(), table.risks, strict=True)]
    return CardTable(("score", f"risk of {show_value(card.positive)}", "interval"), tuple(rows))


def _describe_shares(card: "Scorecard") -> CardTable:
    """Return the shares that a card without points answers, with what the class counts say of them."""
    shares = card.predict_proba([{}])[0].tolist()
    rows = [(show_value(card.classes[place]), *_share_cells(card, place, share)) for place, share in enumerate(shares)]
    return CardTable(("class", "share", "interval"), tuple(rows))


def _share_cells(card: "Scorecard", place: int, share: float) -> Cells:
    """Return a class's share and its interval, from the class counts unless there is a risk that says so itself."""
    if isinstance(card.meaning, RiskTable):
        (risk,) = card.meaning.risks
        positive = card.classes[place] == card.positive
        return _risk_cells(risk if positive else Estimate(share, 1 - risk.high, 1 - risk.low))
    found = card.totals.share(place)
    if found is None:
        return f"{100 * share:.1f}%", "too few to tell"
    return _risk_cells(Estimate(share, min(found.low, share), max(found.high, share)))


def _describe_prediction(card: "Scorecard") -> str:
    """Say how scores become labels."""
    if isinstance(card.meaning, Odds):
        if not card.points:
            return f"It always predicts {show_value(card.predict([{}])[0].item())}."
        return "It predicts the class with the most points; of several the first."
    labels = [show_value(label) for label in card.labels]
    # Risks never fall, so labels change once at the most.
    change = next((at for at in range(1, len(labels)) if labels[at] != labels[at - 1]), None)
    if change is None:
        return f"It always predicts {labels[0]}."
    return f"It predicts {labels[-1]} from a score of {card.meaning.starts[change - 1]} on, and {labels[0]} below."


def _describe_doubt(z: float | None) -> list[str]:
    if z is None:
        return []
    if z <= 0:
        return [f"As far as can be told, this card is no better than chance (z = {z:.1f}). {_REMEDY}"]
    found = [f"z = {z:.1f}: by so many standard deviations it is better than a card that chance made of these records."]
    if z < DOUBTFUL:
        found.append(f"Noise alone may have made this card up, since z is below 2. {_REMEDY}")
    return found
