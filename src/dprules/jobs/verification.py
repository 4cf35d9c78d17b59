"""Check a model file, or refuse it."""

from pathlib import Path

from dprules.models import Released


def verify(path: str | Path) -> list[str]:
    """Return what is wrong with a model file, in sentences; nothing if it verifies.

    It checks that the file is consistent (the releases, priced again, cost no more than is claimed; the certificate is
    for this model and covers what it shows), not who wrote it.
    """
    return Released.load(path, unverified=True).faults()
