"""What the commands do, on a file that is read anew every time, and what they publish, as numbers with names."""

import hashlib
import os
import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from dprules.accounting import Account, Assumption, Certificate, Unit, counted
from dprules.accounting import Neighbours as Relation
from dprules.audit import Outcome
from dprules.jobs.end_to_end.files import SCHEMA, Neighbours
from dprules.jobs.evaluation import evaluate
from dprules.jobs.fitting import FitRequest, fit
from dprules.jobs.settings import ListSettings, Settings
from dprules.jobs.streams import Stream, stream_init, stream_learn, stream_show
from dprules.models import Released, Rule, RuleList
from dprules.schema import Schema

Published = tuple[Outcome, Certificate]
ONE_RULE = ListSettings(width=1, max_rules=1, reward=1)
"""The whole budget goes into one rule and its counts."""


@dataclass(frozen=True)
class Command(ABC):
    """One of the commands, with its options, on one of two neighbouring files.

    Parameters
    ----------
    name, what : str
        What the trial is called, and what differs between the files.
    files : Neighbours
        Made up.
    """

    name: str
    what: str
    files: Neighbours

    def write(self, folder: Path) -> None:
        """Write both files."""
        for side, content in enumerate(self.files.contents):
            self.place(folder, side).write_bytes(content)

    def place(self, folder: Path, side: int) -> Path:
        """Return where a file is: a name that says nothing of its side."""
        inside = folder / hashlib.sha256(self.name.encode()).hexdigest()[:12] / str(side)
        inside.mkdir(parents=True, exist_ok=True)
        return inside / f"people.{self.files.suffix}"

    @abstractmethod
    def run(self, folder: Path, side: int) -> Published:
        """Run it once, with the noise of the package."""

    @abstractmethod
    def steps(self, folder: Path, side: int, output: Path) -> list[list[str]]:
        """Return the arguments of `dprules`, step by step; files are written to `output`."""


@dataclass(frozen=True)
class Fit(Command):
    """`dprules fit`."""

    settings: Settings = ONE_RULE
    epsilon: float = 2.0
    schema: Schema = SCHEMA
    options: Mapping[str, Any] = field(default_factory=dict)
    model: ClassVar[str] = "list"

    def run(self, folder: Path, side: int) -> Published:
        """Learn a model from the file."""
        data = self.place(folder, side)
        released = fit(FitRequest(data, self.schema, self.settings, self.epsilon, **self.options))
        return self.read(released.model.document()), released.certificate

    def steps(self, folder: Path, side: int, output: Path) -> list[list[str]]:
        """Return the arguments of `dprules fit`."""
        schema = _write_schema(self.schema, output)
        files = [str(self.place(folder, side)), "--schema", schema, "-o", str(output / "model.json")]
        return [["fit", *files, "--epsilon", str(self.epsilon), "--model", self.model, *_as_arguments(self.options)]]

    def read(self, document: object) -> dict[str, float]:
        """Return what is published, as numbers with names: those of a list within its rules."""
        return read_within(document)


@dataclass(frozen=True)
class FitCard(Fit):
    """`dprules fit --model scorecard`: its lines have names of their own."""

    model: ClassVar[str] = "scorecard"

    def read(self, document: object) -> dict[str, float]:
        """Return what is published, as numbers with names."""
        return read_numbers(document)


@dataclass(frozen=True)
class FitAfterCut(Fit):
    """`dprules fit` in a new process that finds its tilt on disk, in a file that was cut."""

    def run(self, folder: Path, side: int) -> Published:
        """Cut the file, forget what this process knows, and learn."""
        kept = self.place(folder, side).parent / "kept"
        before = os.environ.get("DPRULES_CACHE")
        os.environ["DPRULES_CACHE"] = str(kept)
        try:
            counted.forget_tilts()
            if not kept.exists():
                super().run(folder, side)
                counted.forget_tilts()
            for file in kept.rglob("*.json"):
                file.write_text(re.split(r"p[+-]", file.read_text())[0])  # the tilt has lost its exponent
            return super().run(folder, side)
        finally:
            counted.forget_tilts()
            if before is None:
                del os.environ["DPRULES_CACHE"]
            else:
                os.environ["DPRULES_CACHE"] = before


