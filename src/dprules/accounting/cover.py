"""What lists cost: rounds of the exponential mechanism that remove what they cover (theory A3 and A4).

The score of a candidate is reward * correct - errors; its weight is exp(tilt * score). One more record z multiplies the
weights of candidates that cover it by e^(reward tilt) at most or e^-tilt at least, and of no other; once z is covered
both runs are the same. So any number of rounds costs little more than one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache, partial
from math import exp, inf, log

import numpy as np
from flint import ctx

from dprules.accounting.calibrate import crossing, largest
from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.disk import Question, recall
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.one_way import MOST_ROUNDS, OneWay, chain, exchange
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, as_ball, budget, probability, rational, rounded_down, rounded_up, whole

_COARSE = 16
"""Knots of a table that only says where to look."""

_PAPER_TILT = 1.256
"""1 + (e^t - 1) x <= e^(2 t x), on which the paper's lemma rests, fails for larger t."""

Reward = Real | Sequence[Real]
Cost = Callable[[float, int | None, int | None], float]


def delta(
    tilt: Real,
    epsilon: Real,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
) -> float:
    """Return the delta that holds with `epsilon`: the least bound for all data, rounded up.

    Parameters
    ----------
    tilt : number
        The exponent of one draw (not its epsilon).
    epsilon : number
        At least 0.
    neighbours : str
        "add-remove" or "replace".
    reward : number or sequence of numbers
        gamma in [0, 1], or one for each round, in their order; 0 is the paper's score.
    rounds : int or None
        How many draws at most, the one for the default included; None: any number.

    Numerics: for any number of rounds the closed form, in ball arithmetic; for `rounds` a certified recursion; both
    are rounded up.

    Examples
    --------
    >>> f"{delta(0.0916, 1.0):.1e}"
    '1.0e-06'
    >>> delta(0.125, 1.0, rounds=8)  # eight rounds lose at most 8 * 0.125
    0.0
    """
    value = rounded_down(rational(epsilon, "epsilon", zero=True))
    return curve(rational(tilt, "tilt"), *_parsed(neighbours, reward, rounds)).delta(min(value, 500.0))


def epsilon(
    tilt: Real,
    delta: float,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
    accounting: str = "exact",
) -> float:
    """Return nearly the smallest epsilon that holds with `delta`, rounded up.

    Examples
    --------
    >>> round(epsilon(0.0916, 1e-6), 3)
    1.0
    """
    exact = rational(tilt, "tilt")
    target = probability(delta, "delta")
    relation, rewards, most = _parsed(neighbours, reward, rounds)
    if _is_paper(accounting, rewards):
        return _paper_epsilon(exact, target, relation)
    return curve(exact, relation, rewards, most).epsilon(target)


def tilt(
    epsilon: Real,
    delta: float,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
    accounting: str = "exact",
) -> float:
    """Return nearly the largest tilt that (epsilon, delta) allows, rounded down.

    Parameters
    ----------
    epsilon, delta : number
        The budget.
    neighbours, reward, rounds
        As for `delta`.
    accounting : str
        "exact", or "paper" for the tilt that the paper's theorem uses.

    Examples
    --------
    >>> round(tilt(1.0, 1e-6), 4), round(tilt(1.0, 1e-6, accounting="paper"), 4)
    (0.0916, 0.0163)
    >>> round(tilt(1.0, 1e-6, rounds=10), 4)
    0.155
    """
    total = rounded_down(budget(epsilon))
    target = probability(delta, "delta")
    relation, rewards, most = _parsed(neighbours, reward, rounds)
    if _is_paper(accounting, rewards):
        return _paper_tilt(total, target, relation)
    return _tilt(total, target, relation, rewards, most)


@lru_cache(maxsize=256)
def _tilt(
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    rewards: tuple[Fraction, ...],
    rounds: int | None,
) -> float:
    def cost(value: float, most: int | None, knots: int | None) -> float:
        return curve(Fraction(value), neighbours, rewards, most, knots).delta(epsilon)

    question = ("cover", epsilon, delta, neighbours.value, rounds, *rewards)
    return sharpest(cost, delta, rounds, question)


def sharpest(cost: Cost, delta: float, rounds: int | None, question: Question) -> float:
    """Return nearly the largest tilt whose cost is at most delta.

    Parameters
    ----------
    cost : callable
        By tilt, rounds and knots.
    delta : float
        What it may cost.
    rounds : int or None
        How many draws at most; None: any number.
    question : sequence
        What the cost depends on, and delta: a tilt for so many rounds is kept on disk.
    """
    if rounds is None or rounds > MOST_ROUNDS:
        return _sharpest_of_any(cost, delta)
    return recall(question, lambda value: cost(value, rounds, None) <= delta, lambda: _sharpest_of(cost, delta, rounds))


def _sharpest_of_any(cost: Cost, delta: float) -> float:
    return largest(lambda value: cost(value, None, None) <= delta, start=0.1)


def _sharpest_of(cost: Cost, delta: float, rounds: int) -> float:
    # Any number of rounds costs no less than a few: its tilt is a safe start for the search.
    any_rounds = _sharpest_of_any(cost, delta)
    high = 2 * any_rounds
    while cost(high, rounds, _COARSE) <= delta:
        high *= 2
    # A coarse table says where to look; only values of the fine one decide.
    near = crossing(lambda value: cost(value, rounds, _COARSE), delta, any_rounds, high)
    low = near if cost(near, rounds, None) <= delta else any_rounds
    return crossing(lambda value: cost(value, rounds, None), delta, low, min(high, near * 1.01))


