"""The daemon's and a receiver's side of MQTT: messages out, events in.

State is kept and published again at every connect; nothing that has a time to be played is kept
while the broker is away. A connection that looks alive but brings back no heartbeat is begun anew.
"""

import socket
import time
from collections import deque
from collections.abc import Callable

from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import (
    AckMessage,
    Answer,
    Cue,
    Heartbeat,
    PayloadError,
    decode,
    decode_ack,
    decode_command,
    encode,
    rfc3339,
)
from throwin.contract.topic import Delivery
from throwin.event import Ack, BrokerState, Command, Event, ReceiverState, Verb
from throwin.io.connection import Connection, Receipt, Received, Will
from throwin.io.outbox import Outbox, Outgoing

ECHO_NS = 3_000_000_000  # own heartbeats come back at 2 Hz; none for so long: the link is dead
ACKS_KEPT = 20
ONLINE, OFFLINE = b"online", b"offline"
VERBS = {verb.value: verb for verb in Verb}
NO_TOPIC = frozenset("#+\0")


class Link:
    """The daemon's link to the broker of one field; emit takes its events, from its threads.

    emit must not block. boot: this start's name, in the client's id and in every heartbeat.
    Raises OSError when the broker's password file can't be read.
    """

    def __init__(
        self,
        *,
        broker: BrokerSection,
        field: str,
        boot: str,
        emit: Callable[[Event], None],
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._field = field
        self._boot = boot
        self._boot_mark = f'"boot":"{boot}"'.encode()
        self._emit = emit
        self._clock_ns = clock_ns
        self._root = topics.root(field)
        self._hb = topics.heartbeat(field)
        self._unechoed_ns: int | None = None
        self._n_refused = 0
        self._connection = Connection(
            broker=broker,
            client_id=f"throwin-{field}-daemon-{socket.gethostname()}-{boot}",
            will=Will(topics.availability(field), ONLINE, OFFLINE),
            topics=[
                (topics.command(field, "+"), 1),
                (topics.ack(field, "+"), 1),
                (topics.receiver(field, "+", "+"), 1),
                (self._hb, 0),
            ],
            on_message=self._received,
            on_state=self._state_changed,
            on_room=self._pump,
            find_fault=self._find_fault,
        )
        self._outbox = Outbox(send=self._send, count=self._connection.count, heartbeat=self._hb)

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        self._connection.start()

    def publish(self, delivery: Delivery, payload: bytes) -> None:
        """Send one message, or drop and count it; state is kept for the next connect.

        Never blocks, never raises for the network's sake. Nothing goes to the topic "": that is
        the answer to one who wants none.
        """
        if not delivery.topic:
            return
        with self._connection.lock:
            now_ns = self._clock_ns()
            if delivery.topic == self._hb and self._unechoed_ns is None:
                self._unechoed_ns = now_ns
            self._outbox.put(delivery, payload, now_ns)

    def stop(self, timeout_s: float = 2.0) -> None:
        """Say offline, and go; nothing is emitted any more."""
        self._connection.stop(timeout_s)

    def counters(self) -> dict[str, int]:
        """Give what has been counted; what never happened is not in it."""
        return self._connection.counters()

    def _send(self, message: Outgoing) -> Receipt | None:
        return self._connection.publish(
            message.topic,
            message.payload,
            qos=message.qos,
            is_retained=message.is_retained,
            expiry_s=message.expiry_s,
            correlation=bytes.fromhex(message.correlation),
        )

    def _pump(self) -> None:
        self._outbox.pump()

    def _state_changed(self, is_up: bool, why: str) -> None:  # noqa: FBT001 - as Connection calls it
        now_ns = self._clock_ns()
        self._unechoed_ns = None
        if is_up:
            self._outbox.open(now_ns)
        else:
            self._outbox.close()
        self._emit(BrokerState(now_ns, is_connected=is_up, detail=why))

    def _find_fault(self) -> str:
        since_ns = self._unechoed_ns
        if since_ns is None or self._clock_ns() - since_ns <= ECHO_NS:
            return ""
        return "no heartbeat comes back"

    def _received(self, message: Received) -> None:
        before, _, name = message.topic.partition(f"{self._root}/")
        match [before, *name.split("/")]:
            case ["", "hb"]:
                self._echo(message)
            case ["", "cmd", verb]:
                self._command(verb, message)
            case ["", "umpires", umpire, "ack"]:
                self._ack(umpire, message)
            case ["", "umpires", umpire, "receivers", receiver]:
                self._receiver(umpire, receiver, message)
            case _:
                self._connection.count("mqtt.unknown_topic")

    def _echo(self, message: Received) -> None:
        if self._boot_mark in message.payload:
            self._unechoed_ns = None
        else:
            self._connection.count("mqtt.foreign_heartbeat")

    def _command(self, verb: str, message: Received) -> None:
        if message.is_retained:
            self._connection.count("mqtt.retained_command")  # an old order is no order
            return
        try:
            command = decode_command(message.payload)
        except PayloadError as error:
            self._refuse(message, "", str(error))
            return
        known = VERBS.get(verb)
        if known is None:
            self._refuse(message, command.id, f"expected one of {', '.join(VERBS)}; got {verb!r}")
            return
        self._emit(
            Command(
                t_host_ns=self._clock_ns(),
                id=command.id,
                verb=known,
                args=tuple(sorted(command.args.items())),
                source="mqtt",
                reply_to=self._reply_topic(message),
                correlation=message.correlation.hex(),
            )
        )

    def _reply_topic(self, message: Received) -> str:
        """Give where the answer goes; nobody has the daemon speak on its own topics."""
        reply_to = message.reply_to
        is_ours = reply_to.startswith(f"{self._root}/")
        if NO_TOPIC & set(reply_to) or (
            is_ours and not reply_to.startswith(f"{self._root}/answers/")
        ):
            self._connection.count("mqtt.bad_reply_topic")
            return ""
        return reply_to

    def _refuse(self, message: Received, command_id: str, reason: str) -> None:
        """Answer what is no command; the engine never hears of it."""
        self._connection.count("mqtt.refused_command")
        self._n_refused += 1
        answer = Answer(
            id=f"{self._boot}-refused-{self._n_refused}",
            boot=self._boot,
            seq=self._n_refused,
            t=rfc3339(time.time_ns()),
            clk="free",
            mono_ms=self._clock_ns() / 1e6,
            command_id=command_id,
            ok=False,
            reason=reason,
            phase="",
            reply_to=self._reply_topic(message),
            correlation=message.correlation.hex(),
        )
        self.publish(topics.deliver(self._field, answer), encode(answer))

    def _ack(self, umpire: str, message: Received) -> None:
        try:
            ack = decode_ack(message.payload)
        except PayloadError:
            self._connection.count("mqtt.bad_ack")
            return
        self._emit(
            Ack(
                t_host_ns=self._clock_ns(),
                umpire=umpire,
                receiver=ack.receiver,
                cue_id=ack.cue_id,
                what=ack.what,
                late_ms=ack.late_ms,
            )
        )

    def _receiver(self, umpire: str, name: str, message: Received) -> None:
        if message.payload not in (ONLINE, OFFLINE, b""):  # b"": somebody cleared the topic
            self._connection.count("mqtt.bad_receiver")
            return
        is_online = message.payload == ONLINE
        self._emit(ReceiverState(self._clock_ns(), umpire, name, is_online=is_online))


class ReceiverLink:
    """A receiver's link: hears cues and heartbeats, acknowledges, says that it is there.

    hear: takes the time of arrival and the message; on_link: takes changes of the connection.
    Both are called from other threads and must not block.
    Raises OSError when the broker's password file can't be read.
    """

    def __init__(
        self,
        *,
        broker: BrokerSection,
        field: str,
        umpire: str,
        name: str,
        hear: Callable[[int, Cue | Heartbeat], None],
        on_link: Callable[[BrokerState], None],
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._ack_topic = topics.ack(field, umpire)
        self._hear = hear
        self._on_link = on_link
        self._kept: deque[AckMessage] = deque(maxlen=ACKS_KEPT)
        self._clock_ns = clock_ns
        self._connection = Connection(
            broker=broker,
            # Of two receivers with one name each throws the other out, and is told why.
            client_id=f"throwin-{field}-receiver-{umpire}-{name}",
            will=Will(topics.receiver(field, umpire, name), ONLINE, OFFLINE),
            topics=[(topics.cue(field, umpire), 1), (topics.heartbeat(field), 0)],
            on_message=self._received,
            on_state=self._state_changed,
        )

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        self._connection.start()

    def acknowledge(self, ack: AckMessage) -> None:
        """Send a word on a cue; without a connection it is kept for the next one.

        A cue may come before the connection is known to be up: its answer must not be lost. Of
        many, the newest are kept.
        """
        with self._connection.lock:
            if self._connection.publish(self._ack_topic, encode(ack), qos=1) is None:
                self._kept.append(ack)

    def stop(self, timeout_s: float = 2.0) -> None:
        """Say offline, and go."""
        self._connection.stop(timeout_s)

    def counters(self) -> dict[str, int]:
        """Give what has been counted; what never happened is not in it."""
        return self._connection.counters()

    def _state_changed(self, is_up: bool, why: str) -> None:  # noqa: FBT001 - as Connection calls it
        if is_up:
            kept, self._kept = self._kept, deque(maxlen=ACKS_KEPT)
            for ack in kept:
                self.acknowledge(ack)
        self._on_link(BrokerState(self._clock_ns(), is_connected=is_up, detail=why))

    def _received(self, message: Received) -> None:
        t_host_ns = self._clock_ns()
        if message.is_retained:
            self._connection.count("mqtt.retained_cue")  # whose time is not known
            return
        try:
            heard = decode(message.payload)
        except PayloadError:
            self._connection.count("mqtt.bad_message")
            return
        if isinstance(heard, Cue | Heartbeat):
            self._hear(t_host_ns, heard)
        else:
            self._connection.count("mqtt.unknown_topic")
