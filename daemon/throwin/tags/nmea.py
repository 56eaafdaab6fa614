r"""NMEA 0183 sentences out of bytes: framing, TAG blocks, checksums, shapes.

A line is split at every `$` and `!`, each piece is tested for itself: checksum first, then its
whole shape, since bytes lost in pairs leave the checksum right. What is not understood is a
counted Malformed. Source: NMEA 0183 4.11.
"""

import re
from typing import NamedTuple

from throwin.tags.observation import Malformed

LINE_MAX = 256  # receivers write more than the standard's 82
BLOCKS_MAX = 512  # TAG blocks remembered
NS = 1_000_000_000
BITS_PER_BYTE = 10  # start, eight data, stop: 8N1

_TIME = rb"(\d{6}(?:\.\d{1,9})?)?"
_PLACE = rb"(?:(\d\d)(\d\d\.\d{1,10}),([NS]),(\d\d\d)(\d\d\.\d{1,10}),([EW])|,,,)"
_NUMBER = rb"(\d{1,6}(?:\.\d{0,6})?)?"
_ANY = rb"[^,*]*"
SHAPES: dict[bytes, re.Pattern[bytes]] = {
    # time, place, quality, satellites, hdop, altitude M, geoid M, age, station
    b"GGA": re.compile(
        rb"\$[A-Z]{2}GGA," + _TIME + rb"," + _PLACE + rb",([0-8])," + rb"\d{0,2}," + _NUMBER
        + rb"(?:," + _ANY + rb"){6}\*[0-9A-Fa-f]{2}"
    ),
    # time, status, place, knots, course, date, variation E/W, mode (2.3), navigation status (4.1)
    b"RMC": re.compile(
        rb"\$[A-Z]{2}RMC," + _TIME + rb",([AV])," + _PLACE + rb"," + _NUMBER + rb"," + _NUMBER
        + rb",([^,*]*)," + _ANY + rb",[EW]?(?:,([A-Z]?))?(?:," + _ANY + rb")?\*[0-9A-Fa-f]{2}"
    ),
    # time, place, modes, satellites, hdop, altitude, geoid, age, station, navigation status (4.1)
    b"GNS": re.compile(
        rb"\$[A-Z]{2}GNS," + _TIME + rb"," + _PLACE + rb",([A-Z]{0,8}),\d{0,3}," + _NUMBER
        + rb"(?:," + _ANY + rb"){4,5}\*[0-9A-Fa-f]{2}"
    ),
    # time, rms, major, minor, orientation, latitude, longitude, altitude
    b"GST": re.compile(
        rb"\$[A-Z]{2}GST," + _TIME + rb"," + _NUMBER + rb"," + _NUMBER + rb"," + _NUMBER + rb","
        + _NUMBER + rb"," + _NUMBER + rb"," + _NUMBER + rb"," + _NUMBER + rb"\*[0-9A-Fa-f]{2}"
    ),
    # course T, course M, knots N, km/h K, mode (2.3)
    b"VTG": re.compile(
        rb"\$[A-Z]{2}VTG," + _NUMBER + rb",T?," + _ANY + rb",M?," + _NUMBER + rb",N?," + _ANY
        + rb",K?(?:,[A-Z]?)?\*[0-9A-Fa-f]{2}"
    ),
}  # fmt: skip
_TAG_ID = re.compile(rb"[A-Za-z0-9_.-]{1,32}")
_START = re.compile(rb"[$!]")

Groups = tuple[bytes | None, ...]


class Sentence(NamedTuple):
    """One sentence of a known kind, in its fields; t_host_ns: arrival of its first byte.

    source: the tag that a TAG block names, None where there is none.
    """

    kind: bytes
    groups: Groups
    source: str | None
    t_host_ns: int
    raw: bytes


def xor_of(data: bytes) -> int:
    """Give the XOR of all bytes, at most 256: folded as one number, halves onto halves."""
    x = int.from_bytes(data, "little")
    if len(data) > 64:
        x ^= x >> 1024
        x ^= x >> 512
    x ^= x >> 256
    x ^= x >> 128
    x ^= x >> 64
    x ^= x >> 32
    x ^= x >> 16
    x ^= x >> 8
    return x & 0xFF


