"""What a fit publishes: a model, what it predicts, and its certificate, in one file."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import SEEDED, Assumption, Certificate
from dprules.errors import FileError, ModelError, ParameterError, PrivacyError, SchemaError, UnverifiedError
from dprules.files import digest, is_written_alike, read_document, read_document_file, require_format, write_whole
from dprules.models.counted import show_number
from dprules.models.documents import MOST_RELEASES
from dprules.models.halfspace import Halfspace
from dprules.models.model import Model
from dprules.models.rule_list import RuleList
from dprules.models.scorecard import Scorecard
from dprules.schema import DocumentReader, Label, Positive, show_value

FORMAT = "dprules-model"
VERSION = 1
_KINDS: dict[str, type[Model]] = {kind.kind: kind for kind in (RuleList, Scorecard, Halfspace)}


@cache
def name_software() -> str:
    """Return what writes this; looking it up takes milliseconds, and a stream publishes all the time."""
    return f"dprules {version('dprules')}"


@dataclass(frozen=True, slots=True)
class StreamMark:
    """Which stream a model comes from, and how far it had come: a private state with fewer rounds is an older copy."""

    name: str
    rounds: int
    releases: int
    """Hypotheses that were released, this one included."""


@dataclass(frozen=True, slots=True)
class Released:
    """A public model in its envelope.

    Parameters
    ----------
    model : Model
        What predicts.
    label : Label
        What it predicts: the name of the column, and its classes.
    certificate : Certificate
        What was guaranteed; it holds the digest of the model.
    table : str or None
        The name of the table that it was learnt from, if it was given.
    created : str
        When, in UTC.
    software : str
        By what.
    stream : StreamMark or None
        For models that a stream publishes.
    """

    model: Model
    label: Label
    certificate: Certificate
    table: str | None = None
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    software: str = field(default_factory=name_software)
    stream: StreamMark | None = None
    misread: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What a document said otherwise than dprules writes it."""

    def __post_init__(self) -> None:
        if not self.certificate.private:
            object.__setattr__(self, "model", mark_seeded(self.model))

    @classmethod
    def of(
        cls,
        model: Model,
        label: Label,
        certificate: Certificate,
        table: str | None = None,
        stream: StreamMark | None = None,
    ) -> "Released":
        """Put a model and its certificate in one envelope, and tie them together."""
        made = cls(model, label, certificate, table, stream=stream)
        if certificate.model_digest not in (None, made.digest()):
            raise PrivacyError("the certificate is for another model, and one certificate is for one. Fit again.")
        return cls(model, label, certificate.for_model(made.digest()), table, made.created, made.software, stream)

    def digest(self) -> str:
        """Return the digest of everything that the certificate is about."""
        written = self.document()
        certified = {"settings": dict(self.certificate.settings)}
        return digest({name: entry for name, entry in written.items() if name != "certificate"} | certified)

    def __str__(self) -> str:
        return "\n".join([self.model.write_text(), *self.origin(), "", str(self.certificate), *self.cautions()])

    def origin(self) -> list[str]:
        """Return sentences on which records of its table it was learnt from; none if that is all of them."""
        unit = self.certificate.unit
        if unit.column is None:
            return []
        rows = "row" if unit.rows == 1 else "rows"
        return [f"Of each {show_value(unit.column)} at most {unit.rows:,} {rows} took part."]

    def cautions(self) -> list[str]:
        """Return sentences on what a reader should beware of: too few records, or a delta that is large for them."""
        found = self.model.cautions(self.label.name)
        records = self.model.records()
        if records is None or self.certificate.delta * records.value <= 1:
            return found
        return [
            *found,
            f"Delta is above one over the number of records (about {show_number(records)}): with that probability a "
            "mechanism may publish a whole record and still keep this promise. Choose a smaller delta.",
        ]

    def predict(self, rows: object) -> NDArray[Any]:
        """Return the label of each row, in the type in which the classes were declared; rows are those of a model."""
        return self.as_declared(self.model.predict(rows))

    def as_declared(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Return labels of the model in the type in which the classes were declared."""
        return labels == "true" if self.label.truths else labels

    def predict_proba(self, rows: object) -> NDArray[np.float64]:
        """Return how likely each class is for each row, in the order of the model's classes."""
        return self.model.predict_proba(rows)

    @overload
    def explain(self, rows: Mapping[str, object]) -> str: ...
    @overload
    def explain(self, rows: object) -> str | list[str]: ...
    def explain(self, rows: object) -> str | list[str]:
        """Say why a row gets its label: a text for a dictionary or a series, a list of texts for a table of rows."""
        return self.model.explain(rows)

    def verify(self) -> bool:
        """Whether the certificate holds and covers what the model shows.

        It checks that the file is consistent, not who wrote it.
        """
        return not self.faults()

    def faults(self) -> list[str]:
        """Return what is wrong, in sentences; nothing if the file verifies."""
        found = [*self.misread, *self.certificate.faults()]
        if self.certificate.model_digest != self.digest():
            found.append("the certificate is for another model")
        if tuple(self.model.classes) not in (self.label.classes, self.label.classes[::-1]):
            found.append("the model has other classes than its label")
        found += [f"it does not say that it assumes {assumption.value}" for assumption in self._unsaid_assumptions()]
        return found + self.model.faults(self.certificate)

    def _unsaid_assumptions(self) -> list[Assumption]:
        """What the model shows to have been assumed, and the certificate does not say."""
        known = set(self.certificate.assumptions)
        needed = [Assumption.CLASSES_FROM_LABELS] if self.label.inferred else []
        from_rows = self.model.from_rows and self.certificate.unit.of != "round"
        if from_rows and Assumption.SCHEMA not in known:
            needed.append(Assumption.RECORD_BY_RECORD)
            if any(isinstance(column, Positive) for column in self.model.columns):
                needed.append(Assumption.POSITIVE_NUMBERS)
        return [assumption for assumption in needed if assumption not in known]

    def require_verified(self) -> "Released":
        """Return itself, or refuse with what is wrong."""
        found = self.faults()
        if found:
            raise UnverifiedError(
                f"the model does not verify: {'; '.join(found)}. It was changed, or another dprules made it. "
                "Ask for the file that was published."
            )
        return self

    def document(self) -> dict[str, Any]:
        """Return the envelope as a JSON document."""
        stream = None if self.stream is None else asdict(self.stream)
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.model.kind,
            "label": self.label.entry(),
            "model": self.model.document(),
            "table": self.table,
            "created": self.created,
            "software": self.software,
            "stream": stream,
            "certificate": self.certificate.document(),
        }

    def to_json(self) -> str:
        """Return the envelope as JSON."""
        return json.dumps(self.document(), indent=2) + "\n"

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Released":
        """Read an envelope; files that are broken, hostile or of another version are refused."""
        require_format(document, FORMAT, VERSION)
        kind = _KINDS.get(str(document.get("kind")))
        if kind is None or not isinstance(document.get("model"), dict):
            raise ModelError("the file has no model that this dprules knows. Fit again.")
        model = kind.from_document(document["model"])
        label = _read_label(document.get("label"))
        certificate = Certificate.from_document(document.get("certificate"))
        texts = [document.get(name) for name in ("table", "created", "software")]
        if not all(text is None or (isinstance(text, str) and len(text) < 1000) for text in texts):
            raise ModelError("the file does not say when and by what it was made. Fit again.")
        table, created, software = texts
        read = cls(model, label, certificate, table, str(created), str(software), _read_stream(document.get("stream")))
        # What is not written back is neither checked nor part of the digest: a reader might believe it all the same.
        if certificate.misread or is_written_alike(read.document(), document):
            return read
        return replace(read, misread=("it says something else than this dprules writes",))

    @classmethod
    def from_json(cls, text: str) -> "Released":
        """Read an envelope from JSON; it is not verified."""
        return cls.from_document(read_document(text))

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the file whole or not at all; a file that exists is refused, unless `overwrite`."""
        write_whole(Path(path), self.to_json(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path, *, unverified: bool = False) -> "Released":
        """Read a model file; one that does not verify is refused, unless `unverified`."""
        try:
            loaded = cls.from_document(read_document_file(Path(path)))
        except IsADirectoryError:
            raise FileError(f"{path} is a folder. Name a file in it.") from None
        except ModelError as error:
            refusal = f"{path}: {error}"
        else:
            return loaded if unverified else loaded.require_verified()
        raise ModelError(refusal)


Marked = TypeVar("Marked", bound=Model)


def mark_seeded(model: Marked) -> Marked:
    """Return a model whose noise was seeded with the mark that says so."""
    marked: Marked = replace(model, mark=SEEDED)  # type: ignore[type-var]
    return marked


def read_released(model: Any) -> Released:
    """Return a released model as users name it: itself, the path of its file, or an estimator that was fitted.

    A file must verify.
    """
    if isinstance(model, Released):
        return model
    if isinstance(model, str | Path):
        return Released.load(model)
    released = getattr(model, "model_", None)
    if isinstance(released, Released):
        return released
    raise ParameterError(
        f"a released model is needed; got {type(model).__name__}. Give model_ of a fitted estimator, or the file of a "
        "model."
    )


def _read_label(entry: object) -> Label:
    try:
        return DocumentReader("", "the file").label(entry)
    except SchemaError as error:
        sentence = str(error)
    raise ModelError(f"the label of the file is not valid ({sentence}). Fit again.")


def _read_stream(entry: object) -> StreamMark | None:
    if entry is None:
        return None
    known = isinstance(entry, dict) and isinstance(entry.get("name"), str)
    if not isinstance(entry, dict) or not known or not all(_is_count(entry.get(of)) for of in ("rounds", "releases")):
        raise ModelError("the file does not say which stream it comes from. Run `dprules stream learn` again.")
    return StreamMark(entry["name"], entry["rounds"], entry["releases"])


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_RELEASES
