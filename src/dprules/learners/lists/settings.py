"""The public parameters of a private list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprules.errors import ParameterError
from dprules.numbers import Real, rational, whole

SHARES = ("classes", "cuts", "counts")
"""What may have a share of epsilon of its own: noisy class counts, private cuts, counts of the rules."""

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
        Of a correct record against an error, in [0, 1]; None is the schedule of theory F, 0 the paper's score.
    accounting : str
        "exact" or "paper".
    shares : mapping
        Parts of epsilon by name: "classes", "cuts", "counts".
    """

    width: int = 2
    max_rules: int | None = None
    reward: Real | None = None
    accounting: str = "exact"
    shares: Mapping[str, Real] = field(default_factory=dict)

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

    def _check_shares(self) -> None:
        unknown = set(self.shares) - set(SHARES)
        if unknown:
            raise ParameterError(f"shares may name {', '.join(SHARES)}; got {', '.join(sorted(unknown))}.")
        for name, share in self.shares.items():
            if not 0 < rational(share, f"share {name!r}", zero=True) < 1:
                raise ParameterError(
                    f"share {name!r} must lie strictly between 0 and 1; got {share}. Leave it out for none."
                )
        if sum(map(rational, self.shares.values(), self.shares)) >= 1:
            raise ParameterError("shares must sum to less than 1: the rules need the rest. Lower them.")

    @property
    def is_paper(self) -> bool:
        """Whether the paper's accounting is used."""
        return self.accounting == "paper"

    @property
    def needs_classes(self) -> bool:
        """Whether the recipe looks at noisy class counts."""
        return not self.is_paper and (self.reward is None or self.max_rules is None)

    def document(self) -> dict[str, Any]:
        """Return the settings in JSON's types, for the certificate."""
        return {
            "model": "list",
            "width": int(self.width),
            "max_rules": None if self.max_rules is None else int(self.max_rules),
            "reward": "auto" if self.reward is None else float(self.reward),
            "accounting": self.accounting,
            "shares": {name: float(share) for name, share in self.shares.items()},
        }
