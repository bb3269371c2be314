"""Down to low energies: fast minimisation, and annealing that stops early."""
