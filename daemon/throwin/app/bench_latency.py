"""`throwin bench latency`: from the byte written to a terminal to the cue at a subscriber.

The daemon is the real one, in a process of its own, with its journal; a HOLD is what is timed,
from just before the write of the frame that brings it about. A cue carries the moment of the read
that it comes of, on the clock that all processes of a machine share: so the write is known.
Beside it, in turns and in the same run, the bare floor: terminal, thread, publish, subscriber.
Tags send in real time, and HOLDs come a second apart at least, so a trial takes over a second.
"""

import argparse
import bisect
import contextlib
import json
import math
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from throwin.app.machine import describe_machine
from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection, JournalSection
from throwin.contract.payload import Cue, PayloadError, decode
from throwin.contract.scenariofile import parse_scenariofile
from throwin.contract.toml import write_toml
from throwin.field.units import YARD_M
from throwin.io.broker import BrokerError, ChildBroker
from throwin.io.connection import Connection, Received
from throwin.sim.scenario import resolve_scenario
from throwin.sim.site import FIELD_NAME, field_file, site_frame
from throwin.tags.observation import Fix, FixKind
from throwin.tags.own import encode_fix

NS = 1_000_000_000
PERIOD_S = 0.1
STAGGER_S = 0.02  # the rider's frame comes alone, as tags do that don't send at once
PAUSE_S = 0.02  # after it, before the floor's turn
# The rider swings about five yards from the umpire, no faster than horses creep (under 1 m/s,
# which would be a start) and far enough for both sides to be sure.
SWING_S, SWING_M = 1.6, 0.2
FILE_M = 0.63  # across, from the line
STANDING_S = 4.0  # until the line-up is armed
WARM_SWINGS = 3
UMPIRE_Y_M = -20.0 * YARD_M
RIDER = "red 1"
FLOOR_TOPIC = "throwin-bench/floor"
FLOOR_MAX_MS = 1.0
ATTEMPTS = 3
WAIT_S = 20.0
IDLE_TURNS = 10  # swings without a cue: something is wrong
AIM_P50, AIM_P99 = 1.5, 2.0
_FIELD = """
title = "A line-up that stands"
duration_s = 60.0
match = { red_attacks = "north" }
ports = [{ name = "gateway", who = "all", format = "own", baud = 921600 }]
[[throwins]]
formed_s = 20.0
"""


class BenchError(RuntimeError):
    """Nothing could be measured; says what did not come."""


def rider_at(t_s: float, since_s: float | None) -> tuple[float, float]:
    """Give y and its rate, m and m/s: y = m + a cos(w (t - since)), still before that.

    m is where he is five yards from the umpire.
    """
    middle_m = UMPIRE_Y_M + math.sqrt((5 * YARD_M) ** 2 - FILE_M**2)
    if since_s is None:
        return middle_m + SWING_M, 0.0
    omega = math.tau / SWING_S
    phase = omega * (t_s - since_s)
    return middle_m + SWING_M * math.cos(phase), -SWING_M * omega * math.sin(phase)


class Trial(NamedTuple):
    """The way of one cue, ms: all of it, and the part until the daemon had read the byte."""

    all_ms: float
    read_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """Delays of one kind, ms."""

    p50_ms: float
    p99_ms: float
    count: int


def delays_of(values_ms: Sequence[float]) -> Delays:
    """Give median and 99th percentile (nearest rank)."""
    ordered = sorted(values_ms)
    return Delays(
        p50_ms=statistics.median(ordered),
        p99_ms=ordered[min(len(ordered) - 1, round(0.99 * (len(ordered) - 1)))],
        count=len(ordered),
    )


