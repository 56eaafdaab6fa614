r"""NMEA 0183 lines: bytes in, checked sentences and counted faults out.

Framing, checksum and shape alone; which sentences make one fix is throwin.tags.epoch's. Numbers
stay text here, but text of a proven shape: what reading.py makes of it never fails.

A piece starts at `$` or `!`, or at a TAG block (`\s:tag7,c:1785500000*hh\`) right before it, and
ends at CR, LF or the next start: so a torn or glued sentence costs only itself.
"""

import re
from typing import Final, NamedTuple

from throwin.tags.observation import Malformed

LIMIT_BYTES: Final = 256  # of a piece with its TAG block; real receivers pass the standard's 82
BYTE_BIT_NS: Final = 10 * 1_000_000_000  # bits a byte (8N1) by ns a second: over the baud, ns
BLOCKS_MAX: Final = 512  # texts of TAG blocks remembered; each says its second, so they change
GROUPS_MAX: Final = 64  # groups of TAG blocks remembered

GGA: Final = b"GGA"
RMC: Final = b"RMC"
GNS: Final = b"GNS"
GST: Final = b"GST"
VTG: Final = b"VTG"

# Talker: any but P, the proprietary ones ($PGRMC is not an RMC).
_SENTENCE = (
    rb"((?:\\([^\\$!\r\n]{0,254})\\)?"
    rb"[$!]((?:[A-OQ-Z][A-Z0-9](GGA|RMC|GNS|GST|VTG),)?[^$!*\\\r\n]+)\*([0-9A-Fa-f]{2}))"
)
_match_line: Final = re.compile(_SENTENCE + rb"[\r\n]+").match
_match_piece: Final = re.compile(_SENTENCE).match
_match_block: Final = re.compile(rb"\\[^\\$!\r\n]{0,254}\\").match
_search_end: Final = re.compile(rb"[\r\n$!\\]").search
_match_tag: Final = re.compile(r"[A-Za-z0-9_.-]{1,32}", re.ASCII).fullmatch
_BLANK: Final = b" \t\0"

_TIME = rb"((?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d|60)(?:\.\d{0,9})?|)"
_POSITION = (
    rb"((?:[0-8]\d[0-5]\d\.\d{1,12}|9000\.0{1,12}),[NS],"
    rb"(?:(?:0\d\d|1[0-7]\d)[0-5]\d\.\d{1,12}|18000\.0{1,12}),[EW])"
)
_NO_POSITION = rb"[\d.]*,[NS]?,[\d.]*,[EW]?"  # 8960.000000,N or 0000.0000,N come without a fix
_NUMBER = rb"(\d{1,5}(?:\.\d*)?|)"
_COURSE = rb"((?:[0-2]?\d?\d|3[0-5]\d)(?:\.\d*)?|360(?:\.0*)?|)"
_HEIGHTS = rb"[-+\d.]*,M?,[-+\d.]*,M?"