@dataclass(frozen=True)
class Evaluate(Command):
    """`dprules evaluate`, of a model that everybody knows."""

    epsilon: float = 1.0

    def run(self, folder: Path, side: int) -> Published:
        """Buy figures on the file."""
        found = evaluate(_known_model(), self.place(folder, side), epsilon=self.epsilon)
        if found.certificate is None:
            raise TypeError("figures that were bought have a certificate")
        figures = {name: entry for name, entry in found.document().items() if name != "certificate"}
        return read_numbers(figures), found.certificate

    def steps(self, folder: Path, side: int, output: Path) -> list[list[str]]:
        """Return the arguments of `dprules evaluate`."""
        _known_model().save(output / "model.json")
        data = str(self.place(folder, side))
        # The model was not learned: it has no release to verify.
        return [["evaluate", str(output / "model.json"), data, "--epsilon", str(self.epsilon), "--unverified"]]


@cache
def _known_model() -> Released:
    literal = next(one for one in SCHEMA.literals() if str(one) == "age >= 50")
    account = Account(1, 0, Relation.ADD_REMOVE, Unit())
    assumed = [Assumption.SCHEMA, Assumption.SETTINGS]
    model = RuleList((Rule((literal,), "yes"),), "no", tuple(SCHEMA.label.classes))
    return Released.of(model, SCHEMA.label, account.certificate(secure=True, assumptions=assumed))


@dataclass(frozen=True)
class Learn(Command):
    """`dprules stream init` and `dprules stream learn`, in a folder of their own."""

    epsilon: float = 2.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def run(self, folder: Path, side: int) -> Published:
        """Learn the file, and return what is published then."""
        state = Path(tempfile.mkdtemp(dir=folder)) / "stream"
        try:
            stream_init(state, SCHEMA, epsilon=self.epsilon, **self.options)
            with Stream.open(state) as stream:
                for _ in stream_learn(stream, str(self.place(folder, side)), say=_say_nothing):
                    pass
            released = stream_show(state)
        finally:
            shutil.rmtree(state.parent, ignore_errors=True)
        return read_within(released.model.document()), released.certificate

    def steps(self, folder: Path, side: int, output: Path) -> list[list[str]]:
        """Return the arguments of `dprules stream init` and `dprules stream learn`."""
        state = str(output / "stream")
        budget = ["--features", _write_schema(SCHEMA, output), "--epsilon", str(self.epsilon)]
        return [
            ["stream", "init", state, *budget, *_as_arguments(self.options)],
            ["stream", "learn", state, str(self.place(folder, side))],
        ]


def _write_schema(schema: Schema, output: Path) -> str:
    path = output / "schema.toml"
    path.write_text(schema.to_toml(), encoding="utf-8")
    return str(path)


def _as_arguments(options: Mapping[str, Any]) -> list[str]:
    return [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def _say_nothing(sentence: str) -> None:
    """Show nothing."""


def read_numbers(document: object) -> dict[str, float]:
    """Return the numbers of a document by their places, and its texts as names.

    Examples
    --------
    >>> read_numbers({"answer": "yes", "rows": [3, 4]})
    {'.answer=yes': 1.0, '.rows.0': 3.0, '.rows.1': 4.0}
    """
    leaves = list(_leaves(document, ""))
    texts = {f"{place}={leaf}": 1.0 for place, leaf in leaves if not isinstance(leaf, int | float)}
    return texts | {place: float(leaf) for place, leaf in leaves if isinstance(leaf, int | float)}


def read_within(document: object) -> dict[str, float]:
    """Return the numbers of a document by their places and all of its texts: counts of one rule are no other's.

    Examples
    --------
    >>> list(read_within({"rule": "age < 50", "counts": [3, 4]}))
    ['5c3a68c5', '5c3a68c5.counts.0', '5c3a68c5.counts.1']
    """
    leaves = list(_leaves(document, ""))
    texts = " ".join(leaf for _, leaf in leaves if isinstance(leaf, str))
    shape = hashlib.sha256(texts.encode()).hexdigest()[:8]  # thousands of outcomes wait in memory
    numbers = {f"{shape}{place}": float(leaf) for place, leaf in leaves if isinstance(leaf, int | float)}
    return {shape: 1.0} | numbers


def _leaves(document: object, place: str) -> Iterator[tuple[str, object]]:
    if isinstance(document, Mapping):
        entries: Any = document.items()
    elif isinstance(document, list | tuple):
        entries = enumerate(document)
    else:
        yield place, document
        return
    for name, entry in entries:
        yield from _leaves(entry, f"{place}.{name}")
