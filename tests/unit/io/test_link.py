"""The daemon's link: what it says arrives as it should; what comes is made into events."""

import json
import queue
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.io.conftest import WAIT_S, Ear

from throwin.contract.fieldfile import BrokerSection
from throwin.contract.topic import Delivery
from throwin.event import Ack, BrokerState, Command, Event, ReceiverState, Verb
from throwin.io.broker import ChildBroker, free_port
from throwin.io.link import Link

ROOT = "throwin/1/north"


class Daemon:
    """A link with the events that it emits."""

    def __init__(self, port: int) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.link = Link(
            broker=BrokerSection(port=port),
            field="north",
            boot="b0",
            emit=self.events.put,
            clock_ns=lambda: 7_000_000,
        )
        self.link.start()

    def until(self, is_it: Callable[[Event], bool]) -> Event:
        """Give the first event that is meant."""
        while True:
            event = self.events.get(timeout=WAIT_S)
            if is_it(event):
                return event

    def until_up(self) -> None:
        """Wait for the connection."""
        self.until(lambda event: isinstance(event, BrokerState) and event.is_connected)


@pytest.fixture
def daemon(broker: ChildBroker) -> Iterator[Daemon]:
    daemon = Daemon(broker.port)
    daemon.until_up()
    yield daemon
    daemon.link.stop()


def on(topic: str) -> Callable[[object], bool]:
    return lambda message: getattr(message, "topic", "") == f"{ROOT}/{topic}"


def test_connected_daemon_is_online(daemon: Daemon, ear: Ear) -> None:
    """Connected daemon is online."""
    assert ear.until(on("availability")).payload == b"online"


def test_stopped_daemon_is_offline(daemon: Daemon, ear: Ear) -> None:
    """Stopped daemon is offline."""
    ear.until(on("availability"))
    daemon.link.stop()
    assert ear.until(on("availability")).payload == b"offline"


def test_cue_arrives_with_its_expiry(daemon: Daemon, ear: Ear) -> None:
    """Cue arrives with its expiry."""
    ear.until(on("availability"))
    daemon.link.publish(Delivery(f"{ROOT}/umpires/u1/cue", 1, False, 2), b"{}")
    assert ear.until(on("umpires/u1/cue")).expiry_s in (1, 2)


def test_command_becomes_an_event(daemon: Daemon, ear: Ear) -> None:
    """Command becomes an event."""
    ear.connection.publish(
        f"{ROOT}/cmd/goal",
        b'{"type":"cmd","id":"c1","args":{"by":"red"}}',
        qos=1,
        reply_to="answers/me",
        correlation=b"\x01\xff",
    )
    event = daemon.until(lambda event: isinstance(event, Command))
    assert event == Command(
        7_000_000, "c1", Verb.GOAL, (("by", "red"),), "mqtt", "answers/me", "01ff"
    )


@pytest.mark.parametrize(
    ("verb", "payload", "words"),
    [
        ("goal", b"no json", "expected a command"),
        ("goal", b'{"type":"cmd"}', "expected a command"),
        ("goal", b"\xff\xfe", "expected a command"),
        ("dance", b'{"type":"cmd","id":"c1"}', "expected one of draw"),
    ],
)
def test_bad_command_is_refused_with_the_reason(
    daemon: Daemon, ear: Ear, verb: str, payload: bytes, words: str
) -> None:
    """Bad command is refused with the reason."""
    ear.connection.publish(f"{ROOT}/cmd/{verb}", payload, qos=1, reply_to="answers/me")
    answer = json.loads(ear.until(lambda m: m.topic == "answers/me").payload)
    assert (answer["ok"], answer["reason"][: len(words)]) == (False, words)


def test_answer_carries_the_correlation_back(daemon: Daemon, ear: Ear) -> None:
    """Answer carries the correlation back."""
    ear.connection.publish(f"{ROOT}/cmd/x", b"?", qos=1, reply_to="answers/me", correlation=b"\x07")
    assert ear.until(lambda m: m.topic == "answers/me").correlation == b"\x07"


def test_answer_never_goes_to_an_umpires_hand(daemon: Daemon, ear: Ear) -> None:
    """Answer never goes to an umpires hand."""
    topic = f"{ROOT}/umpires/u1/cue"
    ear.connection.publish(f"{ROOT}/cmd/goal", b'{"type":"cmd","id":"c1"}', qos=1, reply_to=topic)
    event = daemon.until(lambda event: isinstance(event, Command))
    assert isinstance(event, Command)
    assert event.reply_to == ""


