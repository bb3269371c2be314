"""The evidence of a model, from ladders, annealing and their errors."""
