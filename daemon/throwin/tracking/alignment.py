"""A tag's own time brought to the host's monotonic clock.

A message is never early: of (arrival - tag time) the least seen is the one least held up. That
least is aged upward slowly, so that a drifting clock is followed.
"""

NS = 1_000_000_000
AGING = 50e-6  # a crystal's drift, and more: 50 us a second
JUMP_NS = NS  # a tag's clock off by more than this was set, or the tag began anew
JUMPS = 3  # so many times in a row, before it is believed


class Alignment:
    """One tag's clock against the host's."""

    __slots__ = ("_jumps", "_offset_ns", "_t_host_ns")

    def __init__(self) -> None:
        self._offset_ns: int | None = None
        self._t_host_ns = 0
        self._jumps = 0

    def to_host_ns(self, t_tag_ns: int, t_host_ns: int, lag_ns: int) -> int:
        """Give the instant of measurement on the host's clock.

        t_host_ns: arrival of the first byte; lag_ns: from measurement to the first byte, of the
        quickest message. Never later than the arrival.
        """
        seen_ns = t_host_ns - t_tag_ns
        offset_ns = self._offset_ns
        if offset_ns is None:
            offset_ns = seen_ns
        else:
            late_ns = seen_ns - offset_ns
            if -JUMP_NS <= late_ns <= JUMP_NS:
                self._jumps = 0
                if late_ns <= 0:
                    offset_ns = seen_ns
                else:
                    aged_ns = int((t_host_ns - self._t_host_ns) * AGING)
                    offset_ns += min(max(aged_ns, 0), late_ns)
            else:
                self._jumps += 1
                if self._jumps < JUMPS:
                    return t_host_ns - lag_ns
                self._jumps = 0
                offset_ns = seen_ns
        self._offset_ns = offset_ns
        self._t_host_ns = t_host_ns
        return t_tag_ns + offset_ns - lag_ns
