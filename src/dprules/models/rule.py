"""One rule of a list."""

from collections.abc import Mapping
from dataclasses import dataclass

from dprules.schema import Literal, Value, show_value


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, then the label."""

    conditions: tuple[Literal, ...]
    label: Value

    def holds(self, row: Mapping[str, object]) -> bool:
        """Whether all conditions hold of a row."""
        return all(condition.holds(row) for condition in self.conditions)

    @property
    def question(self) -> str:
        """What the rule asks, as it is printed."""
        return " and ".join(map(str, self.conditions))

    def __str__(self) -> str:
        return f"{self.question} then {show_value(self.label)}"
