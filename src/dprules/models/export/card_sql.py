"""Scorecards as SQL: points of each column, added up, and what the sum means, in whole numbers."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from dprules.models.export.header import Header
from dprules.models.export.query import Query, add_up, comment, label_writer
from dprules.models.export.readings import write_condition, write_double
from dprules.models.meaning import OddsTable, RiskTable
from dprules.models.points import Points
from dprules.schema import Value, show_value

if TYPE_CHECKING:  # cards are exported here
    from dprules.models.scorecard import Scorecard


def write_card(card: "Scorecard", table: str, dialect: str, header: Header) -> str:
    """Return a query with scores, probabilities and the label, which is the last column.

    Parameters
    ----------
    card : Scorecard
        What is exported.
    table, dialect, header
        As for a list. Names of columns begin as that of the label: two classes have one score and the probability of
        the positive class, more have one of each for each class.
    """
    middles = [""] if isinstance(card.meaning, RiskTable) else [f"_{show_value(label)}" for label in card.classes]
    names = [f"{header.answer_name}{middle}" for middle in middles]
    query = _ask_points(card, table, dialect, header, names)
    scores = [query.fetch("score", f"s{place}") for place in range(len(card.base))]
    if isinstance(card.meaning, RiskTable):
        (score,) = scores
        risks = _write_rows(score, card.meaning, [query.sql(write_double(risk.value)) for risk in card.meaning.risks])
        shares, label = [risks], _write_rows(score, card.meaning, _write_labels(card.labels, query))
    else:
        label = _write_best(card, query)
        shares = _write_odds(card, query)
    answers = {f"{name}_score": score for name, score in zip(names, scores, strict=True)}
    answers |= {f"{name}_probability": share for name, share in zip(names, shares, strict=True)}
    return query.write_answers(answers | {header.answer_name: label})


def write_card_expression(card: "Scorecard") -> str:
    """Return the label of a card as one expression of Spark's."""
    query = _ask_points(card, "t", "spark", Header(()), ())
    if isinstance(card.meaning, RiskTable):
        label = _write_rows(query.fetch("score", "s0"), card.meaning, _write_labels(card.labels, query))
    else:
        label = _write_best(card, query)
    return query.write_expression([label])


def _ask_points(card: "Scorecard", table: str, dialect: str, header: Header, names: Sequence[str]) -> Query:
    literals = [line.condition for points in card.points for line in points.lines]
    query = Query(table, dialect, header, literals, names)
    query.add_numbers("score", "the sum of the points", _write_scores(card, query))
    return query


def _write_scores(card: "Scorecard", query: Query) -> dict[str, str]:
    """Return the sum of points, for each class if there are many."""
    found = {}
    for place, base in enumerate(card.base):
        terms = [str(base), *(_write_points(points, place, query) for points in card.points)]
        found[f"s{place}"] = add_up(terms)
    return found


def _write_points(points: Points, place: int, query: Query) -> str:
    """Return what a column adds."""
    if not points.lines:
        return str(points.otherwise[place])
    cases = [
        f"    -- {comment([line.condition])}\n"
        f"    WHEN {query.sql(write_condition([line.condition]))} THEN {line.points[place]}"
        for line in points.lines
    ]
    return "\n".join(["CASE", *cases, f"    ELSE {points.otherwise[place]}", "  END"])


def _write_rows(score: str, table: RiskTable, written: Sequence[str]) -> str:
    """Return what stands in the row of a score; rows that say the same are one."""
    ends = [*(f"WHEN {score} < {start} THEN" for start in table.starts), "ELSE"]
    rows = [list(alike)[-1] for _, alike in groupby(zip(written, ends, strict=True), key=lambda row: row[0])]
    if len(rows) == 1:
        return rows[0][0]
    return "\n".join(["CASE", *(f"  {end} {answer}" for answer, end in rows), "END"])


def _write_labels(labels: Sequence[Value], query: Query) -> list[str]:
    write_label = label_writer(labels)
    return [query.sql(write_label(label)) for label in labels]


def _write_best(card: "Scorecard", query: Query) -> str:
    """Return the label of the class with most points, handicaps included."""
    scores = [query.fetch("score", f"s{place}") for place in range(len(card.classes))]
    raised = [f"{score} + {extra}" for score, extra in zip(scores, card.handicaps, strict=True)]
    query.add_numbers("best", "most points of a class", {"b": query.greatest(scores), "h": query.greatest(raised)})
    return _write_first(query.fetch("best", "h"), raised, _write_labels(card.classes, query))


def _write_odds(card: "Scorecard", query: Query) -> list[str]:
    """Return the probability of each class, once the best is known."""
    table = card.odds_table()
    places = range(len(card.classes))
    behind = [f"{query.fetch('best', 'b')} - {query.fetch('score', f's{place}')}" for place in places]
    leads = [f"CASE WHEN {lead} < {table.last} THEN {lead} ELSE {table.last} END" for lead in behind]
    query.add_numbers("lead", "how far each class is behind", {f"l{at}": lead for at, lead in enumerate(leads)})
    weights = [_write_weight(query.fetch("lead", f"l{place}"), table, query) for place in places]
    query.add_numbers("odds", "what that makes of its odds", {f"w{at}": weight for at, weight in enumerate(weights)})
    every = add_up([query.fetch("odds", f"w{place}") for place in places])
    query.add_numbers("total", "the sum of the odds", {"w": every})
    total = query.cast(query.fetch("total", "w"), "double")
    return [f"{query.cast(query.fetch('odds', f'w{place}'), 'double')} / {total}" for place in places]


def _write_first(most: str, scores: Sequence[str], labels: Sequence[str]) -> str:
    """Return the first label whose score is the largest."""
    if len(labels) == 1:
        return labels[0]
    cases = [f"  WHEN {most} = {score} THEN {label}" for score, label in zip(scores[:-1], labels[:-1], strict=True)]
    return "\n".join(["CASE", *cases, f"  ELSE {labels[-1]}", "END"])


def _write_weight(lead: str, table: OddsTable, query: Query) -> str:
    """Return the weight of a class that is so far behind."""
    step = len(table.fine)
    fine = " ".join(f"WHEN {at} THEN {number}" for at, number in enumerate(table.fine[:-1]))
    coarse = " ".join(f"WHEN {lead} < {(at + 1) * step} THEN {number}" for at, number in enumerate(table.coarse[:-1]))
    small = f"CASE {lead} % {step} {fine} ELSE {table.fine[-1]} END" if fine else str(table.fine[-1])
    large = f"CASE {coarse} ELSE {table.coarse[-1]} END" if coarse else str(table.coarse[-1])
    return f"{query.cast(small, 'bigint')} * {query.cast(large, 'bigint')}"
