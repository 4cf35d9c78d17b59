"""How many fits a search makes, and what each of them costs: known before the first."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dprules.errors import ParameterError
from dprules.ledger.filters import Cost
from dprules.numbers import as_asked, budget


@dataclass(frozen=True)
class Search:
    """The fits of a search.

    Parameters
    ----------
    dataset : str
        What they are charged to.
    budgets : Counter
        How many fits there are of each (epsilon, delta).
    tell : callable
        Lets the estimator of the search charge a reservation.
    """

    dataset: str
    budgets: Counter[Cost]
    tell: Callable[[Any], None]


def count_fits(search: Any, dataset: str | None) -> Search:
    """Count the fits of a search of scikit-learn: candidates times folds, and the refit at the dearest of them.

    Parameters
    ----------
    search : object
        Has `estimator`, `cv`, `refit` and `param_grid` or `param_distributions`.
    dataset : str or None
        What they are charged to; None: as the estimator says.
    """
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv

    if hasattr(search, "param_grid"):
        candidates = list(ParameterGrid(search.param_grid))
    elif hasattr(search, "param_distributions") and hasattr(search, "n_iter"):
        if not isinstance(search.random_state, int):
            raise ParameterError("a random search must have random_state set, so that its candidates are known.")
        candidates = list(ParameterSampler(search.param_distributions, search.n_iter, random_state=search.random_state))
    else:
        raise ParameterError("reserve takes GridSearchCV or RandomizedSearchCV. Others charge each fit on its own.")
    prefix, named = _find_ledger(search.estimator)
    dataset = named if dataset is None else dataset
    if dataset is None:
        raise ParameterError("say which data set the search is charged to: dataset=.")
    folds = check_cv(search.cv, classifier=True).get_n_splits()
    budgets: Counter[Cost] = Counter()
    for candidate in candidates:
        budgets[_budget(clone(search.estimator).set_params(**candidate), prefix)] += folds
    if search.refit:
        dearest = max(budgets, key=lambda cost: cost[0])
        if len(budgets) > 1 and any(cost[1] > dearest[1] for cost in budgets):
            raise ParameterError("no candidate is the dearest in epsilon and in delta. Search with one delta.")
        budgets[dearest] += 1

    def tell(reservation: Any) -> None:
        search.estimator.set_params(**{f"{prefix}ledger": reservation, f"{prefix}dataset": dataset})

    return Search(dataset, budgets, tell)


def _find_ledger(estimator: Any) -> tuple[str, str | None]:
    """Return how the parameters of the estimator inside begin that charges a ledger, and its data set."""
    parameters = estimator.get_params(deep=True)
    found = [name.removesuffix("ledger") for name in parameters if name == "ledger" or name.endswith("__ledger")]
    if len(found) != 1:
        raise ParameterError("the search must have one estimator that takes a ledger. Give it one of dprules.")
    return found[0], parameters[f"{found[0]}dataset"]


def _budget(estimator: Any, prefix: str) -> Cost:
    parameters = estimator.get_params(deep=True)
    epsilon = budget(as_asked(parameters[f"{prefix}epsilon"], "epsilon"))
    return epsilon, as_asked(parameters[f"{prefix}delta"], "delta", zero=True)
