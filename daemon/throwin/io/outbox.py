"""What waits to be sent, and what may go first; it knows no socket, no thread and no clock.

Nothing time-critical ever waits here: what is urgent goes at once, or, without a connection, is
dropped and counted, since a late cue is worse than none.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol

from throwin.contract.topic import Delivery

NS = 1_000_000_000
# What of the background may be on its way at once: a cue waits behind no more than this.
WINDOW_BYTES = 16_384


class Outgoing(NamedTuple):
    """One message to send; expiry_s None = none, correlation is hex."""

    topic: str
    payload: bytes
    qos: int
    is_retained: bool
    expiry_s: int | None = None
    correlation: str = ""


class Receipt(Protocol):
    """What the sender gives for a message that it took."""

    def is_done(self) -> bool:
        """Tell whether the message has left (QoS 0) or was confirmed (QoS 1), or was given up."""
        ...


class Outbox:
    """Two lanes: what is urgent goes at once, the background by turns, latest of a topic only.

    send: hands over one message; None = not taken. count: is told the name of a counter.
    heartbeat: the topic that is urgent although it is QoS 0.
    All methods are to be called under one lock.
    """

    def __init__(
        self,
        *,
        send: Callable[[Outgoing], Receipt | None],
        count: Callable[[str], None],
        heartbeat: str,
    ) -> None:
        self._send = send
        self._count = count
        self._heartbeat = heartbeat
        self._is_open = False
        self._state: dict[str, tuple[int, Outgoing]] = {}
        self._waiting: OrderedDict[str, Outgoing] = OrderedDict()
        self._on_its_way: list[tuple[Receipt, int]] = []

    def open(self, now_ns: int) -> None:
        """Begin to send: first the latest of every retained topic, as far as it is still valid."""
        self._is_open = True
        self._on_its_way.clear()
        self._waiting.clear()
        for topic, (stored_ns, message) in list(self._state.items()):
            if message.expiry_s is None:
                self._waiting[topic] = message
                continue
            left_s = message.expiry_s - (now_ns - stored_ns) // NS
            if left_s > 0:
                self._waiting[topic] = message._replace(expiry_s=left_s)
            else:
                del self._state[topic]
        self.pump()

    def close(self) -> None:
        """Stop sending; the background that still waits is void, retained state is kept."""
        self._is_open = False
        self._on_its_way.clear()
        self._waiting.clear()

    def put(self, delivery: Delivery, payload: bytes, now_ns: int) -> None:
        """Send a message, let it wait behind others of its kind, or drop and count it."""
        message = Outgoing(
            delivery.topic,
            payload,
            delivery.qos,
            delivery.is_retained,
            delivery.expiry_s,
            delivery.correlation,
        )
        if message.is_retained:
            self._state[message.topic] = (now_ns, message)
        if not self._is_open:
            if not message.is_retained:
                self._drop(message)
            return
        if message.is_retained or (message.qos == 0 and message.topic != self._heartbeat):
            if message.topic in self._waiting:
                self._count("mqtt.superseded")
            self._waiting[message.topic] = message
        elif self._send(message) is None:
            self._drop(message)
        self.pump()

    def pump(self) -> None:
        """Send of the background what there is room for."""
        if not self._is_open:
            return
        self._on_its_way = [row for row in self._on_its_way if not row[0].is_done()]
        used_bytes = sum(n_bytes for _, n_bytes in self._on_its_way)
        while self._waiting and used_bytes < WINDOW_BYTES:
            topic, message = self._waiting.popitem(last=False)
            receipt = self._send(message)
            if receipt is None:
                if message.is_retained and topic in self._state:
                    self._waiting[topic] = message
                else:
                    self._drop(message)
                return
            self._on_its_way.append((receipt, len(message.payload)))
            used_bytes += len(message.payload)

    def _drop(self, message: Outgoing) -> None:
        self._count("mqtt.dropped" if message.qos else "mqtt.telemetry_dropped")
