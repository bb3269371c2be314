"""How fits of tables do: whether chains agree, and what they are worth."""