def test_ack_becomes_an_event(daemon: Daemon, ear: Ear) -> None:
    """Ack becomes an event."""
    ear.connection.publish(
        f"{ROOT}/umpires/u1/ack",
        b'{"type":"ack","receiver":"wrist","cue_id":"c9","what":"played","late_ms":4.5}',
        qos=1,
    )
    event = daemon.until(lambda event: isinstance(event, Ack))
    assert event == Ack(7_000_000, "u1", "wrist", "c9", "played", 4.5)


def test_bad_ack_is_counted(daemon: Daemon, ear: Ear) -> None:
    """Bad ack is counted."""
    ear.connection.publish(f"{ROOT}/umpires/u1/ack", b"?", qos=1)
    ear.connection.publish(f"{ROOT}/umpires/u1/receivers/wrist", b"online", qos=1)
    daemon.until(lambda event: isinstance(event, ReceiverState))
    assert daemon.link.counters()["mqtt.bad_ack"] == 1


def test_receiver_that_comes_up_becomes_an_event(daemon: Daemon, ear: Ear) -> None:
    """Receiver that comes up becomes an event."""
    ear.connection.publish(f"{ROOT}/umpires/u1/receivers/wrist", b"online", qos=1)
    event = daemon.until(lambda event: isinstance(event, ReceiverState))
    assert event == ReceiverState(7_000_000, "u1", "wrist", is_online=True)


def test_retained_command_is_no_order(broker: ChildBroker, ear: Ear) -> None:
    """Retained command is no order."""
    ear.connection.publish(
        f"{ROOT}/cmd/throw", b'{"type":"cmd","id":"c1"}', qos=1, is_retained=True
    )
    ear.until(on("cmd/throw"))
    daemon = Daemon(broker.port)
    daemon.until_up()
    ear.connection.publish(f"{ROOT}/cmd/ready", b'{"type":"cmd","id":"c2"}', qos=1)
    event = daemon.until(lambda event: isinstance(event, Command))
    daemon.link.stop()
    assert isinstance(event, Command)
    assert event.verb is Verb.READY


def test_absent_broker_is_told_in_words() -> None:
    """Absent broker is told in words."""
    port = free_port()
    daemon = Daemon(port)
    event = daemon.events.get(timeout=WAIT_S)
    daemon.link.stop()
    assert event == BrokerState(
        7_000_000,
        is_connected=False,
        detail=f"no broker at 127.0.0.1:{port}: [Errno 111] Connection refused",
    )


def test_cue_without_a_broker_is_dropped_and_counted() -> None:
    """Cue without a broker is dropped and counted."""
    daemon = Daemon(free_port())
    daemon.link.publish(Delivery(f"{ROOT}/umpires/u1/cue", 1, False, 2), b"{}")
    counters = daemon.link.counters()
    daemon.link.stop()
    assert counters["mqtt.dropped"] == 1


@pytest.fixture
def restarted(mosquitto: ChildBroker, tmp_path: Path) -> Iterator[tuple[Daemon, Ear]]:
    """Give a daemon whose broker was killed and came back, and a client that listens since."""
    daemon = Daemon(mosquitto.port)
    daemon.until_up()
    daemon.link.publish(Delivery(f"{ROOT}/lineup", 1, True, None), b'{"phase":"armed"}')
    mosquitto.kill()
    daemon.until(lambda event: isinstance(event, BrokerState) and not event.is_connected)
    daemon.link.publish(Delivery(f"{ROOT}/umpires/u1/cue", 1, False, 2), b"late")
    with ChildBroker.start(tmp_path, port=mosquitto.port, only="mosquitto") as again:
        ear = Ear(again)
        daemon.until_up()
        yield daemon, ear
        ear.connection.stop()
        daemon.link.stop()


def test_state_stands_again_after_the_broker(restarted: tuple[Daemon, Ear]) -> None:
    """State stands again after the broker."""
    assert restarted[1].until(on("lineup")).payload == b'{"phase":"armed"}'


def test_daemon_is_online_again_after_the_broker(restarted: tuple[Daemon, Ear]) -> None:
    """Daemon is online again after the broker."""
    assert restarted[1].until(on("availability")).payload == b"online"


def test_cue_of_the_time_without_a_broker_never_comes(restarted: tuple[Daemon, Ear]) -> None:
    """Cue of the time without a broker never comes."""
    daemon, ear = restarted
    daemon.link.publish(Delivery(f"{ROOT}/umpires/u1/cue", 1, False, 2), b"new")
    assert ear.until(on("umpires/u1/cue")).payload == b"new"
