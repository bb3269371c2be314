"""Turn PyTensor graphs and plain Python loops into compiled functions that are cached on disk.

PyTensor's numba internals (the same ones that nutpie uses) come from :mod:`.internals`. Without
them, or with another backend than numba, :func:`available` is false: graphs are then compiled
through PyTensor's public API, trajectories become a ``pytensor.scan``, and other loops run in
Python.
"""

import gc
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from pymc.pytensorf import compile as compile_with_pymc
from pytensor import config
from pytensor.compile.mode import Mode, get_default_mode
from pytensor.graph.basic import Apply, Variable
from pytensor.scalar.basic import ScalarType

from ...models.simd.function_digest import function_digest
from ...models.simd.internals import (
    CACHED_SRC_FUNCTIONS,
    HAS_INTERNALS,
    NumbaLinker,
    numba_njit,
)
from ...models.simd.linked import OPTIONS, link_graph, linked
from ...models.simd.one_thread import COMPILING
from .entries import Entry
from .interrupts import hold_interrupts
from .templates import rebound


class _LinkingLinker(NumbaLinker):
    """Keeps what it converts a graph to, whose parts are compiled as parts of it."""

    def fgraph_convert(self, *arguments: Any, **options: Any) -> Any:
        self.converted = super().fgraph_convert(*arguments, **options)
        link_graph(self.converted[0])
        return self.converted


_in_use: WeakValueDictionary[str, Callable] = WeakValueDictionary()
_entries: WeakValueDictionary[str, Entry] = WeakValueDictionary()


