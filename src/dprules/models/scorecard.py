"""Scorecards: points that add up to a score, and a table that says what it means. What is printed is what is run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Certificate
from dprules.errors import ModelError
from dprules.files import is_written_alike, require_format
from dprules.models import card_documents, card_words, documents
from dprules.models.card_faults import card_faults
from dprules.models.counted import Estimate
from dprules.models.export import card_python, html, markdown
from dprules.models.export.header import Header
from dprules.models.meaning import Cells, Odds, OddsTable, RiskTable, Scores, Totals
from dprules.models.model import Answer, Model, Read
from dprules.models.one_row import Answerer, by_odds, by_risks
from dprules.models.points import Points
from dprules.models.reachable import reachable_sums
from dprules.schema import Column, Value, show_value

FORMAT = "dprules-scorecard"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Scorecard(Model):
    """Points for a few conditions, added up; a table says what the sum means.

    Parameters
    ----------
    points : tuple of Points
        One for each column that matters; empty: only the shares of the classes were learnt.
    base : tuple of int
        What every record starts from: one number (0) for two classes, otherwise one for each class.
    classes : tuple
        In the declared order.
    positive : str or number
        Of two classes the one that points speak for; of more it has no meaning (the first).
    meaning : RiskTable or Odds
        What scores mean: a table for two classes, odds for more (and for one).
    totals : Totals
        Noisy class counts.
    cells : Cells or None
        What the meaning was fitted to; None: nothing was (there are no points).
    z : float or None
        How many standard deviations the slope of the fit is away from none; below 2 noise may have made the card up.
    weights : tuple of Fraction, or None
        Class weights that it was learnt with: `predict` takes the class with the largest weight times probability.

    Examples
    --------
    >>> from dprules.schema import Numeric
    >>> age = Points.of(Numeric("age", cuts=(30.0, 50.0)), np.array([[0], [12], [20], [0]]))
    >>> risks = RiskTable((10, 20), (Estimate(0.1, 0.08, 0.12), Estimate(0.3, 0.26, 0.33), Estimate(0.6, 0.5, 0.7)))
    >>> totals = Totals((700, 300), Fraction(10))
    >>> cells = Cells((10,), ((600, 100), (100, 200)), Fraction(10))
    >>> card = Scorecard((age,), (0,), ("no", "yes"), "yes", risks, totals, cells, 8.1)
    >>> card.predict([{"age": 20}, {"age": 60}]).tolist(), card.decision_function([{"age": 40}]).tolist()
    (['no', 'yes'], [12])
    >>> print(card.explain({"age": 60}))
    +20  age >= 50
    The score is 20: risk of yes 60.0% (50.0 to 70.0), so yes.
    """

    points: tuple[Points, ...]
    base: tuple[int, ...]
    classes: tuple[Value, ...]
    positive: Value
    meaning: RiskTable | Odds
    totals: Totals
    cells: Cells | None = None
    z: float | None = None
    weights: tuple[Fraction, ...] | None = None
    mark: str = field(default="", kw_only=True, compare=False)
    """What everything that shows it begins with: that its noise was seeded; empty if it is private."""
    kind: ClassVar[str] = "scorecard"

    def write_text(self) -> str:
        """Return the card as lines of text."""
        return str(card_words.describe_card(self))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that have points."""
        return tuple(points.column for points in self.points)

    # What it says of rows.

    def score_codes(self, codes: NDArray[np.int16]) -> Scores:
        """Return the scores of rows of codes, which are in the order of `columns`: one a row, or one for each class."""
        scores = np.tile(np.array(self.base, dtype=np.int64), (len(codes), 1))
        for place, points in enumerate(self.points):
            scores += points.table()[codes[:, place]]
        return scores

    def probabilities_of(self, codes: NDArray[np.int16]) -> NDArray[np.float64]:
        """Return class probabilities of rows of codes, in the order of `classes`."""
        return self._probabilities(self.score_codes(codes))

    def _score(self, read: Read, size: int) -> Scores:
        codes = [read[column.name] for column in self.columns]
        return self.score_codes(np.stack(codes, axis=1) if codes else np.empty((size, 0), dtype=np.int16))

    def _probabilities(self, scores: Scores) -> NDArray[np.float64]:
        if isinstance(self.meaning, RiskTable):
            return np.array(self._shares())[self.meaning.rows_of(scores[:, 0])]
        weights = self.odds_table().weigh(scores)
        shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def _shares(self) -> list[tuple[float, ...]]:
        """Return the probabilities of each row of the risk table, in the order of `classes`."""
        place = self.classes.index(self.positive)
        # Both are the doubles nearest to so many thousandths, which is what exports write.
        pairs = [(risk.value, (1000 - round(1000 * risk.value)) / 1000) for risk in self._risks()]
        return [pair if place == 0 else pair[::-1] for pair in pairs]

    def _risks(self) -> tuple[Estimate, ...]:
        return self.meaning.risks if isinstance(self.meaning, RiskTable) else ()

    def odds_table(self) -> OddsTable:
        """Return how leads become probabilities, for more than two classes."""
        if isinstance(self.meaning, RiskTable):
            raise TypeError("two classes have a table of risks")
        tables = [points.table() for points in self.points]
        most = sum((table.max(axis=0) for table in tables), np.array(self.base))
        least = sum((table.min(axis=0) for table in tables), np.array(self.base))
        return self.meaning.table(int(most.max() - least.min()))

    @property
    def handicaps(self) -> tuple[int, ...]:
        """What class weights add to the scores of many classes when one is predicted; zeros without weights."""
        if isinstance(self.meaning, RiskTable):
            raise TypeError("two classes have a table of risks")
        return self.meaning.handicaps(self.weights, len(self.classes))

    @property
    def labels(self) -> tuple[Value, ...]:
        """The label of each row of the risk table; of more than two classes, the classes."""
        if isinstance(self.meaning, RiskTable):
            return tuple(self.meaning.labels(self.classes, self.positive, self.weights))
        return self.classes

    def ranges(self) -> list[str]:
        """Return the scores of each row of the risk table in words, by those that the points can add up to."""
        if not isinstance(self.meaning, RiskTable):
            return []
        return self.meaning.ranges(reachable_sums([points.table()[:, 0] for points in self.points], self.base[0]))

    def answers(self) -> tuple[Answer, ...]:
        """Return the rows of the risk table; of more than two classes, the classes."""
        if isinstance(self.meaning, RiskTable):
            names = [f"score {scores}" for scores in self.ranges()] if self.points else ["every row"]
            return tuple(map(Answer, names, self.labels, self._shares()))
        return tuple(Answer(f"says {show_value(label)}", label) for label in self.classes)

    def decide(self, read: Read, size: int) -> NDArray[np.int64]:
        """Return the row of the table that each score is in; of more classes the one with most points, handicaps added.

        In a tie it is the first class.
        """
        scores = self._score(read, size)
        if isinstance(self.meaning, RiskTable):
            return self.meaning.rows_of(scores[:, 0])
        places: NDArray[np.int64] = (scores + np.array(self.handicaps)).argmax(axis=1)
        return places

    def probabilities(self, read: Read, size: int) -> NDArray[np.float64]:
        """Return how likely each class is for each row, in the order of `classes`."""
        return self._probabilities(self._score(read, size))

    @property
    def has_scores(self) -> bool:
        """Yes: sums of points."""
        return True

    def scores(self, read: Read, size: int) -> Scores:
        """Return the score of each row: one a row for two classes, otherwise one for each class."""
        scores = self._score(read, size)
        return scores[:, 0] if isinstance(self.meaning, RiskTable) else scores

    def prepare(self) -> Answerer:
        """Return a function that answers one row at a time."""
        if isinstance(self.meaning, RiskTable):
            return by_risks(self, self.meaning.starts, self._shares())
        return by_odds(self)

    def explain_row(self, row: Mapping[str, object]) -> str:
        """Say which lines hold of a row, with their points, what they add up to, and what that means."""
        return card_words.explain(self, row)

    # What is known of the records that it was learnt from.

    @property
    def is_counted(self) -> bool:
        """Yes: its classes were."""
        return True

    def records(self) -> Estimate | None:
        """Return how many records it was learnt from; None: too few to tell."""
        return self.totals.records()

    def faults(self, certificate: Certificate) -> list[str]:
        """Return what it shows and the certificate did not pay for."""
        return card_faults(self, certificate)

    # Its forms.

    def document(self) -> dict[str, Any]:
        """Return the card as a JSON document."""
        every = self.records()
        written: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "positive": self.positive,
            "columns": documents.write_columns(self.columns),
            "base": list(self.base),
            "points": [points.document() for points in self.points],
            "risks" if isinstance(self.meaning, RiskTable) else "odds": self.meaning.document(),
            "totals": self.totals.document(),
            "records": None if every is None else every.document(),
            "cells": None if self.cells is None else self.cells.document(),
            "z": self.z,
        }
        return written if self.weights is None else written | {"weights": [str(weight) for weight in self.weights]}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Scorecard":
        """Read a card; documents that are broken, hostile or of another version are refused."""
        require_format(document, FORMAT, VERSION)
        classes = documents.read_classes(document)
        columns = documents.read_columns(documents.read_entry(document, "columns", dict))
        places = 1 if len(classes) == 2 else len(classes)
        points = card_documents.read_points(document.get("points"), columns, places)
        positive = documents.read_class(document.get("positive"), classes)
        if len(set(classes)) < len(classes) or (len(classes) != 2 and positive != classes[0]):
            raise ModelError("the classes of the file are not those of a scorecard. Export it again.")
        weights = documents.read_weights(document["weights"], len(classes)) if "weights" in document else None
        read = cls(
            points,
            card_documents.read_base(document.get("base"), places),
            classes,
            positive,
            card_documents.read_meaning(document, classes),
            card_documents.read_totals(documents.read_entry(document, "totals", dict), len(classes)),
            card_documents.read_cells(document.get("cells"), points),
            card_documents.read_z(document.get("z"), points),
            weights,
        )
        # What is not written back would be ignored, and a reader might believe it all the same.
        if not is_written_alike(read.document(), document):
            raise ModelError("the file says something else than a scorecard of this dprules does. Export it again.")
        return read

    def to_sql(self, table: str, dialect: str = "duckdb", header: Header | None = None) -> str:
        """Return the card as a query: scores, probabilities and the label, beside the columns of a table.

        Parameters
        ----------
        table : str
            The table to select from, also as schema.name.
        dialect : str
            "duckdb", "postgres", "spark" or "sqlite".
        header : Header or None
            What the comment above it says; None: what a card without a certificate can say.
        """
        from dprules.models.export import card_sql  # sqlglot takes a while to load

        return card_sql.write_card(self, table, dialect, self._explained(header))

    def _write_expression(self) -> str:
        from dprules.models.export import card_sql  # sqlglot takes a while to load

        return card_sql.write_card_expression(self)

    def to_python(self, header: Header | None = None) -> str:
        """Return the card as a Python module that needs nothing but Python: `score`, `probability`, `predict`."""
        return card_python.write_card(self, self._explained(header))

    def _explained(self, header: Header | None) -> Header:
        """Return the header of an export that answers with probabilities: it says of what."""
        header = header or self._header()
        alone = isinstance(self.meaning, RiskTable)
        of = show_value(self.positive) if alone else "each class"
        return replace(header, lines=(*header.lines, f"The probability is that of {of}."))

    def to_markdown(self, header: Header | None = None) -> str:
        """Return the card as Markdown tables, and what there is to say of it."""
        return markdown.write_card(card_words.describe_card(self), header or self._header())

    def _write_html(self) -> str:
        return html.write_card(card_words.describe_card(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the points of each column as bars, and the risk of each score with its uncertainty; needs matplotlib.

        Parameters
        ----------
        ax : pair of matplotlib axes, or None
            Where to draw the points and the risks; None makes a new figure.

        Returns
        -------
        pair of matplotlib axes
        """
        from dprules.models.export import card_picture  # only pictures need matplotlib

        return card_picture.draw_card(self, ax)
