"""How a stream begins: charged first, made beside its place, and moved there whole."""

import json
import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dprules.accounting import Assumed, Assumption, Certificate, TakenFrom
from dprules.errors import FileError
from dprules.learners.streams.features import StreamFeatures
from dprules.learners.streams.settings import StreamSettings
from dprules.learners.streams.state import State
from dprules.mechanisms import os_bits
from dprules.models import Released, StreamMark
from dprules.models.published import public_file
from dprules.temporary import make_folder, remove_left_folders

MAKING = ".dprules-stream-"
"""How a folder begins in which a stream is being made; the number of the process follows."""


def create_stream(
    folder: Path,
    settings: StreamSettings,
    features: StreamFeatures,
    charge: Callable[[Certificate], Certificate] = lambda certificate: certificate,
) -> Released:
    """Make a new stream in a folder that is not there yet; nothing is learnt yet.

    Parameters
    ----------
    folder : Path
        Will hold the private state and the public hypothesis.
    settings : StreamSettings
        The algorithm and its budget.
    features : StreamFeatures
        What is asked of events.
    charge : callable
        Charges a ledger for the certificate and returns it with the place of the charge; nothing is refused after it.
    """
    features = replace(features, lists=settings.has_lists)
    certificate = certify(settings, features)
    if folder.exists():
        raise FileError(_EXISTS.format(folder))
    if not folder.parent.is_dir():
        raise FileError(f"{folder.parent}: no such folder. Make it first.")
    remove_left_folders(folder.parent, MAKING)
    making, handle = make_folder(MAKING, folder.parent)
    try:
        _try_to_make(making / "trial", settings, features, certificate)
        if folder.exists():
            raise FileError(_EXISTS.format(folder))
        # Made beside its place and moved there whole: a kill leaves no half stream.
        published = _make_stream(making, settings, features, charge(certificate))
        making.chmod(0o755)
        _move(making, folder)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    return published


_EXISTS = "{} already exists. Choose another name for the stream."


def _try_to_make(folder: Path, settings: StreamSettings, features: StreamFeatures, certificate: Certificate) -> None:
    """Make a stream and remove it: what can fail, such as a full disk, fails before anything is charged."""
    folder.mkdir()
    _make_stream(folder, settings, features, certificate)
    shutil.rmtree(folder)


def _move(making: Path, folder: Path) -> None:
    """Give a folder its name; one that another process has taken meanwhile is refused."""
    try:
        making.rename(folder)
        return
    except OSError:
        if not folder.exists():
            raise
    raise FileError(_EXISTS.format(folder))


def _make_stream(
    folder: Path, settings: StreamSettings, features: StreamFeatures, certificate: Certificate
) -> Released:
    """Write the private state and the public hypothesis of a stream that has learnt nothing."""
    learner = settings.start(features, os_bits)
    name = secrets.token_hex(16)
    meta = {
        "name": name,
        "settings": json.dumps(settings.document()),
        "schema": features.schema.to_toml(),
        "width": str(features.width),
        "certificate": certificate.to_json(),
    }
    (folder / "private").mkdir(mode=0o700)
    os.close(os.open(private_file(folder), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    state = State(private_file(folder))
    try:
        state.create(meta, learner)
    finally:
        state.close()
    model = features.model(learner.hypothesis, 0)
    published = Released.of(model, features.schema.label, certificate, stream=StreamMark(name, 0, 0))
    published.save(public_file(folder))
    return published


def private_file(folder: Path) -> Path:
    """Return where a stream keeps its private state."""
    return folder / "private" / "state.db"


def certify(settings: StreamSettings, features: StreamFeatures) -> Certificate:
    """Charge everything that a stream will ever release, or refuse."""
    read_off: list[Assumed] = [Assumption.VALUES_READ_OFF] if features.schema.values_are_public else []
    read_off += [] if features.schema.values_like is None else [TakenFrom(features.schema.values_like)]
    read_off += [Assumption.CLASSES_FROM_LABELS] if features.schema.label.inferred else []
    return settings.certificate(features, secure=True, assumptions=read_off)
