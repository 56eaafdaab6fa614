"""What the machine's clocks say: the monotonic one, which all ages use, and what UTC is worth."""

import ctypes
import pathlib
import time
from collections.abc import Callable
from typing import Literal

STA_UNSYNC = 0x40  # adjtimex(2)
# systemd-timesyncd's word that it has set the clock; a sandbox may keep us from asking the kernel.
TIMESYNC = pathlib.Path("/run/systemd/timesync/synchronized")


class _Timex(ctypes.Structure):
    """The head of struct timex of adjtimex(2); the rest is room."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("room", ctypes.c_char * 512),
    )


def kernel_status() -> int | None:
    """Give the status bits of the kernel's clock, None where it may not be asked."""
    try:
        adjtimex = ctypes.CDLL(None).adjtimex
        timex = _Timex()
        is_read = adjtimex(ctypes.byref(timex)) >= 0
    except (AttributeError, OSError):
        return None
    return int(timex.status) if is_read else None


def clock_word(status: int | None, timesync: pathlib.Path = TIMESYNC) -> Literal["ntp", "free"]:
    """Say what the wall clock is worth: set by a time service, or running free."""
    is_set = timesync.exists() if status is None else not status & STA_UNSYNC
    return "ntp" if is_set else "free"


def clock_at(speed: float) -> Callable[[], int]:
    """Give the monotonic clock, ns; at another speed it agrees now, and runs that much faster."""
    if speed == 1.0:
        return time.monotonic_ns
    start_ns = time.monotonic_ns()
    return lambda: start_ns + round((time.monotonic_ns() - start_ns) * speed)
