"""A network's energies and gradients for a register of chains at once."""
