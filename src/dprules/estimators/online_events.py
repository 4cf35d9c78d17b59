"""River's verbs: one example at a time, as a dictionary, or a frame of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dprules.errors import DataError
from dprules.estimators.targets import read_labels
from dprules.jobs import collect_lazy, read_label_codes
from dprules.schema import Column, as_record, read_frame

_UNEQUAL = "X and y have different numbers of rows. Give one label for each row."
Example = Mapping[Any, Any]
"""One example: a value for each named feature."""
_PLAIN = (bool, str, int, float)
"""Types of labels that can be looked up as they are."""


class EventFace:
    """What river asks of a classifier. Features are named in advance, or hashed into a public number of coordinates."""

    _learner: Any
    _labels: list[Any]
    """The classes as Python has them, in the order of `classes_`."""
    _codes: dict[Any, int]
    _label_column: Column
    _kind: type | None = None
    """The type of labels whose codes are known; others are read as cells are."""

    def _remember_labels(self) -> None:
        """Make ready for single labels."""
        self._labels = self.classes_.tolist()  # type: ignore[attr-defined]
        kinds = {type(label) for label in self._labels}
        self._kind = kinds.pop() if len(kinds) == 1 and kinds <= set(_PLAIN) else None
        self._label_column = self._asked.label.column()  # type: ignore[attr-defined]
        self._codes = {} if self._kind is None else {label: code for code, label in enumerate(self._labels)}

    def learn_one(self, x: Example, y: Any) -> None:
        """Take one labelled example.

        Features are those of `features`, or are hashed into a public number of coordinates: names that are read off an
        example would publish that example. Classes are those of `classes`, or else False and True. No event is refused:
        one that is not a record, or whose label is not a class, is a round in which nothing is learned.
        """
        learner = self._learner
        if learner is None:
            self._learn_examples([x], [y])
        elif type(y) is self._kind and y in self._codes:
            learner.learn_one(x, self._codes[y])
        else:
            learner.learn_one(x, self._label_column.code(y))

    def learn_many(self, X: Any, y: Any) -> None:
        """Take a block of labelled examples as `learn_one` would take them, one after the other.

        Parameters
        ----------
        X : data frame
            Of pandas, Polars or Arrow; columns are features by their names.
        y : series
            A label for each row.
        """
        labels = read_labels(y)
        examples = _as_examples(X)
        if len(labels) != len(examples):
            raise DataError(_UNEQUAL)
        self._learn_examples(examples, labels)

    def _learn_examples(self, examples: Sequence[object], labels: Any) -> None:
        begun = self._learner is not None
        if not begun:
            self._warn_if_ended()  # type: ignore[attr-defined]
        asked = self._asked if begun else self._ask_by_name()  # type: ignore[attr-defined]
        learner = self._learner if begun else self._make_learner(asked)  # type: ignore[attr-defined]
        learner.learn(*asked.request.read_events(examples, read_label_codes(labels, asked.label)))
        if not begun:
            self._keep(asked, learner)  # type: ignore[attr-defined]

    def predict_one(self, x: Example, **kwargs: Any) -> Any:
        """Return the class of one example; None before the first one was learnt."""
        learner = self._learner
        if learner is None and not hasattr(self, "classes_"):
            return None
        answers = self._answers() if learner is None else learner.answers  # type: ignore[attr-defined]
        return self._labels[_ask(answers.place, x)]

    def name_features(self, x: Example) -> Example:
        """Return an example by the names that `hypothesis_` prints; hashed features are named by their coordinates."""
        check_is_fitted(self, "classes_")
        named: Example = _ask(self._asked.request.name_features, x)  # type: ignore[attr-defined]
        return named

    def predict_many(self, X: Any) -> Any:
        """Return the class of each row of a data frame, as a series where it is one of pandas."""
        X = collect_lazy(X)
        answers = [self.predict_one(example) for example in _as_examples(X)]
        if hasattr(X, "iloc"):
            return type(X.iloc[:, 0])(answers, index=X.index)
        return np.array(answers)

    def predict_proba_one(self, x: Example, **kwargs: Any) -> dict[Any, float]:
        """Return how likely each class is, as `predict_proba` does; all alike before the first example was learnt."""
        if not hasattr(self, "classes_"):
            known = [False, True] if self.classes is None else list(self.classes)  # type: ignore[attr-defined]
            return dict.fromkeys(known, 1 / len(known))
        return dict(zip(self._labels, _ask(self._answers().shares, x), strict=True))  # type: ignore[attr-defined]

    def predict_proba_many(self, X: Any) -> Any:
        """Return how likely each class is for each row of a data frame, as a frame of the same kind."""
        X = collect_lazy(X)
        shares = [self.predict_proba_one(example) for example in _as_examples(X)]
        known = list(self.predict_proba_one({})) if not shares else list(shares[0])
        columns = {label: [row[label] for row in shares] for label in known}
        if hasattr(X, "iloc"):
            return type(X)(columns, index=X.index)
        named = {str(label): column for label, column in columns.items()}
        return type(X).from_pydict(named) if hasattr(X, "to_pylist") else type(X)(named)


def _ask(question: Callable[[Example], Any], event: object) -> Any:
    """Return what is said of an event; of one that cannot be read, what is said of an event without cells."""
    try:
        return question(event if type(event) is dict else as_record(event) or {})
    except Exception:  # names and cells may be any objects, with any methods
        return question({})


def _as_examples(X: Any) -> list[Example]:
    """Return the rows of a frame as dictionaries."""
    frame = read_frame(X)
    if frame is None:
        raise DataError("X must be a data frame (pandas, Polars or Arrow) with a column for each feature.")
    size, columns = frame
    return [{name: cells[place] for name, cells in columns.items()} for place in range(size)]
