"""The errors of this package, all of them our caller's; bad bytes are values, never errors.

No other module here defines an exception.
"""


class TagwireError(Exception):
    """Base of everything that this package raises."""


class EncodeError(TagwireError, ValueError):
    """A value that the wire can't carry; field names it, expected and got say why."""

    def __init__(self, field: str, expected: str, got: object) -> None:
        super().__init__(f"{field}: expected {expected}, got {got!r}")
        self.field = field
        self.expected = expected
        self.got = got
