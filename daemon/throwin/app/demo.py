"""`throwin demo`: throw-ins through the real daemon, with simulated tags on terminals.

It ends with 0 only if what came is what the scenarios expect, each cue was played, and each
journal replays the same.
"""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
from types import FrameType
from typing import NoReturn

from throwin.app.drawing import Scene, Size, draw
from throwin.app.stage import Arrival, House, Stage, StageError
from throwin.contract.scenariofile import BrokerLost, PortLost
from throwin.io.broker import BrokerError
from throwin.sim.library import DEMO, load_scenario
from throwin.sim.scenario import Scenario

FRAME_S = 0.1
SPEED_LEAST, SPEED_MOST = 0.5, 8.0
UNEXPECTED_EXIT = 1
MISSING_EXIT = 2
SIGNAL_EXIT = 128
CLEAR, HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[2J", "\x1b[H", "\x1b[K", "\x1b[J"
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


class Screen:
    """What is shown of one scenario: a drawing that is renewed in place, or one line an event."""

    def __init__(self, title: str, *, is_plain: bool, is_coloured: bool) -> None:
        self._scene = Scene(title)
        self._is_plain = is_plain
        self._is_coloured = is_coloured
        self._drawn_s = 0.0
        if not is_plain:
            print(HIDE_CURSOR + CLEAR, end="")

    def take(self, arrival: Arrival | None, t_s: float) -> None:
        """Show one message, or that time has passed."""
        line = "" if arrival is None else self._scene.take(*arrival)
        self._scene.t_s = t_s
        if self._is_plain and line:
            print(f"{t_s:6.2f} s  {line}", flush=True)
        if not self._is_plain and time.monotonic() - self._drawn_s >= FRAME_S:
            self._drawn_s = time.monotonic()
            size = Size(*shutil.get_terminal_size())
            lines = draw(self._scene, size, is_coloured=self._is_coloured)
            text = HOME + "".join(f"{one}{REST_OF_LINE}\n" for one in lines) + REST_OF_SCREEN
            print(text, end="", flush=True)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if not self._is_plain:
            print(SHOW_CURSOR, end="", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin demo` takes."""
    parser.add_argument(
        "--plain",
        action="store_true",
        help="one line an event in place of the drawing (as it is where there is no terminal)",
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        help=f"seconds of the throw-in a second, {SPEED_LEAST:g} to {SPEED_MOST:g} (default 1)."
        " The daemon's clock runs as fast, so its dwell times and ages stay true; its own delays"
        " do not shrink, so windows are wider by as much, and a slow machine may not keep up."
        " A scenario in which a port or the broker is lost is played at 1 at most, since coming"
        " back takes real time",
    )
    parser.add_argument(
        "--scenario",
        action="append",
        metavar="NAME",
        help="play this one (again for more): a name of `throwin sim --list` or a .toml file;"
        f" default: {', '.join(DEMO)}",
    )
    parser.add_argument(
        "--broker", choices=["mosquitto", "iotcore"], help="insist on one kind of broker"
    )


def _speed(text: str) -> float:
    value = float(text)
    if not SPEED_LEAST <= value <= SPEED_MOST:
        raise argparse.ArgumentTypeError(f"expected {SPEED_LEAST:g} to {SPEED_MOST:g}, got {text}")
    return value


def speed_of(scenario: Scenario, wanted: float) -> float:
    """Give how fast a scenario can be played: reconnecting takes real time."""
    if any(isinstance(fault, BrokerLost | PortLost) for fault in scenario.file.faults):
        return min(wanted, 1.0)
    return wanted


def run(args: argparse.Namespace) -> int:
    """Play; gives 0 when all came as expected, 1 when not, 2 when there is no broker.

    Raises ScenarioFileError and FileNotFoundError for a scenario that can't be played.
    """
    scenarios = [load_scenario(name) for name in args.scenario or DEMO]
    is_plain = args.plain or not sys.stdout.isatty()
    signal.signal(signal.SIGTERM, _leave)
    results: list[tuple[str, list[str]]] = []
    with tempfile.TemporaryDirectory(prefix="throwin-demo-") as name:
        home = pathlib.Path(name)
        try:
            with House(home, args.broker) as house:
                kind, port = house.broker.kind, house.broker.port
                print(f"broker: {kind}, on {house.broker.host}:{port}", flush=True)
                for number, scenario in enumerate(scenarios):
                    folder = home / str(number)
                    folder.mkdir()
                    speed = speed_of(scenario, args.speed)
                    failures = play(Stage(scenario, folder, house, speed), is_plain=is_plain)
                    results.append((scenario.file.title, failures))
        except BrokerError as error:
            print(f"throwin demo: {error}", file=sys.stderr)
            return MISSING_EXIT
    print()
    for title, failures in results:
        print(f"{'NOT as expected' if failures else 'as expected'}: {title}")
        for failure in failures:
            print(f"    {failure}")
    return UNEXPECTED_EXIT if any(failures for _, failures in results) else 0


def play(stage: Stage, *, is_plain: bool) -> list[str]:
    """Play one scenario and show it; give what came otherwise than expected."""
    file = stage.scenario.file
    if is_plain:
        print(f"\n{file.title}: {file.about}", flush=True)
    is_coloured = not os.environ.get("NO_COLOR")
    screen = Screen(file.title, is_plain=is_plain, is_coloured=is_coloured)
    broken: list[str] = []
    try:
        for arrival in stage.play():
            screen.take(arrival, stage.ports.elapsed_s() if arrival is None else arrival.t_s)
    except StageError as error:
        broken.append(str(error))
    finally:
        screen.close()
        stage.close()
    failures = broken or stage.failures()
    print(f"{stage.played()} cues played, {'NOT as' if failures else 'as'} expected", flush=True)
    return failures


def _leave(number: int, _: FrameType | None) -> NoReturn:
    """End at a signal as at Ctrl-C: what was started is ended on the way out."""
    raise SystemExit(SIGNAL_EXIT + number)
