"""Decision lists: what is printed is what is run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.data.columns import Column, Value
from dprules.data.encode import truth
from dprules.data.literals import Literal, shown
from dprules.data.table import open_table
from dprules.errors import ParameterError
from dprules.lists import files


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, then the label."""

    conditions: tuple[Literal, ...]
    label: Value

    def holds(self, row: Mapping[str, object]) -> bool:
        """Whether all conditions hold of a row."""
        return all(condition.holds(row) for condition in self.conditions)

    def __str__(self) -> str:
        return f"{' and '.join(map(str, self.conditions))} then {shown(self.label)}"


@dataclass(frozen=True, slots=True)
class RuleList:
    """If the first rule holds then its label, else if the second ..., else the default.

    `counts`, if they were bought, are noisy numbers of records for each rule (the default last) and class.

    Examples
    --------
    >>> from dprules.data import Literal, Numeric, Operator
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

    def __str__(self) -> str:
        lines = [f"{'else if' if i else 'if'} {rule}" for i, rule in enumerate(self.rules)]
        lines.append(f"else {shown(self.default)}" if self.rules else f"always {shown(self.default)}")
        if self.counts is not None:
            width = max(map(len, lines))
            lines = [
                f"{line:<{width}}   {_share(line_counts)}"
                for line, line_counts in zip(lines, self._bought(), strict=True)
            ]
        return "\n".join(lines)

    def _bought(self) -> list[str]:
        assert self.counts is not None
        everything = max(1, sum(max(0, c) for cell in self.counts for c in cell))
        labels = [*(rule.label for rule in self.rules), self.default]
        told = []
        for cell, label in zip(self.counts, labels, strict=True):
            size = sum(max(0, c) for c in cell)
            purity = max(0, cell[self.classes.index(label)]) / size if size else 0.0
            told.append(f"about {size / everything:.1%} of records, {purity:.0%} right" if size else "about no records")
        return told

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that rules ask about."""
        return tuple({c.column.name: c.column for rule in self.rules for c in rule.conditions}.values())

    def decide(self, row: Mapping[str, object]) -> int:
        """Return the index of the rule that decides a row; len(rules) is the default."""
        return next((i for i, rule in enumerate(self.rules) if rule.holds(row)), len(self.rules))

    def explain(self, row: Mapping[str, object]) -> str:
        """Say which rule decides a row, and why the earlier ones do not.

        Examples
        --------
        >>> print(RuleList((), "high", ("low", "high")).explain({}))
        No rule holds, so the default: high.
        """
        at = self.decide(row)
        passed = [
            f"Rule {i + 1} does not hold: not ({' and '.join(map(str, rule.conditions))})."
            for i, rule in enumerate(self.rules[:at])
        ]
        if at == len(self.rules):
            return "\n".join([*passed, f"No rule holds, so the default: {shown(self.default)}."])
        return "\n".join([*passed, f"Rule {at + 1} holds: {self.rules[at]}."])

    def cells(self, data: object) -> NDArray[np.int64]:
        """Return the index of the rule that decides each row: of a frame, a file, an Ibis table or a list of dicts."""
        if isinstance(data, Sequence) and not isinstance(data, str):
            return np.array([self.decide(row) for row in data], dtype=np.int64)
        with open_table(data) as table:
            return self.cells_of(table.codes(self.columns))

    def cells_of(self, codes: NDArray[np.int16]) -> NDArray[np.int64]:
        """The same from codes of `columns`."""
        place = {column.name: i for i, column in enumerate(self.columns)}
        cells = np.full(len(codes), len(self.rules), dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            held = np.ones(len(codes), dtype=np.bool_)
            for condition in rule.conditions:
                held &= truth(condition)[codes[:, place[condition.column.name]]]
            cells[held] = i
        return cells

    def labels_of(self, cells: NDArray[np.int64]) -> NDArray[Any]:
        """The labels that rules (by index) give."""
        return np.array([*(rule.label for rule in self.rules), self.default])[cells]

    def predict(self, data: object) -> NDArray[Any]:
        """Return the label of each row."""
        return self.labels_of(self.cells(data))

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
        """Drop rules that decide nothing or change nothing; every prediction stays the same."""
        from dprules.lists.simplify import simplify

        return simplify(self)

    def with_counts(self, counts: Sequence[Sequence[int]]) -> "RuleList":
        """Return the list with bought counts."""
        return replace(self, counts=tuple(tuple(int(c) for c in cell) for cell in counts))

    def to_json(self) -> str:
        """Write the list as JSON; `from_json` reads it back."""
        return json.dumps(files.written(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "RuleList":
        """Read a list; files that are broken, hostile or from the future are refused."""
        return files.read(files.document(text))

    def to_sql(self, table: str) -> str:
        """Write the list as a query for DuckDB, PostgreSQL and SQLite."""
        from dprules.lists.export import to_sql

        return to_sql(self, table)

    def to_python(self) -> str:
        """Write the list as a Python function that needs nothing."""
        from dprules.lists.export import to_python

        return to_python(self)

    def to_markdown(self) -> str:
        """Write the list as a Markdown table."""
        from dprules.lists.export import to_markdown

        return to_markdown(self)


def _share(told: str) -> str:
    return f"({told})"
