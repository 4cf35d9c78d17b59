"""What one job may spend on one data set: charge first, then run."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from dprules.accounting import compose
from dprules.accounting.assumptions import Assumed
from dprules.accounting.certificate import Certificate, Charge, Release
from dprules.accounting.curve import group_weight
from dprules.accounting.events import Event
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.reference import LedgerReference
from dprules.accounting.unit import Unit
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, budget, rational, rounded_down, rounded_up


class Account:
    """The budget of one job: every mechanism is charged before it runs, and whatever is charged is certified.

    Prices that are fixed in advance may be charged together and are then composed exactly. Charges one after the other
    may depend on what was released before: their epsilons and deltas add up (a privacy filter, which holds for prices
    that are chosen adaptively; `docs/proofs/composition.md`).

    Parameters
    ----------
    epsilon, delta : number
        What may be spent; delta 0 allows pure releases only.
    neighbours : str
        "add-remove", "replace" or, for streams, "zero-out".
    unit : Unit
        What one neighbour has and the other has not; its rows multiply every price (group privacy).

    Examples
    --------
    >>> from dprules.accounting import Counts
    >>> account = Account(1.0, 1e-6)
    >>> account.charge("class counts", Counts(0.25))
    >>> account.epsilon_left
    Fraction(3, 4)
    >>> account.charge("more counts", Counts(2))
    Traceback (most recent call last):
    dprules.errors.PrivacyError: more counts would cost more than is left: epsilon 0.75 and delta 1e-06 ...
    """

    def __init__(
        self,
        epsilon: Real,
        delta: Real,
        neighbours: str | Neighbours = Neighbours.ADD_REMOVE,
        unit: Unit = Unit(),  # noqa: B008 - a frozen value
    ) -> None:
        self._epsilon = budget(epsilon)
        self._delta = rational(delta, "delta", zero=True)
        if self._delta >= 1:
            raise ParameterError(f"delta must be below 1; got {delta}. 1e-6 is usual.")
        self._neighbours = Neighbours.parse(neighbours)
        self._unit = unit
        self._charges: list[Charge] = []

    # What an account is for cannot change once it is open.
    @property
    def epsilon(self) -> Fraction:
        """All of epsilon."""
        return self._epsilon

    @property
    def delta(self) -> Fraction:
        """All of delta."""
        return self._delta

    @property
    def neighbours(self) -> Neighbours:
        """The relation of every price."""
        return self._neighbours

    @property
    def unit(self) -> Unit:
        """Whose privacy is protected."""
        return self._unit

    @property
    def reference(self) -> LedgerReference | None:
        """The entry of a ledger that records this account; None without a ledger."""
        return None

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What has been charged so far."""
        return tuple(self._charges)

    @property
    def epsilon_left(self) -> Fraction:
        """What is left of epsilon."""
        return self.epsilon - sum((charge.epsilon for charge in self._charges), Fraction(0))

    @property
    def delta_left(self) -> Fraction:
        """What is left of delta."""
        return self.delta - sum((charge.delta for charge in self._charges), Fraction(0))

    def charge(self, name: str, event: Event, epsilon: Real | None = None, delta: Real | None = None) -> None:
        """Charge one release, or refuse; only then may its mechanism run.

        Parameters
        ----------
        name : str
            What the release is for.
        event : Event
            What the mechanism will do.
        epsilon : number or None
            The part of epsilon to set aside for it. None: its pure epsilon if that fits, otherwise all that is left.
        delta : number or None
            The part of delta to set aside if epsilon alone does not pay for it. None: all that is left.
        """
        self.charge_together([(name, event)], epsilon, delta)

    def charge_together(
        self,
        releases: Sequence[tuple[str, Event]],
        epsilon: Real | None = None,
        delta: Real | None = None,
    ) -> None:
        """Charge several releases whose prices are all fixed now: they are composed exactly, or all refused.

        Parameters
        ----------
        releases : sequence of (str, Event)
            What each release is for, and what its mechanism will do.
        epsilon, delta : number or None
            The parts to set aside for all of them together, as in `charge`.
        """
        events = [event for _, event in releases]
        price = compose.curve(events, self.neighbours, self.unit.rows)
        part = self.epsilon_left if epsilon is None else Fraction(epsilon)
        part_of_delta = self.delta_left if delta is None else Fraction(delta)
        fits = 0 < part <= self.epsilon_left and 0 <= part_of_delta <= self.delta_left
        if fits and price.pure <= part:
            spent = Fraction(price.pure) if epsilon is None else part
            self._charges.append(Charge(_name_releases(releases), spent, Fraction(0)))
            return
        if not fits or price.delta(rounded_down(part)) > part_of_delta:
            raise PrivacyError(self._refusal(releases, price.pure))
        self._charges.append(Charge(_name_releases(releases), part, part_of_delta))

    def _refusal(self, releases: Sequence[tuple[str, Event]], pure: Fraction | float) -> str:
        names = " and ".join(name for name, _ in releases)
        alone = "" if pure == inf else f" (alone, epsilon {float(pure):.3g} at delta 0)"
        return (
            f"{names} would cost more than is left: epsilon {float(self.epsilon_left):.4g} and "
            f"delta {float(self.delta_left):.3g}{alone}. Raise epsilon or delta, or ask for less."
        )

    def for_one_row(self, epsilon: Fraction) -> tuple[float, float]:
        """Return the (epsilon, delta) that one row may cost so that a unit costs at most `epsilon` and what is left.

        Group privacy of c rows: epsilon / c, and delta over the sum of e^(i epsilon / c), i < c; both rounded down.
        """
        rows = self.unit.rows
        each = rounded_down(epsilon / rows)
        delta = rounded_down(self.delta_left)
        return each, delta if rows == 1 else delta / group_weight(each, rows) * (1 - 2.0**-36)

    def certificate(
        self, *, secure: bool, assumptions: Sequence[Assumed], settings: Mapping[str, Any] | None = None
    ) -> Certificate:
        """Return the statement of everything that was charged.

        Parameters
        ----------
        secure : bool
            Whether the noise came from a cryptographic source.
        assumptions : sequence of Assumed
            What the guarantee rests on.
        settings : mapping or None
            The public parameters, in JSON's types.
        """
        return Certificate(
            epsilon=rounded_up(self.epsilon),
            delta=rounded_up(self.delta),
            neighbours=self.neighbours,
            unit=self.unit,
            charges=self.charges,
            assumptions=tuple(dict.fromkeys(assumptions)),
            secure=secure,
            settings=dict(settings or {}),
            ledger=self.reference,
        )


def _name_releases(releases: Sequence[tuple[str, Event]]) -> tuple[Release, ...]:
    return tuple(Release(name, event) for name, event in releases)
