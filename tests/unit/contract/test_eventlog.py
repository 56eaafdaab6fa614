"""Events are read as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.contract.eventlog import EventLogError, decode_event, encode_event
from throwin.event import (
    Ack,
    BrokerState,
    Bytes,
    Command,
    Event,
    HostCounts,
    HostState,
    PortState,
    ReceiverState,
    Tick,
    Verb,
)

EVENTS: list[Event] = [
    Bytes("gateway", 12, b"\x00\xff$GN"),
    Tick(2**62, 1_780_000_000_000_000_000, "ntp"),
    PortState("gateway", 3, is_open=False, detail="unplugged"),
    BrokerState(4, is_connected=True, detail="connected"),
    ReceiverState(5, "u1", "wrist", is_online=True),
    HostState(5, "recording", "no space"),
    HostCounts(5, (("mqtt.dropped", 2), ("queue_max", 17))),
    Command(6, "c1", Verb.GOAL, (("by", "red"),), "mqtt", "answers/x", "0aff"),
    Ack(7, "u1", "wrist", "c9", "played", 4.25),
    Ack(7, "u1", "wrist", "c9", "duplicate", None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_event_written_and_read_is_equal(event: Event) -> None:
    """Event written and read is equal."""
    assert decode_event(encode_event(event)) == event


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_event_read_is_of_its_kind(event: Event) -> None:
    """Event read is of its kind."""
    assert type(decode_event(encode_event(event))) is type(event)


@given(st.binary(max_size=64))
def test_any_bytes_are_an_event_or_an_error(data: bytes) -> None:
    """Any bytes are an event or an error."""
    try:
        event = decode_event(data)
    except EventLogError:
        return
    assert decode_event(encode_event(event)) == event


def test_unknown_letter_is_an_error() -> None:
    """Unknown letter is an error."""
    with pytest.raises(EventLogError, match="expected an event"):
        decode_event(encode_event(EVENTS[0]).replace(b"\xa1b", b"\xa1z"))
