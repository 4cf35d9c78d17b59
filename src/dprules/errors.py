"""Everything dprules raises on purpose.

::

    DprulesError
    |-- ParameterError (ValueError)     a public parameter breaks its rule
    |-- SchemaError (ValueError)        a schema that cannot be read or does not fit the table
    |-- DataError (ValueError)          a table that cannot be read
    |   `-- FileError                   a file or folder that is not there, cannot be written, or is there already
    |-- ModelError (ValueError)         a model file that cannot be read
    |   |-- UnverifiedError             a model file that can be read and does not verify
    |   `-- RemovedError                a file that uses a feature of earlier versions
    |-- ResourceError                   not enough memory or room on the disk, or a port in use
    |-- PrivacyError                    what was asked would not be private, or cannot be priced
    `-- SpentError (RuntimeError)       a one-time mechanism was used a second time

A message names the parameter and the rule and says what to do. It may quote public values; it never quotes
scores, counts, rows or anything computed from them.
"""

from pathlib import Path

BANNER = "NOT VERIFIED: the certificate does not hold for this model. Do not trust it."
"""The mark of everything that is shown of a model which does not verify."""


class DprulesError(Exception):
    """Base of every error raised by dprules."""


class ParameterError(DprulesError, ValueError):
    """A public parameter breaks its rule."""


class SchemaError(DprulesError, ValueError):
    """A schema cannot be read, or does not fit the table."""


class DataError(DprulesError, ValueError):
    """A table cannot be read. Says where and why, never what is in it."""


class FileError(DataError):
    """A file or folder is not there, cannot be read or written, or is there already."""


class ModelError(DprulesError, ValueError):
    """A model file cannot be read, or was tampered with."""


class UnverifiedError(ModelError):
    """A model file is well-formed, and its certificate does not hold for its model."""


class RemovedError(ModelError):
    """A file uses a feature that earlier versions had and this one has not."""


class ResourceError(DprulesError):
    """There is not enough memory or room on the disk. Says so in one sentence, without sizes of what was read."""


class PrivacyError(DprulesError):
    """The request would break the privacy statement, or no rule can price it."""


class SpentError(DprulesError, RuntimeError):
    """A mechanism that may answer once was asked again."""


def name_place(error: Exception) -> str:
    """Return the type of an error and where it was raised: all that may be said of one that nobody foresaw."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = type(error).__name__
    if trace is None:
        return name
    return f"{name} in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
