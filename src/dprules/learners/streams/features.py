"""The public features of a stream: literals of a schema, or conditions made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprules.errors import SchemaError
from dprules.learners.streams.blocks import Block, ConditionBlock, DenseBlock, Weights
from dprules.learners.streams.learner import Hypothesis
from dprules.models import Halfspace, Model, Term
from dprules.schema import Conditions, Literal, Operator, Schema, Value, build_conditions

Event = Mapping[str, object]
_PLAIN = (Operator.EQUALS, Operator.AT_LEAST, Operator.IS_TRUE, Operator.ABOVE_ZERO, Operator.IS_MISSING)
"""With width 1 a feature counts when it holds and when it does not: its negation adds nothing."""


@dataclass(frozen=True)
class StreamFeatures:
    """What a stream learner asks of an event.

    Parameters
    ----------
    schema : Schema
        Two classes, public cuts.
    width : int
        Literals in one condition, 1 to 3.
    """

    schema: Schema
    width: int = 1

    def __post_init__(self) -> None:
        if self.schema.private_cuts:
            raise SchemaError("a stream needs public cuts. Give cuts instead of lower and upper in the schema.")
        if self.schema.private_values:
            raise SchemaError("a stream needs public values. List them in the schema instead of buying them.")
        if len(self.schema.label.classes) != 2:
            raise SchemaError("a stream learner has two classes. Name two in the schema.")

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """What may be asked of an event."""
        every = self.schema.literals()
        return every if self.width > 1 else tuple(literal for literal in every if literal.operator in _PLAIN)

    @cached_property
    def _conditions(self) -> Conditions:
        return build_conditions(self.literals, self.width)

    @property
    def count(self) -> int:
        """How many features there are, the bias aside."""
        return len(self._conditions)

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        return self.count + 1

    @property
    def unit(self) -> int:
        """Coordinates are -1 and 1."""
        return 1

    @property
    def conditions(self) -> Conditions:
        """Coordinates as conditions of literals."""
        return self._conditions

    def asked(self, feature: int) -> tuple[Literal, ...]:
        """Return the literals of a feature."""
        return tuple(self.literals[i] for i in self._conditions[feature] if i >= 0)

    @property
    def classes(self) -> tuple[Value, Value]:
        """The negative class and the positive one."""
        first, second = self.schema.label.classes
        return (second, first) if self.schema.label.positive == first else (first, second)

    def model(self, hypothesis: Hypothesis, releases: int) -> Model:
        """Return what was released as a model."""
        return self.halfspace(hypothesis, releases) if isinstance(hypothesis, Weights) else hypothesis

    def halfspace(self, weights: Weights, releases: int) -> Halfspace:
        """Return released weights as a model."""
        terms = [Term(self.asked(j), float(weights.values[j])) for j in weights.support.tolist()]
        return Halfspace.ranked(terms, float(weights.values[-1]), self.classes, releases)

    def block(self, events: Sequence[Event]) -> Block:
        """Return the features of events; what is missing or undeclared makes literals false."""
        codes = {
            column.name: np.array([column.code(event.get(column.name)) for event in events], dtype=np.int64)
            for column in self.schema.columns
        }
        held = np.zeros((len(events), len(self.literals)), dtype=np.bool_)
        for k, literal in enumerate(self.literals):
            held[:, k] = literal.truth()[codes[literal.column.name]]
        return DenseBlock(held) if self.width == 1 else ConditionBlock(held, self._conditions)

    def codes(self, events: Sequence[Event]) -> NDArray[np.int16]:
        """Return the place of each event's label in `classes`; -1 without a declared label: nothing happened."""
        label = self.schema.label
        column = label.column()
        place = {-1: -1} | {i: self.classes.index(value) for i, value in enumerate(label.classes)}
        return np.array([place[column.code(event.get(label.name))] for event in events], dtype=np.int16)
