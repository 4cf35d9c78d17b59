"""A list with its certificate, in one file."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dprules.accounting import Certificate
from dprules.errors import ModelError
from dprules.lists import files
from dprules.lists.rule_list import RuleList

FORMAT, VERSION = "dprules-model", 1


@dataclass(frozen=True, slots=True)
class Model:
    """What a fit publishes."""

    rules: RuleList
    certificate: Certificate

    def __str__(self) -> str:
        return f"{self.rules}\n\n{self.certificate}"

    def verify(self) -> bool:
        """Whether the certificate holds and covers what the list shows: its rules, and their counts."""
        paid = {release.mechanism: release.parameters for release in self.certificate.releases}
        if "draws of rules" not in paid:
            return False
        names = [release.name for release in self.certificate.releases]
        rounds = paid.get("draws of rules", {}).get("rounds")
        if self.rules.counts is not None and "counts of the rules" not in names:
            return False
        return self.certificate.verify() and (rounds is None or len(self.rules.rules) < rounds)

    def to_json(self) -> str:
        """The model as JSON."""
        parts = {"list": files.written(self.rules), "certificate": self.certificate.to_document()}
        return json.dumps({"format": FORMAT, "version": VERSION} | parts, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Model":
        """Read a model; files that are broken, hostile or from the future are refused."""
        document = files.document(text)
        files.require(document, FORMAT, VERSION)
        if not isinstance(document.get("list"), dict):
            raise ModelError("the model has no list. Fit again.")
        return cls(files.read(document["list"]), Certificate.from_document(document.get("certificate")))

    def save(self, path: str | Path) -> None:
        """Write the file whole or not at all."""
        write_whole(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> "Model":
        """Read a model file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = ""
        return cls.from_json(text)


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file beside its place and move it there, so that an interruption leaves the old one.

    A model is public, hence the mode. What is there already and is no file (a pipe, a device) is written to.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
