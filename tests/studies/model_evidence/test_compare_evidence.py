"""A comparison with evidence: measured once, stored, and lost to no failure."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, samplers, studies
from pymc_bnn.studies.fits import estimating
from pymc_bnn.studies.model_evidence import measuring
from pymc_bnn.studies.model_evidence.conclusions import WIDTH
from pymc_bnn.studies.reports import report

from ..conftest import Run, call, houses

TINY = ["--draws", "20", "--tune", "20", "--chains", "2", "--cores", "1", "--hidden", "0"]
VARIANTS = ["--target", "price", "--variants", "gaussian,ard"]
NUMBERS = ["log_evidence", "log_evidence_se", "probability", "probability_low", "probability_high"]


def run(out: Path, *more: str) -> Run:
    table = out.parent / "houses.csv"
    houses().to_csv(table, index=False)
    return call("compare", table, *VARIANTS, *TINY, *more, out=out)


def refuse(*arguments: object, **options: object) -> None:
    raise AssertionError("this was to be kept")


@pytest.fixture(scope="module", autouse=True)
def without_plots() -> Iterator[None]:
    """Leave out the plots of models, of which other tests are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "_images", lambda *arguments: {})
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("evidence") / "report", "--evidence")


@pytest.fixture
def again(first: Run, tmp_path: Path) -> Path:
    """A copy of the folder of that run."""
    return Path(shutil.copytree(first.out, tmp_path / "report"))


def table_of(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "comparison.csv", index_col="model")


def page_of(out: Path) -> str:
    return (out / "report.html").read_text("utf-8")


def test_evidence_is_in_table_report_and_words(first: Run) -> None:
    assert first.code == 0
    table, page = table_of(first.out), page_of(first.out)
    assert np.isfinite(table[["log_evidence", "log_evidence_se"]]).all(axis=None)
    names = ["ard.evidence.json", "ard.zarr", "gaussian.evidence.json", "gaussian.zarr"]
    assert sorted(p.name for p in (first.out / "fits").iterdir()) == names
    for name, row in table.iterrows():
        written = json.loads((first.out / "fits" / f"{name}.evidence.json").read_text())
        assert written["evidence"]["log_evidence"] == row["log_evidence"]
        assert f">{row['log_evidence']:,.1f}</td>" in page
        # twenty draws are too few for their error, and this is said
        assert f"The evidence of {name} cannot be judged: " in page
        assert f'<li class="bad">{name}: {row["evidence_obstacle"][:20]}' in page
        assert f"evidence of {name}: log evidence {row['log_evidence']:.2f} ± " in first.said
    assert WIDTH in page
    assert WIDTH in first.said
    assert "--evidence" in page
    assert "Not finished" not in page


