"""What all step methods have in common: compiling, pickling, chains, statistics, progress."""

from abc import abstractmethod
from collections.abc import Sequence
from threading import get_ident
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pymc.blocking import PointType, StatsType
from pymc.util import RandomGenerator, get_random_generator
from pytensor.graph.basic import Variable
from rich.progress import TextColumn
from rich.table import Column

from ....models.bnn import BNN
from ....models.data.renewed_data import check_data
from ....models.simd.one_thread import COMPILING, alone
from ...compiled.engine import compiles
from ...compiled.memory import initial_point
from ...potential.cases.cases_in_blocks import look_anew
from ...potential.graphs.prior_numbers import logp_terms
from ...potential.temperature import current, inverse_temperature, temperature_of
from ...pymc_steps import StepMethodState, dataclass_state
from ...starts import check_start
from .pickled_step import PickledStep
from .untempered import check_tempers

# of the types that pm.NUTS gives them: PyMC refuses other types under the same name
ENERGIES: dict[str, tuple[type, list]] = {
    "energy": (np.float64, []),
    "model_logp": (np.float64, []),
    "perf_counter_diff": (np.float64, []),
}
GRADIENTS: dict[str, tuple[type, list]] = ENERGIES | {
    "diverging": (bool, []),
    "divergences": (int, []),
    "n_steps": (np.int64, []),
    "step_size": (np.float64, []),
}


@dataclass_state
class CompiledState(StepMethodState):
    """State of one chain."""

    tune: bool
    divergences: int


