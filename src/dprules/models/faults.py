"""What a model shows must have been paid for: the releases that its certificate must list, and what they allow."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, TypeVar

from dprules.accounting import (
    BatchedStream,
    Certificate,
    CountedCover,
    Counts,
    Cover,
    DenseStream,
    EpochStream,
    Event,
    FirstOnlyStream,
    GuardedStream,
    PaperCover,
    Quantiles,
    SegmentStream,
    Values,
)
from dprules.schema import GRID, Categorical, Clipped, Column, Ordered, show_value
from dprules.schema.private_values import MOST_BOUGHT

if TYPE_CHECKING:  # models ask here what must have been paid for
    from dprules.models.halfspace import Halfspace
    from dprules.models.rule_list import RuleList

RULES = "rules"
CLASS_COUNTS = "class counts"
RULE_COUNTS = "counts of the rules"
HYPOTHESES = "hypotheses"
BINS = "bins of the columns"
WEIGHTS = "weights"
TERM_WEIGHTS = "weights of the terms"
RISK_TABLE = "risk table"
"""Names of releases: what a certificate must list for what a model shows."""


def cuts_of(column: str) -> str:
    """Return the name of the release that buys the cuts of a column."""
    return f"cuts of {show_value(column)}"


def values_of(column: str) -> str:
    """Return the name of the release that buys the values of a column."""
    return f"values of {show_value(column)}"


E = TypeVar("E", bound=Event)
_Drawn = CountedCover | Cover | PaperCover
_DRAWS = (CountedCover, Cover, PaperCover)
_STREAMS = (BatchedStream, DenseStream, FirstOnlyStream, GuardedStream, SegmentStream)


def named_events(certificate: Certificate, name: str, *kinds: type[E]) -> list[E]:
    """Return the events of some kinds that were charged under a name."""
    return [r.event for r in certificate.releases if r.name == name and isinstance(r.event, kinds)]


def list_faults(rules: "RuleList", certificate: Certificate) -> list[str]:
    """What a list shows must have been paid for: its rules, counts, bought cuts, and what its recipe looked at."""
    found = []
    if certificate.settings.get("model", rules.kind) != rules.kind:
        found.append("its settings are those of another model")
    if certificate.unit.of == "round":
        return found + _epoch_faults(rules, certificate)
    if certificate.unit.of != "row":
        found.append("a list is learnt from rows or rounds, and the unit is neither")
    drawn = [r.event for r in certificate.releases if r.name == RULES and isinstance(r.event, _DRAWS)]
    if len(drawn) != 1:
        found.append("no release is for the rules" if not drawn else "several releases are for the rules")
    for event in drawn:
        found += _draw_faults(rules, event, certificate)
    if any({RULES, CLASS_COUNTS} <= {release.name for release in charge.releases} for charge in certificate.charges):
        # The price of the rules depends on the class counts: prices that are composed must be fixed before both.
        found.append(
            "class counts and rules were charged together, though the price of the rules depends on the counts"
        )
    return found + column_faults(rules.columns, certificate)


def column_faults(columns: Sequence[Column], certificate: Certificate) -> list[str]:
    """Cuts and values that were bought must have been charged."""
    found = []
    for column in columns:
        if isinstance(column, Ordered) and column.bought:
            found += _cuts_faults(column, certificate)
        if isinstance(column, Categorical) and column.bought:
            found += _values_faults(column, certificate)
    return found


def _draw_faults(rules: "RuleList", event: _Drawn, certificate: Certificate) -> list[str]:
    """The rules and their counts must be what such draws release."""
    found = []
    most = inf
    if isinstance(event, CountedCover):
        most = event.rounds
        found += _free_count_faults(rules, event)
    elif isinstance(event, Cover) and event.rounds is not None:
        most = event.rounds - 1  # the last draw is the default's
    if len(rules.rules) > most:
        found.append("it has more rules than were drawn")
    if isinstance(event, PaperCover) and certificate.settings.get("accounting") != "paper":
        # The paper's lemma prices the paper's score, and no other.
        found.append("its price is the paper's, and its settings are not")
    if _looks_at_classes(event, certificate) and not named_events(certificate, CLASS_COUNTS, Counts):
        found.append("its recipe needs class counts, and none were charged")
    if not isinstance(event, CountedCover) and rules.groups is not None:
        found += _bought_count_faults(rules, certificate)
    if (rules.weights is None) != (certificate.settings.get("class_weight") is None):
        found.append("its class weights are not those of its settings")
    return found


def _free_count_faults(rules: "RuleList", event: CountedCover) -> list[str]:
    """Each line must carry the noise of its counts: of one rule, or of the rules that joined the default and the rest.

    A constant true that was drawn as a rule is the default, with a rule's noise, and then nothing is left.
    """
    if rules.groups is None:
        return []
    cell, last_cell, remainder = event.count_tilts
    *lines, default = [list(group.tilts) for group in rules.groups]
    joined = default[:-1]
    counted = [*chain.from_iterable(lines), *joined]
    single = all(len(tilts) == 1 for tilts in lines) and set(counted) <= {cell, last_cell}
    once = last_cell == cell or [*counted, default[-1]].count(last_cell) <= 1
    if not (single and once and default[-1] in (remainder, cell, last_cell)):
        return ["its counts do not carry the noise that was charged"]
    if len(counted) > event.rounds:
        return ["it counts more rules than were drawn"]
    return []


def _bought_count_faults(rules: "RuleList", certificate: Certificate) -> list[str]:
    bought = {Fraction(event.tilt) for event in named_events(certificate, RULE_COUNTS, Counts)}
    if not bought:
        return ["counts of the rules are shown, and none were charged"]
    if any(len(group.tilts) != 1 or group.tilts[0] not in bought for group in rules.groups or ()):
        return ["its counts do not carry the noise that was charged"]
    return []


def _cuts_faults(column: Ordered, certificate: Certificate) -> list[str]:
    """Each level of halving doubles the cuts: L levels make at most 2^L - 1."""
    charged = named_events(certificate, cuts_of(column.name), Quantiles)
    if not charged:
        return [f"the cuts of {column.name} were bought, and not charged"]
    if len(column.cuts) >= max(2**event.levels for event in charged):
        return [f"{column.name} has more cuts than were drawn"]
    return []


def _values_faults(column: Categorical, certificate: Certificate) -> list[str]:
    """Values that a mechanism released must have been charged, and are no more than it releases."""
    if not named_events(certificate, values_of(column.name), Values):
        return [f"the values of {column.name} were bought, and not charged"]
    if len(column.values) > MOST_BOUGHT:
        return [f"{column.name} has more values than are ever bought"]
    return []


def _looks_at_classes(event: Event, certificate: Certificate) -> bool:
    """Whether the number of rules, the rewards or the weights were chosen from noisy class counts."""
    settings = certificate.settings
    if isinstance(event, PaperCover):
        return False
    # Rewards or a number of rules that nobody gave were chosen from class counts.
    chosen = settings.get("max_rules") is None or settings.get("reward") in (None, "auto")
    return chosen or settings.get("class_weight") == "balanced"


def _epoch_faults(rules: "RuleList", certificate: Certificate) -> list[str]:
    """A list of a stream must be what some fit of its epochs releases, and is priced round by round."""
    found = _round_faults(rules.columns, certificate)
    charged = named_events(certificate, HYPOTHESES, EpochStream)
    if len(charged) != 1:
        found.append("no release is for the hypotheses" if not charged else "several releases are for the hypotheses")
    if rules.weights is not None:
        found.append("a list of a stream has no class weights, and it has some")
    for event in charged:
        # Before the first fit nothing was drawn: the list answers one class always.
        if rules.rules or rules.groups:
            faults = sorted((_fit_faults(rules, fit) for fit in event.fits), key=len)
            found += faults[0]
    return found


def _fit_faults(rules: "RuleList", fit: CountedCover) -> list[str]:
    more = ["it has more rules than were drawn"] if len(rules.rules) > fit.rounds else []
    return more + _free_count_faults(rules, fit)


def _round_faults(columns: Sequence[Column], certificate: Certificate) -> list[str]:
    """A stream is priced by rounds, and buys no cuts and no values."""
    found = []
    if certificate.unit.of != "round" or certificate.unit.column is not None:
        found.append("a stream is priced by its rounds, and the unit is another")
    if any(isinstance(column, Ordered) and column.bought for column in columns):
        found.append("a stream has public cuts, and some of its cuts were bought")
    if any(isinstance(column, Categorical) and column.bought for column in columns):
        found.append("a stream has public values, and some of its values were bought")
    return found


def stream_faults(model: "Halfspace", certificate: Certificate) -> list[str]:
    """What a stream shows must have been paid for, by the price of a stream learner and round by round."""
    found = _round_faults(model.columns, certificate)
    charged = [r.event for r in certificate.releases if r.name == HYPOTHESES and isinstance(r.event, _STREAMS)]
    if not charged:
        found.append("no release is for the hypotheses")
    for event in charged:
        # A release has one draw at least, and the paper's learner ends; all others go on while there are rounds.
        most = sum(m for m, _ in event.draws.groups) if isinstance(event, FirstOnlyStream) else inf
        if model.releases > most:
            found.append("it had more hypotheses than were drawn")
        if isinstance(event, DenseStream) and event.unit < GRID and any(isinstance(c, Clipped) for c in model.columns):
            found.append("its numbers are finer than those that were priced")
    return found