class SentenceReader:
    """Bytes of one port in, sentences and Malformed values out; keeps what is incomplete."""

    __slots__ = ("_blocks", "_byte_ns", "_carry", "_carry_t_ns", "_is_overlong")

    def __init__(self, baud: int) -> None:
        self._byte_ns = BITS_PER_BYTE * NS / baud
        self._carry = b""
        self._carry_t_ns = 0
        self._is_overlong = False
        self._blocks: dict[bytes, str | None] = {}

    def feed(self, data: bytes, t_host_ns: int) -> list[Sentence | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns."""
        out: list[Sentence | Malformed] = []
        carry, carry_t_ns, byte_ns = self._carry, self._carry_t_ns, self._byte_ns
        whole = carry + data if carry else data
        place, end = 0, len(whole)
        carried = len(carry)
        for line in whole.splitlines(keepends=True):
            t_ns = carry_t_ns if place < carried else t_host_ns - int((end - place) * byte_ns)
            place += len(line)
            if line[-1] != 10 and line[-1] != 13:
                self._keep(line, t_ns, out)
                return out
            if self._is_overlong:
                self._is_overlong = False
                continue
            self._line(line, t_ns, out)
        self._carry = b""
        return out

    def _keep(self, rest: bytes, t_ns: int, out: list[Sentence | Malformed]) -> None:
        """Keep a line that has no end yet; one that is too long is given up."""
        if self._is_overlong:
            self._carry = b""
        elif len(rest) > LINE_MAX:
            out.append(Malformed("overlong", rest[:LINE_MAX]))
            self._is_overlong = True
            self._carry = b""
        else:
            self._carry = rest
            self._carry_t_ns = t_ns

    def _line(self, line: bytes, t_ns: int, out: list[Sentence | Malformed]) -> None:
        text = line.rstrip()
        source: str | None = None
        if text[:1] == b"\\":
            close = text.find(b"\\", 1)
            start = text.find(b"$")
            if 0 < close < start or start < 0 < close:
                named = self._tag_block(text[1:close])
                if isinstance(named, Malformed):
                    out.append(named)
                    return
                source = named
                text = text[close + 1 :]
        if text[:1] == b"$" and text.rfind(b"$") == 0 and b"!" not in text:
            found = _piece(text, source, t_ns)
            if found is not None:
                out.append(found)
        elif text:
            self._pieces(text, source, t_ns, out)

    def _pieces(
        self, text: bytes, source: str | None, t_ns: int, out: list[Sentence | Malformed]
    ) -> None:
        """Test each piece of a line that has noise in it, or more than one sentence.

        The TAG block counts for the first piece alone, and only when nothing stands between.
        """
        starts = [match.start() for match in _START.finditer(text)]
        if not starts or starts[0] > 0:
            out.append(Malformed("noise", text[: starts[0]] if starts else text))
            source = None
        for index, start in enumerate(starts):
            stop = starts[index + 1] if index + 1 < len(starts) else len(text)
            piece = text[start:stop]
            if piece[0] == 33:
                continue  # AIS: well formed, and not for us
            found = _piece(piece.rstrip(), source if index == 0 else None, t_ns)
            if found is not None:
                out.append(found)

    def _tag_block(self, block: bytes) -> str | Malformed | None:
        """Give the source that a TAG block names; None when it names none.

        Within a second a tag's blocks are the same: what they said is remembered.
        """
        blocks = self._blocks
        if block in blocks:
            return blocks[block]
        star = block.rfind(b"*")
        body = block[:star]
        try:
            is_right = star > 0 and int(block[star + 1 :], 16) == xor_of(body)
        except ValueError:
            is_right = False
        if not is_right or len(body) > LINE_MAX:
            return Malformed("tag_block", block)
        source: str | None = None
        for part in body.split(b","):
            if part[:2] == b"s:":
                if _TAG_ID.fullmatch(part[2:]) is None:
                    return Malformed("tag_id", block)
                source = part[2:].decode("ascii")
        if len(blocks) >= BLOCKS_MAX:
            blocks.clear()
        blocks[block] = source
        return source


def _piece(piece: bytes, source: str | None, t_ns: int) -> Sentence | Malformed | None:
    """Test one sentence; None for one of a kind that is not used."""
    kind = piece[3:6]
    shape = SHAPES.get(kind)
    if len(piece) > LINE_MAX:
        return Malformed("overlong", piece[:LINE_MAX])
    if piece[-3:-2] != b"*":
        return Malformed("no_checksum", piece)
    try:
        is_right = int(piece[-2:], 16) == xor_of(piece[1:-3])
    except ValueError:
        is_right = False
    if not is_right:
        name = kind.decode("ascii") if shape is not None else "other"
        return Malformed(f"checksum_{name}", piece)
    if shape is None:
        return None
    match = shape.fullmatch(piece)
    if match is None:
        return Malformed(f"shape_{kind.decode('ascii')}", piece)
    return Sentence(kind, match.groups(), source, t_ns, piece)
