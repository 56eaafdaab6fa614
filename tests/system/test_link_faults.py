"""The link through what happens to networks: brokers that die, freeze, refuse; peers that flood."""

import os
import pwd
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.io.conftest import WAIT_S, Ear

from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import AckMessage, Cue, Heartbeat, encode
from throwin.contract.topic import Delivery, deliver
from throwin.event import Ack, BrokerState, Command, Event, ReceiverState
from throwin.io.broker import ChildBroker, free_port
from throwin.io.link import Link, ReceiverLink

ROOT = "throwin/1/north"
CUE = Delivery(f"{ROOT}/umpires/u1/cue", 1, False, 2)
LINEUP = Delivery(f"{ROOT}/lineup", 1, True, None)
PICTURE = Delivery(f"{ROOT}/picture", 0, False, 1)


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000

    def __call__(self) -> int:
        """Give the time that the test has set, ns."""
        return self.ns


class Daemon:
    """A link with the events that it emits, and a clock that the test moves."""

    def __init__(self, port: int, **broker: str) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.clock = Clock()
        self.emit: Callable[[Event], None] = self.events.put
        self.link = Link(
            broker=BrokerSection(port=port, **broker),
            field="north",
            boot="b0",
            emit=self._hand_on,
            clock_ns=self.clock,
        )
        self.link.start()

    def _hand_on(self, event: Event) -> None:
        self.emit(event)

    def until(self, is_it: Callable[[Event], bool]) -> Event:
        """Give the first event that is meant."""
        while True:
            event = self.events.get(timeout=WAIT_S)
            if is_it(event):
                return event

    def until_state(self, *, is_up: bool) -> str:
        """Wait until the connection has come or gone; give the words for it."""
        event = self.until(lambda e: isinstance(e, BrokerState) and e.is_connected is is_up)
        assert isinstance(event, BrokerState)
        return event.detail

    def beat(self, number: int = 1) -> None:
        """Publish a heartbeat, as the engine does twice a second."""
        beat = Heartbeat(
            id=f"b0-h{number}",
            boot="b0",
            seq=number,
            t="",
            clk="free",
            mono_ms=1.0,
            phase="armed",
            armed=True,
        )
        self.link.publish(deliver("north", beat), encode(beat))

    def until_count(self, name: str, least: int = 1) -> int:
        """Wait until a counter has reached a value; give it."""
        end_s = time.monotonic() + WAIT_S
        while self.link.counters().get(name, 0) < least and time.monotonic() < end_s:
            time.sleep(0.01)
        return self.link.counters().get(name, 0)


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[ChildBroker]:
    """Give a mosquitto: what fields use."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path, only="mosquitto") as broker:
        yield broker


@pytest.fixture
def daemon(mosquitto: ChildBroker) -> Iterator[Daemon]:
    daemon = Daemon(mosquitto.port)
    daemon.until_state(is_up=True)
    yield daemon
    daemon.link.stop()


@pytest.fixture
def ear(mosquitto: ChildBroker, daemon: Daemon) -> Iterator[Ear]:
    """Give a client that hears everything, beside a daemon that is connected."""
    ear = Ear(mosquitto)
    ear.until(on("availability"))
    yield ear
    ear.connection.stop()


def on(topic: str) -> Callable[[object], bool]:
    return lambda message: getattr(message, "topic", "") == f"{ROOT}/{topic}"


class Frozen:
    """A broker that takes no more and says nothing, on a connection that stands: half open."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def __enter__(self) -> None:
        """Freeze it."""
        os.kill(self._pid, signal.SIGSTOP)

    def __exit__(self, *_: object) -> None:
        """Let it go on."""
        os.kill(self._pid, signal.SIGCONT)


def test_link_that_brings_nothing_back_is_noticed_by_its_echo(
    mosquitto: ChildBroker, daemon: Daemon
) -> None:
    """A half-open link is down three seconds after a heartbeat that did not come back."""
    with Frozen(mosquitto.pid):
        daemon.beat()
        daemon.clock.ns += 3_100_000_000
        assert "no heartbeat comes back" in daemon.until_state(is_up=False)


def test_link_without_heartbeats_of_its_own_is_not_suspected(daemon: Daemon) -> None:
    """An engine that stands still is the watchdog's affair, not the link's."""
    daemon.clock.ns += 60_000_000_000
    daemon.beat()
    daemon.link.publish(PICTURE, b"{}")
    time.sleep(0.6)  # two looks of the watch
    assert "mqtt.restarts" not in daemon.link.counters()


def test_link_whose_heartbeats_come_back_is_not_suspected(daemon: Daemon, ear: Ear) -> None:
    """Each echo starts the wait anew."""
    for number in range(5):
        daemon.beat(number)
        ear.until(on("hb"))
        daemon.clock.ns += 1_000_000_000
    time.sleep(0.6)  # two looks of the watch
    assert "mqtt.restarts" not in daemon.link.counters()


