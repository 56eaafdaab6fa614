"""One MQTT 5 connection that lives as long as its owner. The one user of paho.

It comes back by itself, says in words what is wrong, and keeps nothing that would be late: what is
published while it is down is not taken, what was on its way when it broke is not sent again.

What of paho it may not rely on: an exception in a callback ends paho's thread while is_connected()
stays true and publish() says success; publish() without a connection queues, and sends later. So
callbacks are guarded, the state is our own, and a thread of ours watches paho's.

Locks: paho may hold one of its own around any callback, and publish() takes it; so no callback
waits for our lock. It leaves what happened to the watching thread, which tells the owner.
"""

import contextlib
import queue
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from throwin.contract.fieldfile import BrokerSection

KEEPALIVE_S = 3
RETRY_S = (1, 2)  # least and most; the library's own most is two minutes
CONNECT_TIMEOUT_S = 2.0
WATCH_S = 0.25
MAX_INFLIGHT = 20  # QoS 1 messages on their way at once: what mosquitto takes by default
MAX_QUEUED = 200
MAX_PACKET_BYTES = 65_536  # of what is sent to us; a broker keeps larger ones from us
BRIEF_S, BRIEF_TIMES = 5.0, 3  # connections that break so soon, so often: two clients, one id
NO_SUBSCRIBERS = 0x10  # PUBACK: nobody at all listens
# The kernel keeps what was sent and is not confirmed, so it comes late when a dead link revives.
USER_TIMEOUT_MS = 4_000  # the longest that it may do so before it gives the connection up
UNSENT_BYTES = 16_384  # the most that it takes ahead of what the link carries
SOCKET_OPTIONS = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 3),  # s
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 1),  # s
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", USER_TIMEOUT_MS),
    (socket.IPPROTO_TCP, "TCP_NOTSENT_LOWAT", UNSENT_BYTES),
)


class Received(NamedTuple):
    """One message that came; reply_to and correlation are what MQTT 5 gives a request."""

    topic: str
    payload: bytes
    is_retained: bool = False
    reply_to: str = ""
    correlation: bytes = b""
    expiry_s: int | None = None


class Will(NamedTuple):
    """What is retained while it is up and, as its last will, once it is not."""

    topic: str
    up: bytes
    down: bytes


class _Change(NamedTuple):
    client: mqtt.Client
    is_up: bool
    why: str


class Receipt:
    """For a message that was handed over."""

    __slots__ = ("_info",)

    def __init__(self, info: mqtt.MQTTMessageInfo) -> None:
        self._info = info

    def is_done(self) -> bool:
        """Tell whether it has left (QoS 0), was confirmed (QoS 1), or was given up."""
        try:
            return self._info.is_published()
        except (ValueError, RuntimeError):  # given up
            return True