# Shapes of bodies. Groups, b"" where blank; no position = no fix:
#   GGA time position quality hdop       GNS time position modes hdop
#   RMC time position speed course date mode
#   GST time major minor orient north east   VTG course speed
# Fields: NMEA 0183 4.11; RMC without mode (2.0) and without navigational status (2.3) as well.
_SHAPES: Final = {
    GGA: rb"..GGA," + _TIME + rb",(?:" + _POSITION + rb",([1-8])|" + _NO_POSITION + rb",0)"
    rb",\d{0,2}," + _NUMBER + rb"," + _HEIGHTS + rb",[\d.]*,\w*",
    GNS: rb"..GNS," + _TIME + rb",(?:" + _POSITION + rb",([A-Z]{1,12})|" + _NO_POSITION
    + rb",N{0,12}),\d{0,2}," + _NUMBER + rb",[-+\d.]*,[-+\d.]*,[\d.]*,\w*(?:,[A-Z]?)?",
    RMC: rb"..RMC," + _TIME + rb",(?:A," + _POSITION + rb"|V," + _NO_POSITION + rb"),"
    + _NUMBER + rb"," + _COURSE + rb",([^,]{0,12}),[\d.]*,[EW]?(?:,([A-Z]?)(?:,[A-Z]?)?)?",
    GST: rb"..GST," + _TIME + (rb"," + rb"[\d.]*") + (rb"," + _NUMBER) * 5 + rb",[\d.]*",
    VTG: rb"..VTG," + _COURSE + rb",T?,[\d.]*,M?," + _NUMBER + rb",N?,[\d.]*,K?(?:,[A-Z]?)?",
}  # fmt: skip
# Kind -> the one object for it (compared by identity first), its shape, its faults.
_KINDS: Final = {
    kind: (
        kind,
        re.compile(shape).fullmatch,
        f"checksum_{kind.decode()}",
        f"shape_{kind.decode()}",
    )
    for kind, shape in _SHAPES.items()
}
_HEX: Final = tuple(b"%02X" % value for value in range(256))


class Sentence(NamedTuple):
    """One sentence whose checksum and shape are right.

    kind: GGA, RMC, GNS, GST or VTG. fields: the groups of its shape, as text.
    source: what the TAG block names, None without a block or without a name in it, "" when the
    block was at fault (and has been counted).
    t_host_ns: host monotonic clock at the arrival of its first byte, the block's if it has one.
    """

    kind: bytes
    source: str | None
    t_host_ns: int
    fields: tuple[bytes, ...]
    raw: bytes


def checksum(text: bytes) -> int:
    """Give the XOR of all bytes, of at most 256."""
    folded = int.from_bytes(text, "little")
    if len(text) > 128:
        folded ^= folded >> 1024
    folded ^= folded >> 512
    folded ^= folded >> 256
    folded ^= folded >> 128
    folded ^= folded >> 64
    folded ^= folded >> 32
    folded ^= folded >> 16
    return (folded ^ folded >> 8) & 0xFF


