"""`throwin bench throughput`: fixes a second on one core, from bytes to verdict.

The engine alone, fed with events made beforehand: no ports, no broker, no journal. Beside it, in
turns and in the same run, libraries that merely parse the same sentences. Time is the process's
own on a core, so that what else the machine does counts for little.
"""

import argparse
import cProfile
import importlib
import json
import pstats
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from throwin.app.machine import describe_machine
from throwin.contract.fieldfile import FieldFile
from throwin.contract.scenariofile import parse_scenariofile
from throwin.engine import Engine
from throwin.event import Bytes, Event
from throwin.game.match import Phase
from throwin.sim.fast import events, make_run
from throwin.sim.scenario import resolve_scenario
from throwin.sim.site import field_file
from throwin.tags.nmea_encoder import encode_epoch
from throwin.tags.observation import Fix
from throwin.tags.own import OwnDecoder, encode_fix

AIM_MIX_HZ, AIM_ARMED_HZ = 30_000, 12_000
PARSED = 2_000  # sentences that each library parses in one round

_CAST = """
title = "Twelve tags for a benchmark"
seed = 5
duration_s = 60.0
match = { red_attacks = "north" }
cast = { umpires = ["u1", "u2"], ball = true, spares = 1 }
ports = [{ name = "gateway", who = "all", format = "own" }]
"""
# 9 of 60 s armed: what a match has of it.
MIX = (
    _CAST
    + """
[[places]]
who = "umpire u1"
at_yd = [12, -20]
[[throwins]]
call_s = 36.0
formed_s = 44.0
release_s = 52.5
"""
)
ARMED = (
    _CAST
    + """
[[throwins]]
formed_s = 5.5
[[commands]]
at_s = 0.5
verb = "ready"
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case's events, and how much of its time is armed."""

    name: str
    events: tuple[Event, ...]
    fixes: int
    armed: float
    field_file: FieldFile


def make_case(name: str, text: str, wire: str) -> Case:
    """Make a case: the scenario's fixes, each sent in one piece in the format `nmea` or `own`."""
    scenario = resolve_scenario(parse_scenariofile(text), name)
    decoder = OwnDecoder()
    made: list[Event] = []
    sent: dict[str, int] = {}
    for event in events(make_run(scenario)):
        if not isinstance(event, Bytes):
            made.append(event)
            continue
        for seen in decoder.feed(event.data, event.t_host_ns):
            if isinstance(seen, Fix):
                sent[seen.tag] = sent.get(seen.tag, 0) + 1
                made.append(event._replace(data=_encode(seen, wire, sent[seen.tag])))
    file = field_file(scenario)
    if wire == "nmea":
        file = file.with_format("nmea")
    return Case(
        name=f"{name}, {wire}",
        events=tuple(made),
        fixes=sum(sent.values()),
        armed=_armed_share(file, made),
        field_file=file,
    )


def _encode(fix: Fix, wire: str, seq: int) -> bytes:
    if wire == "nmea":
        return encode_epoch(fix, source=fix.tag, with_gst=False)
    return encode_fix(fix, seq % 65_536)


def _armed_share(file: FieldFile, made: Sequence[Event]) -> float:
    engine = Engine(file, boot="bench")
    armed = total = 0
    for event in made:
        engine.step(event)
        if isinstance(event, Bytes):
            total += 1
            armed += engine.phase is Phase.ARMED
    return armed / total


def time_case(case: Case) -> float:
    """Give fixes a second of one pass through a fresh engine."""
    step = Engine(case.field_file, boot="bench").step
    start_s = time.process_time()
    for event in case.events:
        step(event)
    return case.fixes / (time.process_time() - start_s)


def sentences_of(case: Case) -> list[bytes]:
    """Give the sentences of an NMEA case, without their TAG blocks."""
    found: list[bytes] = []
    for event in case.events:
        if isinstance(event, Bytes):
            lines = event.data.splitlines(keepends=True)
            found += [line[line.index(b"$") :] for line in lines]
        if len(found) >= PARSED:
            break
    return found[:PARSED]


def time_parser(parse: Callable[[bytes], object], sentences: Sequence[bytes]) -> float:
    """Give epochs a second that a library parses: two sentences each."""
    start_s = time.process_time()
    for sentence in sentences:
        parse(sentence)
    return len(sentences) / 2 / (time.process_time() - start_s)


def _peers() -> dict[str, Callable[[bytes], object]]:
    """Give the libraries that are installed, each as a function that parses one sentence.

    pynmea2 checks and splits; it makes no number of a field before it is asked for it.
    """
    found: dict[str, Callable[[bytes], object]] = {}
    try:
        gps = importlib.import_module("pynmeagps")
        found["pynmeagps, parsing only"] = gps.NMEAReader.parse
    except ImportError:
        pass
    try:
        nmea2 = importlib.import_module("pynmea2")
        found["pynmea2, splitting only"] = lambda sentence: nmea2.parse(sentence.decode("ascii"))
    except ImportError:
        pass
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin bench throughput` takes."""
    parser.add_argument("--rounds", type=int, default=7, help="rounds; the median is given")
    parser.add_argument("--json", action="store_true", help="figures for programs")
    parser.add_argument(
        "--profile", action="store_true", help="where the time goes, and no figures"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print; gives 0."""
    cases = [
        make_case("match mix", MIX, "own"),
        make_case("match mix", MIX, "nmea"),
        make_case("all armed", ARMED, "own"),
        make_case("all armed", ARMED, "nmea"),
    ]
    if args.profile:
        for case in cases:
            _profile(case)
        return 0
    peers = _peers()
    sentences = sentences_of(cases[1])
    rates: dict[str, list[float]] = {case.name: [] for case in cases}
    rates |= {name: [] for name in peers}
    for _ in range(args.rounds):
        for case in cases:
            rates[case.name].append(time_case(case))
        for name, parse in peers.items():
            rates[name].append(time_parser(parse, sentences))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    machine = describe_machine()
    if args.json:
        print(json.dumps({"machine": asdict(machine), "fixes_hz": medians}))
        return 0
    print(f"{machine}; medians of {args.rounds} rounds")
    for case in cases:
        aim_hz = AIM_MIX_HZ if case.name.startswith("match mix") else AIM_ARMED_HZ
        rate_hz = medians[case.name]
        print(
            f"{case.name:28} {rate_hz:9,.0f} fixes/s  {rate_hz / aim_hz:5.2f} of the aim"
            f"  (armed {case.armed:.0%})"
        )
    for name in peers:
        share = medians["match mix, nmea"] / medians[name]
        print(f"{name:28} {medians[name]:9,.0f} epochs/s  the match mix is {share:.1f}x as fast")
    return 0


def _profile(case: Case) -> None:
    step = Engine(case.field_file, boot="bench").step
    profile = cProfile.Profile()
    profile.enable()
    for event in case.events:
        step(event)
    profile.disable()
    print(case.name)
    pstats.Stats(profile).sort_stats("tottime").print_stats(25)
