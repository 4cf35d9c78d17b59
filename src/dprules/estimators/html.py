"""What a notebook shows of a fitted estimator below scikit-learn's own drawing: its rules, and its privacy."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr

from dprules.accounting import SEEDED, Certificate
from dprules.models import Model

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
"""What the repr of a generator ends with: it is another one in every process."""


class Marked:
    """Text of private estimators: one that has a seed, or was fitted with one, says that it is not private."""

    random_state: Any

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))  # type: ignore[call-arg]
        return f"{text}  # {SEEDED}" if is_seeded(self) else text


def is_seeded(estimator: Any) -> bool:
    """Whether the noise of an estimator's next fit is repeatable, or that of its last fit was."""
    certificate: Certificate | None = getattr(estimator, "certificate_", None)
    seeded = certificate is not None and not certificate.private
    return seeded or getattr(estimator, "random_state", None) is not None


def write_unfitted(estimator: BaseEstimator) -> str:
    """Return scikit-learn's drawing of an estimator that was not fitted."""
    mark = f"<p><strong>{escape(SEEDED)}</strong></p>" if is_seeded(estimator) else ""
    return f"{estimator_html_repr(estimator)}{mark}"


def describe_parameters(estimator: BaseEstimator) -> dict[str, str]:
    """Return the parameters of an estimator in words, as they are at this moment."""
    return {name: _ADDRESS.sub("", repr(value)) for name, value in estimator.get_params(deep=False).items()}


def write_estimator(
    estimator: BaseEstimator,
    model: Model,
    certificate: Certificate | None,
    fitted_with: Mapping[str, str],
    cautions: Sequence[str] = (),
) -> str:
    """Return scikit-learn's drawing of an estimator, then what was fitted.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    model : Model
        What it has learnt.
    certificate : Certificate or None
        None for the learners without privacy.
    fitted_with : mapping
        The parameters at the time of the fit, as `describe_parameters` returns them.
    cautions : sequence of str
        Sentences on what the certificate means here.
    """
    now = describe_parameters(estimator)
    changed = [name for name, value in fitted_with.items() if now.get(name) != value]
    parts = [estimator_html_repr(estimator)]
    if changed:
        parts.append(
            f"<p>Changed after the fit: {escape(', '.join(changed))}. What follows was fitted with "
            f"{escape(', '.join(f'{name}={fitted_with[name]}' for name in changed))}.</p>"
        )
    parts.append(model._repr_html_())
    parts.append("<p>Learnt without privacy.</p>" if certificate is None else certificate._repr_html_())
    parts += [f"<p>{escape(caution)}</p>" for caution in cautions]
    return "".join(parts)
