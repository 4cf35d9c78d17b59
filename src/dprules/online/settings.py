"""From the words of users to a rule: which algorithm, with which budget, for which stream."""

from dataclasses import dataclass
from typing import Any

from dprules.accounting import Certificate
from dprules.errors import ParameterError
from dprules.numbers import Real, budget, rational, whole
from dprules.online.batched import Batched
from dprules.online.certify import certificate
from dprules.online.guarded import Guarded
from dprules.online.learner import Rule
from dprules.online.private import Paper
from dprules.online.segment import Segment
from dprules.planning import plan_stream
from dprules.planning.streams import LearnerPlan, StreamPlan

ALGORITHMS = ("segment", "guarded", "batched", "paper")


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """The public parameters of a private stream learner.

    `segment` needs epsilon only. The others have mistake bounds, for which they need delta, the horizon (rounds of the
    stream) and the margin; `guarded` switches when the thresholds of its segments add up to `most` (None: when they
    reach the bound of `batched`).
    """

    epsilon: Real = 1.0
    delta: Real = 0.0
    algorithm: str = "segment"
    neighbours: str = "replace"
    horizon: int | None = None
    margin: float | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        budget(self.epsilon)
        if rational(self.delta, "delta", zero=True) >= 1:
            raise ParameterError(f"delta must lie in [0, 1); got {self.delta}. 1e-6 is usual, 0 for segment.")
        if self.algorithm not in ALGORITHMS:
            raise ParameterError(f"algorithm must be one of {', '.join(ALGORITHMS)}; got {self.algorithm!r}.")
        if self.neighbours not in ("replace", "zero-out"):
            raise ParameterError(f"neighbours of a stream must be replace or zero-out; got {self.neighbours!r}.")
        lacking = [name for name in ("delta", "horizon", "margin") if not getattr(self, name)]
        if self.algorithm != "segment" and lacking:
            raise ParameterError(f"algorithm {self.algorithm!r} needs {', '.join(lacking)}. Or choose 'segment'.")
        if self.most is not None:
            whole(self.most, "most")

    def rule(self, dimension: int) -> Rule:
        """The rule before the first release, for so many coordinates, the bias included."""
        if self.algorithm == "segment":
            return Segment.start(dimension, self.epsilon)
        plan = self.plan(dimension)
        if self.algorithm == "paper":
            return Paper.start(dimension, **_parameters(plan.paper))
        second = Batched.start(dimension, **_parameters(plan.batched))
        if self.algorithm == "batched":
            return second
        return Guarded(Segment.start(dimension, self.epsilon), second, self.most or int(plan.batched.mistakes) + 1)

    def plan(self, dimension: int) -> StreamPlan:
        """What the learners with a mistake bound promise."""
        assert self.margin is not None
        assert self.horizon is not None
        return plan_stream(
            dimension - 1, self.margin, self.horizon, self.epsilon, float(self.delta), neighbours=self.neighbours
        )

    def certificate(self, rule: Rule, secure: bool, public: tuple[str, ...] = ()) -> Certificate:
        """Of all hypotheses that the rule will ever lead to."""
        delta = 0 if self.algorithm == "segment" else self.delta
        return certificate(rule, self.epsilon, delta, self.neighbours, secure, public)


def _parameters(plan: LearnerPlan) -> dict[str, Any]:
    return {
        "threshold": plan.threshold,
        "draws": plan.draws,
        "releases": plan.releases,
        "rate": plan.rate,
        "above": (plan.above, plan.above),
    }