class Connection:
    """One client, replaced only when it is beyond repair.

    on_message is called on the network's thread. on_state gets whether it is up, and why, once a
    change; on_room is called when something has left, and now and then; find_fault says why the
    connection is dead although it claims to live, "" = it is well. Those three are called under
    lock, and so is whatever must not come between them. Nothing that they raise goes further.
    Raises OSError when the password file can't be read, ValueError for an empty host.
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
        on_room: Callable[[], None] = lambda: None,
        find_fault: Callable[[], str] = lambda: "",
    ) -> None:
        self.lock = threading.RLock()
        self.address = f"{broker.host}:{broker.port}"
        self._broker = broker
        self._password = _password(broker)
        self._client_id = client_id
        self._will = will
        self._topics = list(topics)
        self._on_message = on_message
        self._on_state = on_state
        self._on_room = on_room
        self._find_fault = find_fault
        self._client: mqtt.Client | None = None
        self._network: threading.Thread | None = None
        self._up_since_s = 0.0
        self._n_brief = 0
        self._is_up = threading.Event()
        self._told: tuple[bool, str] | None = None
        self._is_refused = False
        self._changes: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._watcher = threading.Thread(target=self._watch, name="mqtt-watch", daemon=True)
        self._expiry: dict[int, Properties] = {}
        self._counts: Counter[str] = Counter()
        self._count_lock = threading.Lock()

    @property
    def is_up(self) -> bool:
        """Say whether it is connected, as far as it knows."""
        return self._is_up.is_set()

    def wait_up(self, timeout_s: float) -> bool:
        """Wait until it is connected; False when it is not by then."""
        return self._is_up.wait(timeout_s)

    def count(self, name: str) -> None:
        """Add one to a counter."""
        with self._count_lock:
            self._counts[name] += 1

    def counters(self) -> dict[str, int]:
        """Give what has been counted; what never happened is not in it."""
        with self._count_lock:
            return dict(self._counts)

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        self._begin()
        self._watcher.start()

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
    ) -> Receipt | None:
        """Hand over one message, without waiting; None when there is no connection, or no room."""
        with self.lock:
            client = self._client
            if client is None or not self._is_up.is_set():
                return None
            if correlation or reply_to:
                properties: Properties | None = _request(expiry_s, correlation, reply_to)
            else:
                properties = self._expiring(expiry_s)
            try:
                info = client.publish(topic, payload, qos, is_retained, properties)
            except (ValueError, OSError):  # of a topic that can be none
                self.count("mqtt.bad_topic")
                return None
        return Receipt(info) if info.rc == MQTTErrorCode.MQTT_ERR_SUCCESS else None

    def stop(self, timeout_s: float = 2.0) -> None:
        """Say that it goes down, and go; what does not end in time is left behind."""
        if self._watcher.is_alive():
            self._changes.put(None)
            self._watcher.join(timeout_s)
        with self.lock:
            client, self._client = self._client, None
            was_up = self._is_up.is_set()
            self._is_up.clear()
        if client is None:
            return
        if self._will is not None and was_up:
            sent = client.publish(self._will.topic, self._will.down, qos=1, retain=True)
            with contextlib.suppress(ValueError, RuntimeError):
                sent.wait_for_publish(timeout_s)
        client.disconnect()
        ender = threading.Thread(target=client.loop_stop, name="mqtt-stop", daemon=True)
        ender.start()
        ender.join(timeout_s)

    def _expiring(self, expiry_s: int | None) -> Properties | None:
        if expiry_s is None:
            return None
        properties = self._expiry.get(expiry_s)
        if properties is None:  # making one takes paho longer than sending
            properties = self._expiry[expiry_s] = _request(expiry_s, b"", "")
        return properties

    def _begin(self) -> None:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            protocol=MQTTProtocolVersion.MQTTv5,
        )
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_queued_messages_set(MAX_QUEUED)
        client.max_inflight_messages_set(MAX_INFLIGHT)
        client.reconnect_delay_set(*RETRY_S)
        client.on_socket_open = self._guard(_opened)
        client.on_connect = self._guard(self._connected)
        client.on_connect_fail = self._guard(self._failed)
        client.on_disconnect = self._guard(self._disconnected)
        client.on_subscribe = self._guard(self._subscribed)
        client.on_publish = self._guard(self._published)
        client.on_message = self._guard(self._received)
        if self._will is not None:
            client.will_set(self._will.topic, self._will.down, qos=1, retain=True)
        if self._broker.user is not None:
            client.username_pw_set(self._broker.user, self._password)
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 0
        properties.MaximumPacketSize = MAX_PACKET_BYTES
        client.connect_async(
            self._broker.host,
            self._broker.port,
            keepalive=KEEPALIVE_S,
            clean_start=True,
            properties=properties,
        )
        self._client = client
        client.loop_start()
        self._network = client._thread  # noqa: SLF001 - paho has no other way to tell

    def _guard(self, call: Callable[..., None]) -> Callable[..., None]:
        """Make a callback that lets nothing through, nor anything of a client that is given up."""

        def guarded(client: mqtt.Client, *rest: object) -> None:
            if client is self._client:
                self._supervise(call, client, *rest)

        return guarded

    def _supervise(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            call(*arguments)
        except Exception:  # noqa: BLE001 - in paho's thread it would end the thread, unseen
            self.count("mqtt.callback_faults")

    def _watch(self) -> None:
        while True:
            try:
                change = self._changes.get(timeout=WATCH_S)
            except queue.Empty:
                self._supervise(self._look)
                continue
            if change is None:
                return
            if change.client is self._client:
                self._tell(change.why, is_up=change.is_up)

    def _look(self) -> None:
        """Replace a client that is dead in truth; else let go on what waits."""
        if self._network is None or not self._network.is_alive():
            self._replace("the network thread ended")
            return
        fault = ""
        with self.lock:
            if self.is_up:
                fault = self._find_fault()
                self._on_room()
        if fault:
            self._replace(fault)

    def _replace(self, fault: str) -> None:
        """Begin anew with a client that holds nothing of before."""
        self.count("mqtt.restarts")
        with self.lock:
            old, self._client = self._client, None
            self._tell(f"{fault}: connecting anew", is_up=False)
        if old is not None:
            sock = old.socket()
            if isinstance(sock, socket.socket):
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            old.disconnect()
        self._begin()

    def _tell(self, why: str, *, is_up: bool) -> None:
        with self.lock:
            if self._told == (is_up, why):
                return
            self._told = (is_up, why)
            if is_up:
                self._is_up.set()
            else:
                self._is_up.clear()
            self._supervise(self._on_state, is_up, why)

    def _connected(
        self, client: mqtt.Client, _userdata: object, _flags: object, reason: ReasonCode, _: object
    ) -> None:
        self._is_refused = reason.is_failure
        if self._is_refused:
            self._changes.put(_Change(client, False, f"{self.address} refused: {reason}"))
            return
        # What was not confirmed when the connection broke would be sent again, late.
        for _message in client.drop_out_messages():
            self.count("mqtt.unconfirmed")
        client.subscribe(self._topics)
        if self._will is not None:
            client.publish(self._will.topic, self._will.up, qos=1, retain=True)
        self._up_since_s = time.monotonic()

    def _failed(self, client: mqtt.Client, _userdata: object) -> None:
        error = sys.exc_info()[1]  # paho calls this while it handles it, and does not pass it on
        self._changes.put(_Change(client, False, f"no broker at {self.address}: {error}"))

    def _disconnected(
        self,
        client: mqtt.Client,
        _userdata: object,
        _flags: object,
        reason: ReasonCode,
        _: object,
    ) -> None:
        if self._is_refused:  # and told
            return
        is_brief = time.monotonic() - self._up_since_s < BRIEF_S
        self._n_brief = self._n_brief + 1 if is_brief else 0
        words = str(reason)
        if words == "Session taken over" or self._n_brief >= BRIEF_TIMES:
            # mosquitto 2.0.11 closes the connection of the first without the reason code.
            words = f"another client seems to have our id {self._client_id}"
        elif words == "Unspecified error":
            words = "the connection broke"
        self._changes.put(_Change(client, False, f"lost {self.address}: {words}"))

    def _subscribed(
        self,
        client: mqtt.Client,
        _userdata: object,
        _mid: int,
        reasons: list[ReasonCode],
        _: object,
    ) -> None:
        """Only now it is up: what others publish from here on is heard."""
        words = f"connected to {self.address}"
        refused = [
            f"{topic} ({reason})"
            for (topic, _qos), reason in zip(self._topics, reasons, strict=False)
            if reason.is_failure
        ]
        if refused:
            self.count("mqtt.refused_subscription")
            words += f", which lets us not hear {', '.join(refused)}"
        self._changes.put(_Change(client, True, words))

    def _published(
        self, _client: mqtt.Client, _userdata: object, _mid: int, reason: ReasonCode, _: object
    ) -> None:
        if reason.value == NO_SUBSCRIBERS:
            self.count("mqtt.unheard")
        elif reason.is_failure:
            self.count("mqtt.refused_publish")
        if self.lock.acquire(blocking=False):
            try:
                self._on_room()
            finally:
                self.lock.release()

    def _received(self, _client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
        properties: Any = message.properties
        self._on_message(
            Received(
                topic=message.topic,
                payload=bytes(message.payload),
                is_retained=message.retain,
                reply_to=getattr(properties, "ResponseTopic", ""),
                correlation=getattr(properties, "CorrelationData", b""),
                expiry_s=getattr(properties, "MessageExpiryInterval", None),
            )
        )


def _opened(_client: mqtt.Client, _userdata: object, sock: socket.socket) -> None:
    """Send at once, notice a dead peer, queue little: as far as this platform has the options."""
    for level, name, value in SOCKET_OPTIONS:
        option = getattr(socket, name, None)
        if option is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(level, option, value)


def _password(broker: BrokerSection) -> str | None:
    """Read the password; raises OSError of the file that the field file names."""
    if broker.password_file is None:
        return None
    return Path(broker.password_file).read_text("utf-8").strip()


def _properties(packet: int) -> Properties:
    make: Any = Properties  # it has no types of its own
    made: Properties = make(packet)
    return made


def _request(expiry_s: int | None, correlation: bytes, reply_to: str) -> Properties:
    properties = _properties(PacketTypes.PUBLISH)
    if expiry_s is not None:
        properties.MessageExpiryInterval = expiry_s
    if correlation:
        properties.CorrelationData = correlation
    if reply_to:
        properties.ResponseTopic = reply_to
    return properties
