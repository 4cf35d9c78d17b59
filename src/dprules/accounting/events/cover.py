"""A list: rounds of draws that remove what they cover."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Self

from dprules.accounting import cover
from dprules.accounting.curve import Curve
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError
from dprules.numbers import Real, whole

MOST_ROUNDS = 10_000_000
"""Draws of one list that an event may name."""
MOST_REWARDS = 10_000
"""Rewards that may be listed one by one. (The price of so many draws depends on the largest of them only.)"""
MOST_RUNS = 1_000
"""Runs of equal rewards that a document may have."""


@dataclass(frozen=True, slots=True)
class Cover(Event, kind="cover"):
    """Rounds of draws, each from the records that no earlier rule covers (theory A3, A4).

    Parameters
    ----------
    tilt : number
        The exponent of a draw.
    rewards : tuple of numbers
        One in [0, 1] for all draws, or one for each of the rounds.
    rounds : int or None
        How many draws at most, the one for the default included; None: any number.
    """

    tilt: Real
    rewards: tuple[Fraction, ...] = (Fraction(0),)
    rounds: int | None = None
    label = "draws of rules"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))
        object.__setattr__(self, "rewards", _check_rewards(self.rewards))
        if self.rounds is not None:
            object.__setattr__(self, "rounds", _check_rounds(self.rounds))
        if len(self.rewards) not in (1, self.rounds):
            raise ParameterError("rewards must have one entry for all draws, or one for each of the rounds.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the price of `docs/proofs/cover.md` and `cover_rounds.md`."""
        # Raising a reward costs no less. A schedule that ends with its largest one costs the same as that one
        # throughout (to 1e-9), and then one table serves both directions.
        rewards = (max(self.rewards),) if self.rewards[-1] == max(self.rewards) else self.rewards
        return cover.curve(Fraction(self.tilt), neighbours, rewards, self.rounds)

    def fields(self) -> dict[str, Any]:
        """Return tilt, rounds and runs of equal rewards as [how many, reward]."""
        runs = [[len(list(run)), str(reward)] for reward, run in groupby(self.rewards)]
        return {"tilt": str(self.tilt), "rounds": self.rounds, "rewards": runs}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        rounds = fields.take("rounds")
        if rounds is not None and (type(rounds) is not int or not 0 < rounds <= MOST_ROUNDS):
            raise ModelError(f"rounds of a list must be an integer from 1 to {MOST_ROUNDS}.")
        rewards = _read_runs(fields.take("rewards"), min(rounds or 1, MOST_REWARDS))
        return cls(fields.fraction("tilt"), rewards, rounds)


def _check_rounds(rounds: int) -> int:
    if whole(rounds, "rounds") > MOST_ROUNDS:
        raise ParameterError(f"rounds must be at most {MOST_ROUNDS:,}; got {rounds}. None means any number.")
    return whole(rounds, "rounds")


def _check_rewards(rewards: tuple[Real, ...]) -> tuple[Fraction, ...]:
    if not isinstance(rewards, tuple) or not 0 < len(rewards) <= MOST_REWARDS:
        raise ParameterError(
            f"rewards must be a tuple of 1 to {MOST_REWARDS:,} numbers: one for all draws, or one each."
        )
    checked: list[Fraction] = []
    for reward, run in groupby(rewards):  # long schedules have few different rewards
        exact = amount(reward, "rewards", zero=True)
        if exact > 1:
            raise ParameterError("rewards must lie in [0, 1], one for all draws or one for each.")
        checked += [exact] * len(list(run))
    return tuple(checked)


def _read_runs(runs: object, most: int) -> tuple[Fraction, ...]:
    if not isinstance(runs, list) or not 0 < len(runs) <= MOST_RUNS:
        raise ModelError(f"rewards of a list must be at most {MOST_RUNS} pairs of a number of draws and a reward.")
    rewards: list[Fraction] = []
    for run in runs:
        if not isinstance(run, list) or len(run) != 2:
            raise ModelError("rewards of a list must be pairs of a number of draws and a reward.")
        entry = Fields({"draws": run[0], "reward": run[1]})
        length = entry.whole("draws", most=most - len(rewards))
        rewards += [entry.fraction("reward")] * length
    return tuple(rewards)
