"""Networks as scikit-learn estimators."""
