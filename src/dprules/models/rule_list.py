"""Decision lists: what is printed is what is run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ModelError, ParameterError
from dprules.files import read_document, require_format
from dprules.models import documents
from dprules.models.export import markdown, python, sql
from dprules.models.rule import Rule
from dprules.models.simplify import simplify_rules
from dprules.schema import Column, Value, show_value

FORMAT = "dprules-list"
VERSION = 1


@dataclass(frozen=True, slots=True)
class RuleList:
    """If the first rule holds then its label, else if the second ..., else the default.

    Parameters
    ----------
    rules : tuple of Rule
        In their order.
    default : str or number
        The label where no rule holds.
    classes : tuple
        All labels, in the declared order.
    counts : tuple of tuples of int, or None
        If they were bought: noisy numbers of records for each rule (the default last) and class.

    Examples
    --------
    >>> from dprules.schema import Literal, Numeric, Operator
    >>> age = Numeric("age", cuts=(30.0,))
    >>> rules = RuleList((Rule((Literal(age, Operator.BELOW, 30.0),), "low"),), "high", ("low", "high"))
    >>> print(rules)
    if age < 30 then low
    else high
    >>> rules.predict([{"age": 20}, {"age": 60}]).tolist()
    ['low', 'high']
    """

    rules: tuple[Rule, ...]
    default: Value
    classes: tuple[Value, ...]
    counts: tuple[tuple[int, ...], ...] | None = None
    kind: ClassVar[str] = "list"

    def __str__(self) -> str:
        lines = [f"{'else if' if i else 'if'} {rule}" for i, rule in enumerate(self.rules)]
        lines.append(f"else {show_value(self.default)}" if self.rules else f"always {show_value(self.default)}")
        if self.counts is not None:
            width = max(map(len, lines))
            lines = [f"{line:<{width}}   ({told})" for line, told in zip(lines, self.describe_counts(), strict=True)]
        return "\n".join(lines)

    def describe_counts(self) -> list[str]:
        """Return a few words on how many records each rule decides, the default last."""
        counts = self.counts or ()
        everything = max(1, sum(max(0, count) for cell in counts for count in cell))
        described = []
        for cell, label in zip(counts, self.labels, strict=True):
            size = sum(max(0, count) for count in cell)
            if size == 0:
                described.append("about no records")
                continue
            purity = max(0, cell[self.classes.index(label)]) / size
            described.append(f"about {size / everything:.1%} of records, {purity:.0%} right")
        return described

    @property
    def labels(self) -> tuple[Value, ...]:
        """The labels of the rules, and the default's."""
        return (*(rule.label for rule in self.rules), self.default)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that rules ask about."""
        return tuple({c.column.name: c.column for rule in self.rules for c in rule.conditions}.values())

    def decide(self, row: Mapping[str, object]) -> int:
        """Return the index of the rule that decides a row; len(rules) is the default."""
        return next((i for i, rule in enumerate(self.rules) if rule.holds(row)), len(self.rules))

    def decide_codes(self, codes: NDArray[np.int16]) -> NDArray[np.int64]:
        """Return the index of the rule that decides each row of codes, which are in the order of `columns`."""
        place = {column.name: i for i, column in enumerate(self.columns)}
        cells = np.full(len(codes), len(self.rules), dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            held = np.ones(len(codes), dtype=np.bool_)
            for condition in rule.conditions:
                held &= condition.truth()[codes[:, place[condition.column.name]]]
            cells[held] = i
        return cells

    def predict(self, rows: Sequence[Mapping[str, object]]) -> NDArray[Any]:
        """Return the label of each row, given as a dictionary; `dprules.jobs.predict` takes tables."""
        return self.labels_at(np.array([self.decide(row) for row in rows], dtype=np.int64))

    def labels_at(self, cells: NDArray[np.int64]) -> NDArray[Any]:
        """Return the labels that rules (by index) give."""
        return np.array(self.labels)[cells]

    def explain(self, row: Mapping[str, object]) -> str:
        """Say which rule decides a row, and why the earlier ones do not.

        Examples
        --------
        >>> print(RuleList((), "high", ("low", "high")).explain({}))
        No rule holds, so the default: high.
        """
        at = self.decide(row)
        passed = [f"Rule {i + 1} does not hold: not ({rule.question})." for i, rule in enumerate(self.rules[:at])]
        if at == len(self.rules):
            return "\n".join([*passed, f"No rule holds, so the default: {show_value(self.default)}."])
        return "\n".join([*passed, f"Rule {at + 1} holds: {self.rules[at]}."])

    def probabilities(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return class probabilities from the bought counts, one record added to each class of a cell."""
        if self.counts is None:
            raise ParameterError(
                "probabilities need noisy counts of the rules. Fit with shares={'counts': 0.05} or similar."
            )
        counts = np.maximum(np.array(self.counts, dtype=np.float64), 0) + 1
        shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
        return shares[cells]

    def simplified(self) -> "RuleList":
        """Return the list without rules that decide nothing or change nothing; every prediction stays the same."""
        if self.counts is not None:
            raise ParameterError("simplify before counts are bought: cells would no longer fit.")
        kept = simplify_rules(self.rules, self.default)
        return replace(self, rules=tuple(self.rules[i] for i in kept))

    def with_counts(self, counts: Sequence[Sequence[int]]) -> "RuleList":
        """Return the list with bought counts."""
        return replace(self, counts=tuple(tuple(int(count) for count in cell) for cell in counts))

    def document(self) -> dict[str, Any]:
        """Return the list as a JSON document."""
        counts = {} if self.counts is None else {"counts": [list(cell) for cell in self.counts]}
        rules = [{"if": documents.write_conditions(rule.conditions), "then": rule.label} for rule in self.rules]
        return {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "columns": documents.write_columns(self.columns),
            "rules": rules,
            "default": self.default,
        } | counts

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "RuleList":
        """Read a list; documents that are broken, hostile or of another version are refused."""
        require_format(document, FORMAT, VERSION)
        classes = documents.read_classes(document)
        columns = documents.read_columns(documents.read_entry(document, "columns", dict))
        rules = []
        for entry in documents.read_entry(document, "rules", list):
            if not isinstance(entry, dict):
                raise ModelError("a rule of the file has no conditions. Export it again.")
            conditions = documents.read_conditions(entry.get("if"), columns)
            rules.append(Rule(conditions, documents.read_class(entry.get("then"), classes)))
        found = cls(tuple(rules), documents.read_class(document.get("default"), classes), classes)
        if "counts" not in document:
            return found
        return found.with_counts(_read_counts(document["counts"], len(rules) + 1, len(classes)))

    def to_json(self) -> str:
        """Return the list as JSON; `from_json` reads it back."""
        return json.dumps(self.document(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "RuleList":
        """Read a list from JSON."""
        return cls.from_document(read_document(text))

    def to_sql(self, table: str, dialect: str = "duckdb") -> str:
        """Return the list as a query; cells are read as `predict` reads them, whatever the types of the columns.

        Parameters
        ----------
        table : str
            The table to select from, also as schema.name.
        dialect : str
            "duckdb", "postgres" or "sqlite".
        """
        branches = [(rule.conditions, rule.label) for rule in self.rules]
        return sql.write_list(branches, self.default, table, dialect)

    def to_python(self) -> str:
        """Return the list as a Python module that needs nothing but Python."""
        branches = [(rule.conditions, rule.label) for rule in self.rules]
        return python.write_list(branches, self.default, self.columns)

    def to_markdown(self) -> str:
        """Return the list as a Markdown table."""
        counted = self.describe_counts() if self.counts is not None else None
        questions = [*(rule.question for rule in self.rules), "otherwise"]
        return markdown.write_list(questions, [show_value(label) for label in self.labels], counted)


def _read_counts(counts: object, cells: int, classes: int) -> list[list[int]]:
    if not isinstance(counts, list) or len(counts) != cells or not all(_is_cell(cell, classes) for cell in counts):
        raise ModelError("the counts of the file do not fit its rules. Export it again.")
    return list(counts)


def _is_cell(cell: object, classes: int) -> bool:
    return isinstance(cell, list) and len(cell) == classes and all(type(count) is int for count in cell)
