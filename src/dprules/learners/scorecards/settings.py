"""The public parameters of a private scorecard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprules.accounting import Account
from dprules.errors import ParameterError
from dprules.learners.class_weights import ClassWeight, check_class_weight, given_weights, write_class_weight
from dprules.learners.settings import Progress
from dprules.mechanisms import Bits
from dprules.models import Scorecard
from dprules.numbers import Real, rational, whole
from dprules.schema import Column, PrivateCuts, PrivateValues, Schema, Value
from dprules.tables import Records

TERMS = 20
"""Terms of a card, if nothing else is said."""
SHARES = ("cuts",)
"""What may have a share of epsilon of its own."""
MOST_TERMS = 10_000
MOST_BINS = 1_000_000
"""Of all columns together: more would need more memory than a card is worth."""


@dataclass(frozen=True, slots=True)
class ScorecardSettings:
    """How a scorecard is learnt; everything here is public.

    Parameters
    ----------
    terms : int or "all"
        Conditions that have points of their own; "all" gives every group of values points.
    shares : mapping
        Parts of epsilon by name: "cuts", where the schema asks for private ones.
    class_weight : None, "balanced" or mapping
        How much the classes count: alike, inversely to their noisy numbers, or as given (the largest becomes 1).
    """

    terms: int | str = TERMS
    shares: Mapping[str, Real] = field(default_factory=dict)
    class_weight: ClassWeight = None

    def __post_init__(self) -> None:
        if isinstance(self.terms, str):
            if self.terms != "all":
                raise ParameterError(
                    f"terms must be an integer of at least 1, or 'all'; got {self.terms!r}. 20 is usual."
                )
        elif whole(self.terms, "terms") > MOST_TERMS:
            raise ParameterError(f"terms must be at most {MOST_TERMS:,}; got {self.terms}. Give 'all' for all of them.")
        unknown = set(self.shares) - set(SHARES)
        if unknown:
            raise ParameterError(
                f"shares of a scorecard may name {', '.join(SHARES)}; got {', '.join(sorted(unknown))}."
            )
        for name, share in self.shares.items():
            if not 0 < rational(share, f"share {name!r}", zero=True) < 1:
                raise ParameterError(
                    f"share {name!r} must lie strictly between 0 and 1; got {share}. Leave it out for the usual one."
                )
        check_class_weight(self.class_weight)

    @property
    def most_terms(self) -> int | None:
        """How many terms there may be; None: all."""
        return None if isinstance(self.terms, str) else int(self.terms)

    def keeps_all(self, columns: Sequence[Column]) -> bool:
        """Whether every group has points: asked for, or no more than the terms. Public: declared bins are counted."""
        return self.most_terms is None or sum(column.size for column in columns) <= self.most_terms

    def weights(self, classes: Sequence[Value]) -> tuple[Fraction, ...] | None:
        """Return the weights that were given, the largest 1, in multiples of 1/64; unknown classes are refused."""
        return given_weights(self.class_weight, classes)

    def survey(self, schema: Schema) -> dict[str, int]:
        """Return how many columns and bins there are at the most, a missing value being a bin of its own."""
        bins = sum(_most_codes(column) + 1 for column in schema.columns)
        if bins <= 2 * len(schema.columns):
            raise ParameterError("no column leaves anything to ask. Declare at least two values or one cut.")
        classes = len(schema.label.classes)
        if bins * (classes if classes > 2 else 1) > MOST_BINS:
            each = f", each with points for {classes:,} classes," if classes > 2 else ""
            raise ParameterError(f"{bins:,} bins{each} are too many. Declare fewer cuts and values.")
        return {"columns": len(schema.columns), "bins": bins}

    def part_of_epsilon(self) -> Fraction:
        """Return 0: a card's own releases are priced together."""
        return Fraction(0)

    def prices_are_fixed(self, schema: Schema) -> bool:
        """Whether every price is known before the first release: how many bins are bought decides about a refit."""
        return self.most_terms is None or not (schema.private_values or schema.private_cuts)

    def learn(self, records: Records, schema: Schema, account: Account, bits: Bits, progress: Progress) -> Scorecard:
        """Learn a scorecard; every release is charged to the account before it is drawn."""
        from dprules.learners.scorecards.learn import learn_scorecard  # it reads these settings

        sample = records.coded(schema.columns, len(schema.label.classes))
        return learn_scorecard(sample, schema.columns, schema.label, self, account, bits, progress)

    def document(self) -> dict[str, Any]:
        """Return the settings in JSON's types, for the certificate."""
        return {
            "model": "scorecard",
            "terms": self.terms if isinstance(self.terms, str) else int(self.terms),
            "shares": {name: float(share) for name, share in self.shares.items()},
            "class_weight": write_class_weight(self.class_weight),
        }


def _most_codes(column: Column) -> int:
    """How many codes a column has, or may have once its cuts or values are bought."""
    if isinstance(column, PrivateCuts):
        return column.number + 1
    return column.most if isinstance(column, PrivateValues) else column.size
