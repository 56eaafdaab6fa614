"""Recordings of real receivers: what came out is pinned, and does not depend on the reads."""

from collections import Counter
from pathlib import Path

import pytest

from throwin.tags.epoch import NmeaDecoder
from throwin.tags.observation import Fix, Malformed, Observation

BAUD = 100_000  # 0.1 ms a byte


def decode(path: Path, chunk_bytes: int) -> list[Observation | Malformed]:
    """Give all of a recording, without the lines that gpsd put before it."""
    lines = path.read_bytes().splitlines(keepends=True)
    data = b"".join(line for line in lines if not line.startswith(b"#"))
    decoder = NmeaDecoder("r1", BAUD)
    out: list[Observation | Malformed] = []
    t_host_ns = 1_000_000_000
    for at in range(0, len(data), chunk_bytes):
        chunk = data[at : at + chunk_bytes]
        t_host_ns += len(chunk) * 100_000
        out += decoder.feed(chunk, t_host_ns)
    return out + decoder.flush(t_host_ns + 1_000_000_000)


def count(items: list[Observation | Malformed]) -> dict[str, int]:
    words = (item.kind.name if isinstance(item, Fix) else item[0] for item in items)
    return dict(Counter(str(word) for word in words))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Trimble, 10 Hz: RTK and differential.
        ("nmea-rtk.log", {"DGNSS": 104, "RTK_FIXED": 18}),
        # Four cycles without a fix, then two sessions; time goes back between them.
        ("bt451.log", {"NO_FIX": 4, "SINGLE": 14}),
        # GGA at 10 Hz, RMC once a second.
        ("rst39.log", {"DGNSS": 41}),
        # GGA, a hundred satellites' worth of GSV, RMC.
        ("quectel-l76k-nmea.log", {"SINGLE": 151}),
        # Every GGA has a bad checksum, every RMC is good.
        ("firefly-II.log", {"checksum_GGA": 23, "SINGLE": 23}),
        # $POLYN has no checksum; 8960.000000 stands for no position.
        ("mtk-3301.log", {"no_checksum": 3, "NO_FIX": 7, "SINGLE": 4}),
        # A date with a sign in it, and one 1024 weeks old.
        ("april6_2019.log", {"NO_FIX": 1, "date": 1, "SINGLE": 2}),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [1, 64, 1_000_000])
def test_recording_read_in_any_chunks_gives_its_fixes(
    recordings: Path, name: str, expected: dict[str, int], chunk_bytes: int
) -> None:
    """Kinds of fixes and reasons of faults, each counted."""
    assert count(decode(recordings / "gnss" / name, chunk_bytes)) == expected
