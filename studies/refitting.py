"""Leave-one-out repaired where importance sampling fails: by refitting without the case."""

from typing import Any

import numpy as np
from arviz_stats import SamplingWrapper
from xarray import DataArray, DataTree

from ..models.network import BNN
from ..samplers import sample


class Refit(SamplingWrapper):
    """Refits a network without some of its cases, for ``az.reloo``.

    Parameters
    ----------
    model : BNN
        The model on all cases.
    idata : DataTree
        Its draws, with a group ``log_likelihood``.
    **options
        Arguments of :func:`pymc_bnn.samplers.sample`.
    """

    def __init__(self, model: BNN, idata: DataTree, **options: Any):
        sizes = idata["posterior"].sizes
        defaults = {"draws": sizes["draw"], "chains": sizes["chain"], "progressbar": False}
        quiet = {"quiet": True, "compute_convergence_checks": False}
        super().__init__(model, idata_orig=idata, sample_kwargs={**defaults, **quiet, **options})
        self.X, self.y = model.training_data()

    def sel_observations(self, idx: int | np.ndarray) -> tuple[tuple, tuple]:
        """Separate a case from the others."""
        left_out = np.zeros(len(self.X), bool)
        left_out[idx] = True
        y = np.asarray(self.y)
        return (self.X[~left_out], y[~left_out]), (self.X[left_out], y[left_out])

    def sample(self, modified_observed_data: tuple) -> tuple[BNN, DataTree]:
        """Fit the model to the remaining cases."""
        model = self.model.with_data(*modified_observed_data)
        return model, sample(model, **self.sample_kwargs)

    def get_inference_data(self, fitted_model: tuple[BNN, DataTree]) -> DataTree:
        """Draws of a refitted model."""
        self.refitted, idata = fitted_model
        return idata

    def log_likelihood__i(self, excluded_obs: tuple, idata__i: DataTree) -> DataArray:
        """Log density of the left-out case."""
        return self.refitted.log_likelihood(idata__i, *excluded_obs)
