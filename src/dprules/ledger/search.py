"""How many fits a search makes, and what each of them costs: known before the first."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dprules.errors import ParameterError
from dprules.ledger.budgets import Cost
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

    candidates = _list_candidates(search)
    prefix, named = _find_ledger(search.estimator)
    dataset = named if dataset is None else dataset
    if dataset is None:
        raise ParameterError("say which data set the search is charged to: dataset=.")
    folds = _count_folds(search.cv)
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


def _list_candidates(search: Any) -> list[dict[str, Any]]:
    """Return all settings that a search tries; of other kinds of search nobody knows before the first fit."""
    from sklearn.model_selection import GridSearchCV, ParameterGrid, ParameterSampler, RandomizedSearchCV

    try:
        if type(search) is GridSearchCV:
            candidates = list(ParameterGrid(search.param_grid))
        elif type(search) is RandomizedSearchCV:
            if not isinstance(search.random_state, int):
                raise ParameterError("a random search must have random_state set, so that its candidates are known.")
            sampler = ParameterSampler(search.param_distributions, search.n_iter, random_state=search.random_state)
            candidates = list(sampler)
        else:
            raise ParameterError("reserve takes GridSearchCV or RandomizedSearchCV. Others charge each fit on its own.")
    except (TypeError, ValueError) as error:  # scikit-learn's own words about a grid
        raise ParameterError(f"the settings to search cannot be listed: {error}") from None
    if not candidates:
        raise ParameterError("the search has no settings to try. Give param_grid at least one.")
    return candidates


def _count_folds(cv: Any) -> int:
    from sklearn.model_selection import check_cv

    if hasattr(cv, "__next__"):
        raise ParameterError("cv can be read only once, and the search needs it. Give a number, or a list of it.")
    try:
        return int(check_cv(cv, classifier=True).get_n_splits())
    except (TypeError, ValueError):
        pass
    raise ParameterError("how many folds there are depends on the rows. Give cv a number.")


def _find_ledger(estimator: Any) -> tuple[str, str | None]:
    """Return how the parameters of the estimator inside begin that charges a ledger, and its data set.

    It is the search's own, or a step of its pipeline: anything else around it may fit it several times.
    """
    from sklearn.pipeline import Pipeline

    steps = (
        {f"{name}__": step for name, step in estimator.steps} if isinstance(estimator, Pipeline) else {"": estimator}
    )
    own = {prefix: step.get_params(deep=False) for prefix, step in steps.items() if hasattr(step, "get_params")}
    found = [prefix for prefix, parameters in own.items() if {"ledger", "dataset"} <= set(parameters)]
    if len(found) != 1:
        raise ParameterError(
            "the search must have one estimator of dprules that takes a ledger, alone or in a pipeline."
        )
    return found[0], own[found[0]]["dataset"]


def _budget(estimator: Any, prefix: str) -> Cost:
    parameters = estimator.get_params(deep=True)
    if parameters.get(f"{prefix}resume") is not None:
        raise ParameterError("room is reserved for new fits. Leave out resume, or do not reserve.")
    epsilon = budget(as_asked(parameters[f"{prefix}epsilon"], "epsilon"))
    return epsilon, as_asked(parameters[f"{prefix}delta"], "delta", zero=True)
