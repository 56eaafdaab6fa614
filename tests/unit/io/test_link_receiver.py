"""A receiver's link passes on what it should hear, counts the rest, and never raises."""

from collections.abc import Callable

import pytest

from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import AckMessage, Cue, Heartbeat, Status, encode
from throwin.event import BrokerState, Event
from throwin.io.connection import Received
from throwin.io.link import Link, ReceiverLink

HEARTBEAT = Heartbeat(
    id="b0-h1", boot="b0", seq=1, t="", clk="free", mono_ms=1.0, phase="armed", armed=True
)
STATUS = Status(
    id="b0-s1",
    boot="b0",
    seq=1,
    t="",
    clk="free",
    mono_ms=1.0,
    state="ready",
    reasons=(),
    version="0",
    counters={},
)


class Wrist:
    """A receiver's link that is not connected, with what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, Cue | Heartbeat]] = []
        self.states: list[BrokerState] = []
        self.link = ReceiverLink(
            broker=BrokerSection(),
            field="north",
            umpire="u1",
            name="wrist",
            hear=lambda t_host_ns, message: self.heard.append((t_host_ns, message)),
            on_link=self.states.append,
            clock_ns=lambda: 7,
        )

    def take(self, payload: bytes, *, is_retained: bool = False) -> None:
        """Let a message come."""
        self.link._received(Received("throwin/1/north/hb", payload, is_retained=is_retained))


@pytest.fixture
def wrist() -> Wrist:
    return Wrist()


def test_heartbeat_that_came_is_heard_with_its_time(wrist: Wrist) -> None:
    """The moment of arrival is what lateness is judged by."""
    wrist.take(encode(HEARTBEAT))
    assert wrist.heard == [(7, HEARTBEAT)]


@pytest.mark.parametrize(
    ("payload", "is_retained", "name"),
    [
        (b"no json", False, "mqtt.bad_message"),
        (encode(HEARTBEAT), True, "mqtt.retained_cue"),
        (encode(STATUS), False, "mqtt.unknown_topic"),
    ],
)
def test_message_that_is_not_for_a_receiver_is_counted(
    wrist: Wrist, payload: bytes, name: str, *, is_retained: bool
) -> None:
    """It is neither heard nor does it raise."""
    wrist.take(payload, is_retained=is_retained)
    assert (wrist.heard, wrist.link.counters()) == ([], {name: 1})


def test_acknowledgement_before_the_connection_is_known_is_kept(wrist: Wrist) -> None:
    """A cue may come before the own state says up: its answer must not be lost."""
    ack = AckMessage(receiver="wrist", cue_id="q", what="played", late_ms=None)
    wrist.link.acknowledge(ack)
    assert list(wrist.link._kept) == [ack]


def test_change_of_the_connection_is_told_in_words(wrist: Wrist) -> None:
    """Whoever looks at the receiver reads why."""
    wrist.link._state_changed(False, "no broker")
    assert wrist.states == [BrokerState(7, is_connected=False, detail="no broker")]


@pytest.fixture
def link() -> Callable[[str, bytes], tuple[list[Event], dict[str, int]]]:
    """Give what has a daemon's link take a message, and tells its events and counters."""
    events: list[Event] = []
    link = Link(broker=BrokerSection(), field="north", boot="b0", emit=events.append)

    def take(topic: str, payload: bytes) -> tuple[list[Event], dict[str, int]]:
        link._received(Received(topic, payload))
        return events, link.counters()

    return take


@pytest.mark.parametrize(
    "topic",
    [
        "elsewhere",
        "cmd/throw",
        "x/throwin/1/north/cmd/throw",
        "throwin/1/north",
        "throwin/1/south/cmd/throw",
        "throwin/1/north/cmd",
        "throwin/1/north/cmd/a/b",
        "throwin/1/north/umpires/u1/cue",
    ],
)
def test_topic_that_is_not_the_daemons_is_counted(
    link: Callable[[str, bytes], tuple[list[Event], dict[str, int]]], topic: str
) -> None:
    """A broker may bring what was not asked for."""
    assert link(topic, b'{"id":"c1"}') == ([], {"mqtt.unknown_topic": 1})


def test_refused_command_of_one_who_wants_no_answer_gets_none(
    link: Callable[[str, bytes], tuple[list[Event], dict[str, int]]],
) -> None:
    """Without a response topic there is nobody to tell."""
    assert link("throwin/1/north/cmd/dance", b'{"id":"c1"}') == ([], {"mqtt.refused_command": 1})
