"""What is asked of examples, without a schema."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plain:
    """So many Boolean features, and a bias."""

    features: int
    unit: int = 1
    literals: tuple[Any, ...] = ()
    conditions: Any = None
    classes: tuple[Any, ...] = ("no", "yes")

    @property
    def dimension(self) -> int:
        return self.features + 1
