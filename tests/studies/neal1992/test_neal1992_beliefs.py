"""What is said of the logistic prior and of single runs: by which chains, and which of them."""

import re
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.neal1992.design.priors import ANNEALED, BRIDGED, HEAVY, LOGISTIC, OURS
from pymc_bnn.studies.neal1992.numbers.beside import of_priors
from pymc_bnn.studies.neal1992.numbers.evidence import ONE_SIDED, RATIO
from pymc_bnn.studies.neal1992.runs.stages import cooled_key
from pymc_bnn.studies.neal1992.words import beliefs, experiment_2, off_the_data
from pymc_bnn.studies.pages.drawing import drawing

from .test_neal1992_page import TINY, Held, made_up, tables_of


def of_logistic(tables: dict[str, pd.DataFrame], where: str, change: float) -> list[str]:
    """What is said of the logistic prior's scores, and of annealed runs, when one table changes."""
    column = {"sets": "fit", "priors": "prior"}[where]
    table = tables[where].copy()
    table.loc[table[column] == LOGISTIC, "log score"] += change
    said = beliefs.conclude({**tables, where: table})
    of = ('The prior "logistic" predicts', "Annealed runs of the report's network predict")
    return [re.search(rf"{claim}.*?\*\*(.+?)\.\*\*", said)[1] for claim in of]  # type: ignore[index]


def test_scores_of_the_logistic_prior_are_of_chains_that_do_not_lag() -> None:
    tables = tables_of(made_up(0.0))
    sets = tables["sets"].copy()
    sets.loc[sets["fit"] == LOGISTIC, "data set"] = range(TINY.few)
    level = tables["priors"].loc[tables["priors"]["prior"] == OURS, "log score"].to_numpy()
    sets.loc[sets["fit"] == LOGISTIC, "log score"] = level[: TINY.few] + np.array([0.1, -0.1])
    tables["sets"] = sets
    assert of_logistic(tables, "priors", -1e3) == ["Undecided", "Stands"]
    assert of_logistic(tables, "priors", 1e3) == ["Undecided", "Does not stand"]
    assert of_logistic(tables, "sets", -1e3) == ["Stands", "Does not stand"]
    rows = of_priors(tables).set_index("prior")
    assert rows.loc[LOGISTIC, "log score"] == pytest.approx(level[: TINY.few].mean())
    assert np.isnan(rows.loc[LOGISTIC, "log evidence"])
    assert np.isfinite(rows.loc[ANNEALED, ["log evidence", "lag"]].to_numpy(float)).all()
    assert 'The prior "logistic" predicts' not in beliefs.conclude({"priors": tables["priors"]})


def test_figures_are_of_the_run_with_the_median_error() -> None:
    found = made_up(0.0)
    for number, error in enumerate((900.0, 40.0, 60.0, 50.0, 70.0, 45.0)):
        found[cooled_key(number)]["test_error"] = error
    results = Held(Path("none"), TINY)
    object.__setattr__(results, "_kept", MappingProxyType(found))
    with drawing():
        figures = off_the_data.last_errors(results), off_the_data.uncertainty(results)
    assert all(figures)
    drawn = figures[0].axes[0].lines[1].get_ydata()  # type: ignore[union-attr]
    np.testing.assert_array_equal(drawn, found[cooled_key(3)]["each"])
    dots = figures[1].axes[1].lines[0].get_xydata()  # type: ignore[union-attr]
    assert np.isclose(found[cooled_key(3)]["grid"], dots[0, 0]).any()
    assert "Figures 4 and 5 show run 3." in experiment_2.cooled(tables_of(found))


def of_evidence(name: str, bridges: float, alone: float, ladders: float) -> list[str]:
    """What is said of a prior's evidence, and of ladders, with given means of differences."""
    sets = np.arange(6)
    spread = 0.1 * (sets - 2.5)
    columns = {RATIO: bridges + spread, ONE_SIDED: alone + spread, f"± {RATIO}": 0.1, "cautions": 0}
    bridged = pd.DataFrame({"prior": name, "data set": sets} | columns)
    rows = [
        pd.DataFrame({"prior": prior, "data set": sets, "log evidence": found} | OTHER)
        for prior, found in {OURS: 9.0 + 0 * spread, name: 9.0 + ladders + spread[::-1]}.items()
    ]
    said = beliefs.conclude({"priors": pd.concat(rows), "bridged": bridged})
    own = rf'The prior "{name}" has less evidence than the recommended one'
    by_others = rf'evidence of the prior "{name}" is that by a bridge, within 2 nats'
    return [re.search(rf"{claim}\. \*\*(.+?)\.\*\*", said)[1] for claim in (own, by_others)]  # type: ignore[index]


OTHER = {"log score": 1.0, "excess": 1.0, "covered outside": 0.5, "lag": np.nan}
RATHER = [  # means of bridges, of draws of one posterior, and of ladders; and both verdicts
    (HEAVY, -1.3, -1.1, -5.6, "Stands", "Does not stand"),
    (HEAVY, -1.3, -1.1, 5.6, "Undecided", "Does not stand"),  # ladders say the contrary
    (HEAVY, 1.3, 1.1, 5.6, "Does not stand", "Does not stand"),
    (LOGISTIC, -0.4, 0.4, -0.4, "Undecided", "Stands"),
    (LOGISTIC, 1.0, 0.8, 2.9, "Does not stand", "Undecided"),
]


@pytest.mark.parametrize(("name", "bridges", "alone", "ladders", "less", "near"), RATHER)
def test_evidence_is_judged_by_bridges_by_draws_of_one_posterior_and_by_ladders(
    name: str, bridges: float, alone: float, ladders: float, less: str, near: str
) -> None:
    assert of_evidence(name, bridges, alone, ladders) == [less, near]


def test_ladders_stand_beside_bridges_in_the_table() -> None:
    tables = tables_of(made_up(0.0))
    rows = of_priors(tables).set_index("prior")
    columns = ["log evidence less ours", "by ladder, less ours"]
    for name in BRIDGED:
        means = tables["bridged"].groupby("prior")[RATIO].mean()
        assert rows.loc[name, columns[0]] == pytest.approx(means[name])
    assert np.isnan(rows.loc[[LOGISTIC, "normal"], columns[1]].to_numpy(float)).all()
    ladders = tables["priors"].pivot(index="data set", columns="prior", values="log evidence")
    found = (ladders[HEAVY] - ladders[OURS]).mean()
    assert rows.loc[HEAVY, columns[1]] == pytest.approx(found)
    assert of_priors({"priors": tables["priors"]}).set_index("prior").loc[
        HEAVY, columns[0]
    ] == pytest.approx(found)
