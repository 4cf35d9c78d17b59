"""How much a grant allows, and how charges that are chosen one after the other add up (`docs/proofs/ledger.md`)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from dprules.accounting import Curve, Event, Neighbours, Quote, Slots, compose, smallest
from dprules.accounting.events import Fields
from dprules.accounting.unit import LONGEST_NAME, MOST_ROWS
from dprules.errors import ModelError, ParameterError, PrivacyError, RemovedError
from dprules.numbers import Real, as_granted, budget, probability, rounded_up

Cost = tuple[Fraction, ...]
"""What a charge takes, in the coordinates of its filter: these add up."""
MOST_SHAPES = 10
"""Shapes of a slot."""
MOST_EVENTS = 50
"""Events of a shape."""
_NAMED = 4
"""Releases of a job that a refusal names."""
OWNER = "a budget of the ledger"
_REMOVED = {"concentrated": "rho", "gaussians": "mu"}
"""Kinds of budgets that earlier versions could grant."""


class Budget(ABC):
    """A budget whose charges may depend on everything that was released before: the costs add up to its limit."""

    __slots__ = ()
    kind: ClassVar[str]
    coordinates: ClassVar[tuple[str, ...]]
    """What the costs are called."""
    _kinds: ClassVar[dict[str, type["Budget"]]] = {}

    def __init_subclass__(cls, kind: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind is not None:
            cls.kind = kind
        Budget._kinds[cls.kind] = cls

    @property
    @abstractmethod
    def limit(self) -> Cost:
        """All that may be spent."""

    @property
    @abstractmethod
    def guarantee(self) -> tuple[float, float]:
        """Return the (epsilon, delta) that hold for everything charged to it, rounded up."""

    @abstractmethod
    def cost(self, quote: Quote) -> Cost:
        """Return what a job takes, or refuse one that the filter cannot hold."""

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return everything in JSON's types."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: Fields) -> "Budget":
        """Read what `fields` writes."""

    def document(self) -> dict[str, Any]:
        """Return the filter as a JSON document."""
        return {"kind": self.kind} | self.fields()

    @staticmethod
    def from_document(document: Any) -> "Budget":
        """Read a filter of any kind; unknown kinds are refused."""
        fields = Fields(document, OWNER)
        kind = str(fields.take("kind"))
        if kind in _REMOVED:
            raise RemovedError(f"the ledger has a grant in {_REMOVED[kind]}, which dprules no longer supports.")
        known = Budget._kinds.get(kind)
        if known is None:
            raise ModelError(f"{OWNER} is of a kind that this dprules does not know. Use a newer one.")
        made = known.from_fields(fields)
        fields.require_empty()
        return made


@dataclass(frozen=True, slots=True)
class EpsilonDelta(Budget, kind="sums"):
    """Epsilons and deltas add up.

    Parameters
    ----------
    epsilon, delta : number
        What may be spent.
    """

    epsilon: Real
    delta: Real
    coordinates = ("epsilon", "delta")

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", budget(as_granted(self.epsilon, "epsilon")))
        object.__setattr__(self, "delta", as_granted(self.delta, "delta", zero=True))
        if self.delta:
            probability(self.delta, "delta")

    @property
    def limit(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta."""
        return Fraction(self.epsilon), Fraction(self.delta)

    @property
    def guarantee(self) -> tuple[float, float]:
        """Epsilon and delta."""
        return rounded_up(Fraction(self.epsilon)), rounded_up(Fraction(self.delta))

    def cost(self, quote: Quote) -> Cost:
        """Return the budget of the job."""
        return quote.epsilon, quote.delta

    def fields(self) -> dict[str, Any]:
        """Return epsilon and delta."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}

    @classmethod
    def from_fields(cls, fields: Fields) -> "EpsilonDelta":
        """Read what `fields` writes."""
        return cls(fields.fraction("epsilon"), fields.fraction("delta"))


@dataclass(frozen=True, slots=True)
class ReferenceJob:
    """A job that a slot is as wide as: its events are fixed in advance.

    Parameters
    ----------
    name : str
        What people call it, such as "a list of 10 rules at epsilon 1 and delta 1e-06".
    events : tuple of Event
        Everything that the job releases.
    rows : int
        Rows of a unit that the job keeps.
    """

    name: str
    events: tuple[Event, ...]
    rows: int = 1

    def __post_init__(self) -> None:
        if not 0 < len(self.events) <= MOST_EVENTS:
            raise ParameterError(f"a shape has between 1 and {MOST_EVENTS} events.")

    @classmethod
    def from_fields(cls, fields: Fields) -> "ReferenceJob":
        """Read a shape of a ledger."""
        events = tuple(Event.from_document(event) for event in fields.take("events"))
        made = cls(str(fields.take("name"))[:LONGEST_NAME], events, fields.whole("rows", most=MOST_ROWS))
        fields.require_empty()
        return made


@dataclass(frozen=True, slots=True)
class SlotBudget(Budget, kind="slots"):
    """So many jobs, each below the upper hull of some shapes: together they are composed exactly.

    Parameters
    ----------
    number : int
        How many jobs.
    shapes : tuple of ReferenceJob
        Each job must cost no more than the largest of them, at every epsilon and in each direction.
    neighbours : Neighbours
        The relation of the curves.
    delta : number
        For the statement: which epsilon follows.
    """

    number: int
    shapes: tuple[ReferenceJob, ...]
    neighbours: Neighbours
    delta: Real
    coordinates = ("slots",)

    def __post_init__(self) -> None:
        probability(self.delta, "delta")
        object.__setattr__(self, "delta", as_granted(self.delta, "delta"))
        self.slots()

    @property
    def limit(self) -> Cost:
        """The number of slots."""
        return (Fraction(self.number),)

    @property
    def guarantee(self) -> tuple[float, float]:
        """Return the epsilon that follows for all slots together, and delta."""
        curve = _together(self)
        return smallest(lambda epsilon: curve.delta(epsilon) <= Fraction(self.delta), start=1.0), rounded_up(
            Fraction(self.delta)
        )

    def slots(self) -> Slots:
        """Return the slots with their curve."""
        return _slots_of(self)

    def cost(self, quote: Quote) -> Cost:
        """Return one slot; a job that is not below its curve is refused."""
        known = {shape.events for shape in self.shapes if shape.rows == quote.unit.rows}
        if tuple(quote.events) not in known and _gap(self, quote) is not None:
            names = " or ".join(shape.name for shape in self.shapes)
            raise PrivacyError(
                f"{_name(quote)} is not below the curve of a slot. What fits: {names}, or the same at a smaller "
                f"epsilon.{_remedy(quote)}"
            )
        return (Fraction(1),)

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        shapes = [
            {"name": shape.name, "rows": shape.rows, "events": [event.document() for event in shape.events]}
            for shape in self.shapes
        ]
        return {
            "number": self.number,
            "shapes": shapes,
            "neighbours": self.neighbours.value,
            "delta": str(self.delta),
        }

    @classmethod
    def from_fields(cls, fields: Fields) -> "SlotBudget":
        """Read what `fields` writes."""
        written = fields.take("shapes")
        if not isinstance(written, list) or not 0 < len(written) <= MOST_SHAPES:
            raise ModelError(f"{OWNER} has between 1 and {MOST_SHAPES} shapes.")
        shapes = tuple(ReferenceJob.from_fields(Fields(shape, OWNER)) for shape in written)
        neighbours = Neighbours.parse(fields.take("neighbours"))
        return cls(fields.whole("number"), shapes, neighbours, fields.fraction("delta"))


@lru_cache(maxsize=8)
def _slots_of(budget: SlotBudget) -> Slots:
    """Curves are made once: a ledger is read again for every charge."""
    curves = tuple(compose.curve(shape.events, budget.neighbours, shape.rows) for shape in budget.shapes)
    return Slots(budget.number, curves)


@lru_cache(maxsize=1024)
def _gap(budget: SlotBudget, quote: Quote) -> float | None:
    """Prices take seconds: each is found once, before others have to wait for it."""
    return _slots_of(budget).gap(quote.curve())


@lru_cache(maxsize=8)
def _together(budget: SlotBudget) -> Curve:
    return _slots_of(budget).total()


def _name(quote: Quote) -> str:
    return f"{quote.job} at epsilon {float(quote.epsilon):g} and delta {float(quote.delta):g}"


def _remedy(quote: Quote) -> str:
    """Say what a job pays for beside its model, or how it gets a price that is known in advance, if it has none."""
    if not quote.charges:
        return " Its prices depend on what it releases: for a list, give the number of rules (max_rules)."
    bought = [release.name for charge in quote.charges for release in charge.releases]
    return f" It pays for {', '.join(bought[:_NAMED])}{', ...' if len(bought) > _NAMED else ''}."
