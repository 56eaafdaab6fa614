"""`throwin demo`: throw-ins through the real service, with simulated tags on terminals.

It ends with 0 only if what came is what the scenarios expect, and the journal replays the same.
"""

import argparse
import contextlib
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from throwin.app.buzzer import ack_of, now_ms
from throwin.app.drawing import Scene, draw, say
from throwin.app.replay import first_difference
from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection, JournalSection, parse_fieldfile
from throwin.contract.payload import (
    CommandMessage,
    Cue,
    Heartbeat,
    Message,
    PayloadError,
    decode,
    decode_ack,
    encode,
)
from throwin.contract.toml import write_toml
from throwin.engine import Engine
from throwin.event import Command
from throwin.io.broker import BrokerError, ChildBroker
from throwin.io.connection import Connection, Received
from throwin.io.journal import read_journal
from throwin.io.link import ReceiverLink
from throwin.receiver.core import Play, Receiver, Report
from throwin.sim.judge import judge
from throwin.sim.library import load_scenario
from throwin.sim.live import LivePorts
from throwin.sim.scenario import Scenario
from throwin.sim.site import FIELD_NAME, field_file

DEMO = ("goes_right", "creeps_inside_5yd", "wrong_side", "umpire_tag_dies")
START_S = 20.0
FRAME_S = 0.1
SLACK_S = 0.5  # the live path's own delay, on top of each window of a scenario
SPEED_MAX = 8.0
MISSING_EXIT = 2


class Arrival(NamedTuple):
    """One message of the daemon, at the scenario's time."""

    t_s: float
    message: Message


class Stage:
    """One scenario, played: ports, service, receivers, and who listens."""

    def __init__(
        self, scenario: Scenario, folder: pathlib.Path, broker: BrokerSection, speed: float
    ) -> None:
        self.scenario = scenario
        self.arrivals: list[Arrival] = []
        self.played = 0
        self._folder = folder
        self._speed = speed
        self._inbox: queue.SimpleQueue[Arrival] = queue.SimpleQueue()
        self.ports = LivePorts(scenario, folder, speed=speed, on_command=self._command)
        root = topics.root(FIELD_NAME)
        self._listener = Connection(
            broker=broker,
            client_id=f"throwin-demo-{os.getpid()}",
            will=None,
            topics=[(f"{root}/#", 1)],
            on_message=self._heard,
            on_state=_ignore,
        )
        self._umpires = [_Umpire(broker, name) for name in scenario.file.cast.umpires]
        config = folder / "field.toml"
        journal = JournalSection(directory=str(folder))
        config.write_text(
            write_toml(
                field_file(scenario, devices=self.ports.devices, broker=broker, journal=journal)
            ),
            "utf-8",
        )
        self._command_line = [
            sys.executable, "-m", "throwin", "run", "-c", str(config),
            "--clock-speed", str(speed),
        ]  # fmt: skip
        self._service: subprocess.Popen[bytes] | None = None

    def play(self) -> Iterator[Arrival | None]:
        """Play it; give each message as it comes, None where for a moment none does.

        Raises RuntimeError when the service does not come up, or ends by itself.
        """
        self._listener.start()
        for umpire in self._umpires:
            umpire.start()
        if not self._listener.wait_up(START_S):
            raise RuntimeError("the broker takes no connection")
        with (self._folder / "service.log").open("wb") as log:
            self._service = subprocess.Popen(  # noqa: S603 - this very program
                self._command_line, stdout=log, stderr=log
            )
        if not self.ports.wait_opened(START_S):
            raise RuntimeError(f"the service opened no port; it says: {self._last_words()}")
        self.ports.start()
        duration_s = self.scenario.file.duration_s
        while self.ports.elapsed_s() < duration_s:
            if self._service.poll() is not None:
                raise RuntimeError(f"the service ended; it says: {self._last_words()}")
            for umpire in self._umpires:
                umpire.tick()
            try:
                arrival = self._inbox.get(timeout=FRAME_S / self._speed)
            except queue.Empty:
                yield None
                continue
            self.arrivals.append(arrival)
            yield arrival

    def close(self) -> None:
        """End the service, and all else that was started."""
        if self._service is not None and self._service.poll() is None:
            self._service.terminate()
            try:
                self._service.wait(10.0)
            except subprocess.TimeoutExpired:
                self._service.kill()
                self._service.wait()
        self.ports.close()
        for umpire in self._umpires:
            umpire.stop()
        self._listener.stop()

    def failures(self) -> list[str]:
        """Say what came otherwise than expected; nothing = all as it should."""
        slack_s = SLACK_S * max(1.0, self._speed)
        found = [str(failure) for failure in judge(self.scenario, self.arrivals, slack_s=slack_s)]
        found += [words for umpire in self._umpires for words in umpire.blind]
        if self.ports.lost_bytes:
            found.append(f"{self.ports.lost_bytes} bytes that the service did not read in time")
        journals = sorted(self._folder.glob("*.mcap"))
        if len(journals) != 1:
            found.append(f"expected one journal, found {len(journals)}")
            return found
        journal = read_journal(journals[0])
        engine = Engine(parse_fieldfile(journal.field_file_toml), boot=journal.boot)
        difference = first_difference(journal, engine)
        if not journal.is_whole:
            found.append("the journal was not closed")
        if difference is not None:
            found.append(f"the replay of the journal differs at event {difference.step}")
        return found

    def _heard(self, received: Received) -> None:
        t_s = self.ports.elapsed_s()
        with contextlib.suppress(PayloadError):  # availability and the like are plain words
            if received.topic.endswith("/ack"):
                self.played += decode_ack(received.payload).what == "played"
            else:
                self._inbox.put(Arrival(t_s, decode(received.payload)))

    def _command(self, command: Command) -> None:
        message = CommandMessage(id=command.id, args=dict(command.args))
        topic = topics.command(FIELD_NAME, command.verb.value)
        self._listener.publish(topic, encode(message), qos=1)

    def _last_words(self) -> str:
        text = (self._folder / "service.log").read_text("utf-8", "replace").strip()
        return text[-400:] or "nothing"


