"""What every export says of itself: what it predicts, how private it is, what missing cells mean, which model it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dprules.accounting import SEEDED
from dprules.schema import Value, show_value

if TYPE_CHECKING:  # envelopes hold models, which are exported here
    from dprules.models.released import Released

_MISSING = "A cell that is empty, unreadable or not declared is missing: "
_MEANINGS = {"scorecard": "it has the points of the line that names missing values."}
_USUAL = 'no condition on it holds but "is missing", not even "!=".'


def describe_missing(kind: str) -> str:
    """Say what missing cells mean to a kind of model."""
    return _MISSING + _MEANINGS.get(kind, _USUAL)


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above an export.

    Parameters
    ----------
    lines : tuple of str
        Sentences, one a line; printable, so that none of them can leave a comment.
    answer_name : str
        What the column of predictions is called.
    """

    lines: tuple[str, ...]
    answer_name: str = "prediction"


def describe_model(kind: str, classes: Sequence[Value], mark: str = "") -> Header:
    """Return the header of a model without its envelope: what it predicts, and what missing cells mean.

    A mark, such as that the noise was seeded, stands first.

    Examples
    --------
    >>> describe_model("list", ("no", "yes")).lines[0]
    'A list made by dprules, without its certificate. It predicts one of: no, yes.'
    """
    listed = ", ".join(map(show_value, classes))
    about = f"A {kind} made by dprules, without its certificate. It predicts one of: {listed}."
    return Header((*([mark] if mark else []), about, describe_missing(kind)))


def describe_released(released: "Released", marks: Sequence[str] = ()) -> Header:
    """Return the header of a model in its envelope.

    Parameters
    ----------
    released : Released
        The model and its certificate.
    marks : sequence of str
        Warnings that stand first; that noise was seeded is said in any case.
    """
    certificate = released.certificate
    label = show_value(released.label.name)
    listed = ", ".join(map(show_value, released.label.classes))
    lines = [
        *marks,
        *([] if certificate.private else [SEEDED]),
        f"A {released.model.kind} made by {show_value(released.software)}. It predicts {label}, one of: {listed}.",
        f"Differential privacy: epsilon {show_value(certificate.epsilon)}, delta {show_value(certificate.delta)}, "
        f"{certificate.neighbours} neighbours; unit: {show_value(str(certificate.unit))}.",
        *map(show_value, released.origin()),
        describe_missing(released.model.kind),
        f"Digest of the model (SHA-256): {released.digest()}. Its file holds the certificate.",
    ]
    return Header(tuple(lines), f"predicted_{released.label.name}")