def curve(
    tilt: Fraction,
    neighbours: Neighbours,
    rewards: tuple[Fraction, ...],
    rounds: int | None,
    knots: int | None = None,
) -> Curve:
    """Return the privacy curve of a cover; `rewards` has one entry, or one a round.

    Guarantee: `docs/proofs/cover.md` for any number of rounds, `docs/proofs/cover_rounds.md` for `rounds`.
    """
    _refuse_zero_out(neighbours)
    raised = tuple(reward * tilt for reward in rewards)
    lowered = (tilt,) * len(rewards)
    add = OneWay(raised, lowered, rounds, knots)
    remove = OneWay(lowered, raised, rounds, knots)
    if neighbours is Neighbours.ADD_REMOVE:
        return Curve(add, remove, _largest_loss(tilt, max(rewards), rounds))
    chained = partial(chain, add, remove, rounded_up(tilt))
    exchanged = partial(exchange, (1 + max(rewards)) * tilt)
    # Kept, since composition asks for each epsilon twice, and a chain is a search.
    pure = inf if rounds is None else (rounds + 1) * (1 + max(rewards)) * tilt  # the two largest losses of a chain
    return symmetric(cache(lambda epsilon: min(exchanged(epsilon), chained(epsilon))), pure)


def _largest_loss(tilt: Fraction, reward: Fraction, rounds: int | None) -> Fraction | float:
    """Each round lowers the normaliser by e^-tilt at least and the last stop adds reward * tilt, or mirrored."""
    if rounds is None:
        return inf
    return max(rounds * tilt + reward * tilt, tilt + rounds * reward * tilt)


def _parsed(
    neighbours: str | Neighbours, reward: Reward, rounds: int | None
) -> tuple[Neighbours, tuple[Fraction, ...], int | None]:
    """Turn public parameters into types."""
    most = None if rounds is None else whole(rounds, "rounds")
    listed = reward if isinstance(reward, Sequence | np.ndarray) else [reward]
    rewards = tuple(rational(r, "reward", zero=True) for r in listed)
    if not rewards or max(rewards) > 1:
        raise ParameterError("reward must lie in [0, 1]. 0 is the paper's score, 1 counts correct and errors alike.")
    if len(rewards) > 1 and len(rewards) != most:
        raise ParameterError(
            f"reward must have one entry for each of the rounds; got {len(rewards)}. Set rounds to that."
        )
    relation = Neighbours.parse(neighbours)
    _refuse_zero_out(relation)
    return relation, rewards, most


def _is_paper(accounting: str, rewards: tuple[Fraction, ...]) -> bool:
    if accounting not in ("exact", "paper"):
        raise ParameterError(f"accounting must be 'exact' or 'paper'; got {accounting!r}. Choose one.")
    if accounting == "paper" and max(rewards) > 0:
        raise ParameterError("the paper's accounting is for its score, reward 0. Use accounting='exact'.")
    return accounting == "paper"


def _paper_tilt(epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """The tilt of the paper's theorem; where its lemma fails it is refused."""
    tilt = _paper_formula(epsilon, delta, neighbours)
    _refuse_beyond_lemma(tilt)
    return tilt


def _paper_formula(epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """Epsilon / (4 (ln(1/delta) + 3/2)); replace by group privacy of two."""
    if neighbours is Neighbours.REPLACE:
        # `Curve.for_group` rounds up; this is more than what it adds.
        epsilon, delta = epsilon / 2, delta / (1 + exp(epsilon / 2)) * (1 - 2.0**-36)
    return epsilon / (4 * (log(1 / delta) + 1.5)) * (1 - 2.0**-48)


def paper_curve(tilt: Fraction, neighbours: Neighbours) -> Curve:
    """Return the paper's theorem as a curve: delta = exp(3/2 - epsilon / (4 tilt)), replace by group privacy of two."""
    _refuse_zero_out(neighbours)
    _refuse_beyond_lemma(float(tilt))

    def add_remove(epsilon: float) -> float:
        with ctx.workprec(128):
            exponent = as_ball(Fraction(3, 2) - Fraction(epsilon) / (4 * tilt))
            # `tilt` is rounded down by 2^-48 of itself, which is more than what is added here.
            return min(1.0, rounded_up(exponent.exp()))

    one = symmetric(add_remove)
    return one if neighbours is Neighbours.ADD_REMOVE else one.for_group(2)


def _paper_epsilon(tilt: Fraction, delta: float, neighbours: Neighbours) -> float:
    return paper_curve(tilt, neighbours).epsilon(delta)


def _refuse_beyond_lemma(tilt: float) -> None:
    if tilt > _PAPER_TILT:
        raise PrivacyError(f"The paper's lemma fails for tilts above {_PAPER_TILT}. Use accounting='exact'.")


def _refuse_zero_out(neighbours: Neighbours) -> None:
    if neighbours is Neighbours.ZERO_OUT:
        raise PrivacyError("A list has no zero-out neighbours. Choose add-remove or replace.")
