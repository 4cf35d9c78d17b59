"""Parameters as users give them to estimators, also as NumPy has them."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dprules.errors import ParameterError
from dprules.jobs import LARGEST_RATIO
from dprules.numbers import rational
from dprules.schema import MISSING, Label

_SEEDS = 2**31 - 1
"""As many seeds as scikit-learn draws from a generator that it is given."""


def plain(value: Any) -> Any:
    """Return NumPy's scalars as Python's, which documents can hold; anything else as it is.

    Examples
    --------
    >>> plain(np.int64(2)), plain("exact"), plain(None)
    (2, 'exact', None)
    """
    return value.item() if isinstance(value, np.generic) else value


def read_list(values: Any, name: str, example: str) -> list[Any]:
    """Return several public values as a list; a text is not a list of its letters.

    Examples
    --------
    >>> read_list(np.array(["no", "yes"]), "classes", "['no', 'yes']")
    [np.str_('no'), np.str_('yes')]
    """
    try:
        listed = None if isinstance(values, str | bytes | Mapping) else list(values)
    except TypeError:
        listed = None
    if listed is None:
        raise ParameterError(f"{name} must be a list; got {type(values).__name__}. Give one such as {example}.")
    return listed


def read_shares(shares: Any) -> dict[str, Any]:
    """Return shares of epsilon by their names.

    Examples
    --------
    >>> read_shares({np.str_("counts"): np.float64(0.5)}), read_shares(None)
    ({'counts': 0.5}, {})
    """
    if shares is None:
        return {}
    if not isinstance(shares, Mapping):
        raise ParameterError(f"shares must be a dictionary such as {{'cuts': 0.1}}; got {type(shares).__name__}.")
    return {str(name): plain(share) for name, share in shares.items()}


def name_weights(weights: Any, label: Label) -> Any:
    """Return class weights under the names that the label declares: 1, 1.0, "1" and NumPy's 1 are one class.

    Anything but a dictionary is returned as it is; so are names of no class, for the fit to refuse.

    Examples
    --------
    >>> name_weights({np.int64(1): 5, "no": 1}, Label("y", ("no", "1")))
    {'1': 5, 'no': 1}
    """
    if not isinstance(weights, Mapping):
        return weights
    column = label.column()
    codes = {name: column.code(name) for name in weights}
    return {
        name if codes[name] == MISSING else label.classes[codes[name]]: plain(weight)
        for name, weight in weights.items()
    }


def limit_weights(weights: Any, label: Label) -> Any:
    """Return class weights that differ by no more than learners take; smaller ones are raised, with a warning.

    Anything but a dictionary of classes is returned as it is.
    """
    if not isinstance(weights, Mapping) or not set(weights) <= set(label.classes):
        return weights
    every = {value: rational(weights.get(value, 1), "class_weight") for value in label.classes}
    least = max(every.values()) / LARGEST_RATIO
    if min(every.values()) >= least:
        return weights
    warnings.warn(
        f"class weights differ by more than {LARGEST_RATIO}: smaller ones count as 1/{LARGEST_RATIO} of the largest.",
        stacklevel=3,
    )
    return {value: max(weight, least) for value, weight in every.items()}


def read_seed(random_state: Any) -> int | None:
    """Return a seed for what scikit-learn takes as `random_state`; None is noise of the operating system.

    A generator is asked for a seed, so that a second fit with it differs. It is no cryptographic source: whatever it is
    seeded with, the result is not private.

    Examples
    --------
    >>> read_seed(None), read_seed(np.int64(3)), read_seed(np.random.RandomState(0))
    (None, 3, 209652396)
    """
    if random_state is None:
        return None
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_SEEDS))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEEDS))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        "random_state must be None, a whole number of at least 0, or a generator of NumPy. Leave it out for a result "
        "that is private."
    )
