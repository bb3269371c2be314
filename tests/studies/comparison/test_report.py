"""The report is one page that stands alone."""

import base64
import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from pymc_bnn import studies
from pymc_bnn.studies.reports import dependence_plots, plots, report
from pymc_bnn.studies.reports.dependence_words import NOTHING

from ..conftest import TINY, Run, call, flowers


class Page(HTMLParser):
    """Addresses, images and text of a page, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        self.addresses += [given[key] or "" for key in ("src", "href", "srcset") if key in given]
        self.ids += [given["id"] or ""] if "id" in given else []

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def wave_page(wave_comparison: studies.Comparison, tmp_path_factory) -> tuple[str, Page]:
    made = dataclasses.replace(
        wave_comparison, reproduce="uv run pymc-bnn compare <x>", notes=("Interrupted: <b>so</b>.",)
    )
    html = made.to_html(tmp_path_factory.mktemp("page") / "report.html").read_text("utf-8")
    return html, Page(html)


@pytest.fixture(scope="module")
def flowers_page(flowers_run: Run) -> Page:
    return Page((flowers_run.out / "report.html").read_text("utf-8"))


@pytest.fixture(scope="module")
def houses_page(houses_run: Run) -> Page:
    return Page((houses_run.out / "report.html").read_text("utf-8"))


def test_a_page_says_in_what_scale_its_numbers_are(
    wave_page: tuple[str, Page], houses_page: Page, flowers_page: Page
) -> None:
    assert report.UNKNOWN_UNIT in wave_page[1].text
    assert report.UNKNOWN_UNIT not in houses_page.text
    assert report.UNKNOWN_UNIT not in flowers_page.text  # of classes
    assert ", in the unit of" not in wave_page[1].text


def test_the_page_needs_nothing_from_elsewhere(
    wave_page: tuple[str, Page], flowers_page: Page
) -> None:
    for page in (wave_page[1], flowers_page):
        assert not {"script", "link", "iframe", "object"} & set(page.tags)
        assert page.addresses
        assert all(
            address.startswith(("data:image/png;base64,", "#")) for address in page.addresses
        )
    assert not re.search(r"https?://|url\(|@import", wave_page[0])


def test_images_are_whole(wave_page: tuple[str, Page]) -> None:
    images = [a for a in wave_page[1].addresses if a.startswith("data:")]
    # the ranking; traces, predictive, Pareto k, calibration and bands of both; relevance of one;
    # dependence on two inputs, and functions from prior and posterior, of the one that can be used
    assert len(images) == 1 + 2 * 5 + 1 + 2 + 2
    assert len(set(images)) == len(images)
    for image in images:
        content = base64.b64decode(image.removeprefix("data:image/png;base64,"))
        assert content.startswith(b"\x89PNG")
        assert content.endswith(b"IEND\xaeB`\x82")
        assert len(content) > 3000


def test_the_verdict_comes_first(
    wave_page: tuple[str, Page], wave_comparison: studies.Comparison
) -> None:
    body = wave_page[1].text.split("Comparison of Bayesian neural networks")[-1]
    assert body.strip().startswith(wave_comparison.verdict)
    sentences = [sentence for said in wave_comparison.findings for sentence in said]
    assert len(sentences) >= 4
    assert all(f"<li>{escape(sentence)}</li>" in wave_page[0] for sentence in sentences)


@pytest.mark.usefixtures("without_plots")
def test_answers_stand_out_and_options_do_not(
    wave_comparison: studies.Comparison, tmp_path: Path
) -> None:
    made = dataclasses.replace(wave_comparison, options=("More draws.", "Another prior."))
    html = made.to_html(tmp_path / "report.html").read_text("utf-8")
    lists = re.findall(r'<ul class="(verdict[^"]*)"><li>(.*?)</li>', html)
    assert lists[-1] == ("verdict", "More draws.")
    assert {kind for kind, _ in lists[:-1]} == {"verdict answer"}


def test_notes_and_the_command_are_shown_as_they_are(wave_page: tuple[str, Page]) -> None:
    html, page = wave_page
    assert "Interrupted: <b>so</b>." in page.text
    assert "uv run pymc-bnn compare <x>" in page.text
    assert "<x>" not in html


def test_every_model_has_a_section_that_says_what_it_is(wave_page: tuple[str, Page]) -> None:
    page = wave_page[1]
    assert page.ids == ["baselines", "inputs", "network", "line", "reproduce"]
    for said in (
        "2 – 4 – 1, tanh units, 17 weights",
        "2 – 1, linear, 3 weights",
        "prior of w0",
        "normal, one precision per source unit",
        "normal noise, precision ~ gamma of mean 100",
        "Traces",
        "Pareto k",
        "Calibration on held-out cases",
        "Predictions of held-out cases",
    ):
        assert said in page.text
    assert page.text.count("Relevance of inputs") == 1  # of the network with ARD alone


def test_links_lead_somewhere(wave_page: tuple[str, Page]) -> None:
    page = wave_page[1]
    assert {a[1:] for a in page.addresses if a.startswith("#")} == set(page.ids)


def test_numbers_of_the_table_are_in_the_page(
    wave_page: tuple[str, Page], wave_comparison: studies.Comparison
) -> None:
    row = wave_comparison.table.loc["line"]
    for number in (f"{row.elpd_diff:.1f}", f"{row.rmse:.3f}", f"{row.elpd_waic:.1f}"):
        assert number in wave_page[1].text


def test_every_column_is_explained_where_no_mouse_can_point(
    wave_page: tuple[str, Page], wave_comparison: studies.Comparison
) -> None:
    explained = wave_page[1].text.split("What the columns say")[1].split("All numbers")[0]
    for key in report.COLUMNS.keys() & set(wave_comparison.table):
        assert report.COLUMNS[key][1] in explained


def test_no_model_is_shown_as_the_best_before_it_can_be_judged(
    wave_page: tuple[str, Page], wave_comparison: studies.Comparison
) -> None:
    assert wave_comparison.best is None
    assert '<tr class="best">' not in wave_page[0]
    assert '<span class="bad">not yet</span>' in wave_page[0]
    assert '<span class="fair">nearly</span>' in wave_page[0]
    for result in wave_comparison.results.values():
        assert result.convergence.problems
        assert all(problem in wave_page[1].text for problem in result.convergence.problems)


def test_chains_that_never_move_are_the_first_line_of_their_section(
    wave_comparison: studies.Comparison, tmp_path: Path
) -> None:
    """Nothing is lost of the page, though their plots may be."""
    still = wave_comparison.results["line"].idata.copy(deep=True)
    for group in ("posterior", "sample_stats"):
        for values in still[group].dataset.data_vars.values():
            values.values[:] = values.values[:, :1]
    comparison = studies.compare({"stuck": still})
    page = Page(comparison.to_html(tmp_path / "report.html").read_text("utf-8"))
    assert "stuck cannot be judged: every chain stands still" in page.text
    section = page.text.split("The draws cannot be used yet")[-1]
    assert section.split("Leave-one-out")[1].split("\n")[1].startswith("Every chain stands still")


def test_inputs_are_those_of_the_first_model_that_can_be_used(
    wave_page: tuple[str, Page], wave_comparison: studies.Comparison, houses_page: Page
) -> None:
    """The network leads, and its chains disagree; of houses there are too few draws of all."""
    assert list(wave_comparison.results) == ["network", "line"]
    assert wave_comparison.results["network"].answer == "not yet"
    assert wave_comparison.explained is wave_comparison.results["line"]
    assert (
        "This is line, the first in the table that can be judged; it is not clearly better than "
        "all others. Its draws are less exact than they should be, and so are these bands."
    ) in wave_page[1].text
    assert NOTHING not in wave_page[1].text
    assert NOTHING in houses_page.text
    assert "shown to matter" not in houses_page.text


def test_a_plot_that_fails_is_a_line(
    wave_comparison: studies.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("no such\nfont")

    monkeypatch.setattr(plots, "plot_traces", fail)
    monkeypatch.setattr(plots, "plot_ranking", fail)
    monkeypatch.setattr(dependence_plots, "plot_curve", fail)
    monkeypatch.setattr(dependence_plots, "plot_functions", fail)
    page = Page(wave_comparison.to_html(tmp_path / "report.html").read_text("utf-8"))
    assert page.text.count("This plot could not be drawn: no such font") == 3 + 4
    assert len([a for a in page.addresses if a.startswith("data:")]) == 16 - 3 - 4


def test_plots_are_drawn_once_for_reports_that_grow(
    wave_comparison: studies.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict = {}
    wave_comparison.to_html(tmp_path / "report.html", drawn)
    monkeypatch.setattr(plots, "plot_traces", lambda result: 1 / 0)
    page = wave_comparison.to_html(tmp_path / "report.html", drawn).read_text("utf-8")
    assert "could not be drawn" not in page
    assert set(drawn) == {"network", "line", "inputs of line"}


def test_formulas_in_names_are_names(tmp_path: Path) -> None:
    r"""``$\cost$`` is no symbol that matplotlib knows, and ``{`` has no end."""
    frame = flowers().rename(columns={"noise": r"$\cost$ of {", "grade": r"$\kind_$"})
    frame[r"$\kind_$"] = frame[r"$\kind_$"].map({1: r"$\one$", 2: "$2^{$", 5: "five$"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", r"$\kind_$", "--variants", "ard", *TINY]
    run = call("compare", tmp_path / "t.csv", *options, out=tmp_path / "report")
    assert run.code == 0
    page = Page((run.out / "report.html").read_text("utf-8"))
    assert "could not be drawn" not in page.text
    assert len([a for a in page.addresses if a.startswith("data:")]) == 1 + 6


def test_a_classification_has_its_own_scores_and_plots(flowers_page: Page) -> None:
    assert "Which network predicts grade best?" in flowers_page.text
    assert "several classes, softmax" in flowers_page.text
    assert "calib. error" in flowers_page.text
    assert "RMSE" not in flowers_page.text
    assert len([a for a in flowers_page.addresses if a.startswith("data:")]) == 1 + 6


def test_the_command_of_a_report_makes_it_again(houses_page: Page, houses_run: Run) -> None:
    command = re.search(r"uv run pymc-bnn compare .*", houses_page.text)
    assert command is not None
    for option in (
        "houses.csv",
        "--target price",
        "--variants gaussian,ard",
        "--draws 20",
        "--chains 2",
        "--seed 0",
    ):
        assert option in command.group()


def test_files_of_a_run_lie_side_by_side(houses_run: Run) -> None:
    assert sorted(p.name for p in Path(houses_run.out).iterdir()) == [
        "comparison.csv",
        "fits",
        "predictions.csv",
        "report.html",
    ]
