"""Logs of real receivers through a terminal and the real daemon: plausible tracks, faults counted.

The bytes are as recorded; only when they arrive is new: an epoch every 100 ms, as a live tag.
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import tty
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from throwin.contract.fieldfile import (
    BrokerSection,
    FieldFile,
    JournalSection,
    PortSection,
    SurveyPoint,
    TagSection,
)
from throwin.contract.toml import write_toml
from throwin.field.frame import FieldFrame
from throwin.field.pitch import Pitch
from throwin.field.units import YARD_M
from throwin.io.broker import free_port
from throwin.io.journal import read_journal
from throwin.tags.epoch import NmeaDecoder
from throwin.tags.observation import Fix, FixKind, Malformed

PERIOD_S = 0.1
GALLOP_MPS = 17.0
WAIT_S = 20.0
NAMES = ("nmea-rtk.log", "bt451.log", "rst39.log")
_TIME = re.compile(rb"\$..(?:GGA|RMC|GNS),(\d{6}(?:\.\d+)?)")


class Known(NamedTuple):
    """What the decoder alone makes of a log: fixes with a place, and faults by name."""

    places: list[tuple[float, float]]
    faults: dict[str, int]


class Seen(NamedTuple):
    """What the daemon made of it: pictures and the last counters."""

    exit_code: int
    pictures: list[dict[str, Any]]
    counters: dict[str, int]


def epochs_of(data: bytes) -> list[bytes]:
    """Cut a log where its time of day changes; every byte is in one piece."""
    epochs = [b""]
    time_of_day = b""
    for line in data.splitlines(keepends=True):
        found = _TIME.search(line)
        if found and found[1] != time_of_day:
            if time_of_day:
                epochs.append(b"")
            time_of_day = found[1]
        epochs[-1] += line
    return epochs


def decode(data: bytes) -> Known:
    decoder = NmeaDecoder("r1", 115_200)
    places: list[tuple[float, float]] = []
    faults: dict[str, int] = {}
    t_ns = 0
    for epoch in epochs_of(data):
        t_ns += 100_000_000
        for seen in [*decoder.feed(epoch, t_ns), *decoder.flush(t_ns + 50_000_000)]:
            match seen:
                case Malformed():
                    faults[seen.reason] = faults.get(seen.reason, 0) + 1
                case Fix() if seen.kind is not FixKind.NO_FIX:
                    places.append((seen.lat_deg, seen.lon_deg))
                case _:
                    pass
    return Known(places, faults)


def field_around(places: list[tuple[float, float]], device: Path, folder: Path) -> FieldFile:
    """Give a field whose centre is the middle of the track."""
    lat_deg = sum(place[0] for place in places) / len(places)
    lon_deg = sum(place[1] for place in places) / len(places)
    pitch = Pitch(length_m=300 * YARD_M, width_m=160 * YARD_M, goal_width_m=8 * YARD_M)
    true = FieldFrame(
        origin_wgs84=(lat_deg, lon_deg, 0.0),
        direction_rad=math.pi / 2,
        shift_m=(0.0, 0.0),
        cov=np.zeros((3, 3)),
        residuals=(),
        warnings=(),
    )
    points = []
    for name in ("centre", "corner_north_left", "corner_south_right", "goal_north_left"):
        x_m, y_m = pitch.place(name)
        point_lat, point_lon = true.to_wgs84(x_m or 0.0, y_m or 0.0)
        points.append(SurveyPoint(at=name, lat_deg=point_lat, lon_deg=point_lon))
    return FieldFile(
        field="recorded",
        survey=tuple(points),
        ports=(PortSection(name="gps", device=str(device), format="nmea", tag="r1"),),
        tags=(TagSection(id="r1", sensor="gnss", on="red 1"),),
        broker=BrokerSection(port=free_port()),
        journal=JournalSection(directory=str(folder)),
    )


def run(data: bytes, places: list[tuple[float, float]], folder: Path) -> Seen:
    """Feed a log to the daemon through a terminal, and give what came of it."""
    master, slave = os.openpty()
    tty.setraw(slave)
    config = folder / "field.toml"
    field = field_around(places, Path(os.ttyname(slave)), folder)
    config.write_text(write_toml(field), "utf-8")
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "throwin", "run", "-c", str(config)], stdout=log, stderr=log
        )
    until_s = time.monotonic() + WAIT_S
    while "opened" not in (folder / "service.log").read_text("utf-8"):
        assert time.monotonic() < until_s
        time.sleep(0.05)
    for epoch in epochs_of(data):
        os.write(master, epoch)
        time.sleep(PERIOD_S)
    time.sleep(1.2)  # for the last status
    process.send_signal(signal.SIGTERM)
    code = process.wait(WAIT_S)
    os.close(master)
    os.close(slave)
    messages = [
        json.loads(message)
        for entry in read_journal(next(folder.glob("*.mcap"))).entries
        for message in entry.outputs
    ]
    status = [message for message in messages if message["type"] == "status"]
    return Seen(
        exit_code=code,
        pictures=[message for message in messages if message["type"] == "picture"],
        counters={} if not status else status[-1]["counters"],
    )


@pytest.fixture(scope="module", params=NAMES)
def played(
    request: pytest.FixtureRequest, recordings: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Known, Seen]:
    """Give what is known of a log, and what the daemon saw."""
    data = next(recordings.rglob(request.param)).read_bytes()
    known = decode(data)
    return known, run(data, known.places, tmp_path_factory.mktemp("recorded"))


def test_daemon_runs_to_the_end_of_a_real_log(played: tuple[Known, Seen]) -> None:
    """Daemon runs to the end of a real log."""
    assert played[1].exit_code == 0


def test_real_log_gives_a_track(played: tuple[Known, Seen]) -> None:
    """Real log gives a track."""
    assert any(picture["entities"] for picture in played[1].pictures)


def test_track_of_a_real_log_stays_within_a_gallop(played: tuple[Known, Seen]) -> None:
    """Track of a real log stays within a gallop."""
    speeds_mps = [
        math.hypot(row["vx_field_mps"], row["vy_field_mps"])
        for picture in played[1].pictures
        for row in picture["entities"]
    ]
    assert max(speeds_mps) < GALLOP_MPS + 3.0


def test_track_of_a_real_log_stays_where_its_fixes_are(played: tuple[Known, Seen]) -> None:
    """Track of a real log stays where its fixes are."""
    known, seen = played
    reach_m = max(math.dist(place, known.places[0]) for place in known.places) * 111_320.0
    away_m = [
        math.hypot(row["x_field_m"], row["y_field_m"])
        for picture in seen.pictures
        for row in picture["entities"]
    ]
    assert max(away_m) < 2.0 * reach_m + 20.0


def test_faults_of_a_real_log_are_all_counted(played: tuple[Known, Seen]) -> None:
    """Faults of a real log are all counted."""
    known, seen = played
    counted = {name: seen.counters.get(f"gps.{name}", 0) for name in known.faults}
    assert counted == known.faults
