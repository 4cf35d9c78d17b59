"""What all classifiers that learn from tables share: input with or without a schema, one fit, predictions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from dprules.accounting import Certificate
from dprules.errors import ParameterError
from dprules.estimators.html import Marked, describe_parameters, write_estimator, write_unfitted
from dprules.estimators.inputs import as_columns, check_features, name_columns
from dprules.estimators.parameters import limit_weights, name_weights, plain, read_seed
from dprules.estimators.scores import LabelScorer
from dprules.estimators.tasks import SchemaLike, Task, find_labels, read_task
from dprules.jobs import FitRequest, LedgerLike, Settings, collect_lazy, fit, predict_places, predict_probabilities
from dprules.models import Model, Released
from dprules.schema import Value


class TableClassifier(LabelScorer, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose model asks the columns of a table."""

    classes_: NDArray[Any]
    schema: SchemaLike | None
    classes: Sequence[Any] | None
    _model_name: ClassVar[str]
    """The attribute that the model is kept in: there is none before the fit."""
    _names: tuple[str, ...] | None
    _places: Mapping[Value, int]
    _fitted_with: Mapping[str, str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # cells of any kind are read; what is no number is missing
        tags.classifier_tags.poor_score = True
        return tags

    def _keep(self, task: Task, model: Model) -> None:
        """Keep what was learnt, and with which parameters: they may be changed afterwards, the model does not.

        This is the last step of a fit and the only one that sets anything: one that was refused has changed nothing.
        """
        task.features.keep_in(self)
        self._names = None if task.declared else task.features.names
        self._label = task.schema.label
        self.classes_ = task.classes.shown
        self._places = {value: place for place, value in enumerate(task.classes.values)}
        self._fitted_with = describe_parameters(self)
        setattr(self, self._model_name, model)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether a fit has come to its end; one that was refused or interrupted leaves the fit before it."""
        return hasattr(self, self._model_name)

    def _model(self) -> Model:
        """Return what was learnt; before the fit scikit-learn's usual error."""
        check_is_fitted(self)
        model: Model = getattr(self, self._model_name)
        return model

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it."""
        if not self.__sklearn_is_fitted__():
            return write_unfitted(self)
        released: Released | None = getattr(self, "model_", None)
        if released is None:
            return write_estimator(self, self._model(), None, self._fitted_with)
        return write_estimator(self, self._model(), released.certificate, self._fitted_with, released.cautions())

    def _ask(self, question: Callable[..., NDArray[Any]], X: Any) -> NDArray[Any]:
        """Return what the model answers of each row; `question` is one of the jobs that take columns by place."""
        model = self._model()
        if self._names is None:
            return question(model, name_columns(X, self.feature_names_in_.tolist()))
        X = check_features(self, X)
        return question(model, as_columns(X, self._names), self._names)

    def _in_order(self, by_class: NDArray[Any]) -> NDArray[Any]:
        """Return numbers that the model has for each class in the order of `classes_`."""
        ordered = np.empty_like(by_class)
        ordered[:, [self._places[value] for value in self._model().classes]] = by_class
        return ordered

    def _find_labels(self, X: Any) -> Any:
        return find_labels(collect_lazy(X), self._label) if self._names is None else None

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        decided = self._ask(predict_places, X)
        places = np.array([self._places[label] for label in self._model().labels])
        predicted: NDArray[Any] = self.classes_[places[decided]]
        return predicted

    def _predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self._in_order(self._ask(predict_probabilities, X))


class PrivateTableClassifier(Marked, TableClassifier, ABC):
    """A classifier whose fit is a release: it has a certificate, and a model file."""

    epsilon: float
    delta: float
    neighbours: str
    class_weight: str | Mapping[Any, float] | None
    shares: Mapping[str, float] | None
    unit: str | None
    unit_rows: int
    rows_are_public: bool
    ledger: LedgerLike | None
    dataset: str | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    certificate_: Certificate
    model_: Released

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags

    @abstractmethod
    def _settings(self, class_weight: Any) -> Settings:
        """Return the settings of the learner, with class weights as it takes them; bad ones are refused."""

    def _class_weight(self) -> Any:
        """Return the class weights of the next fit, under the names that the user gave them."""
        return plain(self.class_weight)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from private rows; with a schema, y may be a column of X."""
        class_weight = self._class_weight()
        self._settings(class_weight)  # refuse bad ones before X is looked at
        if self.schema is None and self.unit is not None:
            raise ParameterError("unit names a column of a table. Give a schema and a data frame.")
        task = read_task(self, X, y, self.schema, self.classes)
        weights = limit_weights(name_weights(class_weight, task.schema.label), task.schema.label)
        request = FitRequest(
            task.data,
            task.schema,
            self._settings(weights),
            plain(self.epsilon),
            plain(self.delta),
            plain(self.neighbours),
            plain(self.unit),
            plain(self.unit_rows),
            plain(self.rows_are_public),
            labels=task.labels,
            seed=read_seed(self.random_state),
            ledger=self.ledger,
            dataset=plain(self.dataset),
            assumptions=task.assumptions,
        )
        released = fit(request)
        self._keep(task, released.model)
        self.model_ = released
        self.certificate_ = released.certificate
        return self
