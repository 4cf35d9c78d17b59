"""Output laws as tables, and how far two of them are apart."""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from math import exp, inf, log
from typing import Any

from dprules.errors import ParameterError

Number = Fraction | float
Law = Mapping[Any, Number]
"""Probability of each transcript (any hashable value); exact if the numbers that made it were Fractions."""


def hockey_stick(p: Law, q: Law, epsilon: float) -> float:
    """Return the sum of (p - e^epsilon q)+ over transcripts: (epsilon, delta)-closeness is hockey_stick <= delta.

    Parameters
    ----------
    p : Law
        The run that the expectation is over.
    q : Law
        The run of the neighbour.
    epsilon : float
        Any real number; 0 gives the total variation distance.

    Examples
    --------
    >>> hockey_stick({"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}, 0.0)
    0.25
    """
    factor: Number = Fraction(1) if epsilon == 0 else exp(epsilon)
    return float(sum(max(0, mass - factor * q.get(key, 0)) for key, mass in p.items()))


def largest_loss(p: Law, q: Law) -> float:
    """Return the largest ln(p/q), infinite where q has no mass: the pure epsilon in one direction.

    Parameters
    ----------
    p : Law
        The run whose outcomes are looked at.
    q : Law
        The run of the neighbour.
    """
    losses = [inf if q.get(key, 0) == 0 else log(mass / q[key]) for key, mass in p.items() if mass > 0]
    return max(losses)


def renyi(p: Law, q: Law, order: float) -> float:
    """Return the Renyi divergence of an order above 1; rho-zCDP is renyi <= order * rho for every order [BS16].

    Parameters
    ----------
    p : Law
        The run that the expectation is over.
    q : Law
        The run of the neighbour.
    order : float
        Above 1.
    """
    if not order > 1:
        raise ParameterError(f"order must be above 1; got {order}. Use 2, for example.")
    if any(mass > 0 and q.get(key, 0) == 0 for key, mass in p.items()):
        return inf
    terms = [exp(order * log(mass) - (order - 1) * log(q[key])) for key, mass in p.items() if mass > 0]
    return log(sum(terms)) / (order - 1)


def both_ways(divergence: Callable[..., float], p: Law, q: Law, *parameters: Any) -> float:
    """Return the larger of a divergence and its reverse.

    Parameters
    ----------
    divergence : callable
        `hockey_stick`, `largest_loss` or `renyi`.
    p : Law
        One run.
    q : Law
        The other run.
    *parameters
        What the divergence takes besides the two laws.

    Examples
    --------
    >>> round(both_ways(largest_loss, {"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}), 3)
    0.693
    """
    return max(divergence(p, q, *parameters), divergence(q, p, *parameters))


def independent(first: Law, second: Law) -> dict[Hashable, Number]:
    """Return the law of two independent releases.

    Parameters
    ----------
    first : Law
        The law of one release.
    second : Law
        The law of the other.
    """
    return {(a, b): p * q for a, p in first.items() for b, q in second.items()}


def followed_by(first: Law, second: Callable[[Any], Law]) -> dict[Hashable, Number]:
    """Return the law of a release and of another one that is chosen after seeing it.

    Parameters
    ----------
    first : Law
        The law of the first release.
    second : callable
        Takes an outcome of the first release and returns the law of what is released then.

    Examples
    --------
    >>> coin = {"heads": Fraction(1, 2), "tails": Fraction(1, 2)}
    >>> law = followed_by(coin, lambda side: coin if side == "heads" else {"stop": Fraction(1)})
    >>> law["tails", "stop"], len(law)
    (Fraction(1, 2), 3)
    """
    return {(a, b): p * q for a, p in first.items() for b, q in second(a).items()}


def noise_mass(noise: int, tilt: float) -> float:
    """Return the probability of one value of two-sided geometric noise.

    Parameters
    ----------
    noise : int
        The value.
    tilt : float
        Pr[noise = x] is proportional to e^(-tilt |x|).
    """
    return (1 - exp(-tilt)) / (1 + exp(-tilt)) * exp(-tilt * abs(noise))


def noise_tail(noise: int, tilt: float) -> float:
    """Return the probability that two-sided geometric noise reaches a value; as for `noise_mass`.

    Examples
    --------
    >>> round(noise_tail(0, 1.0) - noise_tail(1, 1.0) - noise_mass(0, 1.0), 12)
    0.0
    """
    if noise > 0:
        return exp(-tilt * noise) / (1 + exp(-tilt))
    return 1 - exp(-tilt * (1 - noise)) / (1 + exp(-tilt))
