"""Scores of models: held out, leave-one-out, information criteria, and what biases them."""
