"""Everything dprules raises on purpose.

::

    DprulesError
    |-- ParameterError (ValueError)     a public parameter breaks its rule
    |-- PrivacyError                    what was asked would not be private, or cannot be priced
    `-- SpentError (RuntimeError)       a one-time mechanism was used a second time

A message names the parameter and the rule and says what to do. It may quote public values; it never quotes
scores, counts, rows or anything computed from them.
"""


class DprulesError(Exception):
    """Base of every error raised by dprules."""


class ParameterError(DprulesError, ValueError):
    """A public parameter breaks its rule."""


class PrivacyError(DprulesError):
    """The request would break the privacy statement, or no rule can price it."""


class SpentError(DprulesError, RuntimeError):
    """A mechanism that may answer once was asked again."""
