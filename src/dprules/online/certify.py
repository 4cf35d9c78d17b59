"""What a learner costs, as a certificate: from its rule before the first release."""

from importlib.metadata import version
from typing import Any

from dprules.accounting import Certificate, Neighbours, Release, price
from dprules.errors import PrivacyError
from dprules.numbers import Real, rational, rounded_up
from dprules.online.batched import Batched
from dprules.online.guarded import Guarded
from dprules.online.learner import Rule
from dprules.online.private import Paper
from dprules.online.segment import Segment


def certificate(
    rule: Rule, epsilon: Real, delta: Real, neighbours: str, secure: bool, public: tuple[str, ...] = ()
) -> Certificate:
    """Certify all hypotheses that a learner will ever release; refuse if they cost more than (epsilon, delta)."""
    relation = Neighbours.parse(neighbours)
    if relation is Neighbours.ADD_REMOVE:
        raise PrivacyError("Streams have rounds, not a set of rows. Choose replace or zero-out neighbours.")
    claimed, allowed = rounded_up(rational(epsilon, "epsilon")), rounded_up(rational(delta, "delta", zero=True))
    if price(rule.event(neighbours)).delta(claimed) > allowed:
        raise PrivacyError("These parameters cost more than (epsilon, delta) allows. Lower the rate or the draws.")
    return Certificate(
        epsilon=claimed,
        delta=allowed,
        neighbours=relation.value,
        unit="round",
        accounting="exact",
        releases=(Release("hypotheses", *_mechanism(rule, claimed)),),
        assumed_public=("features and classes", "all settings of the learner", "the number of rounds", *public),
        noise="secure" if secure else "seeded",
        software=f"dprules {version('dprules')}",
    )


def _mechanism(rule: Rule, epsilon: float) -> tuple[str, float, dict[str, Any]]:
    match rule:
        case Segment():
            return "segment winnow", epsilon, _segment(rule)
        case Paper():
            return "paper winnow", epsilon, _batched(rule)
        case Batched():
            return "batched winnow", epsilon, _batched(rule)
        case Guarded(first=first, second=second):
            return "guarded winnow", epsilon, _segment(first) | {"after the switch": _batched(second)}
    raise PrivacyError("This learner has no price.")


def _segment(rule: Segment) -> dict[str, Any]:
    return {"draws times rate": str(rule.share), "tests": [str(rule.epsilon / 2)] * 2}


def _batched(rule: Batched) -> dict[str, Any]:
    tests = [str(tilt) for tilt in rule.tests]
    return {"draws": rule.size, "releases": rule.planned, "rate": str(rule.rate), "tests": tests}
