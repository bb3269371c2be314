"""A report says which inputs matter to the best model, in words too, and to no other model."""

from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import studies
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.reports import plots
from pymc_bnn.studies.reports.dependence_words import NOTHING, standing_in_words
from pymc_bnn.studies.reports.running_report import RunningReport

from ..conftest import Run, call, houses

LINE = ["--hidden", "0", "--variants", "gaussian", "--draws", "200", "--tune", "100"]


class Images(HTMLParser):
    """Text alternatives of the images of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.alts: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.alts += [dict(attrs).get("alt") or ""] if tag == "img" else []

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def lines_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A line, fitted long enough for its draws to be used."""
    folder = tmp_path_factory.mktemp("lines")
    houses(120).assign(door=np.arange(120) % 7).to_csv(folder / "houses.csv", index=False)
    options = ["--target", "price", "--chains", "4", "--cores", "1", *LINE]
    return call("compare", folder / "houses.csv", *options, out=folder / "report")


def test_dependence_is_written_in_the_unit_of_the_table(lines_run: Run) -> None:
    found = pd.read_csv(lines_run.out / "partial_dependence.csv")
    bands = ["mean", "lower_50", "upper_50", "lower_90", "upper_90"]
    assert list(found) == ["model", "column", "value", *bands, "shown_to_matter"]
    assert set(found["model"]) == {"gaussian"}
    assert found.groupby("column")["shown_to_matter"].first().to_dict() == {
        "size": True,
        "kind": True,
        "door": False,
    }
    size = found[found["column"] == "size"].astype({"value": float})
    slope = np.polyfit(size["value"], size["mean"], 1)[0]
    assert abs(slope - 1000) < 20  # a standard error of 2000 / (52 * sqrt(90)), and the prior
    kind = found[found["column"] == "kind"].set_index("value")["mean"]
    assert list(kind.index) == ["flat", "house", "hut"]
    assert abs(kind["house"] - kind[["flat", "hut"]].mean() - 50_000) < 3000
    assert abs(kind["flat"] - kind["hut"]) < 3000


def test_the_page_has_plots_with_words_for_those_who_do_not_see_them(lines_run: Run) -> None:
    page = Images((lines_run.out / "report.html").read_text("utf-8"))
    assert "This is gaussian, the only model." in page.text
    assert "Shown to matter: size and kind." in page.text
    assert "Not shown to matter: door." in page.text
    dependence = [
        alt for alt in page.alts if alt.startswith("Partial dependence of the mean price")
    ]
    assert [alt.split(" on ")[1].split(",")[0] for alt in dependence] == ["size", "kind", "door"]
    assert "; shown to matter. lowest " in dependence[0]
    assert "; not shown to matter. lowest " in dependence[2]
    assert "highest" in dependence[1].split("house")[0]
    sides = [alt for alt in page.alts if "functions from the p" in alt]
    assert [side.split(" along ")[0] for side in sides] == [
        "20 functions from the prior",
        "20 functions from the posterior",
    ]
    assert "could not be drawn" not in page.text
    assert "" not in page.alts
    assert "Sampling: [" not in lines_run.said


def test_dependence_of_an_earlier_run_is_removed_where_there_is_none(tmp_path: Path) -> None:
    report = RunningReport(Request(out=tmp_path), None, [])  # type: ignore[arg-type]
    report.dependence.write_text("of other draws")
    report._write_dependence(SimpleNamespace(explained=None))  # type: ignore[arg-type]
    assert not report.dependence.exists()


def test_nothing_is_shown_of_a_model_that_stands_still(lines_run: Run, tmp_path: Path) -> None:
    still = studies.load_fit(lines_run.out / "fits" / "gaussian.zarr")
    for values in still["posterior"].dataset.data_vars.values():
        values.values[:] = values.values[:, :1]
    stuck = studies.compare({"stuck": still})
    assert stuck.explained is None
    page = Images(stuck.to_html(tmp_path / "report.html").read_text("utf-8"))
    assert NOTHING in page.text
    assert not any("dependence" in alt or "functions" in alt for alt in page.alts)
    assert "shown to matter" not in page.text


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (None, "This is a, which predicts best."),
        ("R-hat is 1.3.", "This is a, which predicts best among the 2 of 3 that can be judged."),
    ],
)
def test_the_best_is_that_of_those_that_can_be_judged(fault: str | None, said: str) -> None:
    results = {
        name: SimpleNamespace(
            name=name,
            standing=SimpleNamespace(obstacle=fault if name == "c" else None),
            stability=None,
            answer="converged",
            chains="equal",
        )
        for name in "abc"
    }
    comparison = SimpleNamespace(results=results, best="a")
    assert standing_in_words(comparison, results["a"]) == [said]


def test_inputs_are_in_the_order_of_the_points_that_are_shown() -> None:
    sd = np.full((2, 50, 3), [1.0, 2.0, 0.5])
    sd[:, :5, 0] = 100.0  # which moves the mean, and not the median
    precision = xr.DataArray(sd**-2.0, dims=("chain", "draw", "input"), name="w0_precision")
    posterior = precision.assign_coords(input=["a", "b", "c"]).to_dataset()
    result = SimpleNamespace(idata=xr.DataTree.from_dict({"posterior": posterior}))
    drawn = plots.plot_relevance(result)
    _, axes = drawn.viz["figure"].item().axes
    shown = {float(y): float(x) for points in axes.collections for x, y in points.get_offsets()}
    assert [shown[y] for y in sorted(shown, reverse=True)] == [2.0, 1.0, 0.5]
    plt.close("all")
