"""What PyMC asks of a step method and does not make public, each name from here alone."""

from pymc.step_methods.arraystep import BlockedStep
from pymc.step_methods.compound import CompoundStep, StepMethodState
from pymc.step_methods.state import DataClassState, WithSamplingState, dataclass_state
from pymc.step_methods.step_sizes import DualAverageAdaptation, StepSizeState

__all__ = [
    "BlockedStep",
    "CompoundStep",
    "DataClassState",
    "DualAverageAdaptation",
    "StepMethodState",
    "StepSizeState",
    "WithSamplingState",
    "dataclass_state",
]
