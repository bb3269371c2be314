"""What the processor can do."""

from llvmlite.binding import get_host_cpu_features


def has_wide_registers() -> bool:
    """Whether registers have 512 bits.

    Returns
    -------
    bool
        False also where that cannot be found out.

    Examples
    --------
    >>> from pymc_bnn.models.simd.processor import has_wide_registers
    >>> has_wide_registers() in (False, True)
    True
    """
    try:
        return bool(get_host_cpu_features().get("avx512f", False))
    except RuntimeError:  # LLVM does not know this processor
        return False
