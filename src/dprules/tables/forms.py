"""The values of a column that nobody wrote down, as its records have them: private until they are bought."""

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import MISSING, Categorical, PrivateValues
from dprules.tables.cells import Cells, Codes, read_forms

Places = NDArray[np.int64]
Rows = NDArray[np.int64] | NDArray[np.bool_]


class Forms(Private):
    """The form of each cell of a column, as a place among the different ones, which are known by their first cell."""

    __slots__ = ("_column", "_known", "_parts")

    def __init__(self, column: PrivateValues) -> None:
        self._column = column
        self._known: dict[str, int] = {}
        self._parts: list[Places] = []

    def read(self, cells: Cells) -> None:
        """Add the cells of one batch."""
        self._parts.append(read_forms(self._column, cells, self._known))

    def choose(self, rows: Rows) -> None:
        """Leave only these rows."""
        self._parts = [self._places[rows]]

    @property
    def _places(self) -> Places:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._parts])

    def counts(self) -> dict[str, int]:
        """Return how many records have each form; forms that none has are not there."""
        places = self._places
        often = np.bincount(places[places >= 0], minlength=len(self._known)).tolist()
        return {form: often[place] for form, place in self._known.items() if often[place]}

    def codes(self, column: Categorical) -> Codes:
        """Return the codes of the records, now that the values are known."""
        # Every form matches as its cells would: a form is read as itself. One more entry is for missing cells, at -1.
        table = np.full(len(self._known) + 1, MISSING, dtype=np.int16)
        for form, code in column.forms.items():
            if form in self._known:
                table[self._known[form]] = code
        found: Codes = table[self._places]
        return found
