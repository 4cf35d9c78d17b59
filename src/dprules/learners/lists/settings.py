"""The public parameters of a private list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprules.accounting import Account
from dprules.defaults import WIDTH
from dprules.errors import ParameterError
from dprules.learners.class_weights import ClassWeight, check_class_weight, given_weights, write_class_weight
from dprules.learners.questions import count_questions
from dprules.learners.settings import Progress
from dprules.mechanisms import Bits
from dprules.models import RuleList
from dprules.numbers import Real, rational, whole
from dprules.schema import Schema, Value
from dprules.tables import Records

SHARES = ("classes", "cuts", "counts")
"""What may have a share of epsilon of its own: noisy class counts, private cuts, counts of the rules."""

CLASSES_SHARE = 0.02
"""Of epsilon, for noisy class counts, where the recipe needs them."""

MOST_RULES = 9_999
"""A certificate lists at most 10,000 rewards, the default's included."""


@dataclass(frozen=True, slots=True)
class ListSettings:
    """How a list is learnt; everything here is public.

    Parameters
    ----------
    width : int
        Literals in one condition, 1 to 3.
    max_rules : int or None
        Rules before the default; None chooses from noisy class counts.
    reward : number or None
        Of a correct record against an error, in [0, 1], for all rules; None is the schedule of theory F, 0 the
        paper's score.
    accounting : str
        "exact" or "paper".
    shares : mapping
        Parts of epsilon by name: "classes", "cuts"; also "counts" where counts of the rules are not free.
    class_weight : None, "balanced" or mapping
        How much the classes count: alike, inversely to their noisy numbers, or as given (the largest becomes 1).
    """

    width: int = WIDTH
    max_rules: int | None = None
    reward: Real | None = None
    accounting: str = "exact"
    shares: Mapping[str, Real] = field(default_factory=dict)
    class_weight: ClassWeight = None

    def __post_init__(self) -> None:
        if whole(self.width, "width") > 3:
            raise ParameterError(
                f"width must be 1, 2 or 3; got {self.width!r}. More literals in a rule are hard to read."
            )
        if self.max_rules is not None and whole(self.max_rules, "max_rules") > MOST_RULES:
            raise ParameterError(f"max_rules must be at most {MOST_RULES:,}; got {self.max_rules}. 12 are readable.")
        if self.reward is not None and rational(self.reward, "reward", zero=True) > 1:
            raise ParameterError(f"reward must lie in [0, 1]; got {self.reward}. Leave it out for the schedule.")
        if self.accounting not in ("exact", "paper"):
            raise ParameterError(f"accounting must be 'exact' or 'paper'; got {self.accounting!r}. Choose one.")
        if self.is_paper and self.reward not in (None, 0):
            raise ParameterError("the paper's accounting goes with its score, reward 0. Use accounting='exact'.")
        self._check_shares()
        self._check_class_weight()

    def _check_class_weight(self) -> None:
        if self.class_weight is None:
            return
        if self.is_paper:
            raise ParameterError("the paper's score knows no class weights. Use accounting='exact'.")
        check_class_weight(self.class_weight)

    def _check_shares(self) -> None:
        unknown = set(self.shares) - set(SHARES)
        if unknown:
            raise ParameterError(f"shares may name {', '.join(SHARES)}; got {', '.join(sorted(unknown))}.")
        for name, share in self.shares.items():
            if not 0 < rational(share, f"share {name!r}", zero=True) < 1:
                raise ParameterError(
                    f"share {name!r} must lie strictly between 0 and 1; got {share}. Leave it out for none."
                )
        if "counts" in self.shares and self.counts_are_free:
            raise ParameterError("counts of the rules are free here. Leave share 'counts' out.")
        if sum(map(rational, self.shares.values(), self.shares)) >= 1:
            raise ParameterError("shares must sum to less than 1: the rules need the rest. Lower them.")

    @property
    def is_paper(self) -> bool:
        """Whether the paper's accounting is used."""
        return self.accounting == "paper"

    @property
    def counts_are_free(self) -> bool:
        """Whether rules are counted at no cost (theory A6): not at a constant reward below 1, nor at the paper's."""
        return not self.is_paper and (self.reward is None or self.reward == 1)

    @property
    def has_counts(self) -> bool:
        """Whether the list will have counts, and so probabilities."""
        return self.counts_are_free or "counts" in self.shares

    @property
    def needs_classes(self) -> bool:
        """Whether the recipe looks at noisy class counts."""
        chosen = self.reward is None or self.max_rules is None
        return not self.is_paper and (chosen or self.class_weight == "balanced")

    def weights(self, classes: Sequence[Value]) -> tuple[Fraction, ...] | None:
        """Return the weights that were given, the largest 1, in multiples of 1/64; unknown classes are refused."""
        return given_weights(self.class_weight, classes)

    def survey(self, schema: Schema) -> dict[str, int]:
        """Return how many literals and conditions there are at the most; none at all, or too many, are refused."""
        literals, conditions = count_questions(schema, self.width)
        return {"literals": literals, "conditions": conditions}

    def part_of_epsilon(self) -> Fraction:
        """Return the part of epsilon that goes into class counts and counts of the rules."""
        shares = [self.shares.get("counts", 0)]
        shares += [self.shares.get("classes", CLASSES_SHARE)] if self.needs_classes else []
        return sum((rational(share, "share", zero=True) for share in shares), Fraction(0))

    def prices_are_fixed(self, schema: Schema) -> bool:
        """Whether every price is known before the first release: not if the number of rules comes from noisy counts."""
        return self.max_rules is not None or self.is_paper

    def learn(self, records: Records, schema: Schema, account: Account, bits: Bits, progress: Progress) -> RuleList:
        """Learn a list; every release is charged to the account before it is drawn."""
        from dprules.learners.lists.learn import learn_list  # it reads these settings

        literals, classes = schema.literals(), schema.label.classes
        sample = records.sample(literals, len(classes), self.width)
        return learn_list(sample, literals, classes, self, account, bits, progress)

    def document(self) -> dict[str, Any]:
        """Return the settings in JSON's types, for the certificate."""
        return {
            "model": "list",
            "width": int(self.width),
            "max_rules": None if self.max_rules is None else int(self.max_rules),
            "reward": "auto" if self.reward is None else float(self.reward),
            "accounting": self.accounting,
            "shares": {name: float(share) for name, share in self.shares.items()},
            "class_weight": write_class_weight(self.class_weight),
        }
