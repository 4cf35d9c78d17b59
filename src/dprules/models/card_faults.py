"""What a scorecard shows must have been paid for: its points, its counts, and what they were learnt from."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dprules.accounting import Certificate, Gaussian, Neighbours
from dprules.accounting.events.gaussian import exchange_squared
from dprules.models.class_weights import follow_from
from dprules.models.faults import (
    BINS,
    CLASS_COUNTS,
    RISK_TABLE,
    TERM_WEIGHTS,
    WEIGHTS,
    column_faults,
    named_events,
)
from dprules.models.segments import segments_of

if TYPE_CHECKING:  # cards ask here what must have been paid for
    from dprules.models.scorecard import Scorecard

CLASSES_SHARE = 0.05
"""Of mu^2, for noisy class counts: where the descent starts, how long it runs, and what risks add up to."""
BINS_SHARE = 0.05
"""Of mu^2, for how many records each bin has: rare bins are merged before anything is learnt from them."""
TABLE_SHARE = 0.15
"""Of mu^2, for the table that says what scores mean."""
REFIT_SHARE = 0.20
"""Of mu^2, for learning the weights of the chosen terms once more; not where all terms are kept."""

_PARTS = (CLASS_COUNTS, BINS, WEIGHTS, RISK_TABLE)
"""Releases of every card: all of them are charged before the first is drawn."""
_HISTOGRAMS = (CLASS_COUNTS, BINS, RISK_TABLE)
"""Releases in which a record adds to one cell of each histogram; the others are sums."""
_ROUNDING = Fraction(1, 2**40)
"""Prices are rounded down, by less than this part of them."""
_FARTHEST = 8
"""Standard deviations that noise does not reach: it would in one of 10^15 counts."""


def card_faults(card: "Scorecard", certificate: Certificate) -> list[str]:
    """What a card shows must have been paid for: points, class counts, the table, and bought cuts and values."""
    found = []
    if certificate.unit.of != "row":
        found.append("a scorecard is learnt from rows, and the unit is none")
    settings = certificate.settings
    if settings.get("model") != card.kind:
        found.append("its settings are those of another model")
    found += _release_faults(certificate) + _price_faults(certificate)
    found += _noise_faults(CLASS_COUNTS, card.totals.sigma, certificate)
    if card.cells is not None:
        found += _noise_faults(RISK_TABLE, card.cells.sigma, certificate)
    found += _cell_faults(card)
    if not follow_from(settings.get("class_weight"), card.classes, card.totals, card.weights):
        found.append("its class weights are not those of its settings")
    found += _term_faults(card, settings.get("terms"), named_events(certificate, TERM_WEIGHTS, Gaussian))
    return found + column_faults(card.columns, certificate)


def _release_faults(certificate: Certificate) -> list[str]:
    """Each part must have been released once, by Gaussian noise of its kind."""
    found = []
    for name in (*_PARTS, TERM_WEIGHTS):
        events = named_events(certificate, name, Gaussian)
        if not events and name != TERM_WEIGHTS:
            found.append(f"no release is for the {name}")
        if len(events) > 1:
            found.append(f"several releases are for the {name}")
        if any(event.histogram != (name in _HISTOGRAMS) for event in events):
            # To exchange a record costs less in a histogram than in a sum.
            found.append(f"the release of the {name} has the price of something else")
    return found


def _price_faults(certificate: Certificate) -> list[str]:
    """The releases must share one budget as cards do: what is paid less for carries more noise than cards have."""
    if certificate.neighbours is Neighbours.ZERO_OUT:
        return []  # rows have no such neighbours, which is a fault of its own
    refit = REFIT_SHARE if named_events(certificate, TERM_WEIGHTS, Gaussian) else 0.0
    shares = {CLASS_COUNTS: CLASSES_SHARE, BINS: BINS_SHARE, RISK_TABLE: TABLE_SHARE}
    shares |= {WEIGHTS: 1 - sum(shares.values()) - refit, TERM_WEIGHTS: refit}
    totals = [
        exchange_squared(certificate.neighbours, name in _HISTOGRAMS) * Fraction(event.mu) ** 2 / Fraction(share)
        for name, share in shares.items()
        for event in named_events(certificate, name, Gaussian)
    ]
    if not totals or max(totals) <= min(totals) * (1 + _ROUNDING):
        return []
    return ["its releases do not share what was charged as those of a scorecard do"]


def _noise_faults(name: str, sigma: Fraction, certificate: Certificate) -> list[str]:
    """One record changes one count by one: noise of 1/mu is what mu pays for."""
    if all(sigma == 1 / Fraction(event.mu) for event in named_events(certificate, name, Gaussian)):
        return []
    return [f"the noise of its {name} is not what was charged"]


def _cell_faults(card: "Scorecard") -> list[str]:
    """Cells and class counts are of the same records: they differ by their noise, which is rounded."""
    if card.cells is None:
        return []
    sums: Sequence[int] = [sum(counts) for counts in zip(*card.cells.counts, strict=True)]
    totals: Sequence[int] = card.totals.counts
    each = 1
    if len(card.classes) != 2:  # their cells say who was given their own class
        each, sums, totals = len(card.classes), [sum(sums)], [sum(totals)]
    cells = len(card.cells.counts) * (1 if each == 1 else 2)
    rounding = Fraction(1, 12)
    variance = cells * (card.cells.sigma**2 + rounding) + each * (card.totals.sigma**2 + rounding)
    if all((cell - total) ** 2 <= _FARTHEST**2 * variance for cell, total in zip(sums, totals, strict=True)):
        return []
    return ["the counts of its cells do not add up to its class counts"]


def _term_faults(card: "Scorecard", terms: object, refits: Sequence[Gaussian]) -> list[str]:
    """So many terms split columns into as many segments more, of which one a column has no points.

    Terms have weights of their own where there were more bins to choose from; a card may have left columns out.
    """
    if terms == "all":
        return ["its settings keep all terms, and one release is for the weights of some"] if refits else []
    if type(terms) is not int:
        return ["its settings do not say how many terms it may have"]
    if not refits and sum(column.size for column in card.columns) > terms:
        return [f"no release is for the {TERM_WEIGHTS}"]
    used = sum(any(segment.points) for points in card.points for segment in segments_of(points))
    return ["it has more terms than its settings say"] if used > terms else []