class CompiledStep(PickledStep):
    """Base of the step methods whose iterations run in compiled code.

    A step calls ``_compile`` at the end of its ``__init__``, and defines ``_build``, which makes
    what it names in ``compiled``, and ``_iterate``.

    Parameters
    ----------
    model : pm.Model
        The model.
    variables : sequence of Variable
        Value variables that the step moves.
    rng : Generator or seed, optional
        Where random numbers come from until ``pm.sample`` brings its own.

    Attributes
    ----------
    tempers : bool
        Whether the step samples at the temperature of the model's likelihood.
    clock : str
        Statistic that says how many seconds an iteration took.
    shown : dict of str to tuple of str
        Heading and format of the statistics that PyMC's progress bar shows.
    thread : int or None
        Which thread set up the chain that runs.
    """

    _state_class = CompiledState
    compiled: ClassVar[tuple[str, ...]] = ("_rest", "_run")
    tempers: ClassVar[bool] = True
    clock: ClassVar[str] = "perf_counter_diff"
    shown: ClassVar[dict[str, tuple[str, str]]] = {}
    thread: int | None = None

    def __init__(self, model: pm.Model, variables: Sequence[Variable], rng: RandomGenerator = None):
        logp_terms(model)  # refuses a density that is drawn at random, before anything is compiled
        self.model, self.vars, self.rng = model, list(variables), get_random_generator(rng)
        self.tune, self.divergences, self.agrees = True, 0, False
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.terms = _terms_of(model)

    @abstractmethod
    def _build(self) -> None:
        """Set what ``compiled`` names."""

    @abstractmethod
    def _iterate(self, point: PointType) -> tuple[PointType, dict[str, Any]]:
        """Run one iteration, and return its statistics but for the time it took."""

    def _check_data(self) -> None:
        if isinstance(self.model, BNN):
            check_data(self.model)

    def check_terms(self) -> None:
        """Refuse a model of other terms than was compiled; its log posterior would be wrong too."""
        if other := sorted({*_terms_of(self.model)} ^ {*self.terms}):
            raise ValueError(
                f"The model got or lost {', '.join(other)} after {type(self).__name__} was made, "
                "which does not know of it; make the step anew."
            )

    def _check_agreement(self) -> None:
        """Hold what was compiled against the model's own graph."""

    def _forget(self, tune: int) -> None:
        """Forget what the last chain met and learnt."""
        self.divergences = 0
        look_anew(self.model)

    @compiles
    def _compile(self) -> None:
        """Compile the iteration and run it once, so that nothing is left to compile."""
        self._check_data()
        point = initial_point(self.model)
        if not self.shapes:  # a process that compiles anew keeps those of the layout
            self.shapes = {name: np.shape(value) for name, value in point.items()}
        self._check_shapes(point)
        self._build()
        if not self.agrees:
            self._check_agreement()
            self.agrees = True
        self.begins = False  # the model's initial point need not be where chains start
        rng, self.rng = self.rng, np.random.default_rng(0)
        self.step(point)
        self.rng = rng
        self._forget(0)

    def __getstate__(self) -> dict[str, Any]:
        """Bring the temperature along, and no thread."""
        state = super().__getstate__()
        state.pop("thread", None)
        with COMPILING:  # a thread may temper the model while it is pickled
            return state | {"power": current(self.model)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Sample at the temperature of the thread that pickled the step."""
        power = state.pop("power")
        self.__dict__.update(state)
        self.fits = False
        inverse_temperature(self.model).set_value(np.array(power))

    @alone
    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        self.check_terms()
        if not self.is_compiled:
            self._compile()
        self._check_data()
        check_tempers(self, temperature_of(self.model))
        self.tune, self.begins, self.fits = bool(tune), True, False
        self.thread = get_ident()
        self._forget(tune)

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Run one iteration, while no other thread compiles, tempers or runs one."""
        if self.thread not in (None, get_ident()):
            raise ValueError(
                f"{type(self).__name__} was set up in another thread; make a step for each thread."
            )
        with COMPILING:
            begin = perf_counter()
            if not self.fits:
                self._check_compiled()
                self._check_shapes(point)
            point, statistics = self._iterate(point)
        return point, [statistics | {self.clock: perf_counter() - begin}]

    def _check_shapes(self, point: PointType) -> None:
        """Refuse variables of other shapes, as compiled code would read past their ends."""
        for name, shape in self.shapes.items():
            if np.shape(point[name]) != shape:
                raise ValueError(
                    f"{type(self).__name__} was made for {name} of shape {shape}, and its shape is "
                    f"{np.shape(point[name])} now; make the step anew."
                )
        self.fits = True

    def _energies(
        self, start: PointType, potential: float, constant: float, energy: float | None = None
    ) -> dict[str, float]:
        """Statistics of energies, which have to be finite where a chain starts.

        Parameters
        ----------
        start : dict
            Where the iteration began.
        potential : float
            Potential energy where it ended.
        constant : float
            The log posterior plus the potential energy.
        energy : float, optional
            Potential and kinetic energy together; by default there is no kinetic energy.
        """
        if self.begins:
            check_start(potential, self.model, start, type(self).__name__)
            self.begins = False
        energy = potential if energy is None else energy
        return {"energy": energy - constant, "model_logp": constant - potential}

    def _count(self, diverging: int) -> dict[str, int]:
        """Count what diverges after warm-up."""
        if not self.tune:
            self.divergences += diverging
        return {"divergences": self.divergences}

    @classmethod
    def _progressbar_config(cls, n_chains: int = 1) -> tuple[list, dict[str, list]]:
        columns = [
            TextColumn(f"{{task.fields[{name}]{form}}}", table_column=Column(heading, ratio=1))
            for name, (heading, form) in cls.shown.items()
        ]
        return columns, {name: [0] * n_chains for name in cls.shown}

    @classmethod
    def _make_progressbar_update_functions(cls) -> tuple:
        def update(stats: dict[str, Any]) -> dict[str, Any]:
            shown = {name: stats[name] for name in cls.shown}
            return shown | ({"failing": shown["divergences"] > 0} if "divergences" in shown else {})

        return (update,)


def _terms_of(model: pm.Model) -> tuple[str, ...]:
    """Names of all that a model's density is made of."""
    return tuple(term.name for term in (*model.basic_RVs, *model.potentials))
