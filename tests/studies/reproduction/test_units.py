"""Units of work: done once, whole or not at all, whatever happens meanwhile."""

import ast
import io
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest
import xarray as xr
from pymc_bnn.studies.distribution.workers import Workers
from pymc_bnn.studies.errors import InputError, UnitError
from pymc_bnn.studies.fits.manifest import PARTIAL
from pymc_bnn.studies.reproduction import unit_progress
from pymc_bnn.studies.reproduction import units as units_module
from pymc_bnn.studies.reproduction.code_digest import _without_words, dependencies
from pymc_bnn.studies.reproduction.unit_progress import UnitProgress
from pymc_bnn.studies.reproduction.unit_store import (
    MANIFEST,
    RESULT,
    claim_folder,
    is_saved,
    save_unit,
)
from pymc_bnn.studies.reproduction.unit_work import work
from pymc_bnn.studies.reproduction.units import Unit, load_unit, missing_units, run_units
from rich.console import Console

PATIENCE = 1800.0  # seconds before a test gives up on a process that hangs
pytestmark = pytest.mark.usefixtures("quick_workers")


def count(log: Path, value: float) -> xr.Dataset:
    with log.open("a") as file:
        file.write(f"{value}\n")
    return xr.Dataset({"x": value})


def dawdle(log: Path, flag: Path) -> xr.Dataset:
    """Take forever, unless a flag is there."""
    (log.parent / "pid").write_text(str(os.getpid()))
    while not flag.exists():
        sleep(0.01)
    return count(log, -1.0)


def fail(log: Path) -> xr.Dataset:
    raise RuntimeError("no\nluck")


def die(log: Path) -> xr.Dataset:
    os._exit(3)


def tree() -> xr.DataTree:
    named = xr.Dataset({"y": ("name", [1.0, 2.0])}, coords={"name": ["a", "bc"]})
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs={"n": 1}), "inner": named})


def calls(log: Path) -> list[float]:
    return [float(line) for line in log.read_text().splitlines()] if log.exists() else []


def quiet() -> UnitProgress:
    return UnitProgress(Console(file=io.StringIO(), width=200))


def said(progress: UnitProgress) -> str:
    assert isinstance(progress.console.file, io.StringIO)
    return progress.console.file.getvalue()


def until(happened: Callable[[], bool], seconds: float = PATIENCE) -> None:
    end = monotonic() + seconds
    while not happened():
        assert monotonic() < end, "it did not happen"
        sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_every_unit_is_run_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a busy machine would have lines in between
    monkeypatch.setattr(unit_progress, "SECONDS_BETWEEN_LINES", math.inf)
    log, progress = tmp_path / "log", quiet()
    units = [Unit(f"n={i}", count, (log, float(i)), seconds=60.0) for i in range(3)]
    run_units(units[:1], tmp_path / "out", 1, quiet())
    run_units(units, tmp_path / "out", 2, progress, "numbers")
    run_units(units, tmp_path / "out", 2, quiet())
    assert sorted(calls(log)) == [0.0, 1.0, 2.0]
    assert [float(load_unit(tmp_path / "out", unit.key)["x"]) for unit in units] == [0.0, 1.0, 2.0]
    first, last = said(progress).splitlines()
    assert first == ("numbers: about 60 seconds on 2 cores; 1 of 3 units are already there")
    assert last.startswith("numbers: 2 of 2 done, last n=")


def test_trees_come_back_as_trees_and_by_group(tmp_path: Path) -> None:
    save_unit(tree(), tmp_path, "tree")
    found = load_unit(tmp_path, "tree")
    assert isinstance(found, xr.DataTree)
    assert found.attrs["n"] == 1
    xr.testing.assert_identical(load_unit(tmp_path, "tree", "inner"), tree()["inner"].to_dataset())


def start_dawdling(tmp_path: Path) -> subprocess.Popen:
    """Have another process run a quick unit and an endless one, and wait for both."""
    program = (
        "import signal, sys; from pathlib import Path\n"
        # a job in the background of a shell would ignore it
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tests.studies.reproduction.test_units import count, dawdle\n"
        "from pymc_bnn.studies.reproduction.units import Unit, run_units\n"
        "folder = Path(sys.argv[1]); log = folder / 'log'\n"
        "units = Unit('quick', count, (log, 1.0)), Unit('slow', dawdle, (log, folder / 'flag'))\n"
        "run_units(units, folder / 'out', 2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: is_saved(tmp_path / "out", "quick") and (tmp_path / "pid").exists())
    except AssertionError:
        process.kill()
        raise
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path, number: signal.Signals) -> None:
    process = start_dawdling(tmp_path)
    worker = int((tmp_path / "pid").read_text())
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    until(lambda: not is_alive(worker))
    if number == signal.SIGINT:
        assert "Interrupted: units, 1 of 2 are kept in" in errors
    out, log = tmp_path / "out", tmp_path / "log"
    assert not is_saved(out, "slow")
    (tmp_path / "flag").touch()
    units = [Unit("quick", count, (log, 1.0)), Unit("slow", dawdle, (log, tmp_path / "flag"))]
    run_units(units, out, 1, quiet())
    assert calls(log) == [1.0, -1.0]


