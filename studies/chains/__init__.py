"""What chains say of samplers: convergence, and how well they explore."""
