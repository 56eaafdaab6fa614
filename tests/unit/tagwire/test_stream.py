"""Cutting a stream into frames."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagwire
from tagwire.cobs import MAX_STUFFED

FRAMES = st.builds(
    tagwire.encode_frame,
    st.sampled_from(["r1", "umpire-1", "x" * 32]),
    st.integers(0, 65_535),
    st.builds(tagwire.Unknown, st.integers(0x70, 0x7F), st.binary(max_size=214))
    | st.builds(tagwire.Button, st.integers(0, 255), st.integers(0, 255)),
)

BUTTON = tagwire.encode_frame("u1", 1, tagwire.Button(2, 7))
# Random bytes among which zeros, frames and long runs without a zero are common.
STREAMS = st.lists(
    FRAMES | st.binary(max_size=20) | st.integers(1, 600).map(lambda size: b"\x55" * size),
    max_size=8,
).map(b"".join)


def _fed(data: bytes, cuts: list[int]) -> list[tuple[int, tagwire.Frame | tagwire.Malformed]]:
    deframer = tagwire.Deframer()
    edges = [0, *sorted(cuts), len(data)]
    return [found for start, end in pairwise(edges) for found in deframer.feed(data[start:end])]


@given(STREAMS, st.data())
def test_any_split_gives_the_same_values(data: bytes, draw: st.DataObject) -> None:
    """Chunks are an accident of the transport and change nothing."""
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=10))
    assert _fed(data, cuts) == _fed(data, [])


@given(STREAMS)
def test_any_stream_one_byte_at_a_time_gives_the_same_values(data: bytes) -> None:
    """The smallest chunks give what one chunk gives."""
    assert _fed(data, list(range(len(data)))) == _fed(data, [])


@given(STREAMS)
def test_every_position_points_at_the_bytes_of_its_item(data: bytes) -> None:
    """The position told with an item is where its raw bytes stand in the stream."""
    found = _fed(data, [])
    assert [data[at : at + len(item.raw)] for at, item in found] == [item.raw for _, item in found]


@given(st.lists(FRAMES, min_size=1, max_size=6), st.data())
def test_one_damaged_byte_costs_at_most_one_frame(frames: list[bytes], draw: st.DataObject) -> None:
    """With two delimiters between frames, all frames but the damaged one survive."""
    data = bytearray(b"".join(frames))
    at = draw.draw(st.integers(0, len(data) - 1))
    data[at] ^= draw.draw(st.integers(1, 255))
    whole = [frame[1:-1] for frame in frames]
    intact = [item.raw for _, item in _fed(bytes(data), []) if isinstance(item, tagwire.Frame)]
    assert len([raw for raw in intact if raw in whole]) >= len(frames) - 1


@given(st.lists(FRAMES, min_size=2, max_size=6), st.data())
def test_one_lost_byte_costs_at_most_one_frame(frames: list[bytes], draw: st.DataObject) -> None:
    """A byte that the line swallowed costs the frame that it was of."""
    data = bytearray(b"".join(frames))
    del data[draw.draw(st.integers(0, len(data) - 1))]
    whole = [frame[1:-1] for frame in frames]
    intact = [item.raw for _, item in _fed(bytes(data), []) if isinstance(item, tagwire.Frame)]
    assert len([raw for raw in intact if raw in whole]) >= len(frames) - 1


@pytest.mark.parametrize("size", [255, 256, 5_000])
def test_an_endless_frame_is_one_fault_and_is_not_kept(size: int) -> None:
    """Beyond the longest frame bytes are dropped up to the next delimiter."""
    deframer = tagwire.Deframer()
    found = [item for _ in range(size) for item in deframer.feed(b"\x55")]
    assert (found, deframer.pending) == (
        [(0, tagwire.Malformed("overlong", b"\x55" * (MAX_STUFFED + 1)))],
        None,
    )


def test_the_frame_behind_an_endless_one_is_read() -> None:
    """The next delimiter ends the dropping."""
    found = _fed(b"\x55" * 1_000 + BUTTON, [300, 600])
    assert [at for at, item in found if isinstance(item, tagwire.Frame)] == [1_001]


def test_an_unfinished_frame_tells_where_it_began() -> None:
    """The position pending is that of the first byte of the frame that is not yet whole."""
    deframer = tagwire.Deframer()
    deframer.feed(BUTTON + BUTTON[:4])
    assert (deframer.pending, deframer.end) == (len(BUTTON) + 1, len(BUTTON) + 4)


def test_after_a_whole_frame_nothing_is_pending() -> None:
    """A closed frame leaves nothing behind."""
    deframer = tagwire.Deframer()
    deframer.feed(BUTTON)
    assert deframer.pending is None
