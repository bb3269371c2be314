"""What the compiled function of a cell is made of, found without compiling it."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any
from unittest import mock

import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.sweep import compile_sweep_block
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.compiled.entries import Entry
from pymc_bnn.samplers.compiled.memory import remembered
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.graphs import graph_rest
from pymc_bnn.samplers.potential.tape import graph_tape
from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
from pymc_bnn.samplers.precisions.output_regression import choose_form

from tests.samplers.table.declaration import BATCHES, COLLAPSED, Cell
from tests.samplers.table.networks import Network
from tests.samplers.table.steps import build_trajectories

OURS = ("pymc_bnn", __name__)


class Bound(Exception):  # noqa: N818 -- no error
    """Raised where a step would compile; carries what it binds."""

    def __init__(self, functions: list[Any]):
        self.functions = functions


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Stop every step where it would compile its trajectories; compute no numbers twice."""
    evaluate = Conditional.parameters_once

    entries: list[Any] = []  # which a step compiles before what calls them

    def entry(template: Any, **bindings: Any) -> Entry:
        entries.extend([template, *bindings.values()])
        return Entry(None)

    def stop(template: Any, **bindings: Any) -> None:
        if bindings:  # a formula alone, such as that of step sizes, belongs to all
            raise Bound([template, *bindings.values(), *entries])

    def undifferentiated(energy: Any, q: Any) -> tuple[Any, Any]:
        return energy, q

    def at_the_start(block: Conditional, point: Any) -> Any:  # it is asked for nothing else
        key = "parameters", *block.layout.names
        return remembered(block.model, key, lambda: evaluate(block, point))

    with (
        mock.patch.object(engine, "specialize", stop),
        mock.patch.object(engine, "entry", entry),
        mock.patch.object(graph_rest, "differentiate", undifferentiated),
        mock.patch.object(graph_tape, "rewrite_graph"),
        mock.patch.object(Conditional, "parameters_once", at_the_start),
    ):
        yield


def refusal_or_functions(cell: Cell, network: Network) -> str | frozenset[str]:
    """Error with which a cell refuses its model, or all functions of ours that it would compile.

    Functions are those of its trajectories; of :class:`GibbsPrecision`, which compiles the same
    for every model, it is asserted that it finds precisions.
    """
    model: Any = network.model
    if cell.step == "GibbsPrecision, StaticHMC" and not conjugate_precisions(model):
        return _refusal_of_gibbs_precision(model)
    with nothing_compiled():
        try:
            if cell.step in BATCHES and isinstance(model, models.BNN):
                likelihood, form = type(network.likelihood), _form(cell, model)
                compile_sweep_block.__wrapped__(model.activation, likelihood, form)
            build_trajectories(cell, model)
        except Bound as bound:
            return frozenset(_reachable(bound.functions))
        except ValueError as error:
            return str(error)
    raise AssertionError(f"{cell} compiles nothing")


def _form(cell: Cell, model: models.BNN) -> str | None:
    """Which matrix a batch factorizes, if the last layer is integrated out."""
    if cell.step not in COLLAPSED or not model.hidden:
        return None
    return choose_form(model.hidden[-1] + model.biases, len(model["X"].get_value()))


def _refusal_of_gibbs_precision(model: Any) -> str:
    with pytest.raises(ValueError, match="GibbsPrecision") as caught:
        samplers.GibbsPrecision(model=model)
    return str(caught.value)


def _reachable(functions: list[Any]) -> set[str]:
    found: set[str] = set()
    left, seen = list(functions), set()
    while left:
        function = left.pop()
        plain = getattr(function, "py_func", function)
        if not isinstance(plain, FunctionType) or id(plain) in seen:
            continue
        seen.add(id(plain))
        if plain.__module__.startswith(OURS):
            found.add(f"{plain.__module__}.{plain.__qualname__}")
            left += [plain.__globals__.get(name) for name in _names(plain.__code__)]
            left += [cell.cell_contents for cell in plain.__closure__ or ()]
    return found


def _names(code: CodeType) -> set[str]:
    nested = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names, *(name for inner in nested for name in _names(inner))}
