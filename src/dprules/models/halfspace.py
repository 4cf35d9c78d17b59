"""Weighted sums: what stream learners release, and decision lists as halfspaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from sys import float_info
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Certificate
from dprules.errors import ModelError, ParameterError
from dprules.files import require_format
from dprules.models import documents
from dprules.models.export.header import Header
from dprules.models.faults import stream_faults
from dprules.models.model import Answer, Model, Read
from dprules.models.one_row import Answerer, by_terms
from dprules.models.rule_list import RuleList
from dprules.schema import Clipped, Column, Literal, Scaled, Value, show_value

FORMAT = "dprules-halfspace"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Term:
    """A condition and its weight, which is added if it holds and subtracted if not; or a number and its weight.

    Parameters
    ----------
    feature : tuple of Literal, or Clipped
        A condition, or a column whose number is weighed as it is.
    weight : float
        What it adds.
    """

    feature: tuple[Literal, ...] | Clipped
    weight: float

    @property
    def name(self) -> str:
        """How the feature is printed."""
        if isinstance(self.feature, Scaled):
            bounds = f"{show_value(self.feature.lower)} to {show_value(self.feature.upper)}"
            return f"{show_value(self.feature.name)} ({bounds} as -1 to 1)"
        if isinstance(self.feature, Clipped):
            return show_value(self.feature.name)
        return " and ".join(map(str, self.feature))

    def value(self, row: Mapping[str, object]) -> float:
        """Return the feature of a row: 1 or -1, or a number in [-1, 1]."""
        if isinstance(self.feature, Clipped):
            return self.feature.number(row.get(self.feature.name))
        return 1.0 if all(literal.holds(row) for literal in self.feature) else -1.0


@dataclass(frozen=True, slots=True)
class Halfspace(Model):
    """The second of two classes if the sum is positive, the first if not. Everything in it is public.

    Parameters
    ----------
    terms : tuple of Term
        The largest weights first.
    bias : float
        What is always added.
    classes : tuple
        The negative class and the positive one.
    releases : int
        How many hypotheses were released, this one included.

    Examples
    --------
    >>> from dprules.schema import Boolean, literals_of
    >>> alone = Term(literals_of(Boolean("lives alone"))[:1], 0.5)
    >>> halfspace = Halfspace((alone,), 0.0, ("no", "yes"), releases=1)
    >>> print(halfspace)
    yes if the sum is positive, else no (a feature that fails subtracts):
      lives alone is true  +0.500
    >>> halfspace.predict([{"lives alone": True}, {"lives alone": False}]).tolist()
    ['yes', 'no']
    """

    terms: tuple[Term, ...]
    bias: float
    classes: tuple[Value, Value]
    releases: int = 0
    mark: str = field(default="", kw_only=True, compare=False)
    """What everything that shows it begins with: that its noise was seeded; empty if it is private."""
    kind: ClassVar[str] = "halfspace"
    from_rows: ClassVar[bool] = False

    @classmethod
    def ranked(cls, terms: Sequence[Term], bias: float, classes: tuple[Any, Any], releases: int) -> "Halfspace":
        """Return the halfspace with its terms in order of their weight."""
        ordered = sorted(terms, key=lambda term: (-abs(term.weight), term.name))
        return cls(tuple(ordered), bias, classes, releases)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that terms ask about."""
        found: dict[str, Column] = {}
        for term in self.terms:
            if isinstance(term.feature, Clipped):
                found[term.feature.name] = term.feature
            else:
                found |= {literal.column.name: literal.column for literal in term.feature}
        return tuple(found.values())

    def weigh(self, row: Mapping[str, object]) -> float:
        """Return the sum for a row, given by the names of its columns; an absent column is missing."""
        # In the order in which tables are weighed and SQL adds: another one may round a tie to the other side.
        total = self.bias
        for term in self.terms:
            total += term.weight * term.value(row)
        return total

    @property
    def labels(self) -> tuple[Value, Value]:
        """The two classes: its sides are all that it says."""
        return self.classes

    def answers(self) -> tuple[Answer, ...]:
        """Return its two sides, which do not say how likely they are."""
        return tuple(Answer(f"says {show_value(value)}", value) for value in self.classes)

    def decide(self, read: Read, size: int) -> NDArray[np.int64]:
        """Return 1 for each row whose sum is positive, and 0 for the others."""
        return (self.scores(read, size) > 0).astype(np.int64)

    @property
    def has_probabilities(self) -> bool:
        """No: a sum says which side, not how likely."""
        return False

    @property
    def has_scores(self) -> bool:
        """Yes: the sums."""
        return True

    def scores(self, read: Read, size: int) -> NDArray[np.float64]:
        """Return the sum of each row: the bias, and each term by the codes or numbers of its columns."""
        total = np.full(size, self.bias)
        for term in self.terms:
            if isinstance(term.feature, Clipped):
                total += term.weight * read[term.feature.name]
                continue
            held = np.ones(size, dtype=np.bool_)
            for literal in term.feature:
                held &= literal.truth()[read[literal.column.name]]
            total += np.where(held, term.weight, -term.weight)
        return total

    def prepare(self) -> Answerer:
        """Return a function that answers one row at a time."""
        return by_terms(self)

    def explain_row(self, row: Mapping[str, object]) -> str:
        """Say what each term adds for a row."""
        parts = [f"{term.name}: {term.weight * term.value(row):+.3f}" for term in self.terms]
        if self.bias:
            parts.append(f"always: {self.bias:+.3f}")
        return "\n".join([*parts, f"sum {self.weigh(row):+.3f}: {show_value(self.classes[self.weigh(row) > 0])}"])

    def write_text(self) -> str:
        """Return the sum as lines of text."""
        if not self.terms and not self.bias:
            return f"always {show_value(self.classes[0])} (nothing has been released yet)"
        width = max([len("always"), *(len(term.name) for term in self.terms)])
        lines = [f"  {term.name:<{width}}  {term.weight:+.3f}" for term in self.terms]
        lines += [f"  {'always':<{width}}  {self.bias:+.3f}"] if self.bias else []
        weighed = any(isinstance(term.feature, Clipped) for term in self.terms)
        how = "weight times feature" if weighed else "a feature that fails subtracts"
        first, second = map(show_value, self.classes)
        return "\n".join([f"{second} if the sum is positive, else {first} ({how}):", *lines])

    def faults(self, certificate: Certificate) -> list[str]:
        """Return what it shows and the certificate did not pay for."""
        return stream_faults(self, certificate)

    def document(self) -> dict[str, Any]:
        """Return the halfspace as a JSON document."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "columns": documents.write_columns(self.columns),
            "bias": self.bias,
            "terms": [_write_term(term) for term in self.terms],
            "releases": self.releases,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Halfspace":
        """Read a halfspace; anything else is refused."""
        require_format(document, FORMAT, VERSION)
        classes = documents.read_classes(document)
        if len(classes) != 2:
            raise ModelError("a halfspace of the file does not have two classes. Export it again.")
        columns = documents.read_columns(documents.read_entry(document, "columns", dict))
        terms = tuple(_read_term(entry, columns) for entry in documents.read_entry(document, "terms", list))
        releases = documents.read_entry(document, "releases", int)
        if not 0 <= releases <= documents.MOST_RELEASES:
            raise ModelError("the number of releases of the file is negative, or too large. Export it again.")
        return cls(terms, _read_weight(document.get("bias")), (classes[0], classes[1]), releases)

    @property
    def forms(self) -> tuple[str, ...]:
        """What it can be exported as."""
        return ("sql",)

    def to_sql(self, table: str, dialect: str = "duckdb", header: Header | None = None) -> str:
        """Return a query with the prediction; cells are read as `predict` reads them."""
        from dprules.models.export import sql  # sqlglot takes a while to load

        return sql.write_sum(self._weights(), self.bias, self.classes, table, dialect, header or self._header())

    def _write_expression(self) -> str:
        from dprules.models.export import sql  # sqlglot takes a while to load

        return sql.write_sum_expression(self._weights(), self.bias, self.classes)

    def _weights(self) -> list[tuple[tuple[Literal, ...] | Clipped, float]]:
        return [(term.feature, term.weight) for term in self.terms]


def _write_term(term: Term) -> dict[str, Any]:
    if isinstance(term.feature, Clipped):
        return {"number": term.feature.name, "weight": term.weight}
    return {"if": documents.write_conditions(term.feature), "weight": term.weight}


def _read_term(entry: object, columns: Mapping[str, Column]) -> Term:
    if not isinstance(entry, dict):
        raise ModelError("a term of the file is no table. Export it again.")
    weight = _read_weight(entry.get("weight"))
    if "number" not in entry:
        return Term(documents.read_conditions(entry.get("if"), columns), weight)
    column = columns.get(str(entry["number"]))
    if not isinstance(column, Clipped):
        raise ModelError("a term of the file names no number. Export it again.")
    return Term(column, weight)


def _read_weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= float_info.max:
        raise ModelError("a weight of the file is not a number. Export it again.")
    return float(value)


class ListMargin(NamedTuple):
    """A list as a halfspace over its conditions in -1/+1 coordinates.

    |<weights, z> + bias| is at least `margin` times the sum of all absolute values.
    """

    weights: NDArray[np.float64]
    bias: float
    margin: float


def from_list(rules: RuleList) -> ListMargin:
    """Return a list of two classes as a halfspace over its conditions; its margin is the best there is (theory B5).

    From the last rule to the first, a rule weighs as much as all later rules of the other label, and 2 more if the
    default has the other label.
    """
    if len(rules.classes) != 2:
        raise ParameterError(f"a halfspace has two classes; the list has {len(rules.classes)}. Merge some.")
    labels = [1 if rule.label == rules.classes[1] else -1 for rule in rules.rules]
    return from_labels(labels, 1 if rules.default == rules.classes[1] else -1)


def from_labels(labels: Sequence[int], default: int) -> ListMargin:
    """Return weights, bias and margin of a list given by the labels of its rules, -1 or 1.

    Examples
    --------
    >>> made = from_labels([1, 1, 1], -1)  # a disjunction of three
    >>> made.weights.tolist(), made.bias, made.margin
    ([2.0, 2.0, 2.0], 4.0, 0.2)
    """
    later = {1: 0, -1: 0}
    weights: list[int] = []
    for label in reversed(labels):
        weight = later[-label] + (2 if default != label else 0)
        later[label] += weight
        weights.append(label * weight)
    vector = np.array(weights[::-1], dtype=np.float64)
    bias = float(vector.sum() + 2 * default)
    return ListMargin(vector, bias, 2 / float(np.abs(vector).sum() + abs(bias)))


def double(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the doubling map z -> (z, -z): every halfspace gets non-negative weights, at the same margin."""
    return np.hstack([points, -points])
