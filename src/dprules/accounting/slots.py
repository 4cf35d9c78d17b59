"""Slots: a budget for adaptive use that is composed exactly, since every step is dominated by one known curve.

Prices that are chosen after seeing outputs cannot be composed (`docs/proofs/composition.md`). They can if each of them
lies below one curve that was fixed in advance: a pair of laws that dominates every step, whatever it is, dominates the
steps together when it is multiplied by itself (`docs/proofs/ledger.md`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import sqrt
from operator import mul

from dprules.accounting.compose import LEAST_STEP, POINTS, reach_of
from dprules.accounting.curve import Bound, Curve
from dprules.accounting.pairs import Losses, connect_the_dots, grid
from dprules.errors import ParameterError
from dprules.numbers import whole

MOST_SLOTS = 1_000
"""Slots of one budget."""


@dataclass(frozen=True)
class Slots:
    """So many steps below the upper hull of some curves.

    Parameters
    ----------
    number : int
        How many.
    shapes : tuple of Curve
        A slot's curve is the largest of them at every epsilon, in each direction.

    Examples
    --------
    >>> from dprules.accounting import Gaussian, Neighbours
    >>> shape = Gaussian(0.2).curve(Neighbours.ADD_REMOVE)
    >>> two = Slots(2, (shape,))
    >>> two.gap(Gaussian(0.19).curve(Neighbours.ADD_REMOVE)) is None
    True
    >>> two.total().epsilon(1e-6) < 1.23  # twice 0.84 is 1.68
    True
    """

    number: int
    shapes: tuple[Curve, ...]

    def __post_init__(self) -> None:
        if not self.shapes:
            raise ParameterError("slots must have a shape. Name at least one.")
        if whole(self.number, "slots") > MOST_SLOTS:
            raise ParameterError(f"slots must be at most {MOST_SLOTS:,}; got {self.number}.")

    @cached_property
    def hull(self) -> Curve:
        """The curve of a slot: a maximum of convex functions of e^epsilon, hence that of a pair of laws [ZDW22]."""
        shapes = self.shapes
        if len(shapes) == 1:
            return shapes[0]
        pure = max(shape.pure for shape in shapes)
        forward = _largest(shapes)
        symmetric = all(shape.is_symmetric() for shape in shapes)
        return Curve(forward, forward if symmetric else _largest([shape.reversed() for shape in shapes]), pure)

    @cached_property
    def _reach(self) -> float:
        return reach_of(self.hull)

    @cached_property
    def _step(self) -> float:
        # As in `compose`: the sum of k losses spreads like sqrt(k).
        return max(LEAST_STEP, self._reach * max(1.0, sqrt(self.number) / 2) / POINTS)

    def gap(self, curve: Curve) -> float | None:
        """Return an epsilon at which a step's curve exceeds the slot's, in some direction; None: it fits.

        Both are compared at the points of the grid that the slot's pair of laws is made of. That is enough for every
        real epsilon: the step's curve is convex in e^epsilon and starts at 1, so that it lies below the polygon of the
        slot between the points, and beyond the last it does not rise. The pure epsilon of the slots is that of their
        curve, not of the polygon, which reaches a little further: a step must have no larger one.
        """
        if curve.pure > self.hull.pure:
            return float(self.hull.pure)
        directions = [(self.hull, curve)]
        if not (self.hull.is_symmetric() and curve.is_symmetric()):
            directions.append((self.hull.reversed(), curve.reversed()))
        points = grid(self._step, self._reach).tolist()
        for slot, step in directions:
            if slot is step:
                continue
            for epsilon in points:
                if step.at(epsilon) > slot.at(epsilon):
                    return float(epsilon)
        return None

    def total(self) -> Curve:
        """Return the curve of all slots together, for steps that are chosen one after the other."""
        forward = self._product(self.hull)
        if self.hull.is_symmetric():
            return Curve(forward.delta, forward.delta, self.number * self.hull.pure)
        backward = self._product(self.hull.reversed())
        return Curve(forward.delta, backward.delta, self.number * self.hull.pure)

    def _product(self, direction: Curve) -> Losses:
        once = connect_the_dots(direction, self._step, self._reach)
        return reduce(mul, [once] * self.number)


def _largest(shapes: Sequence[Curve]) -> Bound:
    """Return the largest of the forward bounds."""

    def largest(epsilon: float) -> float:
        return max(0.0 if epsilon >= shape.pure else shape.forward(epsilon) for shape in shapes)

    return largest
