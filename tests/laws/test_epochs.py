"""The exact law of the epoch learner as it runs: two tiny epochs, every draw, count and alarm, on neighbours."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dprules.accounting import CountedCover, EpochStream, Neighbours, ThresholdTilts
from dprules.accounting.counted import Parts
from dprules.audit import ThresholdLaw, both_ways, hockey_stick, largest_loss
from dprules.audit.law import noise_tail
from dprules.learners.lists.scores import UNIT
from dprules.learners.streams import EpochLearner, LiteralBlock
from dprules.learners.streams.epoch_plan import EpochPlan
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, literals_of

TILT = Fraction(1, 2)
FIT = CountedCover(TILT, 1, Parts.of(1))
WATCH = Fraction(1, 2)
EVENT = EpochStream((FIT,), ThresholdTilts(WATCH, WATCH))
Stream = tuple[tuple[int, int], ...]
"""For each round whether the one feature holds, and the class, -1 if nothing happened."""


@dataclass(frozen=True)
class Questions:
    literals: tuple = literals_of(Boolean("a"))
    classes: tuple = ("no", "yes")
    conditions: None = None
    unit: int = 1
    dimension: int = 3


@dataclass
class Script:
    """Choices that are made in their order; the first where there is none left. Knows how likely they were."""

    choices: tuple[int, ...]
    made: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    probability: float = 1.0

    def choose(self, probabilities) -> int:
        place = len(self.made)
        chosen = self.choices[place] if place < len(self.choices) else 0
        self.made.append(chosen)
        self.sizes.append(len(probabilities))
        self.probability *= probabilities[chosen]
        return chosen


@dataclass
class ScriptedNoise:
    """The laws of a draw and of a count that tells only whether it is above 0, which is post-processing."""

    script: Script
    tilt: Fraction

    def pick(self, scores, prior, part):
        weights = prior * np.exp(float(self.tilt * part) * scores / UNIT)
        return self.script.choose((weights / weights.sum()).tolist())

    def count(self, counts, part):
        above = [noise_tail(1 - int(count), float(self.tilt * part)) for count in counts]
        return tuple(self.script.choose([1 - chance, chance]) for chance in above)


@dataclass
class ScriptedWatch:
    script: Script
    limit: int
    laws: ThresholdLaw = field(default_factory=lambda: ThresholdLaw(exp(-WATCH), exp(-WATCH)))

    def start(self, bits):
        return self

    def first(self, counts):
        fired = [float(chance) for chance in self.laws.first_fire(counts.tolist(), self.limit)]
        chosen = self.script.choose([1 - sum(fired), *fired])
        return None if chosen == 0 else chosen - 1


@dataclass(frozen=True, slots=True)
class TinyPlan(EpochPlan):
    """Epochs of two rounds, all watched but the first."""

    script: Script | None = None

    @property
    def window(self):
        return 2

    def is_watched(self, number):
        return self.watch > 0 and number > 0

    def above(self, rules):
        return ScriptedWatch(self.script, 1)


PLAN = TinyPlan(2, 2, (FIT,), Fraction(1), WATCH)


def transcript(stream: Stream, script: Script, plan: TinyPlan, learner_kind=EpochLearner):
    """Everything that the learner releases, and when."""
    learner = learner_kind(
        replace(plan, script=script), Questions(), 1.0, SeededBits(0), lambda tilt, bits: ScriptedNoise(script, tilt)
    )
    said = []
    for holds, code in stream:
        held = np.array([[holds == 1, holds == 0]])
        learner.take(LiteralBlock.of(held), np.array([code], dtype=np.int16))
        rules = learner.hypothesis
        said.append((learner.releases, learner.alarms, str(rules.rules), rules.default, rules.counts, learner._known))
    return tuple(said)


def exact_law(stream: Stream, plan: TinyPlan = PLAN, kind=EpochLearner) -> dict:
    law = {}
    for script in every_script(stream, plan, kind):
        said, probability = script
        law[said] = law.get(said, 0.0) + probability
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-9)
    return law


def every_script(stream: Stream, plan: TinyPlan, kind) -> Iterator:
    choices: tuple[int, ...] | None = ()
    while choices is not None:
        script = Script(choices)
        yield transcript(stream, script, plan, kind), script.probability
        made = list(script.made)
        while made and made[-1] == script.sizes[len(made) - 1] - 1:
            made.pop()
        choices = (*made[:-1], made[-1] + 1) if made else None


def neighbours_of(stream: Stream, at: int, relation: Neighbours) -> Iterator[Stream]:
    others = [(holds, code) for holds in (0, 1) for code in (0, 1)]
    exchanged = [(0, -1)] if relation is Neighbours.ZERO_OUT else others
    yield from ((*stream[:at], one, *stream[at + 1 :]) for one in exchanged if one != stream[at])


ONE = (((1, 1), (0, 0)), ((1, 0), (1, 1)))


@pytest.mark.parametrize("relation", [Neighbours.ZERO_OUT, Neighbours.REPLACE])
@pytest.mark.parametrize("stream", ONE)
def test_one_epoch_costs_one_fit(stream, relation):
    price = EpochStream((FIT,)).curve(relation)
    here = exact_law(stream)
    for at in range(2):
        for other in neighbours_of(stream, at, relation):
            there = exact_law(other)
            for epsilon in (0.0, 0.25, 0.5, 1.0):
                assert both_ways(hockey_stick, here, there, epsilon) <= price.delta(epsilon) + 1e-12
            assert both_ways(largest_loss, here, there) <= price.epsilon(0) + 1e-9


class KeepsRounds(EpochLearner):
    """A planted fault: an epoch also sees the rounds of the one before, at the price of one."""

    def _release(self):
        kept = list(self._waiting.chunks)
        super()._release()
        if self.releases == 1:
            self._waiting.chunks = kept  # their number, which is public, still starts at 0


def worst_ratio(stream: Stream, at: int, relation: Neighbours, kind=EpochLearner, plan=PLAN, price=None) -> float:
    curve = price or EVENT.curve(relation)
    here = exact_law(stream, plan, kind)
    found = 0.0
    for other in neighbours_of(stream, at, relation):
        there = exact_law(other, plan, kind)
        found = max(found, both_ways(largest_loss, here, there) / curve.epsilon(0))
        for epsilon in (0.0, 0.5, 1.0):
            found = max(found, both_ways(hockey_stick, here, there, epsilon) / max(curve.delta(epsilon), 1e-12))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "relation"), [(0, Neighbours.ZERO_OUT), (3, Neighbours.ZERO_OUT), (2, Neighbours.REPLACE)]
)
def test_two_epochs_and_a_watch_cost_what_the_event_says(at, relation):
    assert worst_ratio(((1, 1), (0, 0), (1, 1), (0, 1)), at, relation) <= 1 + 1e-9


@pytest.mark.slow
def test_rounds_that_enter_two_fits_are_noticed():
    quiet = replace(PLAN, watch=Fraction(0))
    price = EpochStream((FIT,)).curve(Neighbours.ZERO_OUT)
    stream = ((1, 1), (1, 1), (1, 1), (1, 1))
    assert worst_ratio(stream, 0, Neighbours.ZERO_OUT, plan=quiet, price=price) <= 1 + 1e-9
    assert worst_ratio(stream, 0, Neighbours.ZERO_OUT, KeepsRounds, quiet, price) > 1.05


@pytest.mark.slow
def test_a_watch_without_a_price_is_noticed():
    alone = EpochStream((CountedCover(Fraction(1, 1000), 1, Parts.of(1)),)).curve(Neighbours.ZERO_OUT)
    blunt = replace(PLAN, fits=(CountedCover(Fraction(1, 1000), 1, Parts.of(1)),))
    stream = ((1, 1), (0, 0), (1, 1), (0, 1))
    assert worst_ratio(stream, 2, Neighbours.ZERO_OUT, plan=blunt, price=alone) > 1.05
