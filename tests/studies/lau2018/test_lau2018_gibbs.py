"""The samplers of Table 4.3: what moves precisions, and with which steps."""

from dataclasses import replace

import numpy as np
import pytest
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.declarations import Experiment
from pymc_bnn.studies.lau2018.design.experiments import THESIS
from pymc_bnn.studies.lau2018.runs import steps
from pymc_bnn.studies.lau2018.runs.sampling import draw


def row_of(rows: list[Experiment], name: str) -> Experiment:
    """A row with a network of two units."""
    [row] = [row for row in rows if row.row == name]
    return replace(row, network=replace(row.network, hidden=(2,)))


@pytest.mark.parametrize(("name", "moved"), [("joint-centered", True), ("gibbs-fixed-step", False)])
def test_joint_samplers_move_precisions_and_gibbs_leaves_them(name: str, moved: bool) -> None:
    row = row_of(list(THESIS["hyperparameter"]()), name)
    built = steps.build_steps(row.sampler, steps.build_network(row.network))
    names = {variable.name for variable in built[-1].vars}
    assert ("w0_precision_log__" in names) == moved


@pytest.mark.parametrize("budget", ["desk", "paper"])
def test_gibbs_of_the_thesis_has_a_step_of_a_hundredth_and_a_unit_metric(budget: str) -> None:
    """Lau (2018, Table 4.3): warm-up, which would learn another step, is left out."""
    row = replace(row_of(BUDGETS[budget].table("hyperparameter"), "gibbs-fixed-step"), chains=1)
    built = steps.build_steps(row.sampler, steps.build_network(row.network))
    assert built[-1].name == "compiled_nuts"
    assert (built[-1].metric, row.tune) == ("unit", 0)
    _, idata, _ = draw(replace(row, draws=3))
    np.testing.assert_allclose(idata["sample_stats"]["step_size"], 0.01, rtol=1e-12)
