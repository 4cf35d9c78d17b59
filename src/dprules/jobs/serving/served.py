"""The model in force: prepared once, so that an event costs microseconds."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dprules.errors import BANNER
from dprules.models import Released, reader_of
from dprules.schema import MISSING, Clipped, Value


class Served:
    """A released model, ready to answer. Public: events pass through it and leave nothing behind.

    Parameters
    ----------
    released : Released
        What was published.
    faults : sequence of str
        Why it does not verify; nothing if it does.
    """

    __slots__ = (
        "_answer",
        "_asked",
        "_classes",
        "certificate",
        "faults",
        "hypothesis",
        "mark",
        "published",
        "released",
    )

    def __init__(self, released: Released, faults: list[str]) -> None:
        model = released.model
        self.released = released
        self.faults = faults
        self.mark = released.stream
        self.published = _read_time(released.created)
        self.hypothesis = released.to_json().encode()
        self.certificate = _write(self.verdict() | {"certificate": released.certificate.document()})
        self._answer = model.prepare()
        self._asked = [(column.name, reader_of(column), isinstance(column, Clipped)) for column in model.columns]
        self._classes = [_name(value) for value in model.classes]

    def verdict(self) -> dict[str, Any]:
        """Return whether the model verifies and whether its noise makes it private, for answers in JSON."""
        found: dict[str, Any] = {"verified": not self.faults, "private": self.released.certificate.private}
        return found | ({"faults": self.faults} if self.faults else {})

    def predict(self, event: Mapping[str, object]) -> dict[str, Any]:
        """Return what the model says of an event: private, if the event is.

        Columns of the model that the event lacks, or whose cell is nothing that was declared, are named: a model has
        few columns, and a misspelt one would otherwise be missing in silence. Fields that the model does not ask about
        are counted only.
        """
        cells = [read(event.get(name)) for name, read, _ in self._asked]
        label, shares, score = self._answer(cells)
        said: dict[str, Any] = {"label": label}
        if shares is not None:
            said["probabilities"] = dict(zip(self._classes, shares, strict=True))
        if score is not None:
            said["score"] = dict(zip(self._classes, score, strict=True)) if isinstance(score, tuple) else score
        missing = [
            name
            for (name, _, weighed), cell in zip(self._asked, cells, strict=True)
            if (event.get(name) is None if weighed else cell == MISSING)
        ]
        ignored = len(event) - sum(name in event for name, _, _ in self._asked)
        if missing:
            said["missing"] = missing
        if ignored:
            said["ignored"] = ignored
        if self.faults:
            said["verified"] = False
        return said

    def describe_model(self) -> str:
        """Return the model in words, after a banner if it does not verify."""
        return "\n\n".join([*([BANNER] if self.faults else []), str(self.released.model)])

    def describe_certificate(self) -> str:
        """Return the statement in words, after a banner if it does not hold."""
        return "\n\n".join([*([BANNER] if self.faults else []), str(self.released.certificate)])

    def age(self, now: datetime) -> float | None:
        """Return how many seconds ago the model was published; None: the file does not say when."""
        return None if self.published is None else max(0.0, (now - self.published).total_seconds())


def _name(value: Value) -> str:
    """Return a class as the name of an entry in JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _write(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()


def _read_time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
