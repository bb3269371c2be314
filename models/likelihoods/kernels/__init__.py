"""What likelihoods with compiled energies share."""