def test_a_killed_worker_is_an_error_and_the_run_goes_on_later(tmp_path: Path) -> None:
    log = tmp_path / "log"
    units = [Unit("good", count, (log, 1.0)), Unit("bad", die, (log,)), Unit("last", tree)]
    with pytest.raises(UnitError, match=r"^a worker process was ended at bad, .* to go on\.$"):
        run_units(units, tmp_path / "out", 1, quiet())
    assert [unit.key for unit in missing_units(units, tmp_path / "out")] == ["bad", "last"]
    run_units([units[0], units[2]], tmp_path / "out", 1, quiet())
    assert calls(log) == [1.0]


def test_a_failing_unit_stops_the_run_after_those_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, noticed, out = tmp_path / "log", tmp_path / "noticed", tmp_path / "out"

    def notice(error: Exception, running: list[Unit], workers: Workers) -> UnitError:
        noticed.touch()
        return failure(error, running, workers)

    failure = units_module._as_unit_error
    monkeypatch.setattr(units_module, "_as_unit_error", notice)
    units = [
        Unit("bad", fail, (log,)),
        Unit("working", dawdle, (log, noticed)),  # until the failure has been noticed
        Unit("later", tree),
    ]
    with pytest.raises(UnitError, match=r"^unit 'bad' failed: RuntimeError: no luck; see "):
        run_units(units, out, 2, quiet())
    assert "working" not in {unit.key for unit in missing_units(units, out)}
    assert is_saved(out, "working")
    assert not is_saved(out, "later")
    assert "in fail\n" in (out / "bad.error.txt").read_text()


def test_a_result_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match="must return a Dataset or DataTree, not str"):
        run_units([Unit("text", str)], tmp_path, 1, quiet())


def test_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    units = [Unit("one", count, (log, 1.0)), Unit("two", count, (log, 2.0))]
    run_units(units, out, 1, quiet())
    chunk = next(path for path in (out / "two" / RESULT / "x").rglob("*") if path.is_file())
    chunk.write_bytes(chunk.read_bytes()[:3])
    (out / f"three{PARTIAL}").mkdir()
    run_units(units, out, 1, quiet())
    assert calls(log) == [1.0, 2.0, 2.0]
    assert float(load_unit(out, "two")["x"]) == 2.0
    assert not (out / f"three{PARTIAL}").exists()


def test_loading_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no result 'one' in"):
        load_unit(tmp_path, "one")
    save_unit(xr.Dataset({"x": 1.0}), tmp_path, "one")
    (tmp_path / "one" / RESULT / "zarr.json").write_text("{")
    with pytest.raises(InputError, match=r"the result 'one' in .* is damaged; delete it"):
        load_unit(tmp_path, "one")


def test_a_result_with_a_part_missing_is_not_loaded_as_fill_values(tmp_path: Path) -> None:
    save_unit(xr.Dataset({"x": ("n", [1.0, 2.0])}), tmp_path, "one")
    chunk = next(p for p in (tmp_path / "one" / RESULT / "x" / "c").rglob("*") if p.is_file())
    chunk.unlink()
    with pytest.raises(InputError, match=r"the result 'one' in .* is damaged; delete it"):
        load_unit(tmp_path, "one")


