"""Check a model file, or refuse it."""

from pathlib import Path

from dprules.models import Released


def verify(path: str | Path, ledger: str | Path | None = None) -> list[str]:
    """Return what is wrong with a model file, in sentences; nothing if it verifies.

    It checks that the file is consistent (the releases, priced again, cost no more than is claimed; the certificate is
    for this model and covers what it shows), not who wrote it. With a ledger, also that the ledger is whole and was
    charged for this model.

    Parameters
    ----------
    path : str or Path
        The model file.
    ledger : str, Path or None
        The ledger that its certificate names.
    """
    found = Released.load(path, unverified=True).faults()
    if ledger is None:
        return found
    from dprules.jobs.ledgers import ledger_verify  # it loads what fits need

    return [*found, *ledger_verify(ledger, models=[path])]
