"""Byte stuffing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagwire import EncodeError
from tagwire.cobs import MAX_DATA, MAX_STUFFED, stuff, unstuff

# Data and stuffed bytes from the paper's rules, worked out by hand.
PAIRS = [
    ("", "01"),
    ("00", "0101"),
    ("0000", "010101"),
    ("001100", "01021101"),
    ("11220033", "0311220233"),
    ("11223344", "0511223344"),
    ("11000000", "0211010101"),
    ("01" * 253, "fe" + "01" * 253),
]


@pytest.mark.parametrize(("data", "stuffed"), PAIRS)
def test_known_data_stuffed_is_as_published(data: str, stuffed: str) -> None:
    """Stuffing gives the bytes worked out elsewhere."""
    assert stuff(bytes.fromhex(data)).hex() == stuffed


@pytest.mark.parametrize(("data", "stuffed"), PAIRS)
def test_known_stuffed_bytes_give_the_data_behind_one_zero(data: str, stuffed: str) -> None:
    """Unstuffing gives a zero byte and the data."""
    assert unstuff(bytes.fromhex(stuffed)) == bytearray(b"\0" + bytes.fromhex(data))


@given(st.binary(max_size=MAX_DATA))
def test_any_data_comes_back(data: bytes) -> None:
    """Stuffed data has no zero, is one byte longer and comes back unchanged."""
    stuffed = stuff(data)
    assert (0 in stuffed, len(stuffed), unstuff(stuffed)) == (
        False,
        len(data) + 1,
        bytearray(b"\0" + data),
    )


def test_data_above_the_limit_is_refused() -> None:
    """A frame that could need the code 0xFF is the sender's error."""
    with pytest.raises(EncodeError, match="at most 253 bytes"):
        stuff(b"\1" * (MAX_DATA + 1))


@pytest.mark.parametrize("stuffed", ["05112233", "00", "020011", "0311220533", "ff11"])
def test_codes_that_miss_the_end_give_none(stuffed: str) -> None:
    """A zero byte, or a code that leads past the end, is no stuffed data."""
    assert unstuff(bytes.fromhex(stuffed)) is None


def test_longest_stuffed_frame_is_one_byte_longer() -> None:
    """The two limits belong together."""
    assert len(stuff(bytes(MAX_DATA))) == MAX_STUFFED
