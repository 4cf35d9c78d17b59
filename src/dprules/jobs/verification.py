"""Check a model file, or refuse it."""

from pathlib import Path

from dprules.errors import ParameterError
from dprules.models import Released, read_released


def verify(path: Released | str | Path, ledger: str | Path | None = None) -> list[str]:
    """Return what is wrong with a model file, in sentences; nothing if it verifies.

    It checks that the file is consistent (the releases, priced again, cost no more than is claimed; the certificate is
    for this model and covers what it shows), not who wrote it. With a ledger, also that the ledger is whole and was
    charged for this model.

    Parameters
    ----------
    path : str, Path or Released
        The model file; also a released model, or a fitted estimator. A ledger needs the file.
    ledger : str, Path or None
        The ledger that its certificate names.
    """
    released = Released.load(path, unverified=True) if isinstance(path, str | Path) else read_released(path)
    if ledger is None:
        return released.faults()
    if not isinstance(path, str | Path):
        raise ParameterError("a ledger is checked against the file of a model. Save it, and give its path.")
    from dprules.jobs.ledgers import ledger_verify  # it loads what fits need

    return [*released.faults(), *ledger_verify(ledger, models=[path])]
