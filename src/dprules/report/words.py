"""The privacy statement in plain words, for readers who never heard of epsilon."""

from math import ceil, exp, expm1, floor, log, log10

from dprules.accounting import Certificate, Neighbours, Unit
from dprules.accounting.certificate import LARGE_EPSILON, show_at_least

_SMALL_EPSILON = 2
"""Up to it, what can be concluded is almost the same: the odds change by a factor of 7.4 at most."""
_LONGEST = 15
"""Powers of ten up to which a number is written out."""


def describe_promise(certificate: Certificate) -> list[str]:
    """Return sentences that say what the certificate promises; nothing if the noise was seeded.

    Parameters
    ----------
    certificate : Certificate
        Its epsilon, delta, neighbours and unit decide the words.
    """
    if not certificate.private:
        return []
    odds = f"the odds of any conclusion change by at most a factor e^{show_at_least(certificate.epsilon)}"
    chance = f", but for a chance of {show_chance(certificate.delta)} (delta)" if certificate.delta else ""
    whom, otherwise = _subject(certificate.unit, certificate.neighbours)
    how = (
        "could have learnt almost as well" if certificate.epsilon <= _SMALL_EPSILON else "could only learn less surely"
    )
    sentences = [
        f"Whatever anyone could learn about {whom} from this model, they {how} {otherwise}: "
        f"{odds}, here {show_factor(certificate.epsilon)}{chance}.",
    ]
    if certificate.epsilon > LARGE_EPSILON:
        sentences.append(f"That is little: an epsilon above {LARGE_EPSILON} hardly limits what can be concluded.")
    else:
        sentences.append(_example(certificate.epsilon, otherwise))
    sentences += _limits(certificate)
    sentences.append(
        "What holds for many people alike is no secret: it can be learnt from the model, and applied to someone whose "
        "record was never used."
    )
    return sentences


def _subject(unit: Unit, neighbours: Neighbours) -> tuple[str, str]:
    """Return whom the promise is for, and what it compares with."""
    if unit.column is not None:
        rows = "one row of each was used" if unit.rows == 1 else f"at most {unit.rows:,} rows of each were used"
        whom = f"one value of {unit.column!r} ({rows})"
        what = "its rows"
    elif unit.of == "round":
        whom = "one round of the stream"
        what = "what happened in it"
    else:
        whom = "one person"
        what = "that person's record"
    return whom, f"with anything else in place of {what}" if neighbours is Neighbours.REPLACE else f"without {what}"


def _example(epsilon: float, otherwise: str) -> str:
    """Say what becomes of even odds: at most e^epsilon to 1, at least 1 to e^epsilon."""
    least = 100 / (1 + exp(epsilon))
    digits = max(0, ceil(-log10(least)))
    least = floor(least * 10**digits) / 10**digits
    return (
        f"For example, where a model learnt {otherwise} would make a conclusion as likely as not, this one can make it "
        f"at least {least:.{digits}f}% and at most {100 - least:.{digits}f}% likely."
    )


def _limits(certificate: Certificate) -> list[str]:
    """Say what the neighbours and the unit leave unprotected."""
    found = []
    if certificate.neighbours is Neighbours.REPLACE and certificate.unit.of == "row":
        found.append("How many rows there are, and so whether there is one more, is not hidden.")
    if certificate.unit.of == "round":
        found.append("That there was a round is not hidden. Someone who had part in several is protected less.")
    elif certificate.unit.column is None:
        found.append(
            "Each row counts as a person of its own: someone with k rows is protected less, with k times the epsilon "
            "and a larger delta."
        )
    return found


def show_factor(epsilon: float) -> str:
    """Write e^epsilon in three digits, rounded up.

    Examples
    --------
    >>> show_factor(1.0), show_factor(10.0), show_factor(0.001), show_factor(1000.0)
    ('2.72', '22,100', '1.0011', 'about 10^435')
    """
    if epsilon < 0.01:
        digits = 1 - floor(log10(epsilon))
        return f"{1 + ceil(expm1(epsilon) * 10**digits) / 10**digits:.{digits}f}" if digits < _LONGEST else "1"
    power = epsilon / log(10)
    if power > _LONGEST:
        return f"about 10^{ceil(power)}"
    step = 10.0 ** (floor(power) - 2)
    value = ceil(exp(epsilon) / step) * step
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show_chance(delta: float) -> str:
    """Write a small probability as one in so many, rounded so that it does not look smaller.

    Examples
    --------
    >>> show_chance(1e-6), show_chance(0.3), show_chance(3e-5)
    ('1 in 1,000,000', '0.3', '1 in 33,300')
    """
    if delta > 0.1:
        return show_at_least(delta)
    power = -log10(delta)
    if power > _LONGEST:
        return f"1 in 10^{floor(power)}"
    step = 10 ** max(0, floor(power) - 2)
    return f"1 in {floor(1 / delta / step * (1 + 1e-12)) * step:,}"
