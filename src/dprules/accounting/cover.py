"""What lists cost: rounds of the exponential mechanism that remove what they cover (theory A3 and A4).

The score of a candidate is reward * correct - errors; its weight is exp(tilt * score). One more record z multiplies the
weights of candidates that cover it by e^(reward tilt) at most or e^-tilt at least, and of no other; once z is covered
both runs are the same. So any number of rounds costs little more than one.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import exp, inf, log

import numpy as np
from flint import arb, ctx
from scipy.optimize import minimize_scalar

from dprules.accounting.calibrate import crossing, largest, smallest
from dprules.accounting.curve import Bound, Curve, symmetric
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.rounds import finite_rounds
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, as_ball, budget, probability, rational, rounded_down, rounded_up, whole

MOST_ROUNDS = 256
"""Above this many rounds the bound for any number of rounds is used; it is then nearly as good."""

_PAPER_TILT = 1.256
"""1 + (e^t - 1) x <= e^(2 t x), on which the paper's lemma rests, fails for larger t."""

Reward = Real | Sequence[Real]


def delta(
    tilt: Real,
    epsilon: Real,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
    last: Real = 1,
) -> float:
    """Return the delta that holds with `epsilon`: the least bound for all data, rounded up.

    Parameters
    ----------
    tilt: the exponent of one draw (not its epsilon)
    neighbours: "add-remove" or "replace"
    reward: gamma in [0, 1], or one for each round, in their order; 0 is the paper's score
    rounds: how many draws at most, the one for the default included; None: any number
    last: the tilt of the last of `rounds` draws, the one for the default, as a part of `tilt`

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
    return curve(rational(tilt, "tilt"), *_parsed(neighbours, reward, rounds, last)).delta(min(value, 500.0))


def epsilon(
    tilt: Real,
    delta: float,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
    last: Real = 1,
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
    relation, rewards, most, part = _parsed(neighbours, reward, rounds, last)
    if _is_paper(accounting, rewards):
        return _paper_epsilon(exact, target, relation)
    return curve(exact, relation, rewards, most, part).epsilon(target)


def tilt(
    epsilon: Real,
    delta: float,
    neighbours: str | Neighbours = "add-remove",
    reward: Reward = 0.0,
    rounds: int | None = None,
    last: Real = 1,
    accounting: str = "exact",
) -> float:
    """Return nearly the largest tilt that (epsilon, delta) allows, rounded down.

    Parameters
    ----------
    accounting: "exact", or "paper" for the tilt that the paper's theorem uses

    Examples
    --------
    >>> round(tilt(1.0, 1e-6), 4), round(tilt(1.0, 1e-6, accounting="paper"), 4)
    (0.0916, 0.0163)
    >>> round(tilt(1.0, 1e-6, rounds=10), 4)
    0.155
    >>> round(tilt(1.0, 1e-6, rounds=4, last=0.5), 4)  # a blunter choice of the default leaves more to the rules
    0.3138
    """
    total = rounded_down(budget(epsilon))
    target = probability(delta, "delta")
    relation, rewards, most, part = _parsed(neighbours, reward, rounds, last)
    if _is_paper(accounting, rewards):
        return _paper_tilt(total, target, relation)
    return _tilt(total, target, relation, rewards, most, part)


@lru_cache(maxsize=256)
def _tilt(
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    rewards: tuple[Fraction, ...],
    rounds: int | None,
    last: Fraction,
) -> float:
    def cost(value: float, most: int | None) -> float:
        return curve(Fraction(value), neighbours, rewards, most, last).delta(epsilon)

    any_rounds = largest(lambda value: cost(value, None) <= delta, start=0.1)
    if rounds is None or rounds > MOST_ROUNDS:
        return any_rounds
    high = 2 * any_rounds
    while cost(high, rounds) <= delta:
        high *= 2
    return crossing(lambda value: cost(value, rounds), delta, any_rounds, high)


def curve(
    tilt: Fraction,
    neighbours: Neighbours,
    rewards: tuple[Fraction, ...],
    rounds: int | None,
    last: Fraction = Fraction(1),
) -> Curve:
    """Return the privacy curve of a cover; `rewards` has one entry, or one a round; `last` is at most 1.

    Guarantee: `docs/proofs/cover.md` for any number of rounds, `docs/proofs/cover_rounds.md` for `rounds`.
    """
    gains = _each_round(rewards, rounds, last)
    add: Bound = partial(_one_way, tuple((reward * part * tilt, part * tilt) for reward, part in gains), rounds)
    remove: Bound = partial(_one_way, tuple((part * tilt, reward * part * tilt) for reward, part in gains), rounds)
    pure = _pure(tilt, max(rewards), rounds)
    _refuse_zero_out(neighbours)
    if neighbours is Neighbours.ADD_REMOVE:
        return Curve(add, remove, pure)
    exchange = partial(_chain, add, remove, float(tilt))
    flip = partial(_flip, tilt)
    return symmetric(exchange if max(rewards) > 0 else lambda eps: min(flip(eps), exchange(eps)), 2 * pure)


def _each_round(
    rewards: tuple[Fraction, ...], rounds: int | None, last: Fraction
) -> tuple[tuple[Fraction, Fraction], ...]:
    """Reward and part of the tilt: one pair for all rounds, or one a round."""
    if last == 1 or rounds is None:
        return tuple((reward, Fraction(1)) for reward in rewards)
    every = rewards if len(rewards) == rounds else rewards * rounds
    return (*((reward, Fraction(1)) for reward in every[:-1]), (every[-1], last))


def _pure(tilt: Fraction, reward: Fraction, rounds: int | None) -> float:
    """Each round lowers the normaliser by e^-tilt at least and the last stop adds reward * tilt, or mirrored."""
    if rounds is None:
        return inf
    return rounded_up(max(rounds * tilt + reward * tilt, tilt + rounds * reward * tilt))


def _one_way(widths: tuple[tuple[Fraction, Fraction], ...], rounds: int | None, epsilon: float) -> float:
    """Bound HS_epsilon(P || Q) if round j multiplies the weights of P by e^u_j at most or e^-v_j at least."""
    u, v = (max(pair[side] for pair in widths) for side in (0, 1))
    any_rounds = rounded_up(unlimited(u, v, Fraction(epsilon)))
    if rounds is None or rounds > MOST_ROUNDS or any_rounds == 0 or epsilon > 200 or max(u, v) > 20:
        return any_rounds
    least = max(u, v) / 2**20  # wider steps cost no less; narrower ones would drown in rounding
    steps = tuple((_widened(u, least), _widened(v, least)) for u, v in widths)
    return min(any_rounds, finite_rounds(steps * rounds if len(steps) == 1 else steps, epsilon))


def _widened(width: Fraction, least: Fraction) -> float:
    return rounded_up(max(width, least)) if width > 0 else 0.0


def unlimited(u: Fraction, v: Fraction, epsilon: Fraction) -> arb:
    """Theory A3: the supremum of HS_epsilon(P || Q) over all data and numbers of rounds, enclosed.

    With a = e^v - 1 and c = 1 - e^-u it is (1 - e^-v) / (1 + c/a) * exp(-(epsilon + v - u) / a) from epsilon = u - v
    on, and 1 - e^epsilon + (e^u - 1) / (1 + a/c) * exp((epsilon + v - u) / c) below.
    """
    with ctx.workprec(160):
        a, c = as_ball(v).expm1(), -(-as_ball(u)).expm1()
        beyond = as_ball(epsilon + v - u)
        if epsilon >= u - v:
            return arb(0) if v == 0 else -(-as_ball(v)).expm1() / (1 + c / a) * (-beyond / a).exp()
        certain = -as_ball(epsilon).expm1()
        return certain if u == 0 else certain + as_ball(u).expm1() / (1 + a / c) * (beyond / c).exp()


def _flip(tilt: Fraction, epsilon: float) -> float:
    """Reward 0, one record exchanged, any number of rounds: exact, a label flip attains it."""
    with ctx.workprec(160):
        half = as_ball(tilt / 2)
        return rounded_up(half.tanh() * (-as_ball(Fraction(epsilon)) / as_ball(tilt).expm1()).exp())


def _chain(add: Bound, remove: Bound, tilt: float, epsilon: float) -> float:
    """HS_(e1+e2)(P || R) <= HS_e1(P || Q) + e^e1 HS_e2(Q || R): the better order, and nearly the best split."""
    add(epsilon), remove(epsilon)  # the widest tables first: the splits then only read them
    best = 1.0
    for first, second in ((add, remove), (remove, add)):

        def total(late: float, first: Bound = first, second: Bound = second) -> float:
            early = rounded_down(Fraction(epsilon) - Fraction(late))
            return (first(early) + exp(early) * second(late)) * (1 + 2.0**-48)

        tries = [tilt, 2 * tilt, *(epsilon * k / 16 for k in range(17))]
        near = min((late for late in tries if 0 <= late <= epsilon), key=total)
        within = max(0.0, near - epsilon / 16), min(epsilon, near + epsilon / 16)
        refined = minimize_scalar(lambda late: log(total(late) + 1e-300), bounds=within, method="bounded").x
        best = min(best, total(near), total(float(refined)))
    return best


def _parsed(
    neighbours: str | Neighbours, reward: Reward, rounds: int | None, last: Real
) -> tuple[Neighbours, tuple[Fraction, ...], int | None, Fraction]:
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
    part = rational(last, "last")
    if part > 1:
        raise ParameterError(f"last must lie in (0, 1]; got {last}. 1 draws the default like every rule.")
    relation = Neighbours.parse(neighbours)
    _refuse_zero_out(relation)
    return relation, rewards, most, part


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
        epsilon, delta = epsilon / 2, delta / (1 + exp(epsilon / 2))
    return epsilon / (4 * (log(1 / delta) + 1.5)) * (1 - 2.0**-48)


def _paper_epsilon(tilt: Fraction, delta: float, neighbours: Neighbours) -> float:
    _refuse_beyond_lemma(float(tilt))
    return smallest(lambda epsilon: _paper_formula(min(epsilon, 1000.0), delta, neighbours) >= tilt, start=float(tilt))


def _refuse_beyond_lemma(tilt: float) -> None:
    if tilt > _PAPER_TILT:
        raise PrivacyError(f"The paper's lemma fails for tilts above {_PAPER_TILT}. Use accounting='exact'.")


def _refuse_zero_out(neighbours: Neighbours) -> None:
    if neighbours is Neighbours.ZERO_OUT:
        raise PrivacyError("A list has no zero-out neighbours. Choose add-remove or replace.")
