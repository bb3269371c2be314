"""What the committed page of Lau's thesis says follows from the tables beside it."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.published import AGAIN, published
from pymc_bnn.studies.lau2018.numbers.differences import unpaired
from pymc_bnn.studies.lau2018.numbers.explanation import drawn_against_printed, unexplained
from pymc_bnn.studies.lau2018.rules.claims import RULES
from pymc_bnn.studies.lau2018.rules.judgements import MARGIN
from pymc_bnn.studies.lau2018.rules.mixing import KNOWN
from pymc_bnn.studies.lau2018.words.conclusions import CLAIMS, conclude, counted
from pymc_bnn.studies.lau2018.words.page import PAGE
from pymc_bnn.studies.pages.kept_tables import Tables
from pymc_bnn.studies.pages.page import rewrite_page
from pymc_bnn.studies.reproduction.verdicts import Verdict

DOCS = Path(__file__).parents[3] / "docs"
TEXT = (DOCS / "studies" / "lau2018.md").read_text(encoding="utf-8")
INTERVAL = re.compile(r"([+-][\d.]+) ± ([\d.]+) \(([+-][\d.]+) to ([+-][\d.]+)\) points")
CLAIM = re.compile(
    r"^- (.+?)\. \*\*(.+?)\.\*\* (.*) \(\[(.+?)\]\(#how-claims-are-judged\)\)$", re.M
)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return PAGE.format.read_all(DOCS / "studies" / "lau2018")


def verdict(tables: Tables, name: str, text: str) -> Verdict:
    """Verdict of the claim that begins like this."""
    [found] = [claim for claim in CLAIMS[name](tables) if claim.text.startswith(text)]
    return found.verdict


def test_the_page_is_what_its_tables_say(tmp_path: Path) -> None:
    """If not, write it anew: ``pages.page.rewrite_page(PAGE, BUDGETS["desk"], "docs")``."""
    shutil.copytree(DOCS / "studies" / "lau2018", tmp_path / "studies" / "lau2018")
    page = rewrite_page(PAGE, BUDGETS["desk"], tmp_path)[0]
    assert page.read_text(encoding="utf-8") == TEXT


def test_verdicts_agree_with_the_intervals_beside_them(tables: Tables) -> None:
    claims = CLAIM.findall(TEXT)
    assert len(claims) == sum(len(of(tables)) for of in CLAIMS.values())
    seen = set()
    for text, said, evidence, rule in claims:
        limits = [(float(low), float(high)) for *_, low, high in INTERVAL.findall(evidence)]
        inside = all(low >= -MARGIN and high <= MARGIN for low, high in limits)
        beyond = any(low >= MARGIN or high <= -MARGIN for low, high in limits)
        above = all(low >= 0 for low, _ in limits)
        expected = {
            "equal": {"Stands": inside, "Does not stand": beyond},
            "differ": {"Stands": beyond, "Does not stand": inside},
            "nearer": {
                "Stands": all(high <= 0 for _, high in limits),
                "Does not stand": any(low >= 0 for low, _ in limits),
            },
            "more": {"Stands": above, "Does not stand": any(high <= 0 for _, high in limits)},
        }
        if rule in expected and not limits:
            assert said == "Undecided", text
            assert evidence.startswith("Not counted"), text
        elif rule in expected:
            assert expected[rule].get(said, not any(expected[rule].values())), text
        if rule == "as much":
            assert ("refuted" in evidence) == (said == "Does not stand"), text
        seen.add(rule)
    assert seen == set(RULES)
    for name in RULES:
        assert f"- *{name}*: " in TEXT  # where it is stated


def test_verdicts_are_those_of_the_committed_numbers(tables: Tables) -> None:
    stands, fails, undecided = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
    for name, text, expected in (
        ("committees", "Committees of two", stands),
        ("committees", "Committees of 1000", undecided),
        ("termination", "As printed, XHMC errs as often", undecided),
        ("termination", "As printed, it moves the weights", fails),
        ("termination", "As printed, its threshold", undecided),
        ("termination", "As Stan has it, its threshold", fails),
        ("hyperparameter", "Plain Gibbs sampling", stands),
        ("hyperparameter", "Joint sampling of centred", stands),
        ("hyperparameter", "Draw for draw, joint sampling", stands),
        ("hyperparameter", "Whatever its steps", fails),
        ("priors", "They do by as much", fails),
        ("stochastic_gradients", "With the right settings SGHMC", undecided),
        ("stochastic_gradients", "Learning rates", fails),
        ("noise_as_printed", "With the right settings SGHMC", fails),
        ("noise_as_printed", "Errors that the thesis prints are nearer", undecided),
        ("scaled_priors", "They do by as much", fails),
        ("metrics", "A diagonal metric", undecided),
        ("layers", "They do by as much", fails),
        ("precision", "Single precision", undecided),
        ("trajectories", "Static trajectories", undecided),
        ("trajectories", "They move the weights", fails),
        ("windows", "Algorithm 3 as printed", fails),
        ("windows", "With states kept", fails),
        ("windows", "With the start anywhere", stands),
        ("information_criterion", "WAIC", undecided),
        ("drawn_classes", "All test errors", fails),
        ("agreed", "All hierarchical priors", undecided),
        ("agreed", "Scaled priors err more", stands),
        ("agreed", "The other widths err as often", stands),
    ):
        assert verdict(tables, name, text) is expected, text
    claims = [claim for of in CLAIMS.values() for claim in of(tables)]
    count = [sum(claim.verdict is one for claim in claims) for one in (stands, fails, undecided)]
    by_limits = ("as efficient", "much more efficient", "moves", "keeps")
    rest = sum(claim.rule not in by_limits for claim in claims)
    assert counted(tables) == (
        f"Of {len(claims)} claims below {count[0]} stand, {count[1]} do not, and {count[2]} are "
        f"undecided. Each is judged by itself: of the {rest} that intervals judge, up to about "
        f"{np.ceil(0.05 * rest):.0f} may stand or fail by chance."
    )
    assert counted(tables) in TEXT


def test_gibbs_sampling_is_blamed_by_its_numbers(tables: Tables) -> None:
    said = conclude("hyperparameter", tables)
    assert "What fails is plain Gibbs sampling, with either kind of steps; interweaving" in said
    changed = tables["hyperparameter"].copy()
    changed.loc[changed["row"] == "gibbs-curvature", "ESS of variance"] = 300.0
    other = conclude("hyperparameter", {**tables, "hyperparameter": changed})
    assert "What fails is the fixed step, not Gibbs sampling." in other
    assert "joint sampling of non-centred weights does. **Does not stand.**" in other


def test_a_dense_metric_is_judged_once_it_has_run_as_long(tables: Tables) -> None:
    table = tables["metrics"].copy()
    dense = table["row"] == "normal-dense"
    table.loc[dense, ["chains", "warm-up", "draws"]] = 4, 60, 60
    table.loc[table["row"] == "normal-diag", "median ESS"] = 200.0
    assert verdict({**tables, "metrics": table}, "metrics", "A diagonal") is Verdict.STANDS
    assert "lengths" not in conclude("metrics", {**tables, "metrics": table})


def test_differences_are_those_of_the_tables(tables: Tables) -> None:
    rows = tables["differences"]
    assert set(rows["paired"]) == {"yes", "no"}
    for _, row in rows.iterrows():
        (first, one), (second, other) = (_errors(tables, row, row[name]) for name in ENDS)
        assert row["error % differs by"] == pytest.approx(first - second, abs=1e-4)
        bound = unpaired(first, second, (one, other))
        if row["paired"] == "no":
            assert row["± of it"] == pytest.approx(bound.error, rel=1e-4)
            assert row["degrees of freedom"] == pytest.approx(bound.freedom, rel=1e-3)
        else:
            # cases on which one guesses are no harder for it where they are for the other
            guesses = first > GUESSING
            assert row["± of it"] < bound.error * (1.1 if guesses else 1.0)


ENDS = ("row", "against")
GUESSING = 80.0  # percent; ten digits are guessed wrong 90% of the time


def _errors(tables: Tables, row: pd.Series, name: str) -> tuple[float, tuple[float, float]]:
    """Test error of a row, and the variance of its chains or committees with its freedom."""
    if row["table"] == "committees":
        inputs, members = str(row["row"]).split("-")
        size = int(members)
        if name != "network":
            table = tables["committees"].query("inputs == @inputs and members == @size")
            spread = float(table["± committees"].iloc[0])
            return float(table["error %"].iloc[0]), (spread**2, max(1000 // size - 1, 1))
        if inputs == "unit":
            found = tables["factors"].query(
                "inputs == 'unit' and `sds of weights` == '1, 1' and biases == 'no' and draws > 20"
            )
            return float(found["error %"].iloc[0]), (float(found["± chains"].iloc[0]) ** 2, 3.0)
    table, name = ("priors", "normal") if name in ("exact", "network") else (row["table"], name)
    found = tables[table].set_index("row").loc[name]
    return float(found["error %"]), (float(found["± chains"]) ** 2, found["chains"] - 1.0)


@pytest.mark.parametrize("change", [-0.05, 0.05])
def test_verdicts_do_not_hang_on_the_last_digit(change: float, tables: Tables) -> None:
    shaken = tables["differences"].copy()
    shaken["± of it"] += np.where(shaken["paired"] == "yes", change, 0.0)
    other = {**tables, "differences": shaken}
    for of in CLAIMS.values():
        assert [claim.verdict for claim in of(other)] == [claim.verdict for claim in of(tables)]


def test_what_is_known_of_an_effective_sample_size_covers_repeats(tables: Tables) -> None:
    """Two runs of one posterior by one sampler, with other random numbers."""
    one = tables["termination"].set_index("row").loc["nuts", "median ESS"]
    other = tables["priors"].set_index("row").loc["normal", "median ESS"]
    assert 1.0 < one / other <= KNOWN
    assert f"two runs of one network by one sampler differ by {one / other:.2f}." in TEXT


def test_drawn_classes_are_judged_over_all_rows(tables: Tables) -> None:
    table = drawn_against_printed(tables)
    fits = table.set_index(["table", "row"])["fits"]
    for key in (("4.11", "2"), ("4.11", "4"), ("4.4", "horseshoe"), ("4.9", "scaled-35")):
        assert fits[key] == "neither"
    assert fits["4.2", "nuts"] == "drawn"
    printed = sum(
        int(tables[name]["thesis's error %"].notna().sum())
        for name in CLAIMS
        if "thesis's error %" in tables.get(name, ()) and name not in ("committees", *AGAIN)
    )
    assert len(table) == printed
    said = unexplained(tables)
    for (_, row), fit in fits.items():
        assert (f" {row} (" in said) or fit != "neither"
    assert said in TEXT


def test_numbers_of_the_thesis_in_the_text_are_printed_there() -> None:
    normal = [
        published(name)[published(name)[column] == value]["test_error"]
        for name, column, value in (
            ("priors", "prior", "normal"),
            ("precision", "precision", "float64"),
            ("scaled_priors", "hidden_units", 35),
        )
    ]
    metric = published("metrics").query("prior == 'normal' and metric != 'dense'")["test_error"]
    usual = [normal[0], normal[1][:1], normal[2][:1], metric]
    usual += [published(name)["test_error"] for name in ("termination", "trajectories")]
    errors = pd.concat(usual)
    assert f"with errors from {errors.min()}% to {errors.max()}%" in TEXT.replace("\n", " ")
    waic = published("information_criterion")
    each = waic["waic"] / (waic["hidden_units"] * 74)  # 64 inputs and 10 classes
    assert f"{each.min():.1f} to {each.max():.1f} for each" in TEXT
    case = waic["waic"] / 500
    assert f"they are {case.min():.0f} to {case.max():.0f} nats a case" in TEXT
    assert f"guessing one of ten classes costs {np.log(10):.1f}" in TEXT


def test_the_page_says_what_differs() -> None:
    for words in (
        "of 100 leapfrog steps are run (`GibbsHMC`)",
        "by XHMC with threshold 0.1 in the thesis, and by NUTS here,\n  on unit inputs by static",
        "a hundredth\n  of the old velocity would be left after an update, turned round",
        "an exponent of 0.75",
        "below 0.3 in this package",
        "of drawing from the empirical distribution for regression only (3.6)",
    ):
        assert words in TEXT
