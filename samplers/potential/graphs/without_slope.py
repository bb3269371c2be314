"""A likelihood without power has no slope, also where it is not defined."""

from collections.abc import Sequence
from typing import Any

import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import node_rewriter
from pytensor.tensor.rewriting.basic import register_specialize


class WithoutSlope(Op):
    r"""Pass a value on, whose slope is 0 at inverse temperature 0, whatever comes back.

    At :math:`\beta = 0` the slope of :math:`\beta \log p(y \mid \theta)` is 0. Where the likelihood
    is 0 or undefined, the chain rule has :math:`0 \cdot \infty`, and a trajectory would take the
    border of the likelihood for one of the prior.

    Examples
    --------
    >>> import pytensor
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.potential.graphs.without_slope import WithoutSlope
    >>> x, power = pt.dscalars("x", "power")
    >>> slope = pytensor.grad(power * pt.log(WithoutSlope()(x, power)), x)
    >>> float(slope.eval({x: 0.0, power: 0.0})), float(slope.eval({x: 0.5, power: 1.0}))
    (0.0, 2.0)
    """

    __props__ = ()
    view_map = {0: [0]}  # noqa: RUF012  # as PyTensor declares it

    def make_node(self, *inputs: Any) -> Apply:
        """Take a value and the inverse temperature."""
        value, power = map(pt.as_tensor_variable, inputs)
        return Apply(self, [value, power], [value.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        """Pass the value on."""
        output_storage[0][0] = inputs[0]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Say that the value is passed on, and the power is not."""
        return [[True], [False]]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Pass the slope back, unless there is no power."""
        [cotangent] = cotangents
        return [pt.switch(pt.eq(inputs[1], 0.0), 0.0, cotangent), disconnected_type()]


@register_specialize
@node_rewriter([WithoutSlope])
def leave_out(fgraph: Any, node: Apply) -> list[Variable]:
    """Leave the operation out of compiled code, once slopes are taken."""
    return [node.inputs[0]]
