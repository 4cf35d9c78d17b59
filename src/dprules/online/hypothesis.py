"""A released hypothesis: few weights, ranked and readable. Everything in here is public."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat

from dprules.data.literals import Literal, quoted
from dprules.errors import ModelError
from dprules.online.blocks import GRID, Weights

FORMAT, VERSION = "dprules-hypothesis", 1


@dataclass(frozen=True, slots=True)
class Term:
    """A feature that holds or not, and what it adds: its weight if it holds, the opposite if not."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The second of two classes if the sum is positive, the first if not."""

    terms: tuple[Term, ...]
    """The largest weights first."""
    bias: float
    classes: tuple[Any, Any]
    releases: int = 0
    """How many hypotheses were released, this one included."""
    real: bool = False
    """Whether features are numbers in [-1, 1], which count as they are, and not Booleans."""

    @classmethod
    def of(
        cls,
        weights: Weights,
        names: Mapping[int, str],
        classes: tuple[Any, Any],
        releases: int,
        real: bool = False,
    ) -> "Hypothesis":
        """Name the weights: `names` says what the features in the support are called."""
        terms = [Term(names[j], float(weights.values[j])) for j in weights.support.tolist()]
        ranked = sorted(terms, key=lambda term: (-abs(term.weight), term.name))
        return cls(tuple(ranked), float(weights.values[-1]), classes, releases, real)

    def says(self, features: Mapping[str, object]) -> float:
        """The sum for an example, given by the names of its features; one that is not named is 0, and does not hold."""
        return self.bias + sum(t.weight * self._value(features.get(t.name)) for t in self.terms)

    def _value(self, cell: object) -> float:
        number = float(cell) if isinstance(cell, SupportsFloat) and not isinstance(cell, str) else 0.0
        if self.real:
            return round(GRID * min(1.0, max(-1.0, number))) / GRID if number == number else 0.0
        return 1.0 if number > 0 else -1.0

    def predict(self, features: Mapping[str, object]) -> Any:
        """The class of an example."""
        return self.classes[1] if self.says(features) > 0 else self.classes[0]

    def __str__(self) -> str:
        if not self.terms and not self.bias:
            return f"always {self.classes[0]} (nothing has been released yet)"
        width = max([len("always"), *(len(term.name) for term in self.terms)])
        lines = [f"  {term.name:<{width}}  {term.weight:+.3f}" for term in self.terms]
        lines += [f"  {'always':<{width}}  {self.bias:+.3f}"] if self.bias else []
        how = "weight times feature" if self.real else "a feature that fails subtracts"
        return "\n".join([f"{self.classes[1]} if the sum is positive, else {self.classes[0]} ({how}):", *lines])

    def to_json(self) -> str:
        """The hypothesis as JSON."""
        return json.dumps(self.to_document(), indent=2) + "\n"

    def to_document(self) -> dict[str, Any]:
        """The hypothesis as a JSON document."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "classes": list(self.classes),
            "bias": self.bias,
            "terms": [{"feature": term.name, "weight": term.weight} for term in self.terms],
            "releases": self.releases,
            "real": self.real,
        }

    @classmethod
    def from_json(cls, text: str) -> "Hypothesis":
        """Read a hypothesis; anything else is refused."""
        try:
            return cls.from_document(json.loads(text))
        except ValueError:
            pass
        raise ModelError("the file is not a hypothesis of dprules, or it was cut short. Export it again.")

    @classmethod
    def from_document(cls, document: Any) -> "Hypothesis":
        """Read a hypothesis from a parsed document."""
        try:
            assert document["format"] == FORMAT
            assert document["version"] == VERSION
            first, second = document["classes"]
            terms = tuple(Term(str(t["feature"]), float(t["weight"])) for t in document["terms"])
            number, real = int(document["releases"]), bool(document["real"])
            return cls(terms, float(document["bias"]), (first, second), number, real)
        except (AssertionError, KeyError, TypeError, ValueError, OverflowError):
            pass
        raise ModelError("the file is not a hypothesis that this dprules can read. Update dprules, or export it again.")

    def to_sql(self, table: str, literals: Mapping[str, Sequence[Literal]]) -> str:
        """A query with the prediction, for DuckDB, PostgreSQL and SQLite; `literals` says what a feature asks."""
        name = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
        parts = [
            f"(CASE WHEN {' AND '.join(c.sql() for c in literals[t.name])} THEN {t.weight!r} ELSE {-t.weight!r} END)"
            for t in self.terms
        ]
        total = "\n    + ".join([repr(self.bias), *parts])
        positive, negative = quoted(self.classes[1]), quoted(self.classes[0])
        return f"SELECT *, CASE WHEN\n    {total}\n  > 0 THEN {positive} ELSE {negative} END AS prediction\nFROM {name}"
