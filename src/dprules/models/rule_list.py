"""Decision lists: what is printed is what is run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Certificate
from dprules.errors import ModelError, ParameterError
from dprules.files import require_format
from dprules.models import documents
from dprules.models.counted import Estimate, Group, Told, describe_learning, estimate_number
from dprules.models.export import html, markdown, python
from dprules.models.export.header import Header
from dprules.models.faults import list_faults
from dprules.models.model import Answer, Model, Read
from dprules.models.one_row import Answerer, by_rules
from dprules.models.rule import Rule
from dprules.models.simplify import reachable_rules
from dprules.numbers import Real, rational
from dprules.schema import Column, Literal, Operator, Value, show_value

FORMAT = "dprules-list"
VERSION = 1


@dataclass(frozen=True, slots=True)
class RuleList(Model):
    """If the first rule holds then its label, else if the second ..., else the default.

    Parameters
    ----------
    rules : tuple of Rule
        In their order.
    default : str or number
        The label where no rule holds.
    classes : tuple
        All labels, in the declared order.
    groups : tuple of Group, or None
        Noisy numbers of the records that each rule decides (the default last), by class.
    weights : tuple of Fraction, or None
        Class weights that it was learnt with.

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
    groups: tuple[Group, ...] | None = None
    weights: tuple[Fraction, ...] | None = None
    mark: str = field(default="", kw_only=True, compare=False)
    """What everything that shows it begins with: that its noise was seeded; empty if it is private."""
    kind: ClassVar[str] = "list"

    def write_text(self) -> str:
        """Return the list as lines of text."""
        lines = [f"{'else if' if i else 'if'} {rule}" for i, rule in enumerate(self.rules)]
        lines.append(f"else {show_value(self.default)}" if self.rules else f"always {show_value(self.default)}")
        if self.groups is not None:
            width = max(map(len, lines))
            lines = [f"{line:<{width}}   {told}" for line, told in zip(lines, self.told(), strict=True)]
            lines.insert(0, self.describe_records())
        asked = {condition.operator for rule in self.rules for condition in rule.conditions}
        if asked & {Operator.DIFFERS, Operator.IS_PRESENT}:
            lines.append('("!=" and "is present" do not hold of values that are missing or not declared.)')
        return "\n".join(lines)

    @property
    def counts(self) -> tuple[tuple[int, ...], ...] | None:
        """Noisy counts by rule (the default last) and class, if there are any."""
        return None if self.groups is None else tuple(group.counts for group in self.groups)

    @property
    def is_counted(self) -> bool:
        """Whether it has counts."""
        return self.groups is not None

    def faults(self, certificate: Certificate) -> list[str]:
        """Return what it shows and the certificate did not pay for."""
        return list_faults(self, certificate)

    def records(self) -> Estimate | None:
        """Return how many records the list was learnt from; None: too few to tell, or not counted."""
        groups = self.groups or ()
        spread = sqrt(sum(group.variance for group in groups))
        return estimate_number(sum(sum(group.counts) for group in groups), spread) if groups else None

    def told(self) -> list[Told]:
        """Return what may be said of each line, the default last; nothing if nothing was counted."""
        every = self.records()
        return [
            Told(group.records(), group.share(place, chosen=last), every, group.at_most())
            for group, place, last in self._lines()
        ]

    def _lines(self) -> Iterator[tuple[Group, int, bool]]:
        """Return the group and the class of each line, and whether it is the default, which is read off its counts."""
        for at, (group, label) in enumerate(zip(self.groups or (), self.labels, strict=False)):
            yield group, self.classes.index(label), at == len(self.rules)

    def describe_records(self) -> str:
        """Say how many records the list was learnt from, and how much its classes weighed."""
        return describe_learning(self.records(), self.classes, self.weights)

    @property
    def labels(self) -> tuple[Value, ...]:
        """The labels of the rules, and the default's."""
        return (*(rule.label for rule in self.rules), self.default)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that rules ask about."""
        return tuple({c.column.name: c.column for rule in self.rules for c in rule.conditions}.values())

    def answers(self) -> tuple[Answer, ...]:
        """Return the rules and the default; without counts a line ranks rows by its label alone."""
        names = [*(f"if {rule}" for rule in self.rules), f"else {show_value(self.default)}"]
        if self.groups is None:
            shares = [[float(value == label) for value in self.classes] for label in self.labels]
        else:
            shares = self.probabilities_at(np.arange(len(names))).tolist()
        return tuple(map(Answer, names, self.labels, map(tuple, shares)))

    def decide_row(self, row: Mapping[str, object]) -> int:
        """Return the index of the rule that decides a row; len(rules) is the default."""
        return next((i for i, rule in enumerate(self.rules) if rule.holds(row)), len(self.rules))

    def decide(self, read: Read, size: int) -> NDArray[np.int64]:
        """Return the index of the rule that decides each row; len(rules) is the default."""
        cells = np.full(size, len(self.rules), dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            held = np.ones(size, dtype=np.bool_)
            for condition in rule.conditions:
                held &= condition.truth()[read[condition.column.name]]
            cells[held] = i
        return cells

    def prepare(self) -> Answerer:
        """Return a function that answers one row at a time."""
        return by_rules(self)

    def explain_row(self, row: Mapping[str, object]) -> str:
        """Say which rule decides a row, and why the earlier ones do not.

        Examples
        --------
        >>> print(RuleList((), "high", ("low", "high")).explain({}))
        No rule holds, so the default: high.
        """
        at = self.decide_row(row)
        passed = [f"Rule {i + 1} does not hold: not ({rule.question})." for i, rule in enumerate(self.rules[:at])]
        if at == len(self.rules):
            return "\n".join([*passed, f"No rule holds, so the default: {show_value(self.default)}."])
        return "\n".join([*passed, f"Rule {at + 1} holds: {self.rules[at]}."])

    @property
    def has_probabilities(self) -> bool:
        """Whether rules were counted."""
        return self.groups is not None

    def probabilities(self, read: Read, size: int) -> NDArray[np.float64]:
        """Return class probabilities of rows, those of the lines that decide them."""
        return self.probabilities_at(self.decide(read, size))

    def probabilities_at(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return class probabilities from the noisy counts; without class weights the label is the likeliest."""
        if self.groups is None:
            raise ParameterError("probabilities need noisy counts of the rules. Fit with shares={'counts': 0.05}.")
        lines = zip(self.groups, self.labels, strict=True)
        weighted = self.weights is not None
        shares = [group.probabilities(self.classes.index(label), weighted=weighted) for group, label in lines]
        return np.array(shares, dtype=np.float64)[cells]

    def simplified(self) -> "RuleList":
        """Return the list without rules that decide nothing or change nothing; every prediction stays the same.

        A trailing rule with the default's label stays if its count tells something; otherwise it joins the default.
        """
        kept = reachable_rules(self.rules)
        groups = None if self.groups is None else [*(self.groups[i] for i in kept), self.groups[-1]]
        while kept and self.rules[kept[-1]].label == self.default:
            if groups is not None:
                if groups[-2].records() is not None:
                    break
                groups[-2:] = [groups[-2].joined(groups[-1])]
            kept.pop()
        return replace(self, rules=tuple(self.rules[i] for i in kept), groups=None if groups is None else tuple(groups))

    def with_counts(self, counts: Sequence[Sequence[int]], tilt: Real) -> "RuleList":
        """Return the list with noisy counts by rule (the default last) and class, all with noise of one tilt."""
        exact = rational(tilt, "tilt")
        return replace(self, groups=tuple(Group(tuple(int(count) for count in cell), (exact,)) for cell in counts))

    def document(self) -> dict[str, Any]:
        """Return the list as a JSON document."""
        written: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "columns": documents.write_columns(self.columns),
            "rules": [{"if": documents.write_conditions(rule.conditions), "then": rule.label} for rule in self.rules],
            "default": self.default,
        }
        if self.groups is not None:
            counted = [group.document(place, chosen=last) for group, place, last in self._lines()]
            every = self.records()
            written |= {"counted": counted, "records": None if every is None else every.document()}
        return written if self.weights is None else written | {"weights": [str(weight) for weight in self.weights]}

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
        if "counted" in document:
            found = replace(found, groups=_read_groups(document["counted"], len(rules) + 1, len(classes)))
        if "weights" in document:
            found = replace(found, weights=documents.read_weights(document["weights"], len(classes)))
        return found

    def to_sql(self, table: str, dialect: str = "duckdb", header: Header | None = None) -> str:
        """Return the list as a query; cells are read as `predict` reads them, whatever the types of the columns.

        Parameters
        ----------
        table : str
            The table to select from, also as schema.name.
        dialect : str
            "duckdb", "postgres", "spark" or "sqlite".
        header : Header or None
            What the comment above it says; None: what a list without a certificate can say.
        """
        from dprules.models.export import sql  # sqlglot takes a while to load

        return sql.write_list(self._branches(), self.default, table, dialect, header or self._header())

    def _write_expression(self) -> str:
        from dprules.models.export import sql  # sqlglot takes a while to load

        return sql.write_list_expression(self._branches(), self.default)

    def _branches(self) -> list[tuple[tuple[Literal, ...], Value]]:
        return [(rule.conditions, rule.label) for rule in self.rules]

    def to_python(self, header: Header | None = None) -> str:
        """Return the list as a Python module that needs nothing but Python."""
        branches = [(rule.conditions, rule.label) for rule in self.rules]
        return python.write_list(branches, self.default, self.columns, header or self._header())

    def _write_html(self) -> str:
        counted = None if self.groups is None else [str(told) for told in self.told()]
        questions = [*(rule.question for rule in self.rules), "otherwise"]
        labels = [show_value(label) for label in self.labels]
        return html.write_list(questions, labels, counted, "" if self.groups is None else self.describe_records())

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar for each line of the list, as long as its share of the records; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes or None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib axes
        """
        from dprules.models.export import picture  # only pictures need matplotlib

        if self.groups is None:
            raise ParameterError("a picture needs noisy counts of the rules. Fit with shares={'counts': 0.05}.")
        questions = [*(rule.question for rule in self.rules), "otherwise"]
        labels = [show_value(label) for label in self.labels]
        return picture.draw_list(questions, labels, [show_value(label) for label in self.classes], self.told(), ax)

    def to_markdown(self, header: Header | None = None) -> str:
        """Return the list as a Markdown table, and what there is to say of it."""
        questions = [*(rule.question for rule in self.rules), "otherwise"]
        labels = [show_value(label) for label in self.labels]
        return markdown.write_list(questions, labels, *self._words(), header or self._header())

    def _words(self) -> tuple[list[str] | None, str]:
        """Return a few words on the records of each line, and on those of all."""
        return (None, "") if self.groups is None else (list(map(str, self.told())), self.describe_records())


def _read_groups(entries: object, lines: int, classes: int) -> tuple[Group, ...]:
    if not isinstance(entries, list) or len(entries) != lines:
        raise ModelError("the counts of the file do not fit its rules. Export it again.")
    return tuple(Group.from_document(entry, classes) for entry in entries)
