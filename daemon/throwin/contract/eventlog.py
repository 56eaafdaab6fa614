"""Events as bytes and back, for the journal: a letter for the kind, then the fields in order."""

from typing import Any

import msgspec

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
)

# A letter once given to a kind stays its own: old journals are read by it.
_KINDS: dict[str, type[Event]] = {
    "b": Bytes,
    "t": Tick,
    "p": PortState,
    "m": BrokerState,
    "r": ReceiverState,
    "h": HostState,
    "n": HostCounts,
    "c": Command,
    "a": Ack,
}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[tuple[str, list[Any]]] = msgspec.msgpack.Decoder(
    tuple[str, list[Any]]
)


class EventLogError(ValueError):
    """Bytes that are no event."""


def encode_event(event: Event) -> bytes:
    """Give the bytes of one event."""
    return _encoder.encode((_LETTERS[type(event)], event))


def decode_event(data: bytes) -> Event:
    """Read one event; raises EventLogError."""
    try:
        letter, fields = _decoder.decode(data)
        return msgspec.convert(fields, _KINDS[letter])
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError) as error:
        raise EventLogError(f"expected an event of the journal: {error}") from None
