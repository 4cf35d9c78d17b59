"""How many mistakes a private stream learner stays below (theory B4, B8, B11), beside the paper's bound."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log, sqrt

from dprules.accounting import BatchedStream, Neighbours, StreamDraws, ThresholdTilts
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.plan_tables import PlanTable, describe_budget
from dprules.learners.streams.plan_epochs import EpochsPlan, plan_epochs
from dprules.numbers import Real, budget, probability, rational, whole

_CONFIDENCE = 1 / 3
"""c of theory B4: mistakes of a drawn hypothesis have a shadow margin of at most c rho."""
_CAUTION = 1 / 2
"""z of theory B4: eta B_hi = z (1 - c) rho."""
_SLACK = 0.6
"""Theory B8: the noise of all tests adds at most this over L to the sum of the thresholds, and a term for failure."""
_SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7)
"""AboveThreshold's tilts that are tried, as shares of epsilon."""


@dataclass(frozen=True, slots=True)
class LearnerPlan:
    """Parameters of a learner that meet the budget, and its mistake bound.

    Parameters
    ----------
    threshold, draws, releases, rate : number
        Of a segment, of a release, of a life; the rate of the draws.
    above : float
        Both tilts of AboveThreshold.
    mistakes : float
        The bound for one target.
    life : float
        The most mistakes from a fresh start to the last release, whatever the targets.
    """

    threshold: int
    draws: int
    releases: int
    rate: float
    above: float
    mistakes: float
    life: float


@dataclass(frozen=True, slots=True)
class GuardedPlan:
    """The guarded learner: when it switches, the batched learner that it switches to, and the bound of both.

    Parameters
    ----------
    switch_after : int
        What the thresholds of segments add up to before a switch.
    batched : LearnerPlan
        The second learner, at half the failure probability.
    mistakes : float
        The bound, for as many targets as were planned.
    """

    switch_after: int
    batched: LearnerPlan
    mistakes: float


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What can be promised for every oblivious stream with a margin, with probability 1 - `failure`."""

    coordinates: int
    """Each feature and its negation, and a bias and its negation."""
    margin: float
    horizon: int
    switches: int
    """How often the target changes; the learners do not know it."""
    epsilon: float
    delta: float
    neighbours: str
    failure: float
    batched: LearnerPlan
    guarded: GuardedPlan
    """With the switch at the batched bound: the practice of `segment`, and this at the worst."""
    paper: LearnerPlan
    """The paper's theorem, with its sensitivity corrected; for one target."""
    mistakes_without_privacy: float
    """Winnow, afresh at each switch."""
    epochs: EpochsPlan
    """Lists on epochs, in the mean and for independent rounds of one list."""

    @property
    def mistakes(self) -> float:
        """The batched bound: a life that ends holds a switch, and the last one is for one target or holds one, too."""
        return self.switches * self.batched.life + self.batched.mistakes

    @property
    def guarded_mistakes(self) -> float:
        """The guarded bound."""
        return self.guarded.mistakes

    @property
    def paper_mistakes(self) -> float:
        """The bound of the paper's theorem, which knows no switches."""
        return self.paper.mistakes

    @property
    def ratio(self) -> float:
        """The paper's bound over ours."""
        return self.paper_mistakes / self.mistakes

    def tables(self) -> list[PlanTable]:
        """Return what is guaranteed, in words."""
        batched = self.batched
        lines = [
            ("coordinates", f"{self.coordinates:,}   (features, bias, and their negations)"),
            ("rounds", f"{self.horizon:,}"),
            ("switches of the target", f"{self.switches:,}   (when, and how many, no learner is told)"),
            ("mistakes, batched", self._bound(self.mistakes)),
            ("mistakes, guarded", self._bound(self.guarded_mistakes)),
            ("mistakes by the paper's bound", self._paper_bound()),
            ("mistakes without privacy", self._bound(self.mistakes_without_privacy)),
            ("mistakes of lists on epochs", self._epochs_bound()),
            (
                "batched parameters",
                f"threshold {batched.threshold:,}, {batched.draws:,} draws x {batched.releases:,} releases, "
                f"rate {batched.rate:.2e}, above ({batched.above:.3g}, {batched.above:.3g})",
            ),
        ]
        title = f"Stream: {describe_budget(self.epsilon, self.delta, self.neighbours)}"
        caption = f"For examples with margin {self.margin}; holds with probability {1 - self.failure:g}."
        return [PlanTable(title, lines, caption)]

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables())

    def _paper_bound(self) -> str:
        if self.switches:
            return f"{self._bound(self.paper_mistakes)}, and for one target only"
        return f"{self._bound(self.paper_mistakes)}, {self.ratio:,.3g} times ours"

    def _epochs_bound(self) -> str:
        return f"{self._bound(self.epochs.mistakes)}   (in the mean, for independent rounds of one list of any length)"

    def _bound(self, mistakes: float) -> str:
        vacuous = "   (no less than the horizon: promises nothing)" if mistakes >= self.horizon else ""
        return (f"{mistakes:,.0f}" if mistakes < 1e12 else f"{mistakes:.1e}") + vacuous


