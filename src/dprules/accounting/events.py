"""What happened to the data: frozen public values. `price` says what each costs; an unknown event is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, budget, probability, rational, whole


@dataclass(frozen=True, slots=True)
class Event:
    """One release, or one family of releases priced together."""

    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class Pure(Event):
    """Any epsilon-DP release, such as private cut points."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        budget(self.epsilon)


@dataclass(frozen=True, slots=True)
class Approximate(Event):
    """Any (epsilon, delta)-DP release, such as a list with the paper's accounting."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        budget(self.epsilon)
        probability(self.delta, "delta")


@dataclass(frozen=True, slots=True)
class Concentrated(Event):
    """Any rho-zCDP release [BS16]."""

    rho: Fraction

    def __post_init__(self) -> None:
        rational(self.rho, "rho")


@dataclass(frozen=True, slots=True)
class Counts(Event):
    """One two-sided geometric histogram over disjoint cells (`dprules.mechanisms.noisy_counts`)."""

    tilt: Fraction

    def __post_init__(self) -> None:
        rational(self.tilt, "tilt")
        if self.neighbours is Neighbours.ZERO_OUT:
            raise PrivacyError("Counts of a table have no zero-out neighbours. Choose add-remove or replace.")


@dataclass(frozen=True, slots=True)
class Cover(Event):
    """A list: rounds of draws that remove what they cover (theory A)."""

    tilt: Fraction
    rewards: tuple[Fraction, ...] = (Fraction(0),)
    rounds: int | None = None
    last: Fraction = Fraction(1)
    """The tilt of the last of the rounds, as a part of the tilt."""

    def __post_init__(self) -> None:
        rational(self.tilt, "tilt")
        if not 0 < self.last <= 1:
            raise ParameterError("last must lie in (0, 1].")
        if not self.rewards or not all(0 <= reward <= 1 for reward in self.rewards):
            raise ParameterError("rewards must lie in [0, 1], one for all draws or one for each.")
        if self.rounds is not None:
            whole(self.rounds, "rounds")
        if len(self.rewards) not in (1, self.rounds):
            raise ParameterError("rewards must have one entry for all draws, or one for each of the rounds.")


@dataclass(frozen=True, slots=True)
class Draws:
    """Releases of a stream learner: m_k draws at rate eta_k each, summed. Only the sums matter to the price."""

    total: Fraction
    """Sum of m_k eta_k."""
    squares: Fraction
    """Sum of m_k eta_k^2."""

    @classmethod
    def of(cls, draws: int | Sequence[int], releases: int, rate: Real | Sequence[Real]) -> "Draws":
        """Sum over `releases` releases; `draws` and `rate` are one for all, or one for each."""
        count = whole(releases, "releases")
        if not isinstance(draws, Sequence) and not isinstance(rate, Sequence):
            once = whole(draws, "draws") * rational(rate, "rate")
            return cls(count * once, count * once * rational(rate, "rate"))
        ms = draws if isinstance(draws, Sequence) else [draws] * count
        etas = rate if isinstance(rate, Sequence) else [rate] * count
        if len(ms) != count or len(etas) != count:
            raise ParameterError(
                f"draws and rate must have one entry for each of the {count} releases, or one for all."
            )
        pairs = [(whole(m, "draws"), rational(eta, "rate")) for m, eta in zip(ms, etas, strict=True)]
        return cls(sum((m * eta for m, eta in pairs), Fraction(0)), sum((m * eta**2 for m, eta in pairs), Fraction(0)))


@dataclass(frozen=True, slots=True)
class Above:
    """AboveThreshold over disjoint segments: the tilts of its noise and of its tests (theory B2)."""

    noise: Fraction
    test: Fraction

    @classmethod
    def of(cls, above: tuple[Real, Real]) -> "Above":
        """Read a pair (e1, e2)."""
        if not isinstance(above, tuple) or len(above) != 2:
            raise ParameterError("above must be a pair (noise tilt, test tilt), such as (0.5, 0.5).")
        return cls(rational(above[0], "above"), rational(above[1], "above"))

    @property
    def pure(self) -> Fraction:
        """Its epsilon: the larger of the two."""
        return max(self.noise, self.test)

    @property
    def rho(self) -> Fraction:
        """Its zero-concentrated bound: the loss has range noise + test."""
        return (self.noise + self.test) ** 2 / 8


@dataclass(frozen=True, slots=True)
class Batched(Event):
    """Every cached mistake enters the scores, which are kept (theory B3)."""

    draws: Draws
    above: Above


@dataclass(frozen=True, slots=True)
class FirstOnly(Event):
    """The first cached mistake of each segment enters: the paper's Algorithm 3, with the sensitivity corrected."""

    draws: Draws
    above: Above


@dataclass(frozen=True, slots=True)
class Segment(Event):
    """Scores of the current segment only, then cleared (theory B7); `draws` is the dearest single segment."""

    draws: Draws
    above: Above


@dataclass(frozen=True, slots=True)
class Guarded(Event):
    """Segment, then at a public moment and for good Batched, on disjoint rounds (theory B8)."""

    segment: Segment
    batched: Batched
