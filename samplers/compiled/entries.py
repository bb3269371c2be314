"""Functions that compiled code calls by their address, and so does not contain.

Trajectories, trees and moves call the energy of a model so. They are compiled once, whatever the
model, and its energy once, whatever calls it. A call through an address costs some nanoseconds.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import Any

from numba import types

from ...models.simd.lanes import cgutils, instruction, signature

REALS, WORDS = types.CPointer(types.float64), types.CPointer(types.int64)
ARGUMENTS = REALS, REALS, REALS, WORDS
NO_ENTRY = "compiled code calls a function that its data do not bring"


class Entry:
    """A function ``(q, gradient, extra, words) -> energy``, compiled when its address is asked for.

    All arguments are pointers; what they mean is between the function and its callers.

    Parameters
    ----------
    function : numba dispatcher
        The function.
    """

    def __init__(self, function: Any):
        self.function = function
        self._address = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave the address behind, which is that of this process."""
        return {**vars(self), "_address": 0}

    @property
    def address(self) -> int:
        """Where the machine code begins, for as long as the entry lives."""
        if self._address == 0:
            self.function.compile(ARGUMENTS)
            compiled = self.function.overloads[ARGUMENTS]
            name = compiled.fndesc.mangled_name
            self._address = compiled.library.get_pointer_to_function(name)
        return self._address


def emit_call(context, builder, address, given):
    """Write the call of an entry, as numba's functions call each other."""
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
        context.call_conv.return_user_exc(builder, RuntimeError, (NO_ENTRY,))
    kind = context.call_conv.get_function_type(types.float64, ARGUMENTS)
    function = builder.inttoptr(address, kind.as_pointer())
    arguments = types.float64, ARGUMENTS, given
    status, energy = context.call_conv.call_function(builder, function, *arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return energy


@instruction
def call(typing_context, address, q, gradient, extra, words):
    """Call an entry: its errors are raised here."""

    def codegen(context, builder, found, values):
        return emit_call(context, builder, values[0], values[1:])

    return signature(types.float64, address, *ARGUMENTS), codegen