def plan_stream(
    features: int,
    margin: float,
    horizon: int,
    epsilon: Real,
    delta: float,
    *,
    switches: int = 0,
    failure: float = 0.05,
    neighbours: str = "replace",
) -> StreamPlan:
    """Choose the batched learner's parameters and say how many mistakes it makes at the most.

    Parameters
    ----------
    features : int
        Boolean features of an example.
    margin : float
        rho in (0, 1], of the target in -1/+1 coordinates with L1 norm 1.
    horizon : int
        Rounds of the stream.
    epsilon, delta : number
        The budget of the whole stream.
    switches : int
        How often the target changes to another one of that margin. Parameters do not depend on it, bounds do.
    failure : float
        Probability with which the bound may fail.
    neighbours : str
        "replace" or "zero-out".

    Examples
    --------
    >>> plan = plan_stream(features=100, margin=0.25, horizon=10**9, epsilon=1.0, delta=1e-6)
    >>> plan.ratio > 1000
    True
    """
    if not Fraction(1, 10**6) <= rational(margin, "margin", zero=True) <= 1:
        raise ParameterError(
            f"margin must lie in (0, 1]; got {margin!r}. A disjunction of k features has about 1/(2k)."
        )
    relation = Neighbours.parse(neighbours)
    if relation is Neighbours.ADD_REMOVE:
        raise PrivacyError("Streams have rounds, not a set of rows. Choose replace or zero-out neighbours.")
    setting = _Setting(
        log_coordinates=log(2 * (whole(features, "features") + 1)),
        margin=float(margin),
        horizon=_horizon(horizon),
        switches=whole(switches, "switches", least=0),
        epsilon=float(budget(epsilon)),
        delta=probability(delta, "delta"),
        failure=probability(failure, "failure"),
        neighbours=relation,
    )
    return StreamPlan(
        coordinates=2 * (features + 1),
        margin=setting.margin,
        horizon=setting.horizon,
        switches=setting.switches,
        epsilon=setting.epsilon,
        delta=setting.delta,
        neighbours=relation.value,
        failure=setting.failure,
        batched=setting.batched(),
        guarded=setting.guarded(),
        paper=setting.paper(),
        mistakes_without_privacy=(setting.switches + 1) * 2 * setting.log_coordinates / setting.margin**2,
        epochs=plan_epochs(features, setting.horizon, epsilon, setting.delta, neighbours),
    )


def _horizon(horizon: int) -> int:
    if whole(horizon, "horizon") > 10**18:
        raise ParameterError(f"horizon must be at most {10**18:,}. No stream is longer.")
    return int(horizon)


