"""Compile functions that only compiled code calls as parts of their callers.

Numba optimises every function that it compiles and makes machine code of it, and then does both
again for each caller, into whose code it links the function: along a chain of ten calls ten times.
Linked functions are typed and lowered, and left to the one function that Python calls, which takes
half the time and memory to compile. A function with the loops in which most time is spent may be
optimised before its callers take it, as numba does it for all: they come out faster, since the
compiler sees them by themselves first. For Python, should it call a linked function, it is compiled
once more, as numba does it.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import jit, njit

try:
    from numba import _dynfunc  # type: ignore[attr-defined]  # an extension without types
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.registry import CPUDispatcher
    from numba.core.typed_passes import NativeLowering

    HAS_INTERNALS = True
except ImportError:  # not public: without them every function gets machine code of its own
    HAS_INTERNALS = False

OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}

if HAS_INTERNALS:

    class LinkedLibrary(JITCodeLibrary):
        """Code of a function that callers link into theirs, as it was lowered."""

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    class OptimisedLibrary(LinkedLibrary):
        """Code of a function that is optimised before callers link it into theirs."""

        _optimize_final_module = JITCodeLibrary._optimize_final_module

    @register_pass(mutates_CFG=True, analysis_only=False)
    class LinkedLowering(NativeLowering):
        """Lower a function to code for its callers."""

        _name = "linked_lowering"

        def run_pass(self, state: Any) -> bool:
            """Lower, and register the function for other compiled code."""
            name = state.func_id.func_qualname
            state.library = state.pipeline.library(state.targetctx.codegen(), name)
            state.flags.no_compile = True
            super().run_pass(state)
            lowered = state["cr"]
            stub = _dynfunc.make_function(
                lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (state.library,)
            )
            state.targetctx.insert_user_function(stub, lowered.fndesc, [state.library])
            state.reload_init.extend(state.library._reload_init)
            state["cr"] = lowered._replace(cfunc=stub)
            return True

    class LinkedCompiler(CompilerBase):
        """Numba's compiler with :class:`LinkedLowering`."""

        library = LinkedLibrary

        def define_pipelines(self) -> list[Any]:
            """Replace one pass of the standard ones."""
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.passes = [
                (LinkedLowering if found is NativeLowering else found, why)
                for found, why in passes.passes
            ]
            passes.finalize()
            return [passes]

    class OptimisedCompiler(LinkedCompiler):
        """The same compiler, which optimises."""

        library = OptimisedLibrary

    class LinkedDispatcher(CPUDispatcher):
        """A linked function, which has nothing by itself that Python could run."""

        @cached_property
        def for_python(self) -> Callable:
            """The function, compiled as numba does it."""
            options = {**self.targetoptions, "no_cpython_wrapper": False, "no_cfunc_wrapper": False}
            return jit(**options)(self.py_func)

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            """Call the function from Python."""
            return self.for_python(*arguments, **named)

    class OptimisedDispatcher(LinkedDispatcher):
        """A linked function that is optimised first, on which the code of its callers depends."""

        optimised = True

    HOW: dict[bool, Any] = {False: LinkedDispatcher, True: OptimisedDispatcher}
    LINKED: dict[bool, dict[str, Any]] = {
        optimised: {
            "pipeline_class": OptimisedCompiler if optimised else LinkedCompiler,
            "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True,
        }
        for optimised in HOW
    }
else:
    LINKED = {False: {}, True: {}}


def linked(optimised: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """Decorate functions that mostly compiled code calls.

    Parameters
    ----------
    optimised : bool
        Whether to optimise a function before its callers take it.
    **options
        Numba's, beside those for floating-point numbers that all kernels share.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from numba import njit
    >>> from pymc_bnn.models.simd.linked import linked
    >>> @linked()
    ... def double(x):
    ...     return 2.0 * x
    >>> njit(lambda x: double(double(x)))(1.0)
    4.0
    >>> double(1.0)
    2.0
    """
    decorate = njit(**(OPTIONS | LINKED[optimised] | options))

    def link(function: Callable) -> Any:
        dispatcher = decorate(function)
        if HAS_INTERNALS:
            dispatcher.__class__ = HOW[optimised]
        return dispatcher

    return link


def link_graph(graph: Any) -> None:
    """Compile a graph that PyTensor converted as a part of its callers.

    PyTensor makes two functions of a graph and of each of its operations: what computes it, and a
    shell around it that is kept on disk. What is in a shell of an operation is linked into it, and
    the graph, whose callers are kept on disk themselves, into them.

    Parameters
    ----------
    graph : callable
        What PyTensor's linker converted a graph to, not compiled yet.
    """
    if not HAS_INTERNALS or not isinstance(graph, CPUDispatcher):
        return
    shell: Any = graph  # whose cache numba's types do not know
    shell._cache = NullCache()
    _link(shell)
    waiting, met = [graph], {graph}
    while waiting:
        found = _called(waiting.pop()) - met
        met |= found
        waiting += found
    for inner in {shell.py_func.__globals__.get("jitable_func") for shell in met}:
        if isinstance(inner, CPUDispatcher) and not inner.overloads:
            _link(inner)


def _link(dispatcher: Any) -> None:
    dispatcher._compiler.pipeline_class = LinkedCompiler
    dispatcher.__class__ = LinkedDispatcher


def _called(dispatcher: Any) -> set[Any]:
    """Functions compiled by numba that a function names, or finds in its closure."""
    function = dispatcher.py_func
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    return {found for found in (*named, *enclosed) if isinstance(found, CPUDispatcher)}
