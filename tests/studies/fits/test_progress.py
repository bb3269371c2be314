"""What a waiting user is shown."""

import io
from types import SimpleNamespace

import pytest
from pymc_bnn.studies.fits import progress
from pymc_bnn.studies.fits.progress import Progress
from rich.console import Console


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    return clock


def watch(terminal: bool = False) -> tuple[Progress, io.StringIO]:
    screen = io.StringIO()
    console = Console(file=screen, width=200, force_terminal=terminal)
    return Progress(["gaussian", "ard"], chains=2, tune=10, draws=10, console=console), screen


def draw(
    chain: int, tuning: bool = False, *, rate: float = 0.8, diverging: bool = False, steps: int = 5
) -> SimpleNamespace:
    stats = {"acceptance_rate": rate, "diverging": diverging, "n_steps": steps}
    return SimpleNamespace(chain=chain, tuning=tuning, stats=[{"unrelated": 1}, stats])


def test_compiling_is_announced_before_the_first_draw(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian")
    assert screen.getvalue() == "gaussian: compiling\n"


def test_a_line_has_draws_acceptance_divergences_and_time_left(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian")
    watched.draw(None, draw(0, rate=0.6))
    for _ in range(8):
        watched.draw(None, draw(0, rate=0.6))
    clock.now += 61
    watched.draw(None, draw(1, rate=1.0, diverging=True))
    last = screen.getvalue().splitlines()[-1]
    # 10 of 40 draws took 61 seconds
    assert last == ("gaussian: 25% of 2 chains, acceptance 0.80, 1 divergences; 3:03 left")


def test_lines_are_a_minute_apart(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian")
    for _ in range(12):
        watched.draw(None, draw(0))
        clock.now += 10.5
    # at 10.5 and 73.5: more than a minute later
    assert len(screen.getvalue().splitlines()) == 3


def test_the_first_line_comes_when_the_time_left_is_known(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian", total=500)
    for done in range(1, 49):
        watched.draw(None, draw(done % 2, tuning=True))
        clock.now += 0.5
    watched.draw(None, draw(0, tuning=True))
    assert len(screen.getvalue().splitlines()) == 1  # 49 of 1000 draws say little
    assert watched._left(watched.models["gaussian"]) == ""
    clock.now += 1
    watched.draw(None, draw(1, tuning=True))
    # 50 of 1000 draws took 25 seconds
    assert screen.getvalue().splitlines()[1:] == [
        "gaussian: 5% of 2 chains, acceptance 0.80, in warm-up; 7:55 left"
    ]


def test_slow_draws_are_told_of_after_a_minute(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian", total=500)
    for _ in range(3):
        watched.draw(None, draw(0, tuning=True))
        clock.now += 40
    [line] = screen.getvalue().splitlines()[1:]
    # 3 of 1000 draws took 80 seconds
    assert line.startswith("gaussian: 0% of 2 chains, acceptance 0.80, in warm-up; 443:07 left")


def test_divergences_of_the_warm_up_do_not_count(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian")
    for _ in range(4):
        watched.draw(None, draw(0, tuning=True, diverging=True))
    assert watched.models["gaussian"].chains[0].divergences == 0
    assert "divergence" not in screen.getvalue()
    watched.draw(None, draw(0, diverging=True))
    watched.draw(None, draw(0))
    assert watched.models["gaussian"].chains[0].divergences == 1
    clock.now += 61
    watched.draw(None, draw(1, tuning=True, diverging=True))
    assert "acceptance 0.80, 1 divergences;" in screen.getvalue().splitlines()[-1]


def test_gradients_are_counted_warm_up_included_and_per_model(clock: Clock) -> None:
    watched, _ = watch()
    watched.start("gaussian")
    watched.draw(None, draw(0, tuning=True, steps=100))
    watched.draw(None, draw(1, steps=20))
    assert watched.finish() == 120
    watched.start("ard")
    watched.draw(None, draw(0, steps=7))
    assert watched.finish() == 7


def test_the_end_of_a_model_is_said_with_its_time(clock: Clock) -> None:
    watched, screen = watch()
    watched.start("gaussian")
    watched.draw(None, draw(0))
    clock.now += 75
    watched.finish("interrupted")
    assert screen.getvalue().splitlines()[-1] == "gaussian: interrupted after 1:15"


def test_a_terminal_shows_a_table_of_all_models_and_chains(clock: Clock) -> None:
    watched, screen = watch(terminal=True)
    with watched:
        watched.start("gaussian")
        watched.draw(None, draw(0, tuning=True, rate=0.75))
        watched.draw(None, draw(1, rate=0.5))
    shown = screen.getvalue()
    for text in ("gaussian", "sampling", "tune 1/20", "draw 1/20", "0.75", "0.50", "waiting"):
        assert text in shown
