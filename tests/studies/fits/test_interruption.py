"""Ctrl-C counts even where the code at hand swallows it."""

import ctypes
import pickle
import signal
import sys

import pytest
from numba.core.serialize import _numba_unpickle
from pymc_bnn.studies.fits.interruption import Interruption


def test_an_interrupt_that_a_callback_swallows_is_raised_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # what LLVM's object cache does while numba compiles
    callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    with Interruption() as interruption:
        callback()
        with pytest.raises(KeyboardInterrupt):
            interruption.check()
    assert capsys.readouterr().err == ""


class Pressed:
    """Has Ctrl-C pressed while it is read."""

    def __reduce__(self) -> tuple:
        return signal.raise_signal, (signal.SIGINT,)


def test_an_interrupt_while_compiled_code_returns_is_raised_later() -> None:
    with Interruption() as interruption:
        # numba makes a SystemError of what is raised here, and PyMC loses all draws by that
        try:
            _numba_unpickle(0, pickle.dumps(Pressed()), b"read for the first time")
        except KeyboardInterrupt:
            pytest.fail("raised where numba loses it")
        with pytest.raises(KeyboardInterrupt):
            interruption.check()


def test_an_interrupt_is_raised_at_once_where_that_is_possible() -> None:
    with pytest.raises(KeyboardInterrupt), Interruption():
        signal.raise_signal(signal.SIGINT)


def test_nothing_is_raised_without_an_interrupt() -> None:
    with Interruption() as interruption:
        interruption.check()


def test_everything_is_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    with Interruption():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), sys.unraisablehook) == before


def test_other_errors_of_callbacks_are_still_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: seen.append(what.exc_type))
    callback = ctypes.CFUNCTYPE(None)(lambda: [][0])
    with Interruption():
        callback()
    assert seen == [IndexError]
