"""A study as a value: its stages, and the page that is written from its results."""

import io
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.figure import Figure
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.pages.kept_tables import Format
from pymc_bnn.studies.pages.markdown import markdown
from pymc_bnn.studies.pages.page import Page, Source, rewrite_page, write_page
from pymc_bnn.studies.pages.sections import Picture, Section
from pymc_bnn.studies.reproduction import units
from pymc_bnn.studies.reproduction.results import Results
from pymc_bnn.studies.reproduction.study import Stage, Study
from pymc_bnn.studies.reproduction.studying import StudyRequest
from pymc_bnn.studies.reproduction.unit_store import save_unit
from pymc_bnn.studies.reproduction.units import Unit
from rich.console import Console
from rich.table import Table

from ..conftest import InThisProcess


@dataclass(frozen=True)
class Budget:
    """What a run consists of."""

    name: str
    points: tuple[int, ...]


BUDGETS = {budget.name: budget for budget in (Budget("desk", (1, 2, 3)), Budget("paper", (5,)))}


def squared(value: int) -> xr.Dataset:
    """A unit of the first stage."""
    return xr.Dataset({"y": value**2 + 0.123456789})


def stages_of(folder: Path, budget: Budget, seed: int) -> Sequence[Stage]:
    first = [Unit(f"square-{value}", squared, (value,)) for value in budget.points]

    def largest() -> list[Unit]:
        found = {p: float(Results(folder, budget).load(f"square-{p}")["y"]) for p in budget.points}
        return [Unit("again", squared, (max(found, key=found.__getitem__) + seed,))]

    return [Stage("squares", first.copy), Stage("the largest", largest, lambda: [first[0]])]


def measured(results: Results[Budget]) -> pd.DataFrame:
    found = {point: results.load(f"square-{point}") for point in results.budget.points}
    rows = [{"x": x, "y": float(unit["y"])} for x, unit in found.items() if unit is not None]
    return pd.DataFrame(rows)


def judged(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(large=np.where(table["y"] > 4, "yes", "no"))


def drawn(of: Any) -> Figure | None:
    figure, ax = plt.subplots()
    ax.plot([0, 1])
    return figure


PAGE = Page(
    name="squares",
    head=lambda budget: "# Squares\n",
    there=lambda run, budget: f"Budget `{budget.name}`, {run['results']} results.",
    sources={"squares": Source(measured, judged), "none": Source(lambda results: pd.DataFrame())},
    parts={
        "First": [
            Section(
                "Values",
                "All.",
                "squares",
                lambda tables: f"{(tables['squares']['large'] == 'yes').sum()} are large.",
                plots=(Picture("of_table", "Drawn from the table.", drawn),),
            ),
            Section("Sums", "Of these.", "sums", folded=True),
        ],
        "Second": [
            Section("Image", "A picture.", pictures=(Picture("image", "Of results.", drawn),)),
            Section("Nothing", "Not there.", "none", lambda tables: "never said"),
            Section("No picture", "None.", pictures=(Picture("no", "No.", lambda of: None),)),
        ],
    },
    derived={"sums": lambda tables: tables["squares"][["y"]].sum().to_frame("sum")},
    alone=("paper",),
)


def summary(results: Results[Budget]) -> Table:
    return Table(f"{results.count()} results")


STUDY = Study(
    name="squares",
    version=1,
    budgets=BUDGETS,
    settings=lambda budget: {"points": budget.points},
    stages=stages_of,
    results=Results,
    page=PAGE,
    summary=summary,
)


def run(folder: Path, **options: Any) -> str:
    said = io.StringIO()
    request = StudyRequest("squares", out=folder / "out", cores=1, docs=folder / "docs", **options)
    assert STUDY.run(request, Console(file=said, width=200)) == 0
    return said.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "Workers", InThisProcess)
        said = run(folder)
    assert "squares, desk: about 4 seconds on 1 core; 0 of 4 units are already there" in said
    assert "4 results" in said
    return folder


def test_a_stage_may_follow_from_the_results_of_those_before(folder: Path) -> None:
    results = Results(folder / "out" / "units", BUDGETS["desk"])
    assert float(results.load("again")["y"]) == pytest.approx(9.123456789)
    assert "3 of 3 units are already there" in run(folder)


def test_settings_seed_and_version_claim_the_folder(folder: Path) -> None:
    with pytest.raises(InputError, match="seed: 0 there, 1 now"):
        run(folder, seed=1)
    with pytest.raises(InputError, match="unknown budget 'dask'; did you mean 'desk'"):
        run(folder, budget="dask")
    assert STUDY.declare(BUDGETS["desk"], 0) == {
        "study": "squares",
        "version": 1,
        "seed": 0,
        "budget": "desk",
        "points": (1, 2, 3),
    }


