"""What a scorecard shows must have been paid for: its points, its counts, and what they were learnt from."""

from fractions import Fraction
from typing import TYPE_CHECKING

from dprules.accounting import Certificate, Gaussian
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

_HISTOGRAMS = (CLASS_COUNTS, BINS, RISK_TABLE)
"""Releases in which a record adds to one cell of each histogram; the others are sums."""
_SLACK = Fraction(1001, 1000)
"""Noise is rounded up, by no more than this."""


def card_faults(card: "Scorecard", certificate: Certificate) -> list[str]:
    """What a card shows must have been paid for: points, class counts, the table, and bought cuts and values."""
    found = []
    if certificate.unit.of != "row":
        found.append("a scorecard is learnt from rows, and the unit is none")
    found += _release_faults(card, certificate)
    found += _noise_faults(CLASS_COUNTS, card.totals.sigma, certificate)
    if card.cells is not None:
        found += _noise_faults(RISK_TABLE, card.cells.sigma, certificate)
    if (card.weights is None) != (certificate.settings.get("class_weight") is None):
        found.append("its class weights are not those of its settings")
    found += _term_faults(card, certificate.settings.get("terms"))
    return found + column_faults(card.columns, certificate)


def _release_faults(card: "Scorecard", certificate: Certificate) -> list[str]:
    """Each part must have been released once, by Gaussian noise of its kind."""
    found = []
    needed = (CLASS_COUNTS, BINS, WEIGHTS, RISK_TABLE) if card.points else (CLASS_COUNTS,)
    for name in (*needed, TERM_WEIGHTS):
        events = named_events(certificate, name, Gaussian)
        if not events and name != TERM_WEIGHTS:
            found.append(f"no release is for the {name}")
        if len(events) > 1:
            found.append(f"several releases are for the {name}")
        if any(event.histogram != (name in _HISTOGRAMS) for event in events):
            # To exchange a record costs less in a histogram than in a sum.
            found.append(f"the release of the {name} has the price of something else")
    return found


def _noise_faults(name: str, sigma: Fraction, certificate: Certificate) -> list[str]:
    """One record changes one count by one: noise of 1/mu is what mu pays for."""
    charged = [1 / Fraction(event.mu) for event in named_events(certificate, name, Gaussian)]
    if all(least <= sigma <= least * _SLACK for least in charged):
        return []
    return [f"the noise of its {name} is not what was charged"]


def _term_faults(card: "Scorecard", terms: object) -> list[str]:
    """So many terms split columns into as many segments more, of which one a column has no points."""
    if terms == "all":
        return []
    if type(terms) is not int:
        return ["its settings do not say how many terms it may have"]
    used = sum(any(segment.points) for points in card.points for segment in segments_of(points))
    return ["it has more terms than its settings say"] if used > terms else []
