"""Names of columns and files are said and drawn as they are, whatever they look like."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import studies
from pymc_bnn.studies.reports import plots
from pymc_bnn.studies.reports.prediction_plots import plot_predictive
from pymc_bnn.studies.tables.encoding import Encoding

from ..conftest import TINY, Run, call, houses

TARGET, COUNTER, DOSE = "pulse [/min]", "no [a] :cat:", "dose [/kg]"


@pytest.fixture(scope="module")
def bracketed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A comparison of a table whose names look like markup, and a slash like a path."""
    folder = tmp_path_factory.mktemp("names") / "a [b]"
    folder.mkdir()
    frame = houses().rename(columns={"price": TARGET})
    frame.insert(0, COUNTER, range(len(frame)))
    frame[DOSE] = np.where(np.arange(len(frame)) % 7, np.sin(np.arange(len(frame))), np.nan)
    frame.to_csv(folder / "t [i].csv", index=False)
    options = ["--target", TARGET, "--mark-missing", "--variants", "gaussian", *TINY]
    return call("compare", folder / "t [i].csv", *options, out=folder / "report [i]")


def test_a_comparison_says_names_as_they_are(bracketed: Run) -> None:
    assert bracketed.code == 0
    assert f"Column '{COUNTER}' counts the rows" in bracketed.said
    assert f"Guessed the task from '{TARGET}': regression" in bracketed.said
    assert f"t [i]: regression of {TARGET} from 4 columns" in bracketed.said
    assert DOSE in bracketed.said
    assert f"Wrote {bracketed.out / 'report.html'}" in bracketed.said


def test_its_report_has_all_plots(bracketed: Run) -> None:
    page = (bracketed.out / "report.html").read_text("utf-8")
    assert f"Which network predicts {TARGET} best?" in page
    assert "could not be drawn" not in page


def test_predict_says_names_as_they_are(bracketed: Run) -> None:
    new = pd.read_csv(bracketed.out.parent / "t [i].csv").drop(columns=TARGET)
    new.to_csv(bracketed.out.parent / "new [b].csv", index=False)
    fit, out = bracketed.out / "fits" / "gaussian.zarr", bracketed.out.parent / "p [i] :cat:.csv"
    run = call("predict", fit, bracketed.out.parent / "new [b].csv", out=out)
    assert run.code == 0
    assert run.said.splitlines()[-1] == f"Wrote {len(new)} predictions to {out}."


@pytest.mark.parametrize("name", ["l/100km", "chain", "draw", "obs", "output", "sample", ""])
def test_a_target_may_be_called_as_a_dimension(
    wave_comparison: studies.Comparison, name: str
) -> None:
    encoding = Encoding((), name, "regression", 2.0, 3.0)
    result = wave_comparison.results["line"]
    assert plots.as_image(plot_predictive, result, encoding).failure == ""
    drawn = plot_predictive(result, encoding)
    assert [axes.get_title() for axes in drawn.viz["figure"].item().axes] == [name]
