"""Where a ledger was charged for a release."""

import re
from dataclasses import dataclass
from typing import Any

from dprules.accounting.unit import is_one_line
from dprules.errors import ModelError, RemovedError

_NAME = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_ENTRIES = 10**9
"""Entries that a ledger may have."""


@dataclass(frozen=True, slots=True)
class LedgerReference:
    """The place of a charge in a ledger.

    Parameters
    ----------
    ledger : str
        The ledger's name: 32 hexadecimal digits, drawn when it was made.
    dataset : str
        What the data set is called there.
    entry : int
        The number of the entry.
    digest : str
        Of the chain up to the entry: what it is, and everything before it.
    """

    ledger: str
    dataset: str
    entry: int
    digest: str

    def __str__(self) -> str:
        where = f"entry {self.entry} of ledger {self.ledger[:8]}"
        return f"{where}, data set {self.dataset}, digest {self.digest[:16]}"

    def document(self) -> dict[str, Any]:
        """Return the mark in JSON's types."""
        return {
            "ledger": self.ledger,
            "dataset": self.dataset,
            "part": None,  # the format of earlier versions, which could charge parts
            "entry": self.entry,
            "digest": self.digest,
        }

    @classmethod
    def from_document(cls, document: Any) -> "LedgerReference | None":
        """Read what `document` writes; None stands for no ledger."""
        if document is None:
            return None
        if not isinstance(document, dict) or set(document) != {"ledger", "dataset", "part", "entry", "digest"}:
            raise ModelError("the certificate names its ledger in a way that this dprules does not know.")
        ledger, dataset = document["ledger"], document["dataset"]
        entry, digest = document["entry"], document["digest"]
        if document["part"] is not None:
            raise RemovedError("the model was learned from a part of a data set, which dprules no longer supports.")
        known = (
            isinstance(ledger, str)
            and _NAME.fullmatch(ledger)
            and is_one_line(dataset)
            and isinstance(entry, int)
            and not isinstance(entry, bool)
            and 0 < entry <= MOST_ENTRIES
            and isinstance(digest, str)
            and _DIGEST.fullmatch(digest)
        )
        if not known:
            raise ModelError("the certificate names its ledger in a way that this dprules does not know.")
        return cls(ledger, dataset, entry, digest)
