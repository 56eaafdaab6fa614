"""`throwin sim`: list, run and describe scenarios from the command line.

It starts no service and no broker; what it prints is for people.
"""

import argparse
import pathlib
import sys
import tempfile

from throwin.contract.toml import write_toml
from throwin.sim.library import load_scenario, scenario_names
from throwin.sim.live import LivePorts
from throwin.sim.scenario import Scenario
from throwin.sim.site import field_file

OPEN_WAIT_S = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `throwin sim`."""
    parser.add_argument(
        "scenario", nargs="?", help="name of one that comes with throwin, or a .toml file"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--list", action="store_true", help="list the scenarios and end")
    how.add_argument(
        "--write-field", metavar="FILE", type=pathlib.Path, help="write its field file and end"
    )
    parser.add_argument("--seed", type=int, help="seed in place of the scenario's own")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, help="scenario seconds a second, live (default 1)"
    )
    parser.add_argument(
        "--ports",
        metavar="DIR",
        type=pathlib.Path,
        help="where the live ports and field.toml appear (default: a folder that goes with it)",
    )


def _speed(text: str) -> float:
    value = float(text)
    if not 0.01 <= value <= 100.0:
        raise argparse.ArgumentTypeError(f"expected 0.01 to 100, got {text}")
    return value


def run(args: argparse.Namespace) -> int:
    """Run `throwin sim`; gives 0, 1 when no service opened the ports, 2 when used wrongly.

    Raises ScenarioFileError and FileNotFoundError of load_scenario.
    """
    if args.list:
        for name in scenario_names():
            print(f"{name:24} {load_scenario(name).file.title}")
        return 0
    if args.scenario is None:
        print("throwin sim: expected a scenario, got none; see --list", file=sys.stderr)
        return 2
    scenario = load_scenario(args.scenario, seed=args.seed)
    if args.write_field is not None:
        args.write_field.write_text(write_toml(field_file(scenario)), "utf-8")
        return 0
    if args.ports is not None:
        args.ports.mkdir(parents=True, exist_ok=True)
        return _run_live(scenario, args.ports, args.speed)
    with tempfile.TemporaryDirectory(prefix="throwin-sim-") as folder:
        return _run_live(scenario, pathlib.Path(folder), args.speed)


def _run_live(scenario: Scenario, folder: pathlib.Path, speed: float) -> int:
    with LivePorts(
        scenario, folder, speed=speed, on_command=lambda c: print(f"due: {c.verb.value}")
    ) as ports:
        path = folder / "field.toml"
        path.write_text(write_toml(field_file(scenario, devices=ports.devices)), "utf-8")
        clock = "" if speed == 1.0 else f" --clock-speed {speed:g}"  # as fast as the tags' time
        print(f"ports are in {folder}; now start: throwin run -c {path}{clock}", flush=True)
        if not ports.wait_opened(OPEN_WAIT_S):
            print("throwin sim: expected a service to open the ports, got none", file=sys.stderr)
            return 1
        ports.start()
        print(f"{scenario.file.title}: {scenario.file.duration_s:g} s", flush=True)
        ports.wait()
    return 0
