"""What is urgent goes at once or never; the background goes by turns, latest of a topic only."""

from collections import Counter

import pytest

from throwin.contract.topic import Delivery
from throwin.io.outbox import NS, WINDOW_BYTES, Outbox, Outgoing

HB = Delivery("hb", 0, False, 1)
CUE = Delivery("cue", 1, False, 2)
PICTURE = Delivery("picture", 0, False, 1)
LINEUP = Delivery("lineup", 1, True, None)
TAG = Delivery("tags/t1", 0, True, 30)
LARGE = bytes(WINDOW_BYTES)


class Ticket:
    """A receipt that is done when the test says so."""

    def __init__(self) -> None:
        self.is_sent = False

    def is_done(self) -> bool:
        """Tell what the test says."""
        return self.is_sent


class Wire:
    """A sender that remembers, with the outbox in front of it."""

    def __init__(self) -> None:
        self.sent: list[Outgoing] = []
        self.tickets: list[Ticket] = []
        self.takes = True
        self.counts: Counter[str] = Counter()
        self.outbox = Outbox(send=self.send, count=self.count, heartbeat="hb")

    def send(self, message: Outgoing) -> Ticket | None:
        """Take a message, unless the test has it full."""
        if not self.takes:
            return None
        self.sent.append(message)
        self.tickets.append(Ticket())
        return self.tickets[-1]

    def count(self, name: str) -> None:
        """Take note."""
        self.counts[name] += 1

    def all_sent(self) -> None:
        """Let all that was handed over have left."""
        for ticket in self.tickets:
            ticket.is_sent = True

    @property
    def topics(self) -> list[str]:
        """Give the topics of what was sent, in order."""
        return [message.topic for message in self.sent]


@pytest.fixture
def wire() -> Wire:
    wire = Wire()
    wire.outbox.open(0)
    return wire


def test_cue_overtakes_a_background_that_waits(wire: Wire) -> None:
    """A cue never waits behind telemetry."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(LINEUP, b"{}", 0)
    wire.outbox.put(CUE, b"{}", 0)
    assert wire.topics == ["picture", "cue"]


def test_heartbeat_overtakes_a_background_that_waits(wire: Wire) -> None:
    """The receivers' clock reference is not delayed by a picture."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(TAG, b"{}", 0)
    wire.outbox.put(HB, b"{}", 0)
    assert wire.topics == ["picture", "hb"]


def test_background_goes_on_once_there_is_room(wire: Wire) -> None:
    """What waited is sent when what was on its way has left."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(LINEUP, b"{}", 0)
    wire.all_sent()
    wire.outbox.pump()
    assert wire.topics == ["picture", "lineup"]


def test_newer_message_of_a_topic_takes_the_place_of_one_that_waits(wire: Wire) -> None:
    """A slow link shows the present, not a queue of the past."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(LINEUP, b"old", 0)
    wire.outbox.put(LINEUP, b"new", 0)
    wire.all_sent()
    wire.outbox.pump()
    assert [m.payload for m in wire.sent[1:]] == [b"new"]


def test_message_that_was_replaced_while_it_waited_is_counted(wire: Wire) -> None:
    """The technician can see that the link is slow."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(LINEUP, b"old", 0)
    wire.outbox.put(LINEUP, b"new", 0)
    assert wire.counts == {"mqtt.superseded": 1}


def test_cue_while_offline_never_comes() -> None:
    """A late cue is worse than none."""
    wire = Wire()
    wire.outbox.put(CUE, b"{}", 0)
    wire.outbox.open(0)
    assert wire.sent == []


@pytest.mark.parametrize(
    ("delivery", "name"), [(CUE, "mqtt.dropped"), (PICTURE, "mqtt.telemetry_dropped")]
)
def test_message_while_offline_is_counted(delivery: Delivery, name: str) -> None:
    """What is lost is counted, cues apart from telemetry."""
    wire = Wire()
    wire.outbox.put(delivery, b"{}", 0)
    assert wire.counts == {name: 1}


def test_state_while_offline_is_no_loss() -> None:
    """State waits for the next connection, so nothing is counted."""
    wire = Wire()
    wire.outbox.put(LINEUP, b"{}", 0)
    assert not wire.counts


def test_latest_state_is_sent_at_every_opening(wire: Wire) -> None:
    """A broker that lost its memory is told again."""
    wire.outbox.put(LINEUP, b"1", 0)
    wire.outbox.close()
    wire.outbox.put(LINEUP, b"2", 0)
    wire.outbox.open(0)
    assert [m.payload for m in wire.sent] == [b"1", b"2"]


def test_state_with_an_expiry_is_sent_again_with_what_is_left_of_it(wire: Wire) -> None:
    """The health of a tag does not grow younger by a reconnect."""
    wire.outbox.put(TAG, b"{}", 0)
    wire.outbox.close()
    wire.outbox.open(12 * NS)
    assert wire.sent[-1].expiry_s == 18


def test_state_that_has_expired_is_not_sent_again(wire: Wire) -> None:
    """What nobody would believe any more is forgotten."""
    wire.outbox.put(TAG, b"{}", 0)
    wire.outbox.close()
    wire.outbox.open(30 * NS)
    assert wire.topics == ["tags/t1"]


def test_background_that_waited_when_the_link_broke_is_void(wire: Wire) -> None:
    """A picture of before is not shown after."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(PICTURE, b"{}", 0)
    wire.outbox.close()
    wire.outbox.open(0)
    assert len(wire.sent) == 1


def test_closed_outbox_sends_nothing_when_pumped(wire: Wire) -> None:
    """A late tick of the watch does no harm."""
    wire.outbox.put(PICTURE, LARGE, 0)
    wire.outbox.put(LINEUP, b"{}", 0)
    wire.outbox.close()
    wire.outbox.pump()
    assert wire.topics == ["picture"]


@pytest.mark.parametrize(
    ("delivery", "name"), [(CUE, "mqtt.dropped"), (PICTURE, "mqtt.telemetry_dropped")]
)
def test_message_that_the_sender_refuses_is_counted(
    wire: Wire, delivery: Delivery, name: str
) -> None:
    """A full client loses nothing in silence."""
    wire.takes = False
    wire.outbox.put(delivery, b"{}", 0)
    assert wire.counts == {name: 1}


def test_state_that_the_sender_refuses_waits(wire: Wire) -> None:
    """State is not lost to a full client."""
    wire.takes = False
    wire.outbox.put(LINEUP, b"{}", 0)
    wire.takes = True
    wire.outbox.pump()
    assert wire.topics == ["lineup"]


def test_message_keeps_all_that_its_delivery_says(wire: Wire) -> None:
    """Quality, retention, expiry and correlation reach the sender."""
    wire.outbox.put(Delivery("desk", 1, False, 10, "00ff"), b"x", 0)
    assert wire.sent == [Outgoing("desk", b"x", 1, False, 10, "00ff")]
