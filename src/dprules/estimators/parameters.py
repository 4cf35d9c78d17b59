"""Parameters as users give them to estimators, also as NumPy has them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dprules.errors import ParameterError
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
