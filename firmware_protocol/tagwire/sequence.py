"""What one tag's sequence numbers say: the next, a gap, a repeat, an old one, a restart.

Pure: the time of arrival is an argument, in ns of any clock that never goes back.
"""

import enum
from typing import Final

BEHIND_MAX: Final = 64  # a number at most this far back is an old frame, further back a restart
AHEAD_MAX: Final = 4096  # a gap above this is a restart: 6.8 min of silence at 10 Hz
SILENCE_NS: Final = (
    1_000_000_000  # after this an old number is a restart: frames are not kept so long
)
REFUSALS_MAX: Final = 8  # so many old numbers in a row are a restart: no tag is locked out


class Refusal(enum.Enum):
    """Why a frame is dropped; the value is the counter's name."""

    REPEAT = "repeat"
    OLD = "old"


class Sequence:
    """Watches one tag; restarts counts the restarts seen."""

    __slots__ = ("_last", "_refused", "_t_ns", "restarts")

    def __init__(self) -> None:
        self._last: int | None = None
        self._t_ns = 0
        self._refused = 0
        self.restarts = 0

    def take(self, seq: int, t_ns: int) -> int | Refusal:
        """Judge the next frame: the number of frames missing before it, or why it is dropped."""
        last = self._last
        missing = 0
        if last is not None:
            ahead = (seq - last) & 0xFFFF
            if ahead == 0:
                return Refusal.REPEAT
            if ahead >= 0x1_0000 - BEHIND_MAX:
                self._refused += 1
                if self._refused < REFUSALS_MAX and t_ns - self._t_ns <= SILENCE_NS:
                    return Refusal.OLD
                self.restarts += 1
            elif ahead > AHEAD_MAX:
                self.restarts += 1
            else:
                missing = ahead - 1
        self._last = seq
        self._t_ns = t_ns
        self._refused = 0
        return missing
