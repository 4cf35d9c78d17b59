"""What the settings of every learner from tables can do, so that jobs need not know which learner it is."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

from dprules.accounting import Account
from dprules.learners.class_weights import ClassWeight
from dprules.mechanisms import Bits
from dprules.models import Model
from dprules.numbers import Real
from dprules.schema import Schema
from dprules.tables import Records


class Progress(Protocol):
    """Told how far a step has come; everything told is public."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show it."""
        ...


class Settings(Protocol):
    """The public parameters of a learner: a frozen value that also knows how to learn."""

    @property
    def shares(self) -> Mapping[str, Real]:
        """Parts of epsilon by name."""
        ...

    @property
    def class_weight(self) -> ClassWeight:
        """How much the classes count."""
        ...

    def survey(self, schema: Schema) -> dict[str, int]:
        """Return how much there is to learn from, in public numbers; refuse a schema that leaves nothing, or too much.

        Cuts and values that are still to be bought count as many as were asked for.
        """
        ...

    def part_of_epsilon(self) -> Fraction:
        """Return the part of epsilon that goes into something else than the model, cuts and values aside."""
        ...

    def prices_are_fixed(self, schema: Schema) -> bool:
        """Whether every price is known before the first release; otherwise some follow from noisy counts."""
        ...

    def learn(self, records: Records, schema: Schema, account: Account, bits: Bits, progress: Progress) -> Model:
        """Learn a model; every release is charged to the account before it is drawn.

        Guarantee: what the account's certificate says, for everything returned.
        """
        ...

    def document(self) -> dict[str, Any]:
        """Return the settings in JSON's types, for the certificate."""
        ...
