"""What a batch notes about each draw, in the order of its records.

``diverging`` counts the draw's trajectories that did; ``energy_error`` is that of the last one.
"""

STATISTICS = (
    "acceptance_rate",
    "trajectory_accepted",
    "diverging",
    "energy_error",
    "potential",
    "kinetic",
    "interweave_evaluations",
    "step_size",
)
ACCEPTANCE, ACCEPTED, DIVERGING, ERROR, POTENTIAL, KINETIC, EVALUATIONS, FACTOR = range(8)
