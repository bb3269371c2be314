"""Step methods that are pickled and copied without what they compiled."""

from io import BytesIO
from pickle import Unpickler
from typing import Any, ClassVar, Self

import pymc as pm
from cloudpickle import Pickler
from pytensor.graph.basic import Node

from ...pymc_steps import BlockedStep


class PickledStep(BlockedStep):
    """Base of the step methods that leave behind what belongs to a process.

    A copy, deep or not, moves the variables of the same model, and shares nothing else.

    Attributes
    ----------
    compiled : tuple of str
        Attributes that a pickle or copy leaves out; ``setup_chain`` makes them anew.
    """

    compiled: ClassVar[tuple[str, ...]] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what is compiled; a worker process loads it from the disk cache."""
        return {name: value for name, value in vars(self).items() if name not in self.compiled}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy all but the model, whose copy would be another one for each of several steps."""
        file = BytesIO()
        pickler = _AllButGraphs(file)
        pickler.dump(self)
        file.seek(0)
        return _WithGraphs(file, pickler.graphs).load()

    def __copy__(self) -> Self:
        """As a deep copy; two steps that share what they learn would both be wrong."""
        return self.__deepcopy__({})

    @property
    def is_compiled(self) -> bool:
        """Whether nothing is left out."""
        return vars(self).keys() >= set(self.compiled)

    def _check_compiled(self) -> None:
        """Refuse to go on from a pickle, which is without what was compiled."""
        if not self.is_compiled:
            raise ValueError(
                f"{type(self).__name__} was pickled or copied, without what it compiled; call its "
                "setup_chain(rng, tune, draws) before it moves, as pm.sample does."
            )


class _AllButGraphs(Pickler):
    """Pickles a number in the place of a model or of a node of its graph."""

    def __init__(self, file: BytesIO):
        super().__init__(file)
        self.graphs: list[pm.Model | Node] = []

    def persistent_id(self, given: Any) -> int | None:
        if not isinstance(given, pm.Model | Node):
            return None
        self.graphs.append(given)
        return len(self.graphs) - 1


class _WithGraphs(Unpickler):
    """Puts models and nodes back."""

    def __init__(self, file: BytesIO, graphs: list[pm.Model | Node]):
        super().__init__(file)
        self.graphs = graphs

    def persistent_load(self, number: int) -> pm.Model | Node:
        return self.graphs[number]
