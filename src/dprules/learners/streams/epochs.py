"""Lists on a stream (theory B10): disjoint growing epochs, a list from each, and a watch for drift.

epoch k has n0 g^k rounds, up to a public most; its rounds wait, packed, and at its end one list is drawn from them
(DP-GreedyCover with counts). The list is in force until the next one is drawn. In public windows of rounds
AboveThreshold watches its mistakes; when it fires, the running epoch is dropped and epochs start again at n0.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import EpochStream
from dprules.errors import ModelError, ParameterError, SpentError
from dprules.learners.lists.counted_cover import Noise, TiltedNoise
from dprules.learners.streams.blocks import Block, Integers, LiteralBlock
from dprules.learners.streams.epoch_fit import choose_rewards, fit_list
from dprules.learners.streams.epoch_plan import EpochPlan
from dprules.learners.streams.learner import Document, Learner, Questions, Secret
from dprules.learners.streams.packing import TORN, pack_numbers, unpack_numbers
from dprules.mechanisms import Bits, Watch
from dprules.models import RuleList
from dprules.private import Private
from dprules.schema import Conditions, Literal, build_conditions
from dprules.tables import PackedSample, Words, transpose

if TYPE_CHECKING:
    from dprules.learners.streams.settings import StreamSettings

MakeNoise = Callable[[Fraction, Bits], Noise]
"""Makes the noise of a fit from its tilt; the exact laws of the tests put their own in its place."""


def plan_of(settings: "StreamSettings", questions: Questions) -> EpochPlan:
    """Return the public plan of a stream."""
    return EpochPlan.of(
        Fraction(settings.epsilon),
        Fraction(settings.delta),
        settings.neighbours,
        len(questions.literals),
        settings.memory,
        Fraction(settings.watch),
    )


class WaitingRounds(Private):
    """The rounds of the running epoch: their literals and classes, packed, in the pieces in which they came."""

    __slots__ = ("_words", "chunks", "generation", "size")

    def __init__(self, literals: int, chunks: Sequence[bytes] = (), generation: int = 0) -> None:
        self._words = (literals + 63) // 64
        self.chunks = list(chunks)
        self.generation = generation
        each = 2 + 8 * self._words
        if any(len(chunk) % each for chunk in self.chunks):
            raise ModelError(TORN)
        self.size = sum(len(chunk) // each for chunk in self.chunks)
        """How many there are: public."""

    def add(self, words: Words, codes: NDArray[np.int16]) -> None:
        """Keep some rounds."""
        if len(codes):
            self.chunks.append(codes.tobytes() + np.ascontiguousarray(words).tobytes())
            self.size += len(codes)

    def clear(self) -> None:
        """Drop all rounds."""
        self.chunks = []
        self.size = 0
        self.generation += 1

    def sample(self, literals: int, classes: int) -> PackedSample:
        """Return the rounds as a sample; those without a class are in none of its counts."""
        each = 2 + 8 * self._words
        codes, words = [], []
        for chunk in self.chunks:
            edge = 2 * (len(chunk) // each)
            codes.append(np.frombuffer(chunk, dtype=np.int16, count=edge // 2))
            words.append(np.frombuffer(chunk, dtype=np.uint64, offset=edge).reshape(-1, self._words))
        return PackedSample.of(transpose(np.concatenate(words), literals), np.concatenate(codes), classes)


class EpochLearner(Learner):
    """Draws a list from each epoch; the rounds that wait for the next one are private, keep them in a store.

    Guarantee: `event` (`docs/proofs/epochs.md`).
    """

    __slots__ = (
        "_asked",
        "_bits",
        "_broken",
        "_conditions",
        "_epsilon",
        "_known",
        "_literals",
        "_make_noise",
        "_mistakes",
        "_number",
        "_plan",
        "_rules",
        "_waiting",
        "_watch",
        "alarms",
    )

    def __init__(
        self,
        plan: EpochPlan,
        questions: Questions,
        epsilon: float,
        bits: Bits,
        make_noise: MakeNoise = TiltedNoise,
    ) -> None:
        super().__init__()
        self.alarms = 0
        """How often the watch has fired: public."""
        self._plan = plan
        self._epsilon = epsilon
        self._bits = bits
        self._make_noise = make_noise
        self._ask(questions)
        self._number = 0
        self._known: tuple[int, ...] | None = None
        self._rules = RuleList((), questions.classes[0], questions.classes)
        self._asked = _places(self._rules, self._literals)
        self._waiting = WaitingRounds(len(self._literals))
        self._mistakes = 0
        self._watch = self._start_watch()
        self._broken = False

    def _ask(self, questions: Questions) -> None:
        self._literals = questions.literals
        self._conditions = (
            build_conditions(questions.literals, 1) if questions.conditions is None else questions.conditions
        )

    @classmethod
    def event(cls, settings: "StreamSettings", questions: Questions) -> EpochStream:
        """Return the price of all fits and of the watch."""
        return plan_of(settings, questions).event()

    @classmethod
    def start(cls, settings: "StreamSettings", questions: Questions, bits: Bits) -> Self:
        """Return a learner whose list answers the first class always."""
        return cls(plan_of(settings, questions), questions, float(settings.epsilon), bits)

    @classmethod
    def resume(
        cls, settings: "StreamSettings", questions: Questions, public: Document, secret: Secret, bits: Bits
    ) -> Self:
        """Go on with the rounds that wait, and the noise and the count of the running window."""
        # Columns that were added later must not change how long epochs are.
        plan = replace(plan_of(settings, questions), first=int(public["first"]), longest=int(public["longest"]))
        learner = cls(plan, questions, float(settings.epsilon), bits)
        learner.releases = int(public["releases"])
        learner.alarms = int(public["alarms"])
        learner._number = int(public["epoch"])
        known = public["known"]
        learner._known = None if known is None else tuple(int(condition) for condition in known)
        learner._rules = RuleList.from_document(public["list"])
        learner._asked = _places(learner._rules, learner._literals)
        learner._waiting = WaitingRounds(len(learner._literals), secret.chunks, secret.generation)
        small, _ = unpack_numbers(secret.head, 0)
        tau, seen, mistakes = small.get("tau"), small.get("seen"), small.get("mistakes")
        watched = learner._plan.is_watched(learner._number)
        fits = all(0 <= condition < len(learner._conditions) for condition in learner._known or ())
        fits &= plan.first > 0 and learner._waiting.size == public["rounds"] < learner._length
        if not fits or watched != (tau is not None) or mistakes is None:
            raise ModelError(TORN)
        learner._mistakes = mistakes
        learner._watch = (
            None if tau is None else learner._plan.above(learner._rules).resume((tau, seen or 0), learner._bits)
        )
        return learner

    @property
    def hypothesis(self) -> RuleList:
        """The list in force."""
        return self._rules

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What rules may ask, in the order of a block's: public."""
        return self._literals

    @property
    def secure(self) -> bool:
        """Whether the noise comes from a cryptographic source."""
        return self._bits.secure

    @property
    def settled(self) -> int:
        """An alarm leaves the list in force, and puts the next fit off by the first epoch."""
        return min(self._length - self._waiting.size, self._plan.first) - 1

    @property
    def _length(self) -> int:
        return self._plan.length(self._number)

    def public(self) -> dict[str, Any]:
        """Return the list, where in its epochs the stream is, and what the next fit knows."""
        return {
            "releases": self.releases,
            "alarms": self.alarms,
            "epoch": self._number,
            "rounds": self._waiting.size,
            "known": None if self._known is None else list(self._known),
            "first": self._plan.first,
            "longest": self._plan.longest,
            "list": self._rules.document(),
        }

    def secret(self) -> Secret:
        """Return the rounds that wait, and the noise and the count of the running window."""
        tau, seen = (None, None) if self._watch is None else self._watch.secret()
        head = pack_numbers({"tau": tau, "seen": seen, "mistakes": self._mistakes}, np.zeros(0, dtype=np.int64))
        return Secret(head, tuple(self._waiting.chunks), self._waiting.generation)

    def extend(self, questions: Questions, places: Integers) -> None:
        """Take more questions from the next round on: the running epoch, which lacks them, is dropped."""
        self._ask(questions)
        self._asked = _places(self._rules, self._literals)
        self._known = None if self._known is None else ()  # places of conditions have changed
        generation = self._waiting.generation + 1
        self._waiting = WaitingRounds(len(self._literals), (), generation)
        self._next_window()

    def take(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled rounds in their order."""
        literals = self._require(block, codes)
        if self._broken:
            raise SpentError("This learner was stopped in the middle of a round and cannot go on. Start a new one.")
        self._broken = True  # until this block is done: what is half done must not be done again
        start = 0
        while start < block.size:
            start = self._take_some(literals, codes, start)
        self._broken = False

    def _require(self, block: Block, codes: NDArray[np.int16]) -> LiteralBlock:
        """The price holds for these blocks and classes only."""
        if not isinstance(block, LiteralBlock) or block.dimension != len(self._literals) + 1:
            raise ParameterError("the block has other features than the learner was made for. Keep to one kind.")
        classes = len(self._rules.classes)
        if codes.shape != (block.size,) or codes.dtype != np.int16 or not np.isin(codes, range(-1, classes)).all():
            raise ParameterError("codes must be one int16 for each example: the place of its class, or -1.")
        return block

    def _take_some(self, block: LiteralBlock, codes: NDArray[np.int16], start: int) -> int:
        """Take rounds up to the end of the epoch, the end of the window or an alarm; return where that is."""
        stop = min(block.size, start + self._length - self._waiting.size)
        if self._watch is not None:
            window = self._plan.window
            stop = min(stop, start + window - self._waiting.size % window)
            fired = self._watch.first(self._count_mistakes(block, codes, start, stop))
            if fired is not None:
                self._start_again()
                return start + fired + 1
        self._waiting.add(block.rows(start, stop), codes[start:stop])
        if self._waiting.size == self._length:
            self._release()
        elif self._watch is not None and self._waiting.size % self._plan.window == 0:
            self._next_window()
        return stop

    def _count_mistakes(self, block: LiteralBlock, codes: NDArray[np.int16], start: int, stop: int) -> Integers:
        """Return how many mistakes of the list in force there are in this window, after each round."""
        rules = block.decide(self._asked, start, stop)
        answers = np.array([self._rules.classes.index(label) for label in self._rules.labels], dtype=np.int16)
        true = codes[start:stop]
        counts: Integers = self._mistakes + np.cumsum((answers[rules] != true) & (true >= 0))
        self._mistakes = int(counts[-1])
        return counts

    def _release(self) -> None:
        """Draw a list from the epoch, and begin the next one."""
        event = self._plan.fit(self._number)
        classes = self._rules.classes
        last = None if self._known is None else self._rules
        rewards = choose_rewards(event, self._waiting.size, last, len(classes), self._epsilon)
        sample = self._waiting.sample(len(self._literals), len(classes))
        noise = self._make_noise(Fraction(event.tilt), self._bits)
        fitted = fit_list(sample, self._conditions, self._literals, classes, event, rewards, self._known or (), noise)
        self._rules = fitted.rules
        self._asked = _places(fitted.rules, self._literals)
        self._known = fitted.drawn
        self.releases += 1
        self._number += 1
        self._waiting.clear()
        self._next_window()

    def _start_again(self) -> None:
        """The target has changed: drop the epoch, and what was known; the list stays in force until the next fit."""
        self.alarms += 1
        self._number = 0
        self._known = None
        self._waiting.clear()
        self._next_window()

    def _next_window(self) -> None:
        self._mistakes = 0
        self._watch = self._start_watch()

    def _start_watch(self) -> Watch | None:
        if not self._plan.is_watched(self._number):
            return None
        return self._plan.above(self._rules).start(self._bits)


def _places(rules: RuleList, literals: Sequence[Literal]) -> Conditions:
    """Return the conditions of a list by the places of their literals."""
    place = {literal: i for i, literal in enumerate(literals)}
    found = np.full((len(rules.rules), 3), -1, dtype=np.int32)
    for at, rule in enumerate(rules.rules):
        for k, literal in enumerate(rule.conditions):
            if literal not in place:
                raise ModelError(TORN)
            found[at, k] = place[literal]
    return found