def trial_of(cue: Cue, t_ns: int, written_ns: Sequence[int]) -> Trial | None:
    """Give the way of a cue that arrived at t_ns; None unless it is a HOLD's first telling.

    written_ns: the moments just before each write, ascending; the last one before the read that
    the cue comes of is its own, since reads follow writes by less than writes each other.
    """
    if cue.pattern != "hold" or cue.fix_age_ms is None:
        return None
    read_ns = round(cue.mono_ms * 1e6)
    place = bisect.bisect_right(written_ns, read_ns) - 1
    if place < 0:
        return None
    return Trial((t_ns - written_ns[place]) / 1e6, (read_ns - written_ns[place]) / 1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run gave: the cue's way, its two parts, and the floor."""

    cue: Delays
    to_read: Delays
    from_read: Delays
    floor: Delays

    @property
    def ratio_p50(self) -> float:
        """Give how many times the floor's median the cue's is."""
        return self.cue.p50_ms / self.floor.p50_ms

    @property
    def ratio_p99(self) -> float:
        """Give how many times the floor's 99th percentile the cue's is."""
        return self.cue.p99_ms / self.floor.p99_ms

    @property
    def is_noise(self) -> bool:
        """Say whether the machine was too busy for the figures to mean anything."""
        return self.floor.p50_ms > FLOOR_MAX_MS


class Terminal:
    """A pseudo-terminal that is written to, with the time of each write."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._master, slave = os.openpty()
        tty.setraw(slave)
        path.symlink_to(os.ttyname(slave))
        self._slave = slave
        self.written_ns: list[int] = []

    def write(self, data: bytes) -> int:
        """Write; gives the moment just before."""
        t_ns = time.monotonic_ns()
        self.written_ns.append(t_ns)
        os.write(self._master, data)
        return t_ns

    def close(self) -> None:
        """Close both ends."""
        os.close(self._master)
        os.close(self._slave)


class Bench:
    """One run: broker, daemon, floor, subscriber."""

    def __init__(self, folder: pathlib.Path, broker: ChildBroker) -> None:
        self._scenario = resolve_scenario(parse_scenariofile(_FIELD), "latency")
        self._frame = site_frame(self._scenario)
        self._tags = Terminal(folder / "tags")
        self._bare = Terminal(folder / "floor")
        self._seq = 0
        self._cues: queue.SimpleQueue[tuple[int, Cue]] = queue.SimpleQueue()
        self._floor: queue.SimpleQueue[int] = queue.SimpleQueue()
        section = BrokerSection(port=broker.port)
        config = folder / "field.toml"
        config.write_text(
            write_toml(
                field_file(
                    self._scenario,
                    devices={"gateway": str(self._tags.path)},
                    broker=section,
                    journal=JournalSection(directory=str(folder)),
                )
            ),
            "utf-8",
        )
        self._client = Connection(
            broker=section,
            client_id="throwin-bench",
            will=None,
            topics=[(topics.cue(FIELD_NAME, "u1"), 1), (FLOOR_TOPIC, 1)],
            on_message=self._heard,
            on_state=lambda *_: None,
        )
        self._client.start()
        if not self._client.wait_up(WAIT_S):
            raise BenchError("expected the broker to take a connection")
        bare = [str(self._bare.path), str(broker.port), FLOOR_TOPIC]
        self._processes = [
            _start("throwin", "run", "-c", str(config)),
            _start("throwin.app.bench_floor", *bare),
        ]
        self._places = self._standing()
        self._swing_since_s: float | None = None

    def close(self) -> None:
        """End all that was started."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10.0)
        self._client.stop()
        self._tags.close()
        self._bare.close()

    def run(self, trials: int) -> Figures:
        """Time so many cues, and the floor as often; raises BenchError when none come."""
        self._warm_up()
        cues: list[Trial] = []
        floor_ms: list[float] = []
        idle = 0
        while len(cues) < trials:
            self._send_for(SWING_S)
            floor_ms += self._time_floor()
            came = self._held()
            cues += came
            idle = 0 if came else idle + 1
            if idle > IDLE_TURNS:
                raise BenchError(f"expected a HOLD at each swing, got none in {idle}")
        return Figures(
            cue=delays_of([trial.all_ms for trial in cues]),
            to_read=delays_of([trial.read_ms for trial in cues]),
            from_read=delays_of([trial.all_ms - trial.read_ms for trial in cues]),
            floor=delays_of(floor_ms),
        )

    def _standing(self) -> dict[str, tuple[float, float]]:
        """Give everybody's place, m: two files before the umpire."""
        places = {"umpire u1": (0.0, UMPIRE_Y_M)}
        for number in range(1, 5):
            y_m = UMPIRE_Y_M + (5.6 + 2.2 * (number - 1)) * YARD_M
            places[f"red {number}"] = (-FILE_M, y_m)
            places[f"blue {number}"] = (FILE_M, y_m)
        return places

    def _warm_up(self) -> None:
        """Let the tracks settle and the line-up arm, wait for the floor, swing a few times."""
        self._send_for(STANDING_S)
        until_s = time.monotonic() + WAIT_S
        while not self._time_floor():
            if time.monotonic() > until_s:
                raise BenchError("expected the floor to answer, got nothing")
        self._swing_since_s = time.monotonic()
        self._send_for(WARM_SWINGS * SWING_S)
        if not self._held():
            raise BenchError(f"expected a HOLD, got none in {WARM_SWINGS} swings")

    def _send_for(self, duration_s: float) -> None:
        """Send everybody's fixes at 10 Hz, the rider's a little after the others'."""
        due_s = time.monotonic()
        end_s = due_s + duration_s
        while due_s < end_s:
            others = [self._fix(who, place) for who, place in self._places.items() if who != RIDER]
            self._tags.write(b"".join(others))
            time.sleep(STAGGER_S)
            y_m, vy_mps = rider_at(time.monotonic(), self._swing_since_s)
            self._tags.write(self._fix(RIDER, (-FILE_M, y_m), vy_mps))
            time.sleep(PAUSE_S)
            due_s += PERIOD_S
            if due_s < end_s:
                time.sleep(max(0.0, due_s - time.monotonic()))

    def _fix(self, who: str, place_m: tuple[float, float], vy_field_mps: float = 0.0) -> bytes:
        lat_deg, lon_deg = self._frame.to_wgs84(*place_m)
        vel_e_mps, vel_n_mps = self._frame.turn_to_local(0.0, vy_field_mps)
        self._seq += 1
        return encode_fix(
            Fix(
                tag=self._scenario.tags[who],
                t_host_ns=0,
                t_utc_ns=time.time_ns(),
                kind=FixKind.RTK_FIXED,
                lat_deg=lat_deg,
                lon_deg=lon_deg,
                cov_ee_m2=1e-3,
                cov_en_m2=0.0,
                cov_nn_m2=1e-3,
                vel_e_mps=vel_e_mps,
                vel_n_mps=vel_n_mps,
                sigma_v_mps=0.05,
            ),
            self._seq // len(self._places) % 65_536,
        )

    def _time_floor(self) -> list[float]:
        t_ns = self._bare.write(b"x" * 48)
        try:
            return [(self._floor.get(timeout=0.5) - t_ns) / 1e6]
        except queue.Empty:
            return []

    def _held(self) -> list[Trial]:
        """Give the way of each HOLD that came since the last call."""
        written_ns = self._tags.written_ns
        came = [self._cues.get() for _ in range(self._cues.qsize())]
        found = [trial_of(cue, t_ns, written_ns) for t_ns, cue in came]
        return [trial for trial in found if trial is not None]

    def _heard(self, received: Received) -> None:
        t_ns = time.monotonic_ns()
        if received.topic == FLOOR_TOPIC:
            self._floor.put(t_ns)
            return
        with contextlib.suppress(PayloadError):
            message = decode(received.payload)
            if isinstance(message, Cue):
                self._cues.put((t_ns, message))


def _start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin bench latency` takes."""
    parser.add_argument(
        "--trials", type=_trials, default=120, help="cues that are timed, 1.6 s each (default 120)"
    )
    parser.add_argument("--json", action="store_true", help="figures for programs")


def _trials(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {text}")
    return value


def measure(trials: int) -> Figures:
    """Start all that it takes, time so many cues, and end it all."""
    with tempfile.TemporaryDirectory(prefix="throwin-bench-") as folder:
        home = pathlib.Path(folder)
        with ChildBroker.start(home) as broker:
            bench = Bench(home, broker)
            try:
                return bench.run(trials)
            finally:
                bench.close()


def table_of(figures: Figures) -> str:
    """Give the figures as lines for people."""
    rows = (
        ("cue", figures.cue),
        ("  write to read", figures.to_read),
        ("  read to cue", figures.from_read),
        ("floor", figures.floor),
    )
    lines = [f"{figures.cue.count} cues, {figures.floor.count} times the floor, in turns"]
    lines += [
        f"{name:16} p50 {row.p50_ms:6.2f} ms   p99 {row.p99_ms:6.2f} ms" for name, row in rows
    ]
    lines.append(
        f"{'cue / floor':16} p50 {figures.ratio_p50:6.2f} (aim {AIM_P50})"
        f"   p99 {figures.ratio_p99:6.2f} (aim {AIM_P99})"
    )
    return "\n".join(lines)


def run(args: argparse.Namespace) -> int:
    """Measure and print; gives 0, 1 when it was noise in every attempt, 2 when nothing came."""
    try:
        figures = measure(args.trials)
        for attempt in range(2, ATTEMPTS + 1):
            if not figures.is_noise:
                break
            noise = f"the floor's median is {figures.floor.p50_ms:.2f} ms: noise"
            print(f"{noise}; attempt {attempt} of {ATTEMPTS}", file=sys.stderr, flush=True)
            figures = measure(args.trials)
    except (BrokerError, BenchError) as error:
        print(f"throwin bench latency: {error}", file=sys.stderr)
        return 2
    machine = describe_machine()
    if args.json:
        ratios = {"ratio_p50": figures.ratio_p50, "ratio_p99": figures.ratio_p99}
        known = {"machine": asdict(machine), "is_noise": figures.is_noise}
        print(json.dumps(known | asdict(figures) | ratios))
    else:
        print(f"{machine}\n{table_of(figures)}")
        if figures.is_noise:
            print(f"the floor's median is above {FLOOR_MAX_MS:g} ms: these figures are noise")
    return 1 if figures.is_noise else 0
