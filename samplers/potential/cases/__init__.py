"""A network's cases as its kernel goes through them."""
