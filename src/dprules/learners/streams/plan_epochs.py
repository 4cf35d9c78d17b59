"""How many mistakes lists on epochs make in the mean on an i.i.d. stream that some list explains (theory B10)."""

from dataclasses import dataclass
from math import ceil, lgamma, log, sqrt

from dprules.accounting import cover
from dprules.accounting.epochs import relation_of_fits
from dprules.accounting.neighbours import Neighbours
from dprules.learners.streams.epoch_plan import GROWTH
from dprules.numbers import Real, probability, whole


@dataclass(frozen=True, slots=True)
class EpochsPlan:
    """What theory B10 promises of lists on epochs.

    It is for rounds that are drawn independently from one law, and a target that is a list of these literals, whatever
    its length. It is about epochs whose fits have the paper's score (reward 0) and as many rules as there are literals.
    The learner's own fits have few rules and rewards, which is better in practice and has no such bound.

    Parameters
    ----------
    literals : int
        Both signs of every feature.
    horizon : int
        Rounds of the stream.
    tilt : float
        Of the draws.
    first : int
        Rounds of the first epoch that make the bound small.
    mistakes : float
        The bound of their expected number.
    """

    literals: int
    horizon: int
    tilt: float
    first: int
    mistakes: float


def plan_epochs(
    features: int, horizon: int, epsilon: Real, delta: float, neighbours: str = "replace", memory: int | None = None
) -> EpochsPlan:
    """Bound the expected mistakes of lists on epochs.

    Parameters
    ----------
    features : int
        Boolean features; both signs of each may be asked.
    horizon : int
        Rounds of the stream.
    epsilon, delta : number
        The budget of the whole stream.
    neighbours : str
        "replace" or "zero-out".
    memory : int or None
        Rounds of the longest epoch; None: no bound.

    Examples
    --------
    >>> plan = plan_epochs(50, 1_000_000, 1.0, 1e-6)
    >>> plan.mistakes < plan.horizon / 5
    True
    """
    literals = 2 * whole(features, "features")
    rounds = whole(horizon, "horizon")
    relation = relation_of_fits(Neighbours.parse(neighbours))
    tilt = cover.tilt(epsilon, probability(delta, "delta"), relation)
    each = expected_errors_bound(literals, tilt)
    longest = rounds if memory is None else whole(memory, "memory")
    choices = [2**k for k in range(int(log(longest, 2)) + 1)]
    first = min(choices, key=lambda size: bound_mistakes(each, size, rounds, longest))
    return EpochsPlan(literals, rounds, tilt, first, bound_mistakes(each, first, rounds, longest))


def expected_errors_bound(literals: int, tilt: float) -> float:
    """Return f: a list from n rounds is wrong on a fresh round with probability f / n at most, in the mean.

    With N_j candidates in round j: Lam = sum of ln N_j, L = Lam + 1, E = (Lam + M + 1) / tilt bounds the errors on the
    epoch, and f = E + L + sqrt(L^2 + 2 E L).
    """
    lists = (literals + 1) * log(2) + lgamma(literals + 2)
    errors = (lists + literals + 1) / tilt
    spread = lists + 1
    return errors + spread + sqrt(spread**2 + 2 * errors * spread)


def bound_mistakes(each: float, first: int, horizon: int, longest: int) -> float:
    """Return the bound for epochs that double from `first` rounds up to `longest`.

    All rounds of the first epoch may be mistakes. The list from an epoch of n rounds is in force for the next, of m: at
    most f m / n mistakes in the mean, and no more than m.
    """
    mistakes = float(min(first, horizon))
    done, size = first, first
    while done < horizon:
        following = min(longest, GROWTH * size)
        if following == size:
            epochs = ceil((horizon - done) / size)
            return mistakes + epochs * min(each, size)
        now = min(following, horizon - done)
        mistakes += min(each * now / size, now)
        done += following
        size = following
    return mistakes
