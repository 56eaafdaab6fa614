"""One frame: envelope, CRC and message, from values to bytes and back.

No streams here and no state: what stands between two delimiters comes in, one value goes out.
Bytes that make no sense become Malformed; only values that can't be sent raise.
"""

import re
from binascii import crc_hqx
from struct import Struct
from typing import Final, NamedTuple

from tagwire import cobs
from tagwire.error import EncodeError
from tagwire.messages import DECODERS, Message, encode_payload

VERSION: Final = 1
SEQUENCES: Final = 0x1_0000  # sequence numbers before they wrap
MAX_TAG: Final = 32  # characters
MAX_PAYLOAD: Final = cobs.MAX_DATA - 7 - MAX_TAG  # bytes that fit whatever the tag's id is
DELIMITER: Final = b"\0"

_HEADER = Struct("<BBHB")  # version and flags, kind, sequence, length of the tag id
_CRC = Struct(">H")
_CRC_INIT = 0xFFFF  # CRC-16/IBM-3740: poly 0x1021, not reflected, no final xor, check 0x29B1
# The state from which one zero byte leads to _CRC_INIT: the CRC may start on the zero that
# cobs.unstuff leaves in front of the data.
_CRC_INIT_BEFORE_ZERO = 0x1E0C
_CRITICAL_FLAGS = 0x0C
_SHORTEST = 9  # zero, header, one character of tag id, CRC
_TAG = re.compile(rb"[A-Za-z0-9_.-]{1,32}")
_KNOWN_TAGS_MAX = 512  # bounds the memory that a flood of ids could take

_known_tags: dict[bytes, str] = {}


class Unknown(NamedTuple):
    """A message of a kind that this revision doesn't know; payload as it came."""

    kind: int
    payload: bytes


class Frame(NamedTuple):
    """One intact frame; raw is what stood between the delimiters.

    flags: the two bits that a reader may ignore.
    """

    tag: str
    seq: int
    flags: int
    message: Message | Unknown
    raw: bytes


class Malformed(NamedTuple):
    """Bytes that are no frame: reason is a counter's name, raw what stood between delimiters.

    Reasons: overlong (raw holds the beginning), cobs, short, crc, version, flags, tag.
    """

    reason: str
    raw: bytes


def encode_frame(tag: str, seq: int, message: Message | Unknown, *, flags: int = 0) -> bytes:
    """Give one frame with its delimiters; raises EncodeError on what can't be sent."""
    name = tag.encode("ascii", "replace")
    if _TAG.fullmatch(name) is None:
        raise EncodeError("tag", f"1 to {MAX_TAG} of A-Z a-z 0-9 _ . -", tag)
    if not 0 <= seq < SEQUENCES:
        raise EncodeError("seq", f"0 to {SEQUENCES - 1}", seq)
    if not 0 <= flags <= 0x0F:
        raise EncodeError("flags", "four bits", flags)
    if isinstance(message, Unknown):
        kind, payload = message
        if not 0 <= kind <= 0xFF:
            raise EncodeError("kind", "0 to 255", kind)
    else:
        kind, payload = encode_payload(message)
    data = _HEADER.pack(VERSION << 4 | flags, kind, seq, len(name)) + name + payload
    data += _CRC.pack(crc_hqx(data, _CRC_INIT))
    return DELIMITER + cobs.stuff(data) + DELIMITER


def decode_frame(raw: bytes) -> Frame | Malformed:
    """Read what stood between two delimiters; never raises, whatever the bytes."""
    if len(raw) > cobs.MAX_STUFFED:
        return Malformed("overlong", raw[: cobs.MAX_STUFFED + 1])
    data = cobs.unstuff(raw)
    if data is None:
        return Malformed("cobs", raw)
    length = len(data)
    if length < _SHORTEST:
        return Malformed("short", raw)
    if crc_hqx(data, _CRC_INIT_BEFORE_ZERO):
        return Malformed("crc", raw)
    first, kind, seq, tag_length = _HEADER.unpack_from(data, 1)
    if first >> 4 != VERSION:
        return Malformed("version", raw)
    if first & _CRITICAL_FLAGS:
        return Malformed("flags", raw)
    start = 6 + tag_length
    size = length - 2 - start
    if size < 0:
        return Malformed("short", raw)
    name = bytes(data[6:start])
    tag = _known_tags.get(name) or _learn_tag(name)
    if tag is None:
        return Malformed("tag", raw)
    known = DECODERS.get(kind)
    message: Message | Unknown
    if known is None:
        message = Unknown(kind, bytes(data[start:-2]))
    else:
        full_size, pads, decode = known
        if size >= full_size:
            message = decode(data, start)
        elif size in pads:
            message = decode(data[start:-2] + pads[size], 0)
        else:
            return Malformed("short", raw)
    return tuple.__new__(Frame, (tag, seq, first & 0x03, message, raw))


def _learn_tag(name: bytes) -> str | None:
    if _TAG.fullmatch(name) is None:
        return None
    if len(_known_tags) >= _KNOWN_TAGS_MAX:
        _known_tags.clear()
    return _known_tags.setdefault(name, name.decode("ascii"))
