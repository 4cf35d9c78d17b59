"""The exact law of lists on epochs of a short stream, from theory B10 alone: every fit, every alarm.

A transcript has an entry for each fit (the rules that were drawn, and what is shown of their counts) and for each alarm
(after how many rounds of its epoch it came).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dprules.audit.counted_law import CountedLaw
from dprules.audit.law import Law
from dprules.audit.list_law import TRUE, Candidate, Example
from dprules.audit.stream_law import ThresholdLaw

Rounds = Sequence[Example | None]
"""A stream; None is a round in which nothing happened."""


@dataclass(frozen=True, slots=True)
class EpochLaw:
    """The law of a stream of lists.

    Parameters
    ----------
    fit : CountedLaw
        The law of one fit.
    length : int
        Rounds of every epoch.
    tests : ThresholdLaw or None
        Of the watch; None: nothing is watched.
    limit : int
        The threshold of the watch.
    """

    fit: CountedLaw
    length: int
    tests: ThresholdLaw | None = None
    limit: int = 1

    def __call__(self, here: Rounds, there: Rounds) -> Law:
        """Return the law of the run on `here`, beside the neighbour's on `there`."""
        law: dict[Hashable, float] = {}
        for said, mass in self._walk(here, there, 0, None, ()):
            law[said] = law.get(said, 0.0) + mass
        return law

    def fitted(self, start: int) -> slice:
        """Return which rounds the fit of an epoch sees: its own."""
        return slice(start, start + self.length)

    def _walk(
        self, here: Rounds, there: Rounds, start: int, rules: Sequence[Candidate] | None, said: tuple[Hashable, ...]
    ) -> Iterator[tuple[tuple[Hashable, ...], float]]:
        """Yield every transcript that begins with `said`, which ends where an epoch starts, and its probability."""
        seen = here[start : start + self.length]
        silent = 1.0
        if self.tests is not None and rules is not None and seen:
            counts = [sum(_is_mistake(rules, one) for one in seen[: i + 1]) for i in range(len(seen))]
            for at, chance in enumerate(self.tests.first_fire(counts, self.limit)):
                silent -= float(chance)
                # The rounds of the epoch are dropped; the list stays in force.
                for rest, mass in self._walk(here, there, start + at + 1, rules, (*said, at)):
                    yield rest, float(chance) * mass
        if len(seen) < self.length:
            yield said, silent
            return
        for outcome, chance in self._fit_law(here[self.fitted(start)], there[self.fitted(start)]).items():
            chosen: Sequence[Candidate] = cast(Any, outcome)[0]
            for rest, mass in self._walk(here, there, start + self.length, chosen, (*said, outcome)):
                yield rest, silent * float(chance) * mass

    def _fit_law(self, here: Rounds, there: Rounds) -> Law:
        pairs = list(zip(here, there, strict=True))
        common = [one for one, other in pairs if one is not None and one == other]
        own = [one for one, other in pairs if one is not None and one != other]
        others = [other for one, other in pairs if other is not None and one != other]
        return self.fit(common, own, others)


def _is_mistake(rules: Sequence[Candidate], example: Example | None) -> bool:
    """Whether a list is wrong: where no rule holds, it answers the other class than its last rule."""
    if example is None:
        return False
    default = (TRUE, 1 - rules[-1][1])
    label = next(label for feature, label in (*rules, default) if example.covered_by(feature))
    return label != example.label
