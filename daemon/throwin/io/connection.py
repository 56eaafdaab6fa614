"""One MQTT 5 connection that lives as long as its owner. The one user of paho.

It comes back by itself, says in words what is wrong, and keeps nothing that would be late: what is
published while it is down is dropped, and what was on its way when it broke is not sent again.
"""

import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from throwin.contract.fieldfile import BrokerSection

KEEPALIVE_S = 3
RETRY_S = (1, 2)  # least and most; the library's own most is two minutes
QUEUE_MAX = 200


class Received(NamedTuple):
    """One message that came; reply_to and correlation are what MQTT 5 gives a request."""

    topic: str
    payload: bytes
    is_retained: bool
    reply_to: str
    correlation: bytes
    expiry_s: int | None


class Will(NamedTuple):
    """What is retained while it is up and, as its last will, once it is not."""

    topic: str
    up: bytes
    down: bytes


class Connection:
    """One client for life.

    on_message and on_state are called on the network's thread; what they raise is counted, never
    let through. on_state gets whether it is up, and why.
    """

    def __init__(
        self,
        *,
        broker: BrokerSection,
        client_id: str,
        will: Will | None,
        topics: Sequence[tuple[str, int]],
        on_message: Callable[[Received], None],
        on_state: Callable[[bool, str], None],
    ) -> None:
        self._broker = broker
        self._will = will
        self._topics = tuple(topics)
        self._on_message = on_message
        self._on_state = on_state
        self._is_up = threading.Event()
        self._told = ""
        self._expiry: dict[int, Properties] = {}
        self.callback_faults = 0
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=mqtt.MQTTv5)
        client.max_queued_messages_set(QUEUE_MAX)
        client.max_inflight_messages_set(0)
        client.reconnect_delay_set(*RETRY_S)
        client.on_socket_open = _no_delay
        client.on_connect = self._connected
        client.on_connect_fail = self._failed
        client.on_disconnect = self._disconnected
        client.on_message = self._received
        if will is not None:
            client.will_set(will.topic, will.down, qos=1, retain=True)
        if broker.user is not None:
            client.username_pw_set(broker.user, _password(broker))
        self._client = client

    @property
    def is_up(self) -> bool:
        """Say whether it is connected, as far as it knows."""
        return self._is_up.is_set()

    def wait_up(self, timeout_s: float) -> bool:
        """Wait until it is connected; False when it is not by then."""
        return self._is_up.wait(timeout_s)

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 0
        self._client.connect_async(
            self._broker.host,
            self._broker.port,
            keepalive=KEEPALIVE_S,
            clean_start=True,
            properties=properties,
        )
        self._client.loop_start()

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        is_retained: bool = False,
        expiry_s: int | None = None,
        correlation: bytes = b"",
        reply_to: str = "",
    ) -> bool:
        """Hand over one message; False when there is no connection, or no room."""
        if not self._is_up.is_set():
            return False
        properties = None
        if correlation or reply_to:
            properties = _properties(PacketTypes.PUBLISH)
            if expiry_s is not None:
                properties.MessageExpiryInterval = expiry_s
            if correlation:
                properties.CorrelationData = correlation
            if reply_to:
                properties.ResponseTopic = reply_to
        elif expiry_s is not None:
            properties = self._expiring(expiry_s)
        sent = self._client.publish(
            topic, payload, qos=qos, retain=is_retained, properties=properties
        )
        return sent.rc == mqtt.MQTT_ERR_SUCCESS

    def is_alive(self) -> bool:
        """Say whether the network's thread still runs."""
        thread = self._client._thread  # noqa: SLF001 - paho has no other way to tell
        return thread is not None and thread.is_alive()

    def restart(self) -> None:
        """Begin anew on a connection that looks alive and is not."""
        self._is_up.clear()
        self._client.loop_stop()
        self.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """Say that it goes down, and go."""
        if self._will is not None and self.is_up:
            sent = self._client.publish(self._will.topic, self._will.down, qos=1, retain=True)
            sent.wait_for_publish(timeout_s)
        self._is_up.clear()
        self._client.disconnect()
        self._client.loop_stop()

    def _expiring(self, expiry_s: int) -> Properties:
        properties = self._expiry.get(expiry_s)
        if properties is None:
            properties = _properties(PacketTypes.PUBLISH)
            properties.MessageExpiryInterval = expiry_s
            self._expiry[expiry_s] = properties
        return properties

    def _tell(self, why: str, *, is_up: bool) -> None:
        if why == self._told:
            return
        self._told = why
        self._guard(lambda: self._on_state(is_up, why))

    def _guard(self, call: Callable[[], None]) -> None:
        """Call without letting anything through: what a callback raises ends paho's thread."""
        try:
            call()
        except Exception:  # noqa: BLE001 - see above
            self.callback_faults += 1

    def _connected(
        self,
        client: mqtt.Client,
        _userdata: object,
        _flags: object,
        reason: ReasonCode,
        _properties: object,
    ) -> None:
        where = f"{self._broker.host}:{self._broker.port}"
        if reason.is_failure:
            self._tell(f"{where} refused: {reason}", is_up=False)
            return
        client.drop_out_messages()
        for topic, qos in self._topics:
            client.subscribe(topic, qos)
        if self._will is not None:
            client.publish(self._will.topic, self._will.up, qos=1, retain=True)
        self._is_up.set()
        self._tell(f"connected to {where}", is_up=True)

    def _failed(self, _client: mqtt.Client, _userdata: object) -> None:
        self._tell(f"no broker at {self._broker.host}:{self._broker.port}", is_up=False)

    def _disconnected(
        self,
        _client: mqtt.Client,
        _userdata: object,
        _flags: object,
        reason: ReasonCode,
        _properties: object,
    ) -> None:
        self._is_up.clear()
        self._tell(f"lost {self._broker.host}:{self._broker.port}: {reason}", is_up=False)

    def _received(self, _client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
        self._guard(lambda: self._on_message(_unpack(message)))


def _unpack(message: mqtt.MQTTMessage) -> Received:
    properties: Any = message.properties
    return Received(
        topic=message.topic,
        payload=bytes(message.payload),
        is_retained=message.retain,
        reply_to=getattr(properties, "ResponseTopic", ""),
        correlation=getattr(properties, "CorrelationData", b""),
        expiry_s=getattr(properties, "MessageExpiryInterval", None),
    )


def _no_delay(_client: mqtt.Client, _userdata: object, sock: Any) -> None:  # noqa: ANN401 - paho's type is a union with its own websocket
    """Send at once, and notice a dead peer: both are off by default."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _password(broker: BrokerSection) -> str | None:
    """Read the password; raises OSError of the file that the field file names."""
    if broker.password_file is None:
        return None
    return Path(broker.password_file).read_text("utf-8").strip()


def _properties(packet: int) -> Properties:
    make: Any = Properties  # it has no types of its own
    made: Properties = make(packet)
    return made