@dataclass(frozen=True, slots=True)
class _Setting:
    log_coordinates: float
    margin: float
    horizon: int
    switches: int
    epsilon: float
    delta: float
    failure: float
    neighbours: Neighbours

    def batched(self) -> LearnerPlan:
        """The plan with the fewest mistakes."""
        best = min(self._candidates(), key=lambda plan: plan.mistakes, default=None)
        if best is None:
            raise PrivacyError("No parameters meet this budget at this margin. Raise epsilon, delta or the margin.")
        return best

    def guarded(self) -> GuardedPlan:
        """Theory B8 and B11 with the switch at the batched bound; half the failure probability for either learner."""
        part = self.failure / 2
        batched = replace(self, failure=part).batched()
        switch_after = ceil(batched.mistakes)
        level = self.log_coordinates + log(1 / 0.03)
        # Lives of the batched learner, each with segments before it: all but the last hold a switch.
        first = (self.switches + 1) * (1 + _SLACK / level) * switch_after + 4 / self.epsilon * log(1 / part)
        second = self.switches * batched.life + batched.mistakes
        return GuardedPlan(switch_after, batched, first + second)

    def _candidates(self) -> Iterator[LearnerPlan]:
        """For each share of AboveThreshold, the smallest threshold whose draws the budget allows."""
        for share in _SHARES:
            low, high = 0, 1
            while not self._affords(self._plan(high, share * self.epsilon)):
                low, high = high, 2 * high
                if high > 2**60:
                    break
            else:
                while high - low > max(1, low // 10_000):
                    middle = (low + high) // 2
                    low, high = (
                        (low, middle) if self._affords(self._plan(middle, share * self.epsilon)) else (middle, high)
                    )
                plan = self._plan(high, share * self.epsilon)
                if plan is not None:
                    yield plan

    def _plan(self, threshold: int, above: float) -> LearnerPlan | None:
        """Theory B4 and B11; a quarter of the failure probability for either side of AboveThreshold, half for draws."""
        part = self.failure / 4
        fewest = floor(threshold - log(self.horizon / part) / above)
        if fewest < 1:
            return None
        # If no segment ends with fewer mistakes, release r comes after r times so many rounds, whatever the switches.
        segments = self.horizon // fewest + 1
        most = ceil(threshold + log(segments / part) / above)
        gain = (1 - _CONFIDENCE) * self.margin
        rate = _CAUTION * gain / most
        progress = rate * gain * (1 - _CAUTION / 2)
        releases = floor(self.log_coordinates / (progress * fewest)) + 1
        pairs = max(1.0, self.horizon / (2 * fewest)) * self.horizon  # of a release and a round after it
        draws = ceil(2 * log(pairs / (2 * part)) / (_CONFIDENCE * self.margin) ** 2)
        mistakes = self.log_coordinates / progress
        return LearnerPlan(threshold, draws, releases, rate, above, mistakes, releases * most)

    def _affords(self, plan: LearnerPlan | None) -> bool:
        if plan is None:
            return False
        draws = StreamDraws.of(plan.draws, plan.releases, plan.rate)
        event = BatchedStream(draws, ThresholdTilts.of((plan.above, plan.above)))
        return event.curve(self.neighbours).delta(self.epsilon) <= self.delta

    def paper(self) -> LearnerPlan:
        """K and eta solved as a fixed point, eta halved (theory B1); mistakes are K 16 ln(2 T^2 / beta) / eps_hat."""
        beta = self.failure / 2
        draws = ceil(2 * log(2 * self.horizon / beta) / (self.margin / 2) ** 2)
        releases = 1.0
        for _ in range(500):
            rate = self.epsilon / (16 * sqrt(2 * draws * releases * log(4 * releases / self.delta)))
            rate = min(rate, self.margin / 2)
            updated = max(1.0, 2 * self.log_coordinates / (rate * self.margin - rate**2))
            if abs(updated / releases - 1) < 1e-12:
                break
            releases = updated
        count = ceil(releases)
        test = self.epsilon / (4 * sqrt(2 * count * log(2 / self.delta)))
        rate = self.epsilon / (16 * sqrt(2 * draws * count * log(4 * count / self.delta)))
        mistakes = count * 16 * log(2 * float(self.horizon) ** 2 / beta) / test
        threshold = ceil(8 * log(2 * self.horizon / beta) / test)
        return LearnerPlan(threshold, draws, count, min(rate, self.margin / 2), test, mistakes, mistakes)
