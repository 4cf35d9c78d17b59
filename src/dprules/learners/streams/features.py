"""The public features of a stream: literals of a schema, conditions made of them, or numbers between bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ParameterError, SchemaError
from dprules.learners.streams.blocks import Block, ClippedBlock, ConditionBlock, DenseBlock, LiteralBlock, Weights
from dprules.learners.streams.bounded import column_between_bounds
from dprules.learners.streams.learner import Hypothesis
from dprules.models import Halfspace, Model, Term
from dprules.schema import (
    GRID,
    Column,
    Conditions,
    Literal,
    Operator,
    Scaled,
    Schema,
    Value,
    build_conditions,
    literals_of,
)
from dprules.tables.events import CodedEvents, EventReader

Event = Mapping[str, object]
Events = Sequence[Event] | CodedEvents
"""As they come, or read already."""
_PLAIN = (Operator.EQUALS, Operator.AT_LEAST, Operator.IS_TRUE, Operator.ABOVE_ZERO, Operator.IS_MISSING)
"""With width 1 a feature counts when it holds and when it does not: its negation adds nothing."""


@dataclass(frozen=True)
class StreamFeatures:
    """What a stream learner asks of an event.

    Parameters
    ----------
    schema : Schema
        Public cuts or bounds; two classes, unless rules of lists ask.
    width : int
        Literals in one condition, 1 to 3.
    lists : bool
        Whether rules of lists ask (algorithm "epochs"): then both signs of a literal are asked, and of a missing cell
        neither holds.
    real : bool
        Whether numbers with bounds and without cuts are weighed as they are (algorithm "dense"); if not, they get
        equally spaced cuts.
    """

    schema: Schema
    width: int = 1
    lists: bool = False
    real: bool = False

    def __post_init__(self) -> None:
        if self.real and self.width != 1:
            raise ParameterError("algorithm 'dense' weighs single features. Leave the width at 1.")
        if self.schema.private_values:
            raise SchemaError("a stream needs public values. List them in the schema instead of buying them.")
        if len(self.schema.label.classes) != 2 and not self.lists:
            raise SchemaError(
                "a stream has two classes, unless its algorithm is 'epochs'. Choose that, or name two in the schema."
            )

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the schema, each with the cuts or the bounds that the learner reads it by."""
        return tuple(column_between_bounds(column, self.real) for column in self.schema.columns)

    @cached_property
    def _weighed(self) -> tuple[Scaled, ...]:
        """The columns that are weighed as numbers: the first coordinates."""
        return tuple(column for column in self.columns if isinstance(column, Scaled))

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """What may be asked of an event."""
        every = tuple(literal for column in self.columns for literal in literals_of(column))
        if self.width > 1 or self.lists:
            return every
        return tuple(literal for literal in every if literal.operator in _PLAIN)

    @cached_property
    def _conditions(self) -> Conditions:
        return build_conditions(self.literals, self.width)

    @property
    def count(self) -> int:
        """How many features there are, the bias aside."""
        return len(self._weighed) + len(self._conditions)

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        return self.count + 1

    @property
    def unit(self) -> int:
        """Coordinates are -1 and 1, or multiples of 1/64."""
        return GRID if self.real else 1

    @property
    def conditions(self) -> Conditions:
        """Coordinates as conditions of literals, but for numbers, which come first."""
        return self._conditions

    def asked(self, feature: int) -> tuple[Literal, ...] | Scaled:
        """Return the literals of a feature, or the column that is weighed."""
        numbers = len(self._weighed)
        if feature < numbers:
            return self._weighed[feature]
        return tuple(self.literals[i] for i in self._conditions[feature - numbers] if i >= 0)

    @property
    def classes(self) -> tuple[Value, ...]:
        """The negative class and the positive one; of more than two, or with lists, as the schema has them."""
        label = self.schema.label
        swapped = not self.lists and label.positive == label.classes[0]
        return tuple(reversed(label.classes)) if swapped else tuple(label.classes)

    def model(self, hypothesis: Hypothesis, releases: int) -> Model:
        """Return what was released as a model."""
        return self.halfspace(hypothesis, releases) if isinstance(hypothesis, Weights) else hypothesis

    def halfspace(self, weights: Weights, releases: int) -> Halfspace:
        """Return released weights as a model."""
        terms = [Term(self.asked(j), float(weights.values[j])) for j in weights.support.tolist()]
        negative, positive = self.classes
        return Halfspace.ranked(terms, float(weights.values[-1]), (negative, positive), releases)

    def block(self, events: Events) -> Block:
        """Return the features of events; what is missing or undeclared makes literals false, and numbers 0."""
        codes = self.read(events).columns
        by_literal = np.empty((len(self.literals), len(events)), dtype=np.bool_)
        for k, literal in enumerate(self.literals):
            by_literal[k] = literal.truth()[codes[literal.column.name]]
        held = np.ascontiguousarray(by_literal.T)
        if self.lists:
            return LiteralBlock.of(held)
        if self.real:
            numbers = [codes[column.name].reshape(-1, 1) for column in self._weighed]
            return ClippedBlock(np.hstack([*numbers, np.where(held, 1.0, -1.0)]))
        return DenseBlock(held) if self.width == 1 else ConditionBlock(held, self._conditions)

    def codes(self, events: Events) -> NDArray[np.int16]:
        """Return the place of each event's label in `classes`; -1 without a declared label: nothing happened."""
        places = [self.classes.index(value) for value in self.schema.label.classes]
        found: NDArray[np.int16] = np.array([*places, -1], dtype=np.int16)[self.read(events).labels]
        return found

    def read(self, events: Events) -> CodedEvents:
        """Return what the schema asks of events, each cell read by the one reader of cells; once is enough."""
        return events if isinstance(events, CodedEvents) else self._reader.read(events)

    @cached_property
    def _reader(self) -> EventReader:
        return EventReader(self.columns, self.schema.label.column())