def test_the_page_says_what_its_kept_tables_say(folder: Path) -> None:
    text = (folder / "docs" / "studies" / "squares.md").read_text()
    kept = folder / "docs" / "studies" / "squares"
    assert (
        kept / "squares.csv"
    ).read_text() == "x,y,large\n1,1.12346,no\n2,4.12346,yes\n3,9.12346,yes\n"
    assert (kept / "run.csv").read_text() == "budget,results\ndesk,4\n"
    assert "Budget `desk`, 4 results.\n" in text
    assert "### Values\n\nAll.\n\n2 are large.\n\n| x | y | large |" in text
    assert "<summary>All numbers</summary>\n\n| sum |" in text
    for image in ("of_table", "image"):
        assert f"{{figure}} ../_static/squares/{image}.png\n" in text
        assert (folder / "docs" / "_static" / "squares" / f"{image}.png").is_file()
    assert text.endswith("## Not run yet\n\n*No results yet.* Nothing; No picture.\n")
    assert "never said" not in text


def test_a_page_written_anew_follows_the_tables_and_keeps_pictures(folder: Path) -> None:
    page = folder / "docs" / "studies" / "squares.md"
    before = page.read_text()
    written = rewrite_page(PAGE, BUDGETS["desk"], folder / "docs")
    assert page.read_text() == before
    assert {path.name for path in written} == {
        *("squares.md", "run.csv", "squares.csv", "of_table.png", "image.png")
    }
    table = folder / "docs" / "studies" / "squares" / "squares.csv"
    table.write_text(table.read_text().replace("1.12346,no", "5,no"))
    rewrite_page(PAGE, BUDGETS["desk"], folder / "docs")
    assert "3 are large." in page.read_text()
    assert "5,yes" in table.read_text()


def test_a_budget_may_have_a_page_of_its_own(tmp_path: Path) -> None:
    results = Results(tmp_path, BUDGETS["paper"])
    small = replace(PAGE, derived={}, parts={"Second": PAGE.parts["Second"]})
    assert [path.name for path in write_page(small, results, tmp_path)] == [
        *("squares_paper.md", "run.csv", "image.png")
    ]


@pytest.mark.parametrize(("rows", "linked"), [(1000, False), (1001, True)])
def test_a_page_links_to_the_file_of_a_very_long_table(
    tmp_path: Path, rows: int, linked: bool
) -> None:
    table = pd.DataFrame({"x": np.arange(rows)})
    page = replace(
        PAGE,
        sources={"all": Source(lambda results: table)},
        derived={},
        parts={"One": [Section("All", "Of these.", "all", folded=True)]},
    )
    results = Results(tmp_path, BUDGETS["desk"])
    for write in (partial(write_page, page, results), partial(rewrite_page, page, results.budget)):
        path, *files = write(tmp_path)
        link = re.search(r"\[All numbers\]\((.*)\): a table of 1,001 rows\.", path.read_text())
        assert (link is not None) is linked
        if link:
            assert (path.parent / link[1]).resolve() in [file.resolve() for file in files]
        assert ("| 999 |" in path.read_text()) is not linked


def test_tables_keep_the_kinds_of_their_columns(tmp_path: Path) -> None:
    table = pd.DataFrame({"row": ["2", "4.10"], "draws": [60, 80], "error": [9.0, 1 / 3]})
    kept = Format(10, text=("row",), whole=("draws",))
    read = kept.read(kept.keep({"a": table}, tmp_path)["a"])
    assert [str(kind) for kind in read.dtypes[1:]] == ["int64", "float64"]
    assert read["row"].tolist() == ["2", "4.10"]
    assert read["error"][1] == pytest.approx(1 / 3, abs=1e-10)
    only = kept.read(kept.keep({"b": table.iloc[:1]}, tmp_path)["b"])
    assert str(only["error"].dtype) == "float64"  # though it happens to be whole


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sources": {"run": Source(measured)}}, "sources='run': the page makes this table"),
        ({"derived": {}}, "section 'Sums' shows table='sums'; name one of sources or derived"),
        (
            {"parts": {"One": [Section("A", "", pictures=(Picture("image", "", drawn),) * 2)]}},
            "pictures share the names image; rename them",
        ),
    ],
)
def test_a_page_whose_names_do_not_fit_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(PAGE, **changed)


def test_results_that_are_made_anew_are_loaded_anew(tmp_path: Path) -> None:
    for value in (1.0, 2.0):
        shutil.rmtree(tmp_path / "units", ignore_errors=True)
        save_unit(xr.Dataset({"y": value}), tmp_path / "units", "one")
        assert float(Results(tmp_path / "units", None).load("one")["y"]) == value


def test_a_key_names_one_unit_of_all_stages(tmp_path: Path) -> None:
    twice = replace(STUDY, stages=lambda *given: [*stages_of(*given), *stages_of(*given)[:1]])
    request = StudyRequest("squares", out=tmp_path / "out", cores=1)
    with pytest.raises(ValueError, match="give every unit a key of its own"):
        twice.run(request, Console(file=io.StringIO()))


def test_settings_cannot_stand_in_for_the_seed() -> None:
    named = replace(STUDY, settings=lambda budget: {"seed": 99})
    assert named.declare(BUDGETS["desk"], 5)["seed"] == 5


def test_cells_of_a_table_stay_in_their_columns() -> None:
    table = pd.DataFrame({"a|b": ["x|y", "one\ntwo"]})
    assert markdown(table).splitlines()[0] == "| a\\|b |"
    assert markdown(table).splitlines()[2:] == ["| x\\|y |", "| one two |"]
