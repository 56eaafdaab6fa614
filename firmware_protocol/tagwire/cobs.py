"""Consistent Overhead Byte Stuffing, for frames short enough to need exactly one byte more.

This module knows nothing of envelopes or CRCs. Frames stay below 254 bytes, so the code 0xFF
(254 bytes without a zero, no zero implied) never occurs and decoding is in place.
"""

from tagwire.error import EncodeError

MAX_DATA = 253  # bytes before stuffing; one more and a code of 0xFF could be needed
MAX_STUFFED = MAX_DATA + 1


def stuff(data: bytes) -> bytes:
    """Give data without zero bytes, one byte longer; raises EncodeError above MAX_DATA."""
    if len(data) > MAX_DATA:
        raise EncodeError("frame", f"at most {MAX_DATA} bytes before stuffing", len(data))
    return b"".join([bytes((len(run) + 1,)) + run for run in data.split(b"\0")])


def unstuff(stuffed: bytes) -> bytearray | None:
    """Give a zero byte and then the data, or None when this is not stuffed data.

    The zero stands where the first code was: whoever reads on starts at index 1, and no copy
    is made to drop it.
    """
    if 0 in stuffed:
        return None
    data = bytearray(stuffed)
    end = len(data)
    at = 0
    while at < end:
        code = data[at]
        data[at] = 0
        at += code
    return data if at == end else None