def one_thread_at_a_time[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """Make the threads that call any function decorated like this wait for each other.

    PyTensor and PyMC compile with global settings changed for a while, and are not made for
    threads. What they compile meanwhile adds in the order of the graph. By default PyTensor lets
    the compiler reorder sums; it does so in one way when a process compiles a function and calls
    it, and in another when a later process loads the same function from disk, so that the same
    seed gave other draws.
    """

    @wraps(function)
    def alone(*args: P.args, **kwargs: P.kwargs) -> T:
        with COMPILING, config.change_flags(numba__fastmath=False):
            return function(*args, **kwargs)

    return alone


def compiles[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """Make a function that compiles run in one thread at a time, and spare it what is not needed.

    Building graphs makes Python look for garbage among the millions of objects of the libraries
    each time that their number has grown by a quarter, which takes a sixth of a start. It looks
    once they are built. Nor do nodes get notes on the lines that made them, which are ours.
    """

    @one_thread_at_a_time
    @wraps(function)
    def keeping(*args: P.args, **kwargs: P.kwargs) -> T:
        collects = gc.isenabled()
        gc.disable()
        try:
            with config.change_flags(traceback__limit=0):
                return function(*args, **kwargs)
        finally:
            if collects:
                gc.enable()

    return keeping


def bound_later(*arguments: Any) -> Any:
    """Stand in for a function that a template calls and that :func:`bind` will bind."""
    raise TypeError("a template was called before engine.bind bound its functions")


class Compiled(NamedTuple):
    """A compiled graph.

    Attributes
    ----------
    function : callable
        Takes the inputs, then the values of the shared variables. Only compiled code may call it,
        unless :func:`available` is false.
    shared : list of SharedVariable
        The shared variables of the graph, such as ``pm.Data`` containers.
    """

    function: Callable
    shared: list[Any]


def available() -> bool:
    """Whether PyTensor's numba internals are there and numba is its backend."""
    return HAS_INTERNALS and isinstance(get_default_mode().linker, NumbaLinker)


def graph_mode() -> Mode:
    """PyTensor's default mode, with less to compile where its backend is numba."""
    mode = get_default_mode()
    if not available():
        return mode
    return Mode(linker=_LinkingLinker(), optimizer=mode.provided_optimizer)


@compiles
def compile_graph(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Compiled:
    """Compile a graph to a function that other compiled code can call.

    Parameters
    ----------
    inputs : sequence of Variable
        Symbolic inputs, in the order of the arguments.
    outputs : sequence of Variable
        Results; the function returns a tuple of arrays.

    Returns
    -------
    Compiled

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.compiled.engine import compile_graph
    >>> x = pt.dvector("x")
    >>> compile_graph([x], [x.sum(), x**2]).shared
    []
    """
    given: Any = list(inputs), list(outputs)
    options: dict[str, Any] = {"on_unused_input": "ignore", "trust_input": True}
    # PyMC's compile turns an invalid parameter into a density of zero, not into an error
    function = compile_with_pymc(*given, mode=graph_mode(), **options)
    if any(map(_is_fused_of_scalars, function.maker.fgraph.apply_nodes)):
        mode = graph_mode().excluding("fuse_indexed_into_elemwise")
        function = compile_with_pymc(*given, mode=mode, **options)
    if not available():
        return Compiled(function, [])
    shared = [given.variable for given in function.maker.inputs[len(inputs) :]]
    jitted, _ = function.maker.linker.converted
    return Compiled(jitted, shared)


def _is_fused_of_scalars(node: Apply) -> bool:
    """Whether a node is a loop that PyTensor fused and left no array to: it cannot compile it."""
    return type(node.op).__name__ == "FusedElemwise" and all(
        isinstance(given.type, ScalarType) for given in node.inputs
    )


def bind(template: Callable, **bindings: Any) -> Callable:
    """Compile a template function with some of its global names bound to other functions.

    A template is ordinary Python that numba can compile. It calls functions which are known only
    at run time, such as a model's log density, through global names. The same template with the
    same functions is compiled once, whoever calls it.

    Parameters
    ----------
    template : callable
        A function at the top level of a module.
    **bindings : callable or tuple of float
        Compiled functions and constants by the global names the template uses.

    Returns
    -------
    callable
        The compiled template, for use in other compiled code.
    """
    return _bound(template, frozenset(bindings.items()), "never", available())


def bind_inline(template: Callable, **bindings: Any) -> Callable:
    """Compile a template as :func:`bind` does, into the code of its callers.

    No references to arrays are counted then from one to the other, which would take longer than
    the arithmetic of a small network.
    """
    return _bound(template, frozenset(bindings.items()), "always", available())


def bind_optimised(template: Callable, **bindings: Any) -> Callable:
    """Compile a template as :func:`bind` does, and optimise it before its callers take it.

    It pays for loops in which most of the time is spent; see :mod:`...models.simd.linked`.
    """
    return _bound(template, frozenset(bindings.items()), "never", available(), optimised=True)


@lru_cache(maxsize=256)
def _bound(
    template: Callable,
    bindings: frozenset[tuple[str, Any]],
    inline: str,
    compiled: bool,
    optimised: bool = False,
) -> Callable:
    function = rebound(template, dict(bindings))
    return linked(optimised, inline=inline)(function) if compiled else function


def specialize(template: Callable, **bindings: Any) -> Callable:
    """Compile a template as :func:`bind` does, callable from Python and cached on disk.

    What was compiled from the same code, and is still in use, is shared. Other threads may run
    while a compiled template does; Ctrl-C waits until it returns.

    Parameters
    ----------
    template : callable
        A function at the top level of a module.
    **bindings : callable
        Compiled functions by the global names the template uses.

    Returns
    -------
    callable
        The compiled template.

    Examples
    --------
    >>> from numba import njit
    >>> from pymc_bnn.samplers.compiled.engine import specialize
    >>> def twice(x):
    ...     return step(step(x))
    >>> specialize(twice, step=njit(lambda x: x + 1.0))(1.0)
    3.0
    """
    function = rebound(template, bindings)
    if not available():
        return function
    digest = function_digest(function)
    if digest is None:
        return _compile(function, cached=False)
    compiled = _in_use.get(digest)
    if compiled is None:
        CACHED_SRC_FUNCTIONS[function] = digest
        compiled = _in_use[digest] = _compile(function, cached=True)
    return compiled


def entry(template: Callable, **bindings: Any) -> Entry:
    """Compile a template as :func:`specialize` does, to be called by its address.

    Parameters
    ----------
    template : callable
        A function at the top level of a module, with the arguments of an
        :class:`.entries.Entry`.
    **bindings : callable or tuple of int
        Compiled functions and constants by the global names the template uses.

    Returns
    -------
    Entry
    """
    function = rebound(template, bindings)
    digest = function_digest(function)
    found = None if digest is None else _entries.get(digest)
    if found is None:
        if digest is not None:
            CACHED_SRC_FUNCTIONS[function] = digest
        found = Entry(numba_njit(function, cache=digest is not None, **OPTIONS))
        if digest is not None:
            _entries[digest] = found
    return found


def _compile(function: Callable, cached: bool) -> Callable:
    options = {"final_function": True, "cache": cached, "nogil": True}
    return hold_interrupts(numba_njit(function, **options, **OPTIONS))