def test_nothing_is_measured_again(again: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = table_of(again)
    monkeypatch.setattr(measuring.samplers, "evidence", refuse)
    monkeypatch.setattr(estimating, "sample", refuse)
    assert run(again, "--evidence").code == 0
    pd.testing.assert_frame_equal(table_of(again)[NUMBERS], before[NUMBERS])
    assert run(again).code == 0
    assert "log_evidence" not in table_of(again)
    assert "Evidence" not in page_of(again)


def test_evidence_alone_is_added_to_fits_and_is_the_same(
    again: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table_of(again)
    (again / "fits" / "ard.evidence.json").unlink()
    monkeypatch.setattr(estimating, "sample", refuse)
    done = run(again, "--evidence")
    assert done.code == 0
    assert "ard: kept from an earlier run" in done.said
    assert "evidence of ard: compiling" in done.said
    assert "evidence of gaussian: compiling" not in done.said
    pd.testing.assert_frame_equal(table_of(again)[NUMBERS], before[NUMBERS])


def failing(error: type[BaseException]) -> Callable:
    def fail(*arguments: object, **options: object) -> None:
        raise error("no\nway.")

    return fail


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_is_a_line_and_loses_nothing(
    error: type[BaseException], again: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ard", "gaussian"):
        (again / "fits" / f"{name}.evidence.json").unlink()
    monkeypatch.setattr(measuring.samplers, "evidence", failing(error))
    monkeypatch.setattr(estimating, "sample", refuse)
    done = run(again, "--evidence")
    stopped = error is KeyboardInterrupt
    assert done.code == (130 if stopped else 0)
    reason = measuring.INTERRUPTED if stopped else "no way."
    page = page_of(again)
    assert f"The evidence of gaussian cannot be judged: {reason}" in page
    assert f'<li class="bad">gaussian: {reason}</li>' in page
    assert ("Evidence not measured: ard." in page) is stopped
    assert (f'<li class="bad">ard: {reason}</li>' in page) is not stopped
    assert sorted(p.name for p in (again / "fits").iterdir()) == ["ard.zarr", "gaussian.zarr"]
    assert table_of(again)["elpd_loo"].notna().all()
    assert table_of(again)["log_evidence"].isna().all()


def test_the_report_grows_with_each_measurement(
    again: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def stop_at_ard(name: str, *rest: object) -> measuring.Measured:
        written.append(page_of(again))
        raise SystemExit(9)  # as if it were killed

    (again / "fits" / "ard.evidence.json").unlink()
    monkeypatch.setattr(measuring, "measure", stop_at_ard)
    assert run(again, "--evidence").code == 9
    assert "Not finished: evidence of ard still to come; run the same" in written[0]
    assert "The evidence of gaussian cannot be judged: Block" in written[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "holds no evidence that pymc-bnn compare has saved; delete it"),
        ('{"evidence": {}}', "holds no evidence that pymc-bnn compare has saved; delete it"),
    ],
)
def test_a_file_that_is_not_of_this_run_is_not_replaced(text: str, said: str, again: Path) -> None:
    path = again / "fits" / "ard.evidence.json"
    path.write_text(text)
    done = run(again, "--evidence")
    assert done.code == 2
    assert said in done.said
    assert path.read_text() == text


def test_evidence_of_another_run_is_not_replaced(again: Path) -> None:
    path = again / "fits" / "ard.evidence.json"
    record = json.loads(path.read_text())
    record["settings"]["draws"] = 30
    path.write_text(json.dumps(record))
    done = run(again, "--evidence")
    assert done.code == 2
    assert "has evidence of ard that was made otherwise (draws: 30 there, 20 now)" in done.said
    assert json.loads(path.read_text()) == record


@pytest.fixture(scope="module")
def lines() -> dict:
    x = np.linspace(-1, 1, 20)[:, None]
    y = x[:, 0] + 0.1 * np.cos(9 * x[:, 0])
    options = {"draws": 20, "tune": 20, "chains": 2, "cores": 1, "seed": 1, "n_leapfrog": 20}
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    made = {"one": models.gaussian(x, y, ()), "two": models.gaussian(x, y, ())}
    return {name: samplers.sample(model, **options, **quiet) for name, model in made.items()}


def test_compare_measures_the_models_of_its_fits(lines: dict, monkeypatch, tmp_path: Path) -> None:
    asked = []

    def evidence(model: models.BNN, **options: object) -> samplers.Evidence:
        asked.append(options)
        return samplers.Evidence(-10.0 * len(asked), 0.1, "mbar", (), ())

    monkeypatch.setattr(measuring.samplers, "evidence", evidence)
    found = studies.compare(lines, evidence=True, seed=3, report=tmp_path / "r.html")
    assert [(o["draws"], o["tune"], o["chains"], o["thin"]) for o in asked] == [(20, 10, 2, 2)] * 2
    assert asked[0]["seed"].integers(2**60) != asked[1]["seed"].integers(2**60)
    assert str(found.evidence_verdict).startswith("By the evidence one is the most probable model")
    assert found.table.loc["one", "probability"] > 0.99
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "By the evidence one is the most probable model" in page
    assert page.count("&gt; 0.999") == 3
    assert "Not yet compared" not in page
    assert studies.compare(lines).evidence_verdict is None


def test_evidence_is_true_or_false(lines: dict) -> None:
    with pytest.raises(studies.InputError, match="evidence='mbar': give True or False"):
        studies.compare(lines, evidence="mbar")


def test_models_of_other_targets_have_no_common_evidence(lines: dict) -> None:
    x = np.linspace(-1, 1, 20)[:, None]
    options = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "seed": 1, "n_leapfrog": 20}
    other = samplers.sample(models.gaussian(x, 2 * x[:, 0], ()), progressbar=False, **options)
    with pytest.raises(studies.InputError, match="of different targets"):
        studies.compare({"one": lines["one"], "other": other}, evidence=True)
