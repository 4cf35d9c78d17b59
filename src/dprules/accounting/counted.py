"""What a list costs whose rules are counted as well: nothing more than its draws (theory A6).

Every round draws a rule with scores that one record moves by at most 1 (gains, losses and weights in [0, 1]), then
releases noisy counts of what the rule covers; in the end, of what no rule covers.
"""

from dataclasses import astuple, dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from math import inf

from dprules.accounting import cover
from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.one_way import MOST_ROUNDS, OneWay, chain
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, budget, probability, rational, rounded_down, rounded_up, whole

FEW = 5
"""Up to so many rounds a last draw of 3/4 leaves 3 to 10% more tilt to all draws; beyond, 9/10 costs nothing."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Tilts of the releases as parts of the tilt of a draw.

    Requires: counts of a rule at most 1/2, the remainder and the last draw at most 1: the theorem holds for no more.
    """

    last_rule: Fraction = Fraction(9, 10)
    """Of the last draw."""
    cell: Fraction = Fraction(1, 2)
    """Of the counts of a rule."""
    last_cell: Fraction = Fraction(1, 4)
    """Of the counts of the last rule."""
    remainder: Fraction = Fraction(1)
    """Of the counts of what no rule covers."""

    def __post_init__(self) -> None:
        for name in ("last_rule", "cell", "last_cell", "remainder"):
            object.__setattr__(self, name, rational(getattr(self, name), name))
        if max(self.cell, self.last_cell) > Fraction(1, 2):
            raise ParameterError("counts of a rule must have at most half the tilt of a draw.")
        if self.last_rule > 1 or self.remainder > 1:
            raise ParameterError("the last draw and the remainder must have at most the tilt of a draw.")
        if self.last_cell > self.last_rule:
            raise ParameterError("counts of the last rule must have at most the tilt of its draw.")

    @classmethod
    def of(cls, rounds: int) -> "Parts":
        """Return good parts for so many rules: a blunter last draw pays for sharper ones before it if they are few."""
        return cls(last_rule=Fraction(3, 4)) if rounds <= FEW else cls()


def delta(
    tilt: Real,
    epsilon: Real,
    rounds: int | None,
    neighbours: str | Neighbours = "add-remove",
    parts: Parts | None = None,
) -> float:
    """Return the delta that holds with `epsilon` for a counted list, rounded up.

    Examples
    --------
    >>> from dprules.accounting import cover
    >>> plain = cover.tilt(1.0, 1e-6, reward=1, rounds=10)
    >>> delta(plain, 1.0, rounds=10) <= 1e-6  # counts of all rules are free
    True
    """
    relation = Neighbours.parse(neighbours)
    value = rounded_down(rational(epsilon, "epsilon", zero=True))
    return curve(rational(tilt, "tilt"), relation, rounds, parts or Parts()).delta(min(value, 500.0))


def tilt(
    epsilon: Real,
    delta: float,
    rounds: int | None,
    neighbours: str | Neighbours = "add-remove",
    parts: Parts | None = None,
) -> float:
    """Return nearly the largest tilt that (epsilon, delta) allows a counted list, rounded down.

    Examples
    --------
    >>> round(tilt(1.0, 1e-6, rounds=10), 3)
    0.14
    """
    most = None if rounds is None else whole(rounds, "rounds")
    total = rounded_down(budget(epsilon))
    return _tilt(total, probability(delta, "delta"), most, Neighbours.parse(neighbours), parts or Parts())


@lru_cache(maxsize=256)
def _tilt(epsilon: float, delta: float, rounds: int | None, neighbours: Neighbours, parts: Parts) -> float:
    def cost(value: float, most: int | None, knots: int | None) -> float:
        return curve(Fraction(value), neighbours, most, parts, knots).delta(epsilon)

    question = ("counted", epsilon, delta, neighbours.value, rounds, *astuple(parts))
    return cover.sharpest(cost, delta, rounds, question)


def forget_tilts() -> None:
    """Forget the tilts that this process has found: the next one is on disk, or is searched for."""
    _tilt.cache_clear()


def curve(tilt: Fraction, neighbours: Neighbours, rounds: int | None, parts: Parts, knots: int | None = None) -> Curve:
    """Return the privacy curve of a counted list; None: of any number of rounds.

    Guarantee: `docs/proofs/free_counts.md`.
    """
    if neighbours is Neighbours.ZERO_OUT:
        raise PrivacyError("A list has no zero-out neighbours. Choose add-remove or replace.")
    draws: tuple[Fraction, ...] = (tilt,)
    cells: tuple[Fraction, ...] = (parts.cell * tilt,)
    if rounds is not None and rounds <= MOST_ROUNDS:
        draws = (*draws * (rounds - 1), parts.last_rule * tilt)
        cells = (*cells * (rounds - 1), parts.last_cell * tilt)
    # Gains and losses may both be 1, so one record more and one less cost the same.
    one = OneWay(draws, draws, rounds, knots, cells, parts.remainder * tilt)
    pure: Fraction | float = inf if rounds is None else tilt * _largest_loss(rounds, parts)
    if neighbours is Neighbours.ADD_REMOVE:
        return symmetric(one, pure)
    # Only the chain: the formula for an exchange is not proved with counts. Kept, since a chain is a search.
    return symmetric(cache(partial(chain, one, one, rounded_up(tilt))), 2 * pure)


def _largest_loss(rounds: int, parts: Parts) -> Fraction:
    """Bound the logarithm of the odds of any outcome, in tilts of a draw, for one record more or less.

    A round that leaves the record moves it by at most the tilt of its draw; the one that covers it by twice that, and
    the count of what it covers by its own tilt. Then both runs are the same.
    """
    last = 2 * parts.last_rule + parts.last_cell
    before = rounds - 1
    covered = [before + last, before + parts.last_rule + parts.remainder]
    if rounds > 1:
        covered.append(rounds + parts.cell)
    return max(covered)
