"""One small rule an event: its privacy curve."""

from fractions import Fraction
from functools import partial, singledispatch

from flint import ctx

from dprules.accounting import cover
from dprules.accounting.concentrated import conversion
from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.events import (
    Above,
    Approximate,
    Batched,
    Concentrated,
    Counts,
    Cover,
    Event,
    FirstOnly,
    Guarded,
    Pure,
    Segment,
)
from dprules.accounting.neighbours import Neighbours
from dprules.errors import PrivacyError
from dprules.numbers import as_ball, rounded_up


@singledispatch
def price(event: Event) -> Curve:
    """Return the privacy curve of an event under its own neighbour relation.

    Guarantee: each rule has its lemma in `docs/proofs`; an event without a rule is refused.
    """
    raise PrivacyError(f"No rule prices {type(event).__name__}. Register one with its proof before releasing anything.")


@price.register
def _pure(event: Pure) -> Curve:
    """Randomised response dominates every epsilon-DP pair [KOV15]."""
    return _randomised_response(event.epsilon, Fraction(0))


@price.register
def _approximate(event: Approximate) -> Curve:
    """So does randomised response that tells all with probability delta [KOV15]."""
    return _randomised_response(event.epsilon, event.delta)


@price.register
def _concentrated(event: Concentrated) -> Curve:
    return symmetric(partial(conversion, event.rho), rho=rounded_up(event.rho))


@price.register
def _counts(event: Counts) -> Curve:
    """A record is in one cell; an exchange may touch two."""
    touched = 1 if event.neighbours is Neighbours.ADD_REMOVE else 2
    return _randomised_response(touched * event.tilt, Fraction(0))


@price.register
def _cover(event: Cover) -> Curve:
    """Theory A3 and A4: `docs/proofs/cover.md`, `docs/proofs/cover_rounds.md`."""
    return cover.curve(event.tilt, event.neighbours, event.rewards, event.rounds, event.last)


@price.register
def _batched(event: Batched) -> Curve:
    """Theory B3: either the mistake's status changes, or its content; never both (`docs/proofs/batched.md`)."""
    _refuse_add_remove(event)
    total, squares, above = event.draws.total, event.draws.squares, event.above
    status = partial(_threshold_and_draws, above, squares / 2)
    pure, rho = above.pure + 2 * total, above.rho + squares / 2
    if event.neighbours is Neighbours.ZERO_OUT:
        return symmetric(status, rounded_up(pure), rounded_up(rho))
    content = partial(conversion, 2 * squares)
    return symmetric(
        lambda epsilon: max(status(epsilon), content(epsilon)),
        rounded_up(max(pure, 4 * total)),
        rounded_up(max(rho, 2 * squares)),
    )


@price.register
def _first_only(event: FirstOnly) -> Curve:
    """Theory B3: the first mistake may become another one: range 4 eta, and AboveThreshold pays as well."""
    _refuse_add_remove(event)
    total, squares, above = event.draws.total, event.draws.squares, event.above
    return symmetric(
        partial(_threshold_and_draws, above, 2 * squares),
        rounded_up(above.pure + 4 * total),
        rounded_up(above.rho + 2 * squares),
    )


@price.register
def _segment(event: Segment) -> Curve:
    """Theory B7: only one segment depends on a round; content costs 4 m eta, status e + 2 m eta."""
    _refuse_add_remove(event)
    total, squares, above = event.draws.total, event.draws.squares, event.above
    epsilon = max(4 * total, above.pure + 2 * total)
    rho = max(2 * squares, above.rho + squares / 2)
    pure = _randomised_response(epsilon, Fraction(0))
    return Curve(pure.forward, pure.backward, pure.pure, min(pure.rho, rounded_up(rho)))


@price.register
def _guarded(event: Guarded) -> Curve:
    """Theory B8: the two learners see disjoint rounds, so the dearer one is the price."""
    if event.segment.neighbours is not event.neighbours or event.batched.neighbours is not event.neighbours:
        raise PrivacyError("Both learners of a guarded one must be priced under its neighbours. Use one relation.")
    first, second = price(event.segment), price(event.batched)
    return symmetric(
        lambda epsilon: max(first.delta(epsilon), second.delta(epsilon)),
        max(first.pure, second.pure),
        max(first.rho, second.rho),
    )


def _randomised_response(epsilon: Fraction, delta: Fraction) -> Curve:
    def bound(at: float) -> float:
        with ctx.workprec(128):
            most, here = as_ball(epsilon).exp(), as_ball(Fraction(at)).exp()
            spread = (most - here) / (most + 1) if Fraction(at) < epsilon else as_ball(Fraction(0))
            return rounded_up(as_ball(delta) + as_ball(1 - delta) * spread)

    if delta > 0:
        return symmetric(bound)
    return symmetric(bound, pure=rounded_up(epsilon), rho=rounded_up(epsilon**2 / 2))


def _threshold_and_draws(above: Above, rho: Fraction, epsilon: float) -> float:
    """AboveThreshold joins the draws' zCDP, or its epsilon is set aside: the better."""
    joined = conversion(above.rho + rho, epsilon)
    return min(joined, conversion(rho, epsilon - rounded_up(above.pure)))


def _refuse_add_remove(event: Event) -> None:
    if event.neighbours is Neighbours.ADD_REMOVE:
        raise PrivacyError("Streams have rounds, not a set of rows. Choose replace or zero-out neighbours.")
