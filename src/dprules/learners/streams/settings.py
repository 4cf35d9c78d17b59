"""From the words of users to a policy: which algorithm, with which budget, for which stream."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from dprules.accounting import Account, Assumed, Assumption, Certificate, Event, Unit
from dprules.errors import ParameterError
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.dense import DenseLearner
from dprules.learners.streams.epochs import EpochLearner
from dprules.learners.streams.features import StreamFeatures
from dprules.learners.streams.guarded import GuardedPolicy
from dprules.learners.streams.learner import Document, Learner, Questions, Secret
from dprules.learners.streams.paper import PaperPolicy
from dprules.learners.streams.plan import LearnerPlan, StreamPlan, plan_stream
from dprules.learners.streams.private_winnow import Policy, PrivateLearner
from dprules.learners.streams.segment import SegmentPolicy
from dprules.mechanisms import Bits
from dprules.models import HYPOTHESES
from dprules.numbers import Real, budget, rational, whole
from dprules.schema import Schema

LEARNERS: Mapping[str, type[Learner]] = {
    "segment": PrivateLearner,
    "guarded": PrivateLearner,
    "batched": PrivateLearner,
    "paper": PrivateLearner,
    "dense": DenseLearner,
    "epochs": EpochLearner,
}
PURE = ("segment", "dense")
"""Algorithms whose delta is 0."""
PLANNED = ("guarded", "batched", "paper")
"""Algorithms whose parameters come from their mistake bound."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """The public parameters of a private stream learner.

    Parameters
    ----------
    epsilon, delta : number
        The budget of the whole stream, however long; delta is 0 for "segment".
    algorithm : str
        "segment" needs epsilon only. "guarded", "batched" and "paper" have mistake bounds, for which they need delta,
        the horizon and the margin.
    neighbours : str
        "replace" or "zero-out".
    horizon : int or None
        Rounds of the stream.
    margin : float or None
        Of the target, in (0, 1].
    switch_after : int or None
        When "guarded" switches: when the thresholds of its segments add up to this. None: at the bound of "batched".
    memory : int or None
        Rounds that an epoch of "epochs" has at most, since they wait on disk.
    watch : number
        The share of epsilon by which "epochs" notices that the target has changed, in [0, 1); 0: it does not look.
    """

    epsilon: Real = 1.0
    delta: Real = 0.0
    algorithm: str = "segment"
    neighbours: str = "replace"
    horizon: int | None = None
    margin: float | None = None
    switch_after: int | None = None
    memory: int | None = None
    watch: Real = 0.125

    def __post_init__(self) -> None:
        budget(self.epsilon)
        if rational(self.delta, "delta", zero=True) >= 1:
            raise ParameterError(f"delta must lie in [0, 1); got {self.delta}. 1e-6 is usual, 0 for segment.")
        if self.algorithm not in LEARNERS:
            raise ParameterError(f"algorithm must be one of {', '.join(LEARNERS)}; got {self.algorithm!r}.")
        if self.neighbours not in ("replace", "zero-out"):
            raise ParameterError(f"neighbours of a stream must be replace or zero-out; got {self.neighbours!r}.")
        lacking = [name for name in ("delta", "horizon", "margin") if not getattr(self, name)]
        if self.algorithm in PLANNED and lacking:
            raise ParameterError(f"algorithm {self.algorithm!r} needs {', '.join(lacking)}. Or choose 'segment'.")
        for name in ("switch_after", "horizon", "memory"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name)
        if self.margin is not None:
            rational(self.margin, "margin")
        if rational(self.watch, "watch", zero=True) >= 1:
            raise ParameterError(f"watch must lie in [0, 1): it is a share of epsilon; got {self.watch}.")

    @property
    def has_lists(self) -> bool:
        """Whether hypotheses are lists; otherwise they are weighted sums."""
        return self.algorithm == "epochs"

    def features(self, schema: Schema, width: int = 1) -> StreamFeatures:
        """Return what the learner asks of events of a schema."""
        return StreamFeatures(schema, width, lists=self.has_lists, real=self.algorithm == "dense")

    def start(self, questions: Questions, bits: Bits) -> Learner:
        """Return a learner before its first round."""
        return LEARNERS[self.algorithm].start(self, questions, bits)

    def resume(self, questions: Questions, public: Document, secret: Secret, bits: Bits) -> Learner:
        """Return a learner that goes on with what was kept."""
        return LEARNERS[self.algorithm].resume(self, questions, public, secret, bits)

    def event(self, questions: Questions) -> Event:
        """Return what all hypotheses of the stream cost, however many there will be."""
        return LEARNERS[self.algorithm].event(self, questions)

    def policy(self, dimension: int) -> Policy:
        """Return the policy before the first release, for so many coordinates, the bias included."""
        if self.algorithm == "segment":
            return SegmentPolicy.start(dimension, self.epsilon)
        plan = self.plan(dimension)
        if self.algorithm == "paper":
            return PaperPolicy.start(dimension, **_parameters(plan.paper))
        if self.algorithm == "batched":
            return BatchedPolicy.start(dimension, **_parameters(plan.batched))
        first = SegmentPolicy.start(dimension, self.epsilon)
        second = BatchedPolicy.start(dimension, **_parameters(plan.guarded.batched))
        return GuardedPolicy(first, second, self.switch_after or plan.guarded.switch_after)

    def plan(self, dimension: int) -> StreamPlan:
        """Return what the learners with a mistake bound promise."""
        if self.margin is None or self.horizon is None:
            raise ParameterError("a mistake bound needs the horizon and the margin of the stream.")
        return plan_stream(
            dimension - 1, self.margin, self.horizon, self.epsilon, float(self.delta), neighbours=self.neighbours
        )

    def certificate(self, questions: Questions, secure: bool, assumptions: Sequence[Assumed] = ()) -> Certificate:
        """Charge all hypotheses that there will ever be, and certify them; refuse if they cost too much."""
        delta = 0 if self.algorithm in PURE else self.delta
        account = Account(self.epsilon, delta, self.neighbours, Unit(of="round"))
        account.charge(HYPOTHESES, self.event(questions), account.epsilon)
        usual = (Assumption.FEATURES, Assumption.SETTINGS, Assumption.ROUND_COUNT)
        return account.certificate(secure=secure, assumptions=(*usual, *assumptions), settings=self.document())

    def document(self) -> dict[str, Any]:
        """Return the settings in JSON's types; `from_document` reads them back."""
        exact = {"epsilon": str(Fraction(self.epsilon)), "delta": str(Fraction(self.delta))}
        exact["watch"] = str(Fraction(self.watch))
        return {"model": "list" if self.has_lists else "halfspace"} | asdict(self) | exact

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "StreamSettings":
        """Read settings."""
        fields = {name: value for name, value in document.items() if name != "model"}
        return cls(**fields | {name: Fraction(fields[name]) for name in ("epsilon", "delta", "watch")})


def _parameters(plan: LearnerPlan) -> dict[str, Any]:
    return {
        "threshold": plan.threshold,
        "draws": plan.draws,
        "releases": plan.releases,
        "rate": plan.rate,
        "above": (plan.above, plan.above),
    }
