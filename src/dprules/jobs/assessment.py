"""What a histogram of answers says of a model, in figures that know their noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Certificate
from dprules.jobs.figures import TOO_FEW, Array, Figure, Noise, count_interval, share_interval, simultaneous_bounds
from dprules.jobs.scores import Groups
from dprules.schema import Label, Value, show_value


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """A class: how many rows have it, which share of them is found, which share of its predictions is right."""

    value: Value
    rows: Figure
    recall: Figure
    precision: Figure


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """An answer of the model: how many rows get it, and for which share of them it is right."""

    name: str
    rows: Figure
    right: Figure


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one histogram of answers says, and how it was paid for.

    Parameters
    ----------
    label : str
        The column with the true labels.
    rows : Figure
        Rows with a declared label.
    accuracy : Figure
        The share of right answers.
    baseline : Figure
        The accuracy of always saying `majority`.
    majority : str or number
        The class that most rows have.
    balanced_accuracy : Figure
        The mean of the classes' recalls.
    auc : Figure
        How often a row of a class is ranked above one that is not, by the probabilities of the model's groups: of the
        positive class, or the mean over all classes where there are more than two.
    classes : tuple of ClassFigures
        In the label's order.
    confusion : tuple of tuples of Figure
        Numbers of rows, by predicted and then true class.
    groups : tuple of GroupFigures
        One for each answer of the model: the rules of a list, the rows of a card's table, or the classes.
    better : bool or None
        Whether the model is better than the baseline on these rows; None: the noise hides it.
    certificate : Certificate or None
        What was spent; None: the rows are public, and the figures exact.
    mark : str
        That the noise of the model was seeded; empty if the model is private.
    """

    label: str
    rows: Figure
    accuracy: Figure
    baseline: Figure
    majority: Value
    balanced_accuracy: Figure
    auc: Figure
    classes: tuple[ClassFigures, ...]
    confusion: tuple[tuple[Figure, ...], ...]
    groups: tuple[GroupFigures, ...]
    better: bool | None
    certificate: Certificate | None
    mark: str = ""

    @property
    def epsilon(self) -> float | None:
        """What was spent; None: the rows are public."""
        return None if self.certificate is None else self.certificate.epsilon

    @property
    def verdict(self) -> str:
        """A sentence on whether the model is worth anything on these rows; empty if it is."""
        if not self.rows.value:
            return (
                f"Noise alone could have made these counts: check that column {show_value(self.label)} holds the "
                "classes of the model, or take more rows or a larger epsilon."
            )
        always = f"always saying {show_value(self.majority)}"
        if self.better is None:
            return f"The noise hides whether the model is right more often than {always}."
        return "" if self.better else f"The model is right no more often than {always}."

    def __str__(self) -> str:
        lines = [
            *([self.mark] if self.mark else []),
            f"rows               {self.rows}",
            f"accuracy           {self.accuracy}",
            f"majority baseline  {self.baseline}",
            f"balanced accuracy  {self.balanced_accuracy}",
            f"AUC                {self.auc}",
        ]
        return "\n".join([*lines, *([self.verdict] if self.verdict else [])])

    def document(self) -> dict[str, Any]:
        """Return everything in JSON's types: each figure as value, low and high."""
        classes = [
            {"class": c.value} | {name: getattr(c, name).document() for name in ("rows", "recall", "precision")}
            for c in self.classes
        ]
        groups = [{"answer": g.name, "rows": g.rows.document(), "right": g.right.document()} for g in self.groups]
        counts = [[figure.document() for figure in line] for line in self.confusion]
        return ({"warning": self.mark} if self.mark else {}) | {
            "label": self.label,
            "epsilon": self.epsilon,
            "rows": self.rows.document(),
            "accuracy": self.accuracy.document(),
            "baseline": {"class": self.majority} | self.baseline.document(),
            "balanced_accuracy": self.balanced_accuracy.document(),
            "auc": self.auc.document(),
            "better_than_baseline": self.better,
            "verdict": self.verdict,
            "classes": classes,
            "confusion": {"order": "predicted, then true", "counts": counts},
            "answers": groups,
            "certificate": None if self.certificate is None else self.certificate.document(),
        }


def assess(
    groups: Groups,
    counts: NDArray[np.int64],
    noise: Noise,
    truth: Label,
    positive: Value | None,
    certificate: Certificate | None,
) -> Evaluation:
    """Turn a released histogram, or one of public rows, into figures.

    Parameters
    ----------
    groups : Groups
        Of the model.
    counts : array
        Groups times true classes.
    noise : Noise
        What is in each cell.
    truth : Label
        The column that was compared with.
    positive : str, number or None
        The class whose ranking the AUC is of, if there are two; None: the last.
    certificate : Certificate or None
        What was spent.
    """
    writer = _Writer(groups, counts.astype(np.float64), noise)
    k = len(groups.classes)
    majority = int(np.argmax(writer.true))
    confusion = tuple(tuple(writer.count("table", (i, j), writer.said_by[i]) for j in range(k)) for i in range(k))
    return Evaluation(
        label=truth.name,
        rows=writer.count("rows", (), writer.cells),
        accuracy=writer.share("accuracy", (), writer.rows, writer.cells),
        baseline=writer.baseline(majority),
        majority=groups.classes[majority],
        balanced_accuracy=writer.balanced(),
        auc=writer.auc(k - 1 if positive is None else groups.classes.index(positive)),
        classes=tuple(writer.of_class(i) for i in range(k)),
        confusion=confusion,
        groups=tuple(writer.of_group(i) for i in range(len(groups.names))),
        better=writer.better(),
        certificate=certificate,
    )


