"""Normal approximations of the posterior, and what they lose."""
