"""What every private stream learner is: it takes rounds, has a hypothesis in force, and can be kept and resumed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Event
from dprules.errors import ParameterError
from dprules.learners.streams.blocks import Block, Integers, Weights
from dprules.mechanisms import Bits
from dprules.models import RuleList
from dprules.private import Private
from dprules.schema import Conditions, Literal, Value

if TYPE_CHECKING:
    from dprules.learners.streams.settings import StreamSettings

Hypothesis = Weights | RuleList
"""What a learner releases."""
Document = Mapping[str, Any]
SIGNS = np.array([-1, 1, 0], dtype=np.int8)
"""By the code of the class: the negative one, the positive one; the last is code -1, nothing happened."""


class Questions(Protocol):
    """What is asked of an example: public."""

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        ...

    @property
    def unit(self) -> int:
        """Coordinates are multiples of 1/unit."""
        ...

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What may be asked of an example."""
        ...

    @property
    def conditions(self) -> Conditions | None:
        """Coordinates as conditions of literals; None if they are the literals, or numbers."""
        ...

    @property
    def classes(self) -> tuple[Value, ...]:
        """In the order of their codes."""
        ...


class Secret(Private):
    """The private state of a learner, for a private store only.

    Parameters
    ----------
    head : bytes
        What changes all the time, and is small.
    chunks : tuple of bytes
        What only grows, until the next generation starts with none.
    generation : int
        Counts how often the chunks were dropped.
    """

    __slots__ = ("chunks", "generation", "head")

    def __init__(self, head: bytes, chunks: tuple[bytes, ...] = (), generation: int = 0) -> None:
        self.head = head
        self.chunks = chunks
        self.generation = generation


class Learner(Private, ABC):
    """A private learner on a stream. What it releases is public, and everything else is not.

    Guarantee: the sequence of hypotheses, and when they come, costs `event`; nothing else leaves this object.
    """

    __slots__ = ("releases",)

    def __init__(self) -> None:
        self.releases = 0
        """How many hypotheses have been released."""

    @classmethod
    @abstractmethod
    def event(cls, settings: "StreamSettings", questions: Questions) -> Event:
        """Return what the whole stream costs, however long."""

    @classmethod
    @abstractmethod
    def start(cls, settings: "StreamSettings", questions: Questions, bits: Bits) -> Self:
        """Return a learner before its first round."""

    @classmethod
    @abstractmethod
    def resume(
        cls, settings: "StreamSettings", questions: Questions, public: Document, secret: Secret, bits: Bits
    ) -> Self:
        """Go on with what was kept in a private store; refuse what does not fit."""

    @property
    @abstractmethod
    def hypothesis(self) -> Hypothesis:
        """The one in force: public."""

    @property
    @abstractmethod
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""

    @property
    def settled(self) -> int:
        """For how many rounds from here on the hypothesis in force stays at least: public. They may wait together."""
        return 0

    @abstractmethod
    def take(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled rounds in their order: the code of the class of each, -1 if nothing happened in it."""

    def extend(self, questions: Questions, places: Integers) -> None:
        """Take more questions from the next round on, for the same price.

        Parameters
        ----------
        questions : Questions
            Those of before and new ones.
        places : array of int
            Where each coordinate of before has gone, the bias included; the others start at 0.
        """
        raise ParameterError("this algorithm cannot take new columns. Start a new stream.")

    @abstractmethod
    def public(self) -> dict[str, Any]:
        """Return everything public in JSON's types: with the settings and the questions, enough to go on."""

    @abstractmethod
    def secret(self) -> Secret:
        """Return everything private, for a private store only, never to be shown."""
