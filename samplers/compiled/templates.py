"""Functions at the top level of a module whose global names stand for something else."""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any


def rebound(template: Callable, bindings: Mapping[str, Any]) -> Callable:
    """Return a template with some of its global names bound, for Python to run.

    Parameters
    ----------
    template : callable
        A function at the top level of a module.
    bindings : mapping of str
        What the global names stand for.

    Returns
    -------
    callable
    """
    namespace = {**template.__globals__, **bindings}
    return FunctionType(template.__code__, namespace, template.__name__)


def interpreted(function: Callable, **bindings: Any) -> Callable:
    """Return a function as Python runs it, with all compiled functions that it names interpreted.

    For a few numbers that takes less time than a call of compiled code.

    Parameters
    ----------
    function : callable
        A function at the top level of a module, compiled by numba or not.
    **bindings
        What global names stand for instead.

    Returns
    -------
    callable

    Examples
    --------
    >>> from pymc_bnn.samplers.compiled.templates import interpreted
    >>> from pymc_bnn.samplers.dynamics.metropolis import acceptance_probability
    >>> float(interpreted(acceptance_probability)(-1e9))
    1.0
    """
    plain = getattr(function, "py_func", function)
    names = (name for name in plain.__code__.co_names if name in plain.__globals__)
    called = {name: plain.__globals__[name] for name in names}
    python = {k: interpreted(f, **bindings) for k, f in called.items() if hasattr(f, "py_func")}
    return rebound(plain, python | bindings)
