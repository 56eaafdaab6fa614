"""Recordings of real receivers: what came out is pinned, and does not depend on the reads."""

import datetime
import json
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
        # Gaps in the stream.
        ("small/nmea-fuzzy-cases.log", {"DGNSS": 10, "RTK_FIXED": 4}),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [1, 64, 1_000_000])
def test_recording_read_in_any_chunks_gives_its_fixes(
    recordings: Path, name: str, expected: dict[str, int], chunk_bytes: int
) -> None:
    """Kinds of fixes and reasons of faults, each counted."""
    assert count(decode(recordings / "gnss" / name, chunk_bytes)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ublox-zed-f9t-ubx_nmea_l5.log", {"SINGLE": 9}),
        ("ublox-zed-f9r.log", {"RTK_FLOAT": 30}),  # and RTCM
    ],
)
def test_recording_with_binary_between_the_sentences_gives_its_fixes(
    recordings: Path, name: str, expected: dict[str, int]
) -> None:
    """What is no NMEA is noise, and costs no epoch."""
    items = decode(recordings / "gnss" / name, 64)
    assert count([item for item in items if isinstance(item, Fix)]) == expected


@pytest.mark.parametrize("name", ["nmea-rtk.log", "bt451.log"])
def test_recording_agrees_with_what_gpsd_made_of_it(recordings: Path, name: str) -> None:
    """Time and place of each of gpsd's reports are those of one of our fixes."""
    ours = {
        fix.t_utc_ns: (fix.lat_deg, fix.lon_deg)
        for fix in decode(recordings / "gnss" / name, 64)
        if isinstance(fix, Fix)
    }
    theirs = {}
    for line in (recordings / "gnss" / "chk" / f"{name}.chk").read_text().splitlines():
        report = json.loads(line) if line.startswith('{"class":"TPV"') else {}
        if "lat" in report and "time" in report:
            moment = datetime.datetime.fromisoformat(report["time"])
            theirs[round(moment.timestamp() * 10) * 100_000_000] = report["lat"], report["lon"]
    far = [t for t, place in theirs.items() if ours[t] != pytest.approx(place, rel=0, abs=2e-9)]
    assert (far, len(theirs) > 10) == ([], True)


def test_recording_after_a_week_rollover_is_moved_to_its_year(recordings: Path) -> None:
    """The Telit's 1999-08-22 is 2019-04-07, and so is the day of its fix without a date."""
    lines = (recordings / "gnss" / "april6_2019.log").read_bytes().splitlines(keepends=True)
    decoder = NmeaDecoder("r1", BAUD)
    decoder.hint_utc(1_554_600_000_000_000_000)  # 2019-04-07T01:20:00Z
    out: list[Observation | Malformed] = []
    for second, line in enumerate(lines):
        out += decoder.feed(line, second * 1_000_000_000)
    out += decoder.flush(10**12)
    days = [
        str(datetime.datetime.fromtimestamp(fix.t_utc_ns // 10**9, datetime.UTC).date())
        for fix in out
        if isinstance(fix, Fix) and fix.t_utc_ns is not None
    ]
    assert days == ["2019-04-07", "2019-04-07"]
