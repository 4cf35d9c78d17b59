"""The column to predict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.schema.cells import find_value
from dprules.schema.columns import Categorical, Value, forms_of, read_values
from dprules.schema.gaps import FieldError, first_of
from dprules.schema.names import LONGEST_NAME, is_name

_PLACE = ("label",)


@dataclass(frozen=True, slots=True)
class Label:
    """The column to predict: its classes, in their order, and the positive one, if any.

    Examples
    --------
    >>> Label("readmitted", ["no", "yes"], positive="yes").column().code("yes")
    1
    """

    name: str
    classes: Sequence[Value]
    positive: Value | None = None
    inferred: bool = field(default=False, kw_only=True)
    """Whether the classes were read off labels: then there may be a single one."""
    truths: bool = field(default=False, init=False, compare=False)
    """Whether the classes were declared as Booleans; `classes` has them as text, as models do."""

    def __post_init__(self) -> None:
        errors = []
        if not is_name(self.name):
            errors.append(
                FieldError(_PLACE, "column", f"the name of the label column, of at most {LONGEST_NAME} characters")
            )
        try:
            self._read_classes()
        except FieldError as error:
            errors.append(error)
        if errors:
            raise first_of(errors)

    def _read_classes(self) -> None:
        """Take the classes, and the positive one of them, as plain values."""
        classes = read_values(self.classes, _PLACE, "classes")
        if len(classes) < 2 and not self.inferred:
            raise FieldError(_PLACE, "classes", "at least two classes")
        table = forms_of(classes, _PLACE, "classes")
        object.__setattr__(self, "truths", all(isinstance(value, bool | np.bool_) for value in self.classes))
        object.__setattr__(self, "classes", classes)
        if self.positive is not None:
            place = find_value(self.positive, table)
            if place is None:
                raise FieldError(_PLACE, "positive", "one of the classes")
            object.__setattr__(self, "positive", classes[place])

    def column(self) -> Categorical:
        """Return the label as a column."""
        return Categorical(self.name, self.classes)

    @property
    def declared(self) -> NDArray[Any]:
        """The classes in the type in which they were declared."""
        return np.array([value == "true" for value in self.classes] if self.truths else self.classes)

    def entry(self) -> dict[str, Any]:
        """Return the label as an entry of a schema file or a model file."""
        classes = self.declared.tolist() if self.truths else list(self.classes)
        positive = {} if self.positive is None else {"positive": classes[self.classes.index(self.positive)]}
        inferred = {"inferred": True} if self.inferred else {}
        return {"column": self.name, "classes": classes} | positive | inferred
