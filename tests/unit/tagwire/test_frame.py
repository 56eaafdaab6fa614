"""Envelope, CRC and message of one frame."""

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagwire
from tagwire import messages as wire
from tagwire.frame import MAX_PAYLOAD

TAGS = st.text(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-", min_size=1, max_size=32
)
SEQUENCES = st.integers(0, 65_535)


def _whole(low: int, high: int, invalid: int | None) -> st.SearchStrategy[int]:
    numbers = st.integers(low, high)
    return numbers if invalid is None else numbers | st.just(invalid)


def _any_of(
    kind: type[tagwire.Message],
) -> st.SearchStrategy[tagwire.Message]:
    limits = wire.LIMITS[kind.__name__]
    fields = st.tuples(*(_whole(low, high, invalid) for _, low, high, invalid in limits))
    return fields.map(lambda values: kind(*values))


MESSAGES: st.SearchStrategy[tagwire.Message] = st.one_of(
    *(
        _any_of(kind)
        for kind in (
            tagwire.Fix,
            tagwire.UwbPosition,
            tagwire.Imu,
            tagwire.Button,
            tagwire.Status,
            tagwire.Cue,
        )
    )
)
UNKNOWN = st.builds(
    tagwire.Unknown,
    st.integers(0, 255).filter(lambda kind: kind not in wire.DECODERS),
    st.binary(max_size=214),
)

BUTTON = tagwire.Button(wire.Press.THROW, 7)


@given(TAGS, SEQUENCES, MESSAGES | UNKNOWN, st.integers(0, 3))
def test_any_frame_comes_back(
    tag: str, seq: int, message: tagwire.Message | tagwire.Unknown, flags: int
) -> None:
    """Encoded and decoded, a frame is the same value."""
    raw = tagwire.encode_frame(tag, seq, message, flags=flags)[1:-1]
    assert tagwire.decode_frame(raw) == tagwire.Frame(tag, seq, flags, message, raw)


@given(st.binary(max_size=300))
def test_any_bytes_decode_without_an_exception(raw: bytes) -> None:
    """Whatever the bytes, the answer is a value."""
    assert isinstance(tagwire.decode_frame(raw), tagwire.Frame | tagwire.Malformed)


@given(TAGS, SEQUENCES, MESSAGES, st.binary(max_size=100))
def test_a_payload_longer_than_known_is_read_to_what_is_known(
    tag: str, seq: int, message: tagwire.Message, junk: bytes
) -> None:
    """Fields that a later revision appended are skipped."""
    kind, payload = wire.encode_payload(message)
    raw = tagwire.encode_frame(tag, seq, tagwire.Unknown(kind, payload + junk))[1:-1]
    assert tagwire.decode_frame(raw) == tagwire.Frame(tag, seq, 0, message, raw)


@given(MESSAGES, st.data())
def test_a_payload_shorter_than_known_is_short(
    message: tagwire.Message, data: st.DataObject
) -> None:
    """Revision 1.0 is the first: nothing shorter than its layout was ever sent."""
    kind, payload = wire.encode_payload(message)
    size = data.draw(st.integers(0, len(payload) - 1))
    raw = tagwire.encode_frame("a", 0, tagwire.Unknown(kind, payload[:size]))[1:-1]
    assert tagwire.decode_frame(raw) == tagwire.Malformed("short", raw)


def test_crc_of_the_check_string_is_the_catalogues() -> None:
    """CRC-16/IBM-3740 of "123456789" is 0x29B1."""
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1


def test_longest_payload_fits_with_the_longest_tag() -> None:
    """MAX_PAYLOAD is what may be sent whatever the tag's id is."""
    longest = tagwire.Unknown(0x70, b"\1" * MAX_PAYLOAD)
    assert len(tagwire.encode_frame("x" * 32, 0, longest)) == 2 + 254


@pytest.mark.parametrize(
    ("tag", "seq", "message", "flags", "field"),
    [
        ("", 0, BUTTON, 0, "tag"),
        ("x" * 33, 0, BUTTON, 0, "tag"),
        ("a b", 0, BUTTON, 0, "tag"),
        ("é", 0, BUTTON, 0, "tag"),
        ("a", -1, BUTTON, 0, "seq"),
        ("a", 65_536, BUTTON, 0, "seq"),
        ("a", 0, BUTTON, 16, "flags"),
        ("a", 0, tagwire.Unknown(256, b""), 0, "kind"),
        ("a", 0, tagwire.Unknown(0x70, bytes(300)), 0, "frame"),
        ("a", 0, tagwire.Button(256, 0), 0, "Button.press"),
        ("a", 0, tagwire.Fix(0, 0, 90_000_000_001, 0), 0, "Fix.lat_ndeg"),
        ("a", 0, tagwire.Imu(36_000), 0, "Imu.heading_cdeg"),
    ],
)
def test_what_the_wire_cannot_carry_is_refused_by_name(
    tag: str, seq: int, message: tagwire.Message | tagwire.Unknown, flags: int, field: str
) -> None:
    """A value out of range raises an error that names the field."""
    with pytest.raises(tagwire.EncodeError) as caught:
        tagwire.encode_frame(tag, seq, message, flags=flags)
    assert caught.value.field == field


def test_a_flood_of_tag_ids_is_still_read() -> None:
    """The memory of known ids is bounded, and each id is read all the same."""
    tags = [f"t{number}" for number in range(1200)]
    frames = [tagwire.decode_frame(tagwire.encode_frame(tag, 0, BUTTON)[1:-1]) for tag in tags]
    assert [frame[0] for frame in frames] == tags