class SentenceReader:
    """Reads one port's lines; baud gives each first byte its own time.

    Reasons of Malformed: noise, overlong, no_checksum, tag_block, tag_id, checksum (of a
    sentence that nobody needs), and checksum_KIND and shape_KIND for each kind read here.
    """

    __slots__ = ("_baud", "_blocks", "_buffer", "_groups", "_is_skipping", "_marks")

    def __init__(self, baud: int) -> None:
        self._baud = baud
        self._buffer = b""
        # (end in the buffer, stamp) of each chunk that has bytes left there.
        self._marks: list[tuple[int, int]] = []
        self._is_skipping = False
        self._blocks: dict[bytes, str | None] = {}
        self._groups: dict[str, str | None] = {}

    def feed(self, data: bytes, t_host_ns: int) -> list[Sentence | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns; never raises on its content."""
        out: list[Sentence | Malformed] = []
        buffer = self._buffer + data if self._buffer else data
        end = len(buffer)
        self._marks.append((end, t_host_ns))
        at = self._skip(buffer) if self._is_skipping else 0
        while at < end:
            match = _match_line(buffer, at)
            if match is not None and match.end(1) - at <= LIMIT_BYTES:
                self._take(match, at, out)
                at = match.end()
                continue
            after = self._take_piece(buffer, at, out)
            if after is None:
                break
            at = after
        if at < end:
            self._buffer = buffer[at:]
            self._marks = [(stop - at, t_ns) for stop, t_ns in self._marks if stop > at]
        else:
            self._buffer = b""
            self._marks.clear()
        return out

    def _skip(self, buffer: bytes) -> int:
        """Give where the piece that was too long ends."""
        match = _search_end(buffer)
        if match is None:
            return len(buffer)
        self._is_skipping = False
        return match.start()

    def _stamp(self, at: int) -> int:
        """Give the time at which the byte at this place began to arrive."""
        end, t_host_ns = self._marks[0]
        if at >= end:
            end, t_host_ns = next(mark for mark in self._marks if at < mark[0])
        return t_host_ns - (end - at) * BYTE_BIT_NS // self._baud

    def _take_piece(self, buffer: bytes, at: int, out: list[Sentence | Malformed]) -> int | None:
        """Judge the piece that starts here; give where the next one does, None: not whole yet."""
        is_noise = buffer[at] not in b"$!\\"
        end = self._piece_end(buffer, at, is_noise=is_noise)
        if end is None:
            if len(buffer) - at <= LIMIT_BYTES:
                return None
            self._is_skipping = True
            end = len(buffer)
        piece = buffer[at:end]
        if len(piece) > LIMIT_BYTES:
            out.append(Malformed("overlong", piece[:LIMIT_BYTES]))
        elif not is_noise:
            self._judge(piece, at, out)
        elif piece.strip(_BLANK):
            out.append(Malformed("noise", piece))
        while end < len(buffer) and buffer[end] in b"\r\n":
            end += 1
        return end

    def _piece_end(self, buffer: bytes, at: int, *, is_noise: bool) -> int | None:
        block = _match_block(buffer, at)
        if block is None:
            after = at if is_noise else at + 1
        else:
            after = block.end()
            if after < len(buffer):
                if buffer[after] not in b"$!":
                    return after
                after += 1
        match = _search_end(buffer, after)
        return None if match is None else match.start()

    def _judge(self, piece: bytes, at: int, out: list[Sentence | Malformed]) -> None:
        match = _match_piece(piece)
        if match is None:
            has_sentence = b"$" in piece or b"!" in piece
            out.append(Malformed("no_checksum" if has_sentence else "tag_block", piece))
            return
        self._take(match, at, out)
        tail = piece[match.end() :]
        if tail.strip(_BLANK):
            out.append(Malformed("noise", tail))

    def _take(self, match: re.Match[bytes], at: int, out: list[Sentence | Malformed]) -> None:
        raw, block, body, kind, check = match.groups()
        source = None
        if block is not None:
            try:
                source = self._blocks[block]
            except KeyError:
                source = self._read_block(block, out)
        expected = _HEX[checksum(body)]
        is_right = expected == check or expected == check.upper()
        if kind is None:
            if not is_right:
                out.append(Malformed("checksum", raw))
            return
        kind, match_shape, checksum_fault, shape_fault = _KINDS[kind]
        if not is_right:
            out.append(Malformed(checksum_fault, raw))
            return
        shape = match_shape(body)
        if shape is None:
            out.append(Malformed(shape_fault, raw))
        else:
            out.append(Sentence(kind, source, self._stamp(at), shape.groups(b""), raw))

    def _read_block(self, block: bytes, out: list[Sentence | Malformed]) -> str | None:
        """Give the source that a TAG block names (NMEA 0183 4.10, section 7).

        `g:1-3-42` groups lines; a later line of the group need not name the source again.
        """
        text, star, check = block.rpartition(b"*")
        if not star or _HEX[checksum(text)] != check.upper():
            out.append(Malformed("tag_block", block))
            return ""
        source = group = None
        for field in text.decode("latin-1").split(","):
            match field.partition(":"):
                case "s", ":", name:
                    source = name
                case "g", ":", numbers:
                    group = numbers.rpartition("-")[2]
        if source is not None and _match_tag(source) is None:
            out.append(Malformed("tag_id", block))
            return ""
        if group is not None:
            if source is None:
                return self._groups.get(group)
            self._groups.pop(group, None)
            self._groups[group] = source
            if len(self._groups) > GROUPS_MAX:
                del self._groups[next(iter(self._groups))]
            return source
        if len(self._blocks) >= BLOCKS_MAX:
            self._blocks.clear()
        self._blocks[block] = source
        return source
