"""For the tests of NMEA: sentences as receivers write them, and a port that they come on."""

from throwin.tags.epoch import NmeaDecoder
from throwin.tags.nmea_encoder import encode_sentence
from throwin.tags.observation import Fix, Malformed, Observation

BAUD = 100_000  # 0.1 ms a byte
NOON_NS = 1_767_268_800_000_000_000  # 2026-01-01T12:00:00Z
MS = 1_000_000
PLACE = "5130.00000,N,00007.00000,W"
NEAR = "5130.00010,N,00007.00000,W"  # 0.2 m off
FAR = "5130.01000,N,00007.00000,W"  # 19 m off


def gga(time: str, place: str = PLACE, *, quality: str = "4", talker: str = "GN") -> bytes:
    return encode_sentence(f"{talker}GGA,{time},{place},{quality},12,0.6,20.0,M,47.0,M,1.0,0001")


def rmc(
    time: str,
    place: str = PLACE,
    *,
    date: str = "010126",
    speed: str = "19.4",
    course: str = "0.0",
    mode: str = "R",
) -> bytes:
    return encode_sentence(f"GNRMC,{time},A,{place},{speed},{course},{date},,,{mode},V")


def gst(time: str, sigmas: str = ",,,0.03,0.02") -> bytes:
    return encode_sentence(f"GNGST,{time},1.0,{sigmas},0.1")


def vtg(course: str = "90.0", speed: str = "10.0") -> bytes:
    return encode_sentence(f"GNVTG,{course},T,,M,{speed},N,,K,A")


class Line:
    """A port whose bytes come at 0.1 ms each, after the silences that a test asks for."""

    def __init__(self, tag: str | None = "r1", *, hint_ns: int | None = NOON_NS) -> None:
        self.decoder = NmeaDecoder(tag, BAUD)
        if hint_ns is not None:
            self.decoder.hint_utc(hint_ns)
        self.t_host_ns = 1_000_000_000
        self.out: list[Observation | Malformed] = []

    def send(self, *chunks: bytes) -> list[Observation | Malformed]:
        """Give what comes out of these chunks."""
        out = []
        for chunk in chunks:
            self.t_host_ns += len(chunk) * 100_000
            out += self.decoder.feed(chunk, self.t_host_ns)
        self.out += out
        return out

    def wait(self, ms: float) -> list[Observation | Malformed]:
        """Let time pass, then tick."""
        self.t_host_ns += int(ms * MS)
        out = self.decoder.flush(self.t_host_ns)
        self.out += out
        return out

    @property
    def fixes(self) -> list[Fix]:
        """What came out so far of fixes."""
        return [item for item in self.out if isinstance(item, Fix)]

    @property
    def faults(self) -> list[str]:
        """Reasons of what came out malformed so far."""
        return [item.reason for item in self.out if isinstance(item, Malformed)]


def decode(*chunks: bytes, hint_ns: int | None = NOON_NS) -> Line:
    """Give a line that has sent these chunks and then fallen silent."""
    line = Line(hint_ns=hint_ns)
    line.send(*chunks)
    line.wait(100)
    return line


def one_fix(*chunks: bytes, hint_ns: int | None = NOON_NS) -> Fix:
    line = decode(*chunks, hint_ns=hint_ns)
    (fix,) = line.fixes
    assert line.faults == []
    return fix


def utc(line: Line) -> list[float | None]:
    """Give the fixes' times, in seconds from noon."""
    return [None if fix.t_utc_ns is None else (fix.t_utc_ns - NOON_NS) / 1e9 for fix in line.fixes]