def test_link_that_was_replaced_serves_again(mosquitto: ChildBroker, daemon: Daemon) -> None:
    """After a half-open link the new client hears commands."""
    with Frozen(mosquitto.pid):
        daemon.beat()
        daemon.clock.ns += 3_100_000_000
        daemon.until_state(is_up=False)
    daemon.until_state(is_up=True)
    ear = Ear(mosquitto)
    ear.connection.publish(f"{ROOT}/cmd/throw", b'{"id":"c1"}', qos=1)
    event = daemon.until(lambda e: isinstance(e, Command))
    ear.connection.stop()
    assert isinstance(event, Command)
    assert event.id == "c1"


def test_daemon_behind_a_replaced_link_is_online(mosquitto: ChildBroker, daemon: Daemon) -> None:
    """The last will of the client that was given up does not have the last word."""
    with Frozen(mosquitto.pid):
        daemon.beat()
        daemon.clock.ns += 3_100_000_000
        daemon.until_state(is_up=False)
    daemon.until_state(is_up=True)
    ear = Ear(mosquitto)
    word = ear.until(on("availability")).payload
    ear.connection.stop()
    assert word == b"online"


def test_cue_into_a_dead_link_is_not_sent_again_after_it(
    mosquitto: ChildBroker, daemon: Daemon, ear: Ear
) -> None:
    """What the replaced client still held is gone with it; only the kernel's bytes may come."""
    with Frozen(mosquitto.pid):
        daemon.beat()
        daemon.clock.ns += 3_100_000_000
        daemon.until_state(is_up=False)
        daemon.link.publish(CUE, b"late")
    daemon.until_state(is_up=True)
    daemon.link.publish(CUE, b"new")
    assert ear.until(on("umpires/u1/cue")).payload == b"new"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_network_thread_that_ended_is_replaced(daemon: Daemon) -> None:
    """The thread of paho can die while it claims to be connected; ours notices."""
    client = daemon.link._connection._client
    assert client is not None
    client.on_message = _raise  # past the guard
    daemon.beat()
    assert "the network thread ended" in daemon.until_state(is_up=False)
    daemon.until_state(is_up=True)


def _raise(*_: object) -> None:
    raise RuntimeError("a fault of the library's own")


def test_event_that_nobody_can_take_is_counted(daemon: Daemon, ear: Ear) -> None:
    """A fault behind the link does not end its thread."""
    take = daemon.emit

    def refuse(event: Event) -> None:
        raise RuntimeError("full")

    daemon.emit = refuse
    ear.connection.publish(f"{ROOT}/cmd/throw", b'{"id":"c1"}', qos=1)
    daemon.until_count("mqtt.callback_faults")
    daemon.emit = take
    ear.connection.publish(f"{ROOT}/cmd/throw", b'{"id":"c2"}', qos=1)
    event = daemon.until(lambda e: isinstance(e, Command))
    assert isinstance(event, Command)
    assert event.id == "c2"


def test_two_clients_with_one_id_are_told_so(mosquitto: ChildBroker, daemon: Daemon) -> None:
    """Who flaps because of a double is told its name."""
    client_id = daemon.link._connection._client_id
    double = Ear(mosquitto, client_id)
    words = [daemon.until_state(is_up=False) for _ in range(3)]
    double.connection.stop()
    assert words[2].endswith(f"another client seems to have our id {client_id}")


