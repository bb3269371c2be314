"""Step methods that are pickled and copied without what they compiled."""

from typing import Any, ClassVar, Self

import cloudpickle

from ...pymc_steps import BlockedStep


class PickledStep(BlockedStep):
    """Base of the step methods that leave behind what belongs to a process.

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
        """Copy step and model as one pickle; PyMC copies a model without the variables of steps."""
        return cloudpickle.loads(cloudpickle.dumps(self))

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
