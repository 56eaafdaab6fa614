"""One scenario, played live: ports, the daemon in a process of its own, receivers, a listener.

It shows nothing; who plays it is given each message as it comes.
"""

import contextlib
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

from throwin.app.buzzer import ack_of
from throwin.app.clock import clock_at
from throwin.app.replay import first_difference
from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection, JournalSection, parse_fieldfile
from throwin.contract.payload import (
    AckMessage,
    CommandMessage,
    Cue,
    Heartbeat,
    Message,
    PayloadError,
    decode,
    decode_ack,
    encode,
)
from throwin.contract.scenariofile import BrokerLost, PortLost
from throwin.contract.toml import write_toml
from throwin.engine import Engine
from throwin.event import Command
from throwin.io.broker import ChildBroker
from throwin.io.connection import Connection, Received
from throwin.io.journal import read_journal
from throwin.io.link import ReceiverLink
from throwin.receiver.core import Action, Play, Receiver, Report
from throwin.sim.judge import judge
from throwin.sim.live import LivePorts
from throwin.sim.scenario import Scenario
from throwin.sim.site import FIELD_NAME, field_file

START_S = 20.0
STOP_S = 10.0
MOMENT_S = 0.1  # of real time, after which play() gives None
SETTLE_S = 2.0  # for the last acknowledgements
SLACK_S = 0.25  # the live path's own delay, of real time, on top of each window of a scenario
RECEIVER = "demo"
LAST_WORDS = 400


class StageError(RuntimeError):
    """The daemon did not come up, or ended by itself; says what it said."""


class Arrival(NamedTuple):
    """One message, at the scenario's time."""

    t_s: float
    message: Message | AckMessage


class House:
    """A broker that can be lost and come back on the same port, in one folder."""

    def __init__(self, folder: pathlib.Path, only: str | None = None) -> None:
        self._folder = folder
        self._only = only
        self.broker = ChildBroker.start(folder, only=only)
        self.section = BrokerSection(host=self.broker.host, port=self.broker.port)

    def __enter__(self) -> Self:
        """Give itself, with a running broker."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the broker that runs now."""
        self.broker.stop()

    def lose(self) -> None:
        """End the broker as a power cut would."""
        self.broker.kill()
        self.broker.stop()  # lets go of its pipe

    def restore(self) -> None:
        """Start one anew; it remembers nothing. Raises BrokerError."""
        self.broker = ChildBroker.start(self._folder, port=self.section.port, only=self._only)


