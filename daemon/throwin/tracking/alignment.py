"""A tag's own time brought to the host's monotonic clock.

A message is never early: of (arrival - tag time) the least seen is the one least held up. That
least is aged upward slowly, so that a drifting clock is followed.
"""

NS = 1_000_000_000
AGING = 50e-6  # a crystal's drift, and more: 50 us a second
JUMP_NS = NS  # later by more than this: held up, or the tag's clock was set
EARLY_NS = 30_000_000  # earlier by more than this: it was set; else it would age all that follows
JUMPS = 3  # so many times in a row, before it is believed
HELD_NS = 10 * NS  # held up for so long: the tag slept and its clock with it


class Alignment:
    """One tag's clock against the host's."""

    __slots__ = ("_held_since_ns", "_odd", "_offset_ns", "_t_host_ns", "_t_tag_ns")

    def __init__(self) -> None:
        self._offset_ns: int | None = None
        self._t_host_ns = 0
        self._t_tag_ns = 0
        self._odd = 0
        self._held_since_ns: int | None = None

    def to_host_ns(self, t_tag_ns: int, t_host_ns: int, lag_ns: int) -> int:
        """Give the instant of measurement on the host's clock.

        t_host_ns: arrival of the first byte; lag_ns: from measurement to the first byte, of this
        message if it were not held up. Never later than the arrival less the lag. A tag time that
        goes on but is far behind was held up in a buffer: its instant stays in the past.
        """
        prompt_ns = t_host_ns - lag_ns
        seen_ns = prompt_ns - t_tag_ns
        offset_ns = self._offset_ns
        if offset_ns is None:
            offset_ns = seen_ns
        else:
            late_ns = seen_ns - offset_ns
            if late_ns > JUMP_NS and t_tag_ns > self._t_tag_ns and not self._is_slept(t_host_ns):
                return t_tag_ns + offset_ns
            if late_ns < -EARLY_NS or late_ns > JUMP_NS:
                self._odd += 1
                if self._odd < JUMPS:
                    return prompt_ns
                offset_ns = seen_ns
            elif late_ns <= 0:
                offset_ns = seen_ns
            else:
                aged_ns = int((t_host_ns - self._t_host_ns) * AGING)
                offset_ns += min(max(aged_ns, 0), late_ns)
            self._odd = 0
            self._held_since_ns = None
        self._offset_ns = offset_ns
        self._t_host_ns = t_host_ns
        self._t_tag_ns = t_tag_ns
        return t_tag_ns + offset_ns

    def _is_slept(self, t_host_ns: int) -> bool:
        """Say whether all has been behind for longer than any buffer holds."""
        if self._held_since_ns is None:
            self._held_since_ns = t_host_ns
        return t_host_ns - self._held_since_ns >= HELD_NS