def test_a_result_whose_bytes_changed_is_not_read_as_other_numbers(tmp_path: Path) -> None:
    groups = {name: xr.Dataset({"x": ("n", [1.0, 2.0])}) for name in ("first", "second")}
    save_unit(xr.DataTree.from_dict(groups), tmp_path, "one")
    place = tmp_path / "one"
    chunk = next(p for p in (place / RESULT / "first" / "x" / "c").rglob("*") if p.is_file())
    bytes_of = bytearray(chunk.read_bytes())
    bytes_of[len(bytes_of) // 2] ^= 1
    chunk.write_bytes(bytes_of)
    for group in ("first", "/first", "first/", None):
        with pytest.raises(InputError, match=r"the result 'one' in .* is damaged; delete it"):
            load_unit(tmp_path, "one", group)
    assert load_unit(tmp_path, "one", "second")["x"].values.tolist() == [1.0, 2.0]
    manifest = json.loads((place / MANIFEST).read_text())
    del manifest["checksums"]  # as earlier versions wrote it
    (place / MANIFEST).write_text(json.dumps(manifest))
    assert load_unit(tmp_path, "one", "first")["x"].values.tolist() != [1.0, 2.0]


def test_results_of_other_code_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    units = [Unit("one", count, (log, 1.0))]
    save_unit(xr.Dataset({"x": 5.0}), out, "one", code="of other code")
    with pytest.raises(
        InputError, match=r"1 \(one\) were made by other code .*; --keep uses .*--redo"
    ):
        run_units(units, out, 1, quiet())
    run_units(units, out, 1, quiet(), changed="keep")
    assert calls(log) == []
    run_units(units, out, 1, quiet(), changed="redo")
    assert calls(log) == [1.0]
    run_units(units, out, 1, quiet())
    assert calls(log) == [1.0]


def test_words_do_not_change_the_code_and_statements_do(tmp_path: Path) -> None:
    plain = ast.parse("def f(x):\n    return x + 1\n")
    words = ast.parse('"""What it is."""\ndef f(x):\n    """Add."""\n    return x + 1  # one\n')
    other = ast.parse("def f(x):\n    return x + 2\n")
    assert _without_words(plain) == _without_words(words) != _without_words(other)
    # what a function imports counts, however far away
    found = dependencies("pymc_bnn.studies.choo2000.runs.master")
    assert "pymc_bnn.models.layer" in found
    assert "pymc_bnn.studies.choo2000.words.page" not in found


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    settings = {"budget": "smoke", "seed": 0, "grid": {8: (1, 2)}}
    folder = claim_folder(tmp_path / "new", settings)
    assert claim_folder(folder, settings) == folder
    other = r"was made with other settings \(budget: 'smoke' there, 'paper' now; seed: 0 there, "
    with pytest.raises(InputError, match=other):
        claim_folder(folder, settings | {"budget": "paper", "seed": 1})
    with pytest.raises(InputError, match=r"other settings \(grid\); name another folder\."):
        claim_folder(folder, settings | {"grid": {8: (1, 3)}})


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(InputError, match="holds something else; name a new folder"):
        claim_folder(tmp_path, {})
    with pytest.raises(InputError, match="holds something else"):
        claim_folder(tmp_path / "mine.txt", {})
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "declaration.json").write_text("{")
    with pytest.raises(InputError, match="is damaged; delete the folder"):
        claim_folder(tmp_path / "old", {})


@pytest.mark.parametrize("key", ["", "a/b", "..", "a b", f"a{PARTIAL}"])
def test_keys_that_are_no_file_names_are_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="use letters, digits"):
        run_units([Unit(key, tree)], tmp_path)


def test_keys_and_cores_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="units=one: give every unit a key of its own"):
        run_units([Unit("one", tree), Unit("one", tree)], tmp_path)
    with pytest.raises(ValueError, match="cores=0: give a positive whole number"):
        run_units([Unit("one", tree)], tmp_path, cores=0)


def test_the_time_left_follows_what_units_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_progress, "monotonic", lambda: 0.0)
    progress = quiet()
    progress.start("some", [10.0] * 10, cores=2)
    assert progress.left() == pytest.approx(50.0)
    for _ in range(5):
        progress.finish("one", 10.0, 20.0)
    # the other half takes about twice as long as was thought
    assert 45.0 < progress.left() < 50.0


def nothing() -> None:
    return None


def locked() -> xr.Dataset:
    return xr.Dataset(attrs={"lock": threading.Lock()})


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (nothing, "unit 'one' failed: TypeError: a unit must return a Dataset or DataTree"),
        (locked, "unit 'one' failed: TypeError: cannot pickle '_thread.lock' object"),
    ],
)
def test_what_another_machine_cannot_send_is_an_error_there(
    function: Callable[..., xr.Dataset], said: str
) -> None:
    with pytest.raises(UnitError, match=said):
        work(Unit("one", function), None)


def test_cores_beside_a_scheduler_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cores=2: a scheduler says how many; leave it out"):
        run_units([Unit("one", tree)], tmp_path, 2, scheduler="tcp://127.0.0.1:9")
