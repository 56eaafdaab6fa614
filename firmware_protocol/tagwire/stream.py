"""A byte stream cut into frames: bytes in, frames and counted faults out.

No clock and no I/O: where a frame began is told as a position in the stream, and the caller
knows when that byte came. Memory is bounded by the longest frame, whatever the bytes are.
"""

from tagwire.cobs import MAX_STUFFED
from tagwire.frame import Frame, Malformed, decode_frame


class Deframer:
    """Cuts one stream; any split of the bytes into chunks gives the same values.

    end: bytes taken so far. pending: position of the first byte of the unfinished frame, None
    when there is none.
    """

    __slots__ = ("_held", "_is_dropping", "end", "pending")

    def __init__(self) -> None:
        self._held = b""
        self._is_dropping = False
        self.end = 0
        self.pending: int | None = None

    def feed(self, data: bytes) -> list[tuple[int, Frame | Malformed]]:
        """Take one chunk; give what it completed, each with the position of its first byte."""
        at = self.end - len(self._held)
        self.end += len(data)
        pieces = (self._held + data).split(b"\0")
        tail = pieces.pop()
        found: list[tuple[int, Frame | Malformed]] = []
        if self._is_dropping and pieces:
            self._is_dropping = False
            at += len(pieces.pop(0)) + 1
        for piece in pieces:
            if piece:
                found.append((at, decode_frame(piece)))
                at += len(piece)
            at += 1
        if self._is_dropping:
            tail = b""
        elif len(tail) > MAX_STUFFED:
            found.append((at, decode_frame(tail)))
            self._is_dropping = True
            tail = b""
        self._held = tail
        self.pending = at if tail else None
        return found