class _Writer:
    """Writes figures from one histogram and simulated noise. Public: it sees released counts only."""

    def __init__(self, groups: Groups, counts: Array, noise: Noise) -> None:
        self._groups = groups
        self._noise = noise
        self._found = groups.measure(counts)
        self._simulated: Mapping[str, Array] = {} if noise.tilt is None else noise.simulate(counts, groups.measure)
        table = self._found["table"]
        self.cells = counts.size
        self.true = self._found["true"]
        self.rows = float(self.true.sum())
        self.said_by = [int((groups.said == i).sum()) for i in range(len(groups.classes))]
        """How many groups say each class: so many cells are in an entry of the confusion matrix."""
        self._predicted = table.sum(1)

    def count(self, name: str, at: tuple[int, ...], cells: int) -> Figure:
        value = int(self._found[name][at])
        if not self._simulated or not cells:
            return Figure(value)
        low, high = count_interval(self._draws(name, at))
        if not low == value == high and self._noise.could_make(value, cells):
            return Figure(None, low, high, TOO_FEW)
        return Figure(value, low, high)

    def share(self, name: str, at: tuple[int, ...], total: float, cells: int, none: str = "no such rows") -> Figure:
        """A share of a noisy total of so many cells."""
        if not self._simulated or not cells:
            value = float(self._found[name][at])
            return Figure(None, unknown=none) if np.isnan(value) else Figure(value)
        if total <= 0 or self._noise.could_make(total, cells):
            return Figure(None, unknown=TOO_FEW)
        return _clipped(self._found[name][at], share_interval(self._draws(name, at)))

    def _draws(self, name: str, at: tuple[int, ...]) -> Array:
        """What each draw of the noise says of one figure."""
        found = self._simulated[name]
        for place in at:
            found = found[:, place]
        return found

    def of_class(self, i: int) -> ClassFigures:
        groups, k = len(self._groups.names), len(self._groups.classes)
        said = self.said_by[i] * k
        return ClassFigures(
            self._groups.classes[i],
            self.count("true", (i,), groups),
            self.share("recall", (i,), self.true[i], groups),
            self.share("precision", (i,), self._predicted[i], said, "never predicted"),
        )

    def of_group(self, i: int) -> GroupFigures:
        k = len(self._groups.classes)
        right = self.share("purity", (i,), float(self._found["sizes"][i]), k)
        return GroupFigures(self._groups.names[i], self.count("sizes", (i,), k), right)

    def baseline(self, majority: int) -> Figure:
        """The largest of the classes' shares: each has its interval, and all of them hold at once."""
        found = self.share("shares", (majority,), self.rows, self.cells)
        if found.value is None or not self._simulated:
            return found
        lows, highs = simultaneous_bounds(self._simulated["shares"])
        return _clipped(found.value, (max(0.0, lows.max()), min(1.0, highs.max())))

    def balanced(self) -> Figure:
        if not self._simulated:
            recall = self._found["recall"]
            return Figure(float(np.nanmean(recall))) if not np.isnan(recall).all() else Figure(None, unknown=TOO_FEW)
        few = self._rare_class()
        if few is not None:
            return Figure(None, unknown=few)
        return _clipped(float(self._found["balanced"]), share_interval(self._simulated["balanced"]))

    def auc(self, positive: int) -> Figure:
        """Of the positive class if there are two, the mean of one against the rest if there are more."""
        if "auc" not in self._found:
            return Figure(None, unknown="rows are counted by the classes that they are given, which do not rank")
        places = [positive] if len(self._groups.classes) == 2 else list(range(len(self._groups.classes)))
        areas = self._found["auc"][places]
        if not self._simulated:
            one_class = Figure(None, unknown="all rows are of one class")
            return one_class if np.isnan(areas).all() else Figure(float(np.nanmean(areas)))
        few = self._rare_class()
        if few is not None or len(self._groups.classes) == 1:
            return Figure(None, unknown=few or TOO_FEW)
        return _clipped(areas.mean(), share_interval(self._simulated["auc"][:, places].mean(-1)))

    def better(self) -> bool | None:
        """Whether more answers are right than any one class would give: paired, since the rows are the same."""
        leads = self._found["leads"]
        if not self._simulated:
            return bool((leads > 0).all())
        lows, highs = simultaneous_bounds(self._simulated["leads"])
        if (lows > 0).all():
            return True
        return False if (highs <= 0).any() else None

    def _rare_class(self) -> str | None:
        """Name a class of which noise alone could have made the rows."""
        for value, total in zip(self._groups.classes, self.true, strict=True):
            if total <= 0 or self._noise.could_make(total, len(self._groups.names)):
                return f"{TOO_FEW}: class {show_value(value)}"
        return None


def _clipped(value: float, interval: tuple[float, float]) -> Figure:
    """A share lies between 0 and 1, and its noisy value within its interval."""
    low, high = interval
    return Figure(min(high, max(low, float(value))), low, high)
