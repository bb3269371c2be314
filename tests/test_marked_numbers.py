"""Figures that are typed in pages are those of committed results."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pymc_bnn.samplers.potential.block_products import LONG_SUM
from pymc_bnn.samplers.potential.blocks import HUGE_LAYER
from pymc_bnn.samplers.potential.tape.graph_tape import LARGEST, LARGEST_ALONE, LARGEST_LAYERS
from pymc_bnn.samplers.potential.tape.views import EXACT
from pymc_bnn.samplers.precisions import output_regression
from pymc_bnn.samplers.precisions.interweaving import MOST_MOVES
from pymc_bnn.samplers.step_sizes.adaptation import window_bounds
from pymc_bnn.samplers.tempering.ladder import MEASURABLE
from pymc_bnn.studies.chains.chain_stacking import LEAST_CASES, MOST_CASES
from pymc_bnn.studies.fits.estimating import worth_timing
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.fits.time_limit import OF_LEFT, OF_START, TOO_LATE
from scipy.stats import norm

from .marked_numbers import (
    DOCS,
    MARK,
    TABLE,
    look_up,
    marked_numbers,
    read_source,
    unmarked_figures,
)

PAGES = [
    DOCS.parent / "README.md",
    DOCS / "why_gibbs_crawls.md",
    DOCS / "choosing.md",
    DOCS / "design_notes.md",
]
OTHERS = [
    DOCS / name
    for name in (
        "temperature.md",
        "choosing_trajectories.md",
        "if_chains_disagree.md",
        "noise_by_row.md",
        "agreement_of_chains.md",
        "why_sample.md",
        "benchmark.md",
    )
]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: page.name)
def test_marked_numbers_are_those_of_their_sources(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = list(marked_numbers(text))
    assert found
    wrong = [(n.text, n.value, n.source) for n in found if not n.right]
    assert not wrong
    # none is overlooked because its comment is written in another way
    assert text.count("<!--") == len(MARK.findall(text)) + len(TABLE.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_measured_figures_have_sources(page: Path) -> None:
    assert unmarked_figures(page.read_text(encoding="utf-8")) == []


SLOPE = (
    "studies/choo2000/slopes.csv: slope; method=Gibbs; widths=8-64; start states=as in the thesis"
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (f"a slope of 0.50<!-- {SLOPE} -->", [True]),
        (f"a slope of 0.4989<!-- {SLOPE} --> and 0.51<!-- {SLOPE} -->", [True, False]),
        (f"a slope of 50%<!-- {SLOPE} -->", [True]),
        (
            "<!-- table\nunits: key hidden units\n90%: studies/choo2000/gains.csv: low - high; "
            "method=Collapsed Gibbs\n-->\n\n| units | 90% |\n|--:|--:|\n| 8 | 0.009-0.033 |\n"
            "| 64 | 0.003-0.02 |\n",
            [True, True, True, False],
        ),
    ],
)
def test_a_number_is_right_to_its_last_digit(text: str, right: list[bool]) -> None:
    assert [n.right for n in marked_numbers(text)] == right


def test_cells_of_a_page_have_ends() -> None:
    where = "benchmark_results.md#Microseconds per leapfrog step: nutpie{}; problem=a"
    low, middle, high = (look_up(where.format(end)) for end in ("[low]", "", "[high]"))
    assert low < middle < high


def test_the_second_number_of_a_cell() -> None:
    where = "benchmark_results.md#Effective draws of log sigma_u: divergences{}; posterior={}"
    table = read_source("benchmark_results.md", "Effective draws of log sigma_u")
    first, last = table["divergences"][0].split(" / ")
    found = [look_up(where.format(end, "Choo 2-8-1")) for end in ("", "[last]")]
    assert found == [int(first), int(last)]


def test_what_noise_by_row_says_of_five_tables_at_once() -> None:
    text = " ".join((DOCS / "noise_by_row.md").read_text(encoding="utf-8").split())
    table = read_source("noise_by_row.csv")
    gains, errors = (table[name].astype(float) for name in ("by row", "± by row"))
    alone = norm.isf(0.025 / len(table))
    assert f"it is {alone:.2f} errors or more" in text
    assert "none is." in text
    assert (gains / errors).max() < alone
    assert "All five gains are above zero, and their mean is more than three of its errors" in text
    assert len(table) == 5
    assert gains.min() > 0
    assert gains.mean() > 3 * np.sqrt((errors**2).sum()) / len(table)


def _range(values: Sequence[int]) -> str:
    return " to ".join(str(value) for value in sorted(set(values)))


def test_how_long_large_networks_take() -> None:
    text = " ".join((DOCS / "why_sample.md").read_text(encoding="utf-8").split())
    sources = (
        "benchmark_results.md#Microseconds per leapfrog step: ours; problem=d",
        "benchmark_results.md#Single and double precision: µs, float64; problem=d",
        "benchmark_results.md#Microseconds per leapfrog step: ours; problem=e",
    )
    steps, times_as_many = 4 * 1000 * 300, 60_000 / 500
    minutes = [1e-6 * look_up(source) * steps / 60 for source in sources]
    *two, deep = (round(each) for each in minutes)
    assert f"then take {_range(two)} and {deep} minutes" in text
    *two, deep = (round(each * times_as_many / 60) for each in minutes)
    assert f"would take {_range(two)} and {deep} hours if time grew in proportion" in text
    rate = "benchmark_results.md#Our leapfrog steps per second: steps per second; grows=cases; to="
    assert look_up(f"{rate}50000") < look_up(f"{rate}500") / 100


NOTES = " ".join((DOCS / "design_notes.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "said",
    [
        f"({LARGEST:,} numbers)".replace(",", " "),
        f"an energy without a network {LARGEST_ALONE:,} numbers".replace(",", " "),
        f"and with layers {LARGEST_LAYERS:,} numbers".replace(",", " "),
        f"integers beyond 2^{EXACT.bit_length() - 1}",
        f"fewer than {LONG_SUM} terms",
        f"layers of fewer than {HUGE_LAYER:,} weights stay loops".replace(",", " "),
        f"at most {MOST_MOVES} moves of a block in an iteration",
        f"are at most {output_regression.LARGEST} (`find_form`)",
        f"less often than {MEASURABLE}",
        f"{OF_LEFT} of what is left",
        f"there are {LEAST_CASES} cases or more",
        f"Of more than {MOST_CASES} cases {MOST_CASES} are drawn",
    ],
)
def test_what_the_design_notes_say_of_numbers_in_the_code(said: str) -> None:
    assert said in NOTES


def test_what_the_design_notes_say_of_single_precision() -> None:
    loops = "precision=float32; loops below=10000000; 512-bit registers=True"
    cases, verdicts, per_case = (5000, 20_000, 100_000), list[str](), list[float]()
    for n in cases:
        where = f"small_products.csv: {{}}; network={n} cases, 20-32-1; {loops}"
        low, high = (look_up(where.format(f"of double, {end}")) for end in ("lowest", "highest"))
        verdicts.append("met" if high <= 1 / 1.7 else "missed" if low > 1 / 1.7 else "undecided")
        per_case.append(look_up(where.format("microseconds")) / n)
    said = zip(verdicts, ("5000 cases", "20 000", "100 000"), strict=True)
    assert ", ".join(f"{verdict} with {many}" for verdict, many in said) in NOTES
    linear = "met" if max(per_case) <= 1.2 * min(per_case) else "missed"
    assert f"at most a fifth between these: {linear}, by medians" in NOTES


def test_what_the_design_notes_say_of_faster_products() -> None:
    text = (DOCS / "design_notes.md").read_text(encoding="utf-8")
    table = text.partition("| network | BLAS | loops |")[2].partition("\n\n")[0].splitlines()[2:]
    assert table
    for row in table:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        low, high = map(float, cells[4:6])
        assert cells[6] == ("loops" if high < 1 else "BLAS" if low > 1 else "undecided")


def test_what_the_design_notes_say_of_a_limit_of_time() -> None:
    assert "three quarters of the time that the command took to begin" in NOTES
    assert "later than a tenth of the time beyond the limit" in NOTES
    assert (OF_START, TOO_LATE) == (0.75, 1.1)
    assert "Chains of fewer than 50 draws, warm-up included, are not timed" in NOTES
    assert [worth_timing(Settings(tune=20, draws=draws)) for draws in (29, 30)] == [False, True]


def test_how_long_a_warm_up_a_covariance_of_1000_weights_takes() -> None:
    short = [tune for tune in range(20, 5000) if np.diff(window_bounds(tune))[-1] <= 1000]
    assert f"a warm-up of {short[-1] + 1} iterations or more has a last window" in NOTES


def test_the_lowest_and_the_highest_of_rows() -> None:
    where = "studies/choo2000/gains.csv: {}ratio; method=Collapsed Gibbs"
    assert look_up(where.format("lowest ")) < look_up(where.format("highest "))
    with pytest.raises(AssertionError, match="6 rows; name one"):
        look_up(where.format(""))
    with pytest.raises(AssertionError, match="no column 'ratios'"):
        look_up("studies/choo2000/gains.csv: ratios")


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("It took 3.2 seconds.", ["3.2"]),
        ("It took 3.2<!-- a.csv: b --> seconds.", []),
        ("It took 3.2<!-- a.csv: b --> to 4 times as long.", ["@ to 4"]),
        ("It took 200 s, then 2\nto 3 ms, in the 1990s.", ["200", "2\nto 3"]),
        ("It took 3.2<!-- a.csv: b --> ms for 8 samples.", []),
        ("A slope of 0.1 ± 0.2.", ["0.1 ± 0.2"]),
        ("It errs on 5% of cases.", ["5%"]),
        ("Its 90% interval, `3 seconds` and $3$ seconds.", []),
        ("There are 8 cases, see Choo (2000, 3.5).", []),
        ("This was measured once: it took 3 seconds.", []),
        ("Times, measured once:\n\n| a |\n|--:|\n| 3 |", []),
        ("| a | b |\n|--:|---|\n| 3 | x |", ["column 'a'"]),
        ("<!-- table\na: key\n-->\n\n| a | b |\n|--:|---|\n| 3 | x |", []),
    ],
)
def test_figures_without_a_source_are_found(text: str, figures: list[str]) -> None:
    assert unmarked_figures(text) == figures
