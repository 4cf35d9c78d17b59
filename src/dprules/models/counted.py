"""Noisy counts of the records that a rule decides, and what may be said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log, log10, sqrt
from typing import Any

from dprules.accounting.events.event import Fields
from dprules.errors import ModelError
from dprules.schema import Value, show_value

CONFIDENT = log(20) / sqrt(2)
"""Noise stays within so many standard deviations 95% of the time: exact for one exponential, more for sums of them."""
TOO_FEW = 3
"""Below so many standard deviations noise alone could have made up a number."""
TOO_WIDE = 0.5
"""A share whose interval is wider says nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that carries noise: in 95 of 100 runs the number without it lies between low and high.

    The interval is about the noise, on the records that were learnt from; it says nothing about new records. The 95 are
    of all runs: of those in which a small number happens to be large enough to be shown, fewer.
    """

    value: float
    low: float
    high: float

    def document(self) -> dict[str, float]:
        """Return it as a JSON document."""
        return {"value": self.value, "low": self.low, "high": self.high}


def noise_of(tilts: Sequence[Fraction]) -> float:
    """Return a standard deviation of the noise of one count: of a sum of two-sided geometric noises, and a little more.

    sqrt(2) / tilt is at least that of the geometric law; a quarter makes up for its steps where the tilt is large.
    """
    return sqrt(sum((sqrt(2) / float(tilt)) ** 2 for tilt in tilts)) + 0.25


def estimate_number(count: int, spread: float, deviations: float = CONFIDENT) -> Estimate | None:
    """Return a number of records with its interval, or None if the noise could have made it up."""
    if count < TOO_FEW * spread:
        return None
    return Estimate(count, max(0, floor(count - deviations * spread)), ceil(count + deviations * spread))


def estimate_share(counts: Sequence[int], place: int, noise: float, deviations: float) -> Estimate | None:
    """Return the share of one of some counts, or None if its interval leaves more than half of all shares.

    The interval holds every share p for which `count - p * records` is within its noise (Fieller's interval).
    """
    hits = max(counts[place], 0)
    every = hits + max(sum(counts) - counts[place], 0)
    width = (deviations * noise) ** 2
    a = every**2 - width * len(counts)
    if a <= 0:
        return None
    b = hits * every - width
    root = sqrt(max(0.0, b * b - a * (hits**2 - width)))
    low, high = (b - root) / a, (b + root) / a
    value = hits / every
    found = Estimate(*(round(min(max(x, 0.0), 1.0), 4) for x in (value, min(low, value), max(high, value))))
    return found if found.high - found.low <= TOO_WIDE else None


@dataclass(frozen=True, slots=True)
class Group:
    """The records that one line of a list decides, counted by class with two-sided geometric noise.

    Parameters
    ----------
    counts : tuple of int
        One for each class.
    tilts : tuple of Fraction
        Of the noise; several if the counts are a sum of several histograms.
    """

    counts: tuple[int, ...]
    tilts: tuple[Fraction, ...]

    @property
    def noise(self) -> float:
        """The standard deviation of one count."""
        return noise_of(self.tilts)

    @property
    def variance(self) -> float:
        """Of the sum of all counts."""
        return len(self.counts) * self.noise**2

    def joined(self, other: "Group") -> "Group":
        """Return both groups as one."""
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Group(counts, self.tilts + other.tilts)

    def records(self) -> Estimate | None:
        """Return how many records there are; None: too few to tell."""
        return estimate_number(sum(self.counts), sqrt(self.variance))

    def at_most(self) -> int:
        """Return how many records there may be at the most: in 95 of 100 runs there are no more."""
        return ceil(max(0, sum(self.counts)) + CONFIDENT * sqrt(self.variance))

    def share(self, place: int, *, chosen: bool = False) -> Estimate | None:
        """Return the share of a class; None: too few records to tell, or to narrow it down to half of all shares.

        If the class was `chosen` as the largest of these very counts, the interval is wide enough to hold for all
        classes at once.
        """
        if self.records() is None:
            return None
        deviations = CONFIDENT + (log(len(self.counts)) / sqrt(2) if chosen else 0)
        return estimate_share(self.counts, place, self.noise, deviations)

    def probabilities(self, place: int, *, weighted: bool = False) -> list[float]:
        """Return class probabilities, drawn towards the label where noise is large (theory F).

        The label's is the largest, unless classes had weights: then the label need not be the likeliest class.

        Examples
        --------
        >>> [round(p, 2) for p in Group((300, 700), (Fraction(1),)).probabilities(1)]
        [0.3, 0.7]
        """
        classes = len(self.counts)
        # Twice the noise, and one record: half of it is spread evenly, half goes to the label.
        prior = 2 * self.noise + 1
        found = [max(count, 0) + prior / (2 * classes) for count in self.counts]
        found[place] += prior / 2
        others = max((mass for at, mass in enumerate(found) if at != place), default=0.0)
        if not weighted:
            found[place] = max(found[place], others * (1 + 2.0**-20))
        return [mass / sum(found) for mass in found]

    def document(self, place: int, *, chosen: bool = False) -> dict[str, Any]:
        """Return it as a JSON document; `place` is the class that the line answers, as for `share`."""
        records, right = self.records(), self.share(place, chosen=chosen)
        return {
            "counts": list(self.counts),
            "tilts": [str(tilt) for tilt in self.tilts],
            "records": None if records is None else records.document(),
            "right": None if right is None else right.document(),
        }

    @classmethod
    def from_document(cls, document: object, classes: int) -> "Group":
        """Read a group; what follows from its counts is worked out again."""
        if not isinstance(document, Mapping) or not _are_counts(document.get("counts"), classes):
            raise ModelError("the counts of the file do not fit its rules. Export it again.")
        tilts = document.get("tilts")
        if not isinstance(tilts, list) or not 0 < len(tilts) <= MOST_TILTS:
            raise ModelError("counts of the file do not say how much noise they carry. Export it again.")
        exact = tuple(Fields({"tilt": tilt}, "a count of the file").fraction("tilt") for tilt in tilts)
        if not all(LEAST_TILT <= tilt <= MOST_TILT for tilt in exact):
            raise ModelError("counts of the file carry noise that no release has. Export it again.")
        return cls(tuple(document["counts"]), exact)


MOST_TILTS = 10_000
"""Histograms that may be added up in one group: no more than a list has rules."""
LEAST_TILT = Fraction(1, 2**60)
MOST_TILT = Fraction(2**20)


def _are_counts(counts: object, classes: int) -> bool:
    return (
        isinstance(counts, list)
        and len(counts) == classes
        and all(type(count) is int and abs(count) < 2**63 for count in counts)
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What may be said of one line of a list.

    Parameters
    ----------
    records : Estimate or None
        How many records it decides; None: too few to tell.
    right : Estimate or None
        Which share of them it gets right.
    of : Estimate or None
        How many records the whole list was learnt from.
    at_most : int
        How many records it may decide at the most.
    """

    records: Estimate | None
    right: Estimate | None
    of: Estimate | None
    at_most: int

    def __str__(self) -> str:
        if self.records is None or self.right is None:
            return f"too few to tell (at most {_round_up(self.at_most):,})"
        within = self.of is not None and self.records.value <= self.of.value
        every = f" of {show_number(self.of)}" if self.of is not None and within else ""
        low, high = floor(100 * self.right.low), ceil(100 * self.right.high)
        return f"about {show_number(self.records)}{every} records, {self.right.value:.0%} right ({low} to {high})"


def show_number(number: Estimate) -> str:
    """Write a number of records with no more digits than its interval supports."""
    unit = _unit(number)
    return f"{unit * round(number.value / unit):,}"


def show_interval(number: Estimate) -> str:
    """Write the interval of a number of records, rounded outwards."""
    unit = _unit(number)
    return f"{unit * floor(number.low / unit):,} to {unit * ceil(number.high / unit):,}"


def describe_learning(
    records: Estimate | None, classes: Sequence[Value], weights: Sequence[Fraction] | None = None
) -> str:
    """Say how many records a model was learnt from, and how much its classes weighed.

    Examples
    --------
    >>> describe_learning(Estimate(1000, 972, 1028), ("no", "yes"))
    'Learnt from about 1,000 records (970 to 1,030).'
    """
    number = "too few records to tell how many" if records is None else f"about {show_number(records)} records"
    interval = "" if records is None else f" ({show_interval(records)})"
    pairs = [] if weights is None else list(zip(classes, weights, strict=True))
    weighed = ", ".join(f"{show_value(name)} {float(weight):.2g}" for name, weight in pairs)
    return f"Learnt from {number}{interval}{f', with class weights {weighed}' if pairs else ''}."


def _round_up(number: int) -> int:
    """Return a number rounded up to two digits."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit


def _unit(number: Estimate) -> int:
    return int(10 ** floor(log10(max(1.0, (number.high - number.low) / 2))))
