"""Pages of the documentation: tables that are kept, words about them, pictures."""
