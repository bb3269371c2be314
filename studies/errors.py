"""The error of a user's input: one line that says what is wrong and how to mend it."""


class InputError(ValueError):
    """Something a user gave cannot be used; nothing has been sampled or written yet."""