class _Umpire:
    """One umpire's receiver, in the demo's own process: it plays nothing, and acknowledges.

    blind: each time that it would have said so by itself, since the daemon kept silent.
    """

    def __init__(self, broker: BrokerSection, name: str) -> None:
        self._lock = threading.Lock()
        self._receiver = Receiver(name, now_ms())
        self._has_heard = False
        self.blind: list[str] = []
        self._link = ReceiverLink(
            broker=broker,
            field=FIELD_NAME,
            umpire=name,
            name="demo",
            hear=self._take,
            on_link=_ignore,
        )

    def start(self) -> None:
        self._link.start()

    def stop(self) -> None:
        self._link.stop()

    def _take(self, t_host_ns: int, message: Cue | Heartbeat) -> None:
        with self._lock:
            self._has_heard = True
            if isinstance(message, Heartbeat):
                self._receiver.heartbeat(message, t_host_ns / 1e6)
                return
            actions = self._receiver.cue(message, t_host_ns / 1e6)
        for action in actions:
            if isinstance(action, Report):
                self._link.acknowledge(ack_of("demo", action))

    def tick(self) -> None:
        """Let time pass, once the daemon has been heard."""
        with self._lock:
            if not self._has_heard:
                return
            for action in self._receiver.tick(now_ms()):
                if isinstance(action, Play):
                    self.blind.append(f"the receiver went blind by itself: {action.say_en}")


def _ignore(*_: object) -> None:
    """Take a change of the connection: the demo's end tells what came of it."""


class _Screen:
    """The terminal: a drawing that is renewed in place, or one line an event."""

    def __init__(self, scene: Scene, *, is_plain: bool) -> None:
        self._scene = scene
        self._is_plain = is_plain
        self._is_coloured = "NO_COLOR" not in os.environ
        self._drawn_s = 0.0
        if not is_plain:
            print("\x1b[2J", end="")

    def take(self, arrival: Arrival | None) -> None:
        """Show one message, or that time has passed."""
        if arrival is not None:
            self._scene.take(*arrival)
            line = say(arrival.message)
            if self._is_plain and line:
                print(f"{arrival.t_s:6.2f} s  {line}", flush=True)
        if not self._is_plain and time.monotonic() - self._drawn_s >= FRAME_S:
            self._drawn_s = time.monotonic()
            lines = draw(self._scene, is_coloured=self._is_coloured)
            print("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines), end="", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin demo` takes."""
    parser.add_argument(
        "--plain", action="store_true", help="one line an event in place of the drawing"
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        help=f"seconds of the throw-in a second, 0.5 to {SPEED_MAX:g} (default 1); the service's"
        " clock runs as fast, its own delays do not shrink",
    )
    parser.add_argument(
        "--scenario",
        action="append",
        metavar="NAME",
        help=f"play this one (again for more); default: {', '.join(DEMO)}",
    )
    parser.add_argument(
        "--broker", choices=["mosquitto", "iotcore"], help="insist on one kind of broker"
    )


def _speed(text: str) -> float:
    value = float(text)
    if not 0.5 <= value <= SPEED_MAX:
        raise argparse.ArgumentTypeError(f"expected 0.5 to {SPEED_MAX:g}, got {text}")
    return value


def run(args: argparse.Namespace) -> int:
    """Play; gives 0 when all came as expected, 1 when not, 2 when something is missing."""
    names = args.scenario or list(DEMO)
    is_plain = args.plain or not sys.stdout.isatty()
    scenarios = [load_scenario(name) for name in names]
    results: list[tuple[str, list[str]]] = []
    with tempfile.TemporaryDirectory(prefix="throwin-demo-") as folder:
        home = pathlib.Path(folder)
        try:
            with ChildBroker.start(home, only=args.broker) as broker:
                print(f"broker: {broker.kind}, on {broker.host}:{broker.port}", flush=True)
                section = BrokerSection(host=broker.host, port=broker.port)
                for number, scenario in enumerate(scenarios):
                    stage_home = home / str(number)
                    stage_home.mkdir()
                    failures = _play(scenario, stage_home, section, args.speed, is_plain=is_plain)
                    results.append((scenario.file.title, failures))
        except (BrokerError, RuntimeError) as error:
            print(f"throwin demo: {error}", file=sys.stderr)
            return MISSING_EXIT
    print()
    for title, failures in results:
        print(f"{'as expected' if not failures else 'NOT as expected'}: {title}")
        for failure in failures:
            print(f"    {failure}")
    return 1 if any(failures for _, failures in results) else 0


def _play(
    scenario: Scenario,
    folder: pathlib.Path,
    broker: BrokerSection,
    speed: float,
    *,
    is_plain: bool,
) -> list[str]:
    """Play one scenario; give what came otherwise than expected."""
    if is_plain:
        print(f"\n{scenario.file.title}: {scenario.file.about}", flush=True)
    stage = Stage(scenario, folder, broker, speed)
    screen = _Screen(Scene(scenario.file.title), is_plain=is_plain)
    try:
        for arrival in stage.play():
            screen.take(arrival)
    finally:
        stage.close()
    print(f"cues played and acknowledged: {stage.played}", flush=True)
    return stage.failures()
