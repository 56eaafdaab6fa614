"""A receiver's side of MQTT: cues and heartbeats in, acks out, online and offline retained."""

import socket
from collections.abc import Callable

from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import (
    AckMessage,
    AckWord,
    Cue,
    Heartbeat,
    PayloadError,
    decode,
    encode,
)
from throwin.io.connection import Connection, Received, Will


class ReceiverLink:
    """The link of one receiver of one umpire; the callbacks come on the network's thread."""

    def __init__(
        self,
        *,
        broker: BrokerSection,
        field: str,
        umpire: str,
        name: str,
        on_message: Callable[[Cue | Heartbeat], None],
        on_state: Callable[[bool, str], None],
    ) -> None:
        self._on_message = on_message
        self._name = name
        self._ack_topic = topics.ack(field, umpire)
        self.malformed = 0
        self._connection = Connection(
            broker=broker,
            client_id=f"throwin-{field}-{umpire}-{name}-{socket.gethostname()}",
            will=Will(topics.receiver(field, umpire, name), b"online", b"offline"),
            topics=[(topics.cue(field, umpire), 1), (topics.heartbeat(field), 0)],
            on_message=self._received,
            on_state=on_state,
        )

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        self._connection.start()

    def report(self, cue_id: str, what: AckWord, late_ms: float | None) -> None:
        """Tell the daemon what became of a cue."""
        ack = AckMessage(receiver=self._name, cue_id=cue_id, what=what, late_ms=late_ms)
        self._connection.publish(self._ack_topic, encode(ack), qos=1, expiry_s=10)

    def stop(self) -> None:
        """Say offline, and go."""
        self._connection.stop()

    def _received(self, message: Received) -> None:
        try:
            said = decode(message.payload)
        except PayloadError:
            self.malformed += 1
            return
        if isinstance(said, Cue | Heartbeat) and not message.is_retained:
            self._on_message(said)