class Stage:
    """One scenario with all that it needs; speed: seconds of the scenario a second."""

    def __init__(
        self, scenario: Scenario, folder: pathlib.Path, house: House, speed: float
    ) -> None:
        self.scenario = scenario
        self.arrivals: list[Arrival] = []
        self._folder = folder
        self._house = house
        self._speed = speed
        self._inbox: queue.SimpleQueue[Arrival] = queue.SimpleQueue()
        self._faults: list[str] = []
        self._service: subprocess.Popen[bytes] | None = None
        self.ports = LivePorts(scenario, folder, speed=speed, on_command=self._command)
        self._listener = Connection(
            broker=house.section,
            client_id=f"throwin-demo-{os.getpid()}",
            will=None,
            topics=[(f"{topics.root(FIELD_NAME)}/#", 1)],
            on_message=self._heard,
            on_state=_ignore,
        )
        clock_ns = clock_at(speed)
        self._umpires = [
            _Umpire(house.section, name, clock_ns) for name in scenario.file.cast.umpires
        ]
        self._config = folder / "field.toml"
        written = field_file(
            scenario,
            devices=self.ports.devices,
            broker=house.section,
            journal=JournalSection(directory=str(folder)),
        )
        self._config.write_text(write_toml(written), "utf-8")

    def play(self) -> Iterator[Arrival | None]:
        """Play it; give each message as it comes, None where for a moment none does.

        Raises StageError, and BrokerError for a broker that does not come back.
        """
        self._begin()
        outages = self._outages()
        while (t_s := self.ports.elapsed_s()) < self.scenario.file.duration_s:
            if self._service is not None and self._service.poll() is not None:
                raise StageError(f"the daemon ended; it says: {self._last_words()}")
            while outages and outages[0][0] <= t_s:
                outages.pop(0)[1]()
            for umpire in self._umpires:
                umpire.tick()
            yield self._next()
        until_s = time.monotonic() + SETTLE_S
        while self._unanswered() and time.monotonic() < until_s:
            yield self._next()

    def close(self) -> None:
        """End the daemon, and all else that was started."""
        if self._service is not None:
            self._service.terminate()
            try:
                code = self._service.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._service.kill()
                code = self._service.wait()
            if code != 0:
                self._faults.append(
                    f"expected the daemon to end with 0, got {code}; it says: {self._last_words()}"
                )
        self.ports.close()
        for umpire in self._umpires:
            umpire.stop()
        self._listener.stop()

    def played(self) -> int:
        """Give how many cues the receivers have played."""
        words = [one.message.what for one in self.arrivals if isinstance(one.message, AckMessage)]
        return words.count("played")

    def failures(self) -> list[str]:
        """Say what came otherwise than expected, once it is closed; nothing = all as it should."""
        outputs = [
            (one.t_s, one.message)
            for one in self.arrivals
            if not isinstance(one.message, AckMessage)
        ]
        slack_s = SLACK_S * max(1.0, self._speed)
        found = [str(failure) for failure in judge(self.scenario, outputs, slack_s=slack_s)]
        found += [f"expected {cue} to be played, it was not" for cue in self._unanswered()]
        kinds = {type(fault) for fault in self.scenario.file.faults}
        for umpire in self._umpires:
            if BrokerLost not in kinds:
                found += umpire.blind
            elif not umpire.blind:
                found.append("expected the receiver to go blind by itself, it did not")
        if PortLost not in kinds and self.ports.lost_bytes:
            found.append(f"{self.ports.lost_bytes} bytes that the daemon did not read in time")
        return found + self._faults + list(self._judge_journal())

    def _begin(self) -> None:
        self._listener.start()
        for umpire in self._umpires:
            umpire.start()
        if not self._listener.wait_up(START_S):
            raise StageError("the broker takes no connection")
        command = [sys.executable, "-m", "throwin", "run", "-c", str(self._config)]
        command += ["--clock-speed", str(self._speed)]
        tied = shutil.which("setpriv")  # so that it ends with a demo that was killed
        with self._log.open("wb") as log:
            self._service = subprocess.Popen(  # noqa: S603 - this very program
                [*([tied, "--pdeathsig", "TERM"] if tied else []), *command],
                stdout=log,
                stderr=log,
            )
        if not self.ports.wait_opened(START_S):
            raise StageError(f"the daemon opened no port; it says: {self._last_words()}")
        self.ports.start()

    def _outages(self) -> list[tuple[float, Callable[[], None]]]:
        """Give when the broker goes and comes; this thread must do it, for a child ends with it."""
        found: list[tuple[float, Callable[[], None]]] = []
        for fault in self.scenario.file.faults:
            if isinstance(fault, BrokerLost):
                found += [(fault.from_s, self._house.lose), (fault.to_s, self._house.restore)]
        return sorted(found, key=lambda outage: outage[0])

    def _next(self) -> Arrival | None:
        """Give what comes next, None for nothing; after the end the silent tags make cues."""
        try:
            arrival = self._inbox.get(timeout=MOMENT_S)
        except queue.Empty:
            return None
        is_over = arrival.t_s >= self.scenario.file.duration_s
        if is_over and not isinstance(arrival.message, AckMessage):
            return None
        self.arrivals.append(arrival)
        return arrival

    def _unanswered(self) -> list[str]:
        """Give the cues that no receiver played; a warning may give way to what is more urgent."""
        wanted = {
            one.message.id: one.message.pattern
            for one in self.arrivals
            if isinstance(one.message, Cue)
        }
        for one in self.arrivals:
            if isinstance(one.message, AckMessage):
                word, pattern = one.message.what, wanted.get(one.message.cue_id)
                if word == "played" or (word == "silenced" and pattern == "warn"):
                    wanted.pop(one.message.cue_id, None)
        return [f"{pattern} {cue_id}" for cue_id, pattern in wanted.items()]

    def _judge_journal(self) -> Iterator[str]:
        journals = sorted(self._folder.glob("*.mcap"))
        if len(journals) != 1:
            yield f"expected one journal, found {len(journals)}"
            return
        journal = read_journal(journals[0])
        if not journal.is_whole:
            yield "the journal was not closed"
        engine = Engine(parse_fieldfile(journal.field_file_toml), boot=journal.boot)
        difference = first_difference(journal, engine)
        if difference is not None:
            yield f"the replay of the journal differs at event {difference.step}"

    def _heard(self, received: Received) -> None:
        if received.is_retained:  # said before this scenario began
            return
        t_s = self.ports.elapsed_s()
        with contextlib.suppress(PayloadError):  # availability and the like are plain words
            if received.topic.endswith("/ack"):
                self._inbox.put(Arrival(t_s, decode_ack(received.payload)))
            else:
                self._inbox.put(Arrival(t_s, decode(received.payload)))

    def _command(self, command: Command) -> None:
        message = CommandMessage(id=command.id, args=dict(command.args))
        topic = topics.command(FIELD_NAME, command.verb.value)
        if self._listener.publish(topic, encode(message), qos=1) is None:
            self._faults.append(f"command {command.verb.value} could not be sent")

    @property
    def _log(self) -> pathlib.Path:
        return self._folder / "daemon.log"

    def _last_words(self) -> str:
        text = self._log.read_text("utf-8", "replace").strip()
        return text[-LAST_WORDS:] or "nothing"


class _Umpire:
    """One umpire's receiver, in this process: it plays nothing, and acknowledges.

    clock_ns runs as fast as the daemon's, as two clocks of the real world do.
    blind: each time that it said so by itself, since the daemon kept silent.
    """

    def __init__(self, broker: BrokerSection, name: str, clock_ns: Callable[[], int]) -> None:
        self._clock_ns = clock_ns
        self._lock = threading.Lock()
        self._receiver = Receiver(name, clock_ns() / 1e6)
        self._has_heard = False
        self.blind: list[str] = []
        self._link = ReceiverLink(
            broker=broker,
            field=FIELD_NAME,
            umpire=name,
            name=RECEIVER,
            hear=self._take,
            on_link=_ignore,
            clock_ns=clock_ns,
        )

    def start(self) -> None:
        self._link.start()

    def stop(self) -> None:
        self._link.stop()

    def tick(self) -> None:
        """Let time pass, once the daemon has been heard."""
        with self._lock:
            actions = self._receiver.tick(self._clock_ns() / 1e6) if self._has_heard else []
        self.blind += [
            f"the receiver went blind by itself: {action.say_en}"
            for action in actions
            if isinstance(action, Play)
        ]

    def _take(self, t_host_ns: int, message: Cue | Heartbeat) -> None:
        actions: list[Action] = []
        with self._lock:
            self._has_heard = True
            if isinstance(message, Heartbeat):
                self._receiver.heartbeat(message, t_host_ns / 1e6)
            else:
                actions = self._receiver.cue(message, t_host_ns / 1e6)
        for action in actions:
            if isinstance(action, Report):
                self._link.acknowledge(ack_of(RECEIVER, action))


def _ignore(*_: object) -> None:
    """Take a change of the connection: the end tells what came of it."""
