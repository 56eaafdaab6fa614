"""A link that is dead for four seconds and comes back: no late cue is played, and all are told.

Daemon's link, broker and receiver are real, on real clocks; the broker is frozen, so that both
its connections are half open and what was sent lies in the sockets.
"""

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import AckMessage, Cue, Heartbeat, encode
from throwin.contract.topic import deliver
from throwin.event import Ack, BrokerState, Event
from throwin.io.broker import ChildBroker
from throwin.io.link import Link, ReceiverLink
from throwin.receiver.core import Action, Play, Receiver, Report

WAIT_S = 15.0
DEAD_S = 4.0


class Wrist:
    """A receiver that plays into a list."""

    def __init__(self, port: int) -> None:
        self.done: list[Action] = []
        self._lock = threading.Lock()
        self._receiver = Receiver("u1", time.monotonic() * 1000.0)
        self._link = ReceiverLink(
            broker=BrokerSection(port=port),
            field="north",
            umpire="u1",
            name="wrist",
            hear=self._hear,
            on_link=self._ignore,
        )
        self._stopping = threading.Event()
        self._ticker = threading.Thread(target=self._tick)
        self._link.start()
        self._ticker.start()

    def stop(self) -> None:
        """End it."""
        self._stopping.set()
        self._ticker.join()
        self._link.stop()

    def _ignore(self, state: BrokerState) -> None:
        pass

    def _hear(self, t_host_ns: int, message: Cue | Heartbeat) -> None:
        with self._lock:
            if isinstance(message, Heartbeat):
                self._receiver.heartbeat(message, t_host_ns / 1e6)
                return
            actions = self._receiver.cue(message, t_host_ns / 1e6)
            self.done += actions
        for action in actions:
            if isinstance(action, Report):
                self._link.acknowledge(
                    AckMessage(
                        receiver="wrist",
                        cue_id=action.cue_id,
                        what=action.what.value,
                        late_ms=action.late_ms,
                    )
                )

    def _tick(self) -> None:
        while not self._stopping.wait(0.05):
            with self._lock:
                self.done += self._receiver.tick(time.monotonic() * 1000.0)


class Daemon:
    """A daemon's link that beats twice a second, as the engine does."""

    def __init__(self, port: int) -> None:
        self.events: list[Event] = []
        self.link = Link(
            broker=BrokerSection(port=port), field="north", boot="b0", emit=self.events.append
        )
        self._n = 0
        self._stopping = threading.Event()
        self._heart = threading.Thread(target=self._beat)
        self.link.start()
        self._heart.start()

    def stop(self) -> None:
        """End it."""
        self._stopping.set()
        self._heart.join()
        self.link.stop()

    def hold(self, name: str) -> None:
        """Send a HOLD."""
        message = Cue(
            id=name,
            boot="b0",
            seq=0,
            t="",
            clk="free",
            mono_ms=time.monotonic() * 1000.0,
            umpire="u1",
            pattern="hold",
            say_en=name,
            say_es=name,
            valid_ms=1000,
            alert_id=None,
            next_ms=None,
            covers=(),
            fix_age_ms=None,
        )
        self.link.publish(deliver("north", message), encode(message))

    def words_on(self, cue_id: str) -> list[str]:
        """Give what receivers said of a cue so far."""
        return [e.what for e in self.events if isinstance(e, Ack) and e.cue_id == cue_id]

    def _beat(self) -> None:
        while not self._stopping.wait(0.5):
            self._n += 1
            beat = Heartbeat(
                id=f"b0-h{self._n}",
                boot="b0",
                seq=self._n,
                t="",
                clk="free",
                mono_ms=time.monotonic() * 1000.0,
                phase="armed",
                armed=True,
            )
            self.link.publish(deliver("north", beat), encode(beat))


def wait_for(daemon: Daemon, cue_id: str, what: str) -> None:
    end_s = time.monotonic() + WAIT_S
    while what not in daemon.words_on(cue_id) and time.monotonic() < end_s:
        time.sleep(0.02)


@pytest.fixture(scope="module")
def outage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Wrist]]:
    """Play the outage once: a HOLD before it, one into the dead link, one after it."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path_factory.mktemp("broker"), only="mosquitto") as broker:
        daemon, wrist = Daemon(broker.port), Wrist(broker.port)
        while not daemon.words_on("before"):
            daemon.hold("before")
            time.sleep(0.1)
        os.kill(broker.pid, signal.SIGSTOP)
        daemon.hold("into")
        time.sleep(DEAD_S)
        daemon.hold("offline")
        os.kill(broker.pid, signal.SIGCONT)
        wait_for(daemon, "into", "dropped_late")
        end_s = time.monotonic() + WAIT_S
        while "played" not in daemon.words_on("after") and time.monotonic() < end_s:
            daemon.hold("after")
            time.sleep(0.2)
        yield daemon, wrist
        wrist.stop()
        daemon.stop()


def said(wrist: Wrist) -> list[str]:
    return [action.say_en for action in wrist.done if isinstance(action, Play)]


def test_cue_before_the_outage_was_played(outage: tuple[Daemon, Wrist]) -> None:
    """The link worked."""
    assert "played" in outage[0].words_on("before")


def test_cue_into_the_dead_link_is_not_played(outage: tuple[Daemon, Wrist]) -> None:
    """A late cue is never played."""
    assert "into" not in said(outage[1])


def test_cue_without_a_link_never_arrives(outage: tuple[Daemon, Wrist]) -> None:
    """What was given when the link was known to be dead is dropped by the daemon."""
    assert outage[0].words_on("offline") == []


def test_cue_after_the_outage_is_played(outage: tuple[Daemon, Wrist]) -> None:
    """Afterwards all is as before."""
    assert "after" in said(outage[1])


def test_umpire_in_the_outage_feels_blind(outage: tuple[Daemon, Wrist]) -> None:
    """The receiver says by its own timer that it hears nothing."""
    assert "no link" in said(outage[1])


def test_daemon_in_the_outage_knows_of_it(outage: tuple[Daemon, Wrist]) -> None:
    """Its heartbeat did not come back."""
    details = [e.detail for e in outage[0].events if isinstance(e, BrokerState)]
    assert "no heartbeat comes back: connecting anew" in details
