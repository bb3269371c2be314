"""A network for classes, as a scikit-learn classifier."""

from typing import Any, Self

import numpy as np
import xarray as xr
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ...models.data.class_targets import as_labels
from ..tables.encoding import Encoding
from .network_estimator import NetworkEstimator
from .target_names import name_of_classes
from .units import refuse_times


class BNNClassifier(ClassifierMixin, NetworkEstimator):
    """A Bayesian neural network that is sampled, with logistic or softmax outputs.

    Parameters and attributes are those of :class:`BNNRegressor`, and ``classes_``. Inputs are
    standardised by the training cases.

    Parameters
    ----------
    hidden, prior, activation, draws, tune, chains, cores, random_state, patience, minutes
        As for :class:`BNNRegressor`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.

    Warns
    -----
    ConvergenceWarning
        If chains disagree so much that the draws cannot be used.
    UserWarning
        If ``minutes`` are not enough for a tenth of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import studies
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(X[:, 0] + np.sin(99 * X[:, 0]) > 0, "high", "low")
    >>> model = studies.BNNClassifier(hidden=(), draws=300, cores=1, random_state=1).fit(X, y)
    >>> model.predict([[-0.9], [0.9]]).tolist()
    ['low', 'high']
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Sample the posterior.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            Inputs, in any unit.
        y : array or Series, shape (cases,)
            Class of each case; drawn classes carry its name, if that is a text and no dimension's.

        Returns
        -------
        BNNClassifier

        Raises
        ------
        ValueError
            If there is one class only, or X and y are of the same cases in another order.
        """
        with self._fitting():
            self._note_labels(X, y)
            if y is not None:  # as scikit-learn says itself
                y = as_labels(y)  # of which it would make float64, where they may be missing
            refuse_times(X, "X")
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
            check_classification_targets(y)
            labels = column_or_1d(y, warn=True)
            self.classes_ = np.unique(labels)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y has one class only, {str(self.classes_[0])!r}; two are needed."
                )
            likelihood = "bernoulli" if len(self.classes_) == 2 else "categorical"
            encoding = Encoding(self._columns(X), "y", "classification")
            self._fit(X, labels, likelihood, encoding)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, the mean over the posterior.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.

        Returns
        -------
        ndarray, shape (cases, classes)
            In the order of ``classes_``.
        """
        inputs = self._new(X)
        predicted = self._model.predict(self._predicting(), inputs, draws=False, seed=self._seed)
        mean = predicted["summary"].dataset["mean"].sel(variable="probability").values
        return np.hstack([1 - mean, mean]) if mean.shape[1] == 1 else mean

    def predict(self, X: Any) -> np.ndarray:
        """Class of the largest probability of each case.

        Parameters
        ----------
        X : array or DataFrame, shape (cases, inputs)
            New inputs.

        Returns
        -------
        ndarray, shape (cases,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of cases whose class is predicted, as of any classifier."""
        check_is_fitted(self)
        return float(super().score(X, self._targets(X, y), sample_weight))

    def _readable(self, y: Any) -> np.ndarray:
        return as_labels(y)

    def _in_scale(self, y: np.ndarray) -> np.ndarray:
        return y

    def _decode(self, drawn: xr.DataArray) -> xr.DataArray:
        classes = drawn.copy(data=self.classes_[drawn.values])
        # those that were pickled before have no names
        return classes.rename(name_of_classes(getattr(self, "_names", None), drawn))