def test_broker_that_speaks_something_else_is_down(tmp_path: Path) -> None:
    """A port where no MQTT is spoken is told and tried again, not raised."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer_nonsense, args=(server,), daemon=True)
        thread.start()
        daemon = Daemon(server.getsockname()[1])
        words = daemon.until_state(is_up=False)
        daemon.link.stop()
    assert words.startswith("lost 127.0.0.1")


def _answer_nonsense(server: socket.socket) -> None:
    peer, _ = server.accept()
    peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    peer.close()


def test_flood_of_telemetry_loses_no_cue(daemon: Daemon, ear: Ear) -> None:
    """Twenty thousand pictures neither delay nor displace what matters."""
    for number in range(20_000):
        daemon.link.publish(PICTURE, b"x" * 500)
        if number % 4_000 == 0:
            daemon.link.publish(CUE, b"%d" % number)
    cues = [int(ear.until(on("umpires/u1/cue")).payload) for _ in range(5)]
    assert cues == [0, 4_000, 8_000, 12_000, 16_000]


def test_answer_to_a_topic_that_can_be_none_is_dropped(daemon: Daemon) -> None:
    """Whoever asks can't end the engine's thread by where he wants his answer."""
    daemon.link.publish(Delivery("a/#", 1, False, 10), b"{}")
    daemon.link.publish(Delivery("x" * 70_000, 1, False, 10), b"{}")
    daemon.link.publish(Delivery("", 1, False, 10), b"{}")
    assert daemon.link.counters()["mqtt.bad_topic"] == 2


def test_heartbeat_of_another_daemon_is_counted(daemon: Daemon, ear: Ear) -> None:
    """Two daemons on one field are a fault of the set-up."""
    ear.connection.publish(f"{ROOT}/hb", b'{"boot":"other"}', qos=0)
    assert daemon.until_count("mqtt.foreign_heartbeat") == 1


def test_cue_that_nobody_hears_is_counted(daemon: Daemon) -> None:
    """The broker says that there is no subscriber at all."""
    before = daemon.until_count("mqtt.unheard")  # the word online, to a new broker
    daemon.link.publish(CUE, b"{}")
    assert daemon.until_count("mqtt.unheard", before + 1) == before + 1


def test_receivers_word_that_is_none_is_counted(daemon: Daemon, ear: Ear) -> None:
    """Only online, offline and the empty word of a cleared topic mean something."""
    ear.connection.publish(f"{ROOT}/umpires/u1/receivers/wrist", b"perhaps", qos=1)
    assert daemon.until_count("mqtt.bad_receiver") == 1


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[int]:
    """Give the port of a broker that lets nobody in without a password."""
    port = free_port()
    words = tmp_path / "words"
    subprocess.run(["mosquitto_passwd", "-b", "-c", words, "umpire", "secret"], check=True)  # noqa: S607 - of the same package
    words.chmod(0o644)
    config = tmp_path / "guarded.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {words}\n"
        f"user {pwd.getpwuid(os.getuid()).pw_name}\nlog_dest none\n"
    )
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
    assert program is not None
    process = subprocess.Popen([program, "-c", config])
    yield port
    process.kill()
    process.wait()


def test_broker_that_refuses_is_told_in_words(guarded: int) -> None:
    """A technician reads why."""
    daemon = Daemon(guarded)
    words = ""
    while not words.startswith("127"):  # it may not be listening yet
        words = daemon.until_state(is_up=False)
    daemon.link.stop()
    assert words == f"127.0.0.1:{guarded} refused: Not authorized"


def test_password_of_a_file_lets_the_daemon_in(guarded: int, tmp_path: Path) -> None:
    """The file holds the password alone; an editor's line end is no part of it."""
    (tmp_path / "password").write_text("secret\n")
    daemon = Daemon(guarded, user="umpire", password_file=str(tmp_path / "password"))
    words = daemon.until_state(is_up=True)
    daemon.link.stop()
    assert words == f"connected to 127.0.0.1:{guarded}"


def test_password_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing file is the field file's fault, and found at the start."""
    with pytest.raises(FileNotFoundError, match="password"):
        Daemon(1, user="umpire", password_file=str(tmp_path / "password"))


def test_stop_of_a_link_whose_broker_is_frozen_ends(mosquitto: ChildBroker) -> None:
    """The service can be stopped whatever the broker does."""
    daemon = Daemon(mosquitto.port)
    daemon.until_state(is_up=True)
    with Frozen(mosquitto.pid):
        daemon.link.stop(0.2)
        names = {thread.name for thread in threading.enumerate()}
    assert "mqtt-watch" not in names


class Wrist:
    """A receiver's link with what it hears."""

    def __init__(self, port: int) -> None:
        self.heard: queue.SimpleQueue[Cue | Heartbeat] = queue.SimpleQueue()
        self.states: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.link = ReceiverLink(
            broker=BrokerSection(port=port),
            field="north",
            umpire="u1",
            name="wrist",
            hear=lambda _, message: self.heard.put(message),
            on_link=lambda state: self.states.put(state.is_connected),
        )
        self.link.start()


@pytest.fixture
def wrist(mosquitto: ChildBroker, daemon: Daemon) -> Iterator[Wrist]:
    wrist = Wrist(mosquitto.port)
    wrist.states.get(timeout=WAIT_S)
    yield wrist
    wrist.link.stop()


def test_receiver_that_connects_is_seen(daemon: Daemon, wrist: Wrist) -> None:
    """The daemon knows who listens."""
    event = daemon.until(lambda e: isinstance(e, ReceiverState))
    assert event == ReceiverState(daemon.clock.ns, "u1", "wrist", is_online=True)


def test_receiver_that_stops_is_seen(daemon: Daemon, wrist: Wrist) -> None:
    """The daemon knows who has gone."""
    daemon.until(lambda e: isinstance(e, ReceiverState))
    wrist.link.stop()
    event = daemon.until(lambda e: isinstance(e, ReceiverState))
    assert event == ReceiverState(daemon.clock.ns, "u1", "wrist", is_online=False)


def test_receiver_hears_the_heartbeat(daemon: Daemon, wrist: Wrist) -> None:
    """A receiver has its clock's reference."""
    daemon.beat(7)
    assert wrist.heard.get(timeout=WAIT_S).id == "b0-h7"


def test_receivers_acknowledgement_arrives(daemon: Daemon, wrist: Wrist) -> None:
    """What was played comes back."""
    wrist.link.acknowledge(AckMessage(receiver="wrist", cue_id="q1", what="played", late_ms=2.5))
    event = daemon.until(lambda e: isinstance(e, Ack))
    assert event == Ack(daemon.clock.ns, "u1", "wrist", "q1", "played", 2.5)
