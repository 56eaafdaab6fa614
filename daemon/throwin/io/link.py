"""The daemon's side of MQTT: commands, acks and receivers in; messages out.

State is kept and published again at every connect; nothing that has a time to be played is kept
while the broker is away. A connection that looks alive but brings back no heartbeat is begun anew.
"""

import socket
import threading
import time
from collections.abc import Callable

from throwin.contract import topic as topics
from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import (
    Answer,
    PayloadError,
    decode_ack,
    decode_command,
    encode,
    rfc3339,
)
from throwin.contract.topic import Delivery
from throwin.event import Ack, BrokerState, Command, Event, ReceiverState, Verb
from throwin.io.connection import Connection, Received, Will

ECHO_NS = 3_000_000_000  # own heartbeats come back at 2 Hz; none for so long: the link is dead
CHECK_S = 0.5
ONLINE, OFFLINE = b"online", b"offline"


class Link:
    """The daemon's link to the broker of one field; emit takes its events, from its threads."""

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
        self._emit = emit
        self._clock_ns = clock_ns
        self._root = topics.root(field)
        self._hb = topics.heartbeat(field)
        self._state: dict[str, tuple[Delivery, bytes]] = {}
        self._echo_ns = time.monotonic_ns()
        self._has_beaten = False
        self._stopping = threading.Event()
        self._counters: dict[str, int] = {}
        self._connection = Connection(
            broker=broker,
            client_id=f"throwin-{field}-daemon-{socket.gethostname()}",
            will=Will(topics.availability(field), ONLINE, OFFLINE),
            topics=[
                (f"{self._root}/cmd/+", 1),
                (f"{self._root}/umpires/+/ack", 1),
                (f"{self._root}/umpires/+/receivers/+", 1),
                (self._hb, 0),
            ],
            on_message=self._received,
            on_state=self._state_changed,
        )
        self._watch = threading.Thread(target=self._watch_echo, name="link-watch", daemon=True)

    def start(self) -> None:
        """Start connecting; an absent broker is tried again and again."""
        self._connection.start()
        self._watch.start()

    def publish(self, delivery: Delivery, payload: bytes, *, correlation: str = "") -> None:
        """Send one message at once, or drop it; state is kept for the next connect.

        correlation: hex, of the request that this answers.
        """
        if delivery.is_retained:
            self._state[delivery.topic] = (delivery, payload)
        self._has_beaten = self._has_beaten or delivery.topic == self._hb
        is_sent = self._connection.publish(
            delivery.topic,
            payload,
            qos=delivery.qos,
            is_retained=delivery.is_retained,
            expiry_s=delivery.expiry_s,
            correlation=bytes.fromhex(correlation),
        )
        if not is_sent and not delivery.is_retained:
            self._count("mqtt.dropped")

    def stop(self, timeout_s: float = 2.0) -> None:
        """Say offline, and go."""
        self._stopping.set()
        if self._watch.is_alive():
            self._watch.join(timeout_s)
        self._connection.stop(timeout_s)

    def counters(self) -> dict[str, int]:
        """Give what has been counted."""
        faults = self._connection.callback_faults
        return {**self._counters, **({"mqtt.callback_faults": faults} if faults else {})}

    def _count(self, name: str) -> None:
        self._counters[name] = self._counters.get(name, 0) + 1

    def _state_changed(self, is_up: bool, detail: str) -> None:  # noqa: FBT001 - as Connection calls it
        self._echo_ns = time.monotonic_ns()
        if is_up:
            for delivery, payload in list(self._state.values()):
                self._connection.publish(
                    delivery.topic,
                    payload,
                    qos=delivery.qos,
                    is_retained=True,
                    expiry_s=delivery.expiry_s,
                )
        self._emit(BrokerState(self._clock_ns(), is_connected=is_up, detail=detail))

    def _watch_echo(self) -> None:
        while not self._stopping.wait(CHECK_S):
            if not self._connection.is_up or not self._has_beaten:
                continue
            silent_ns = time.monotonic_ns() - self._echo_ns
            if silent_ns > ECHO_NS or not self._connection.is_alive():
                self._count("mqtt.restarts")
                why = "no heartbeat comes back: connecting anew"
                self._emit(BrokerState(self._clock_ns(), is_connected=False, detail=why))
                self._echo_ns = time.monotonic_ns()
                self._connection.restart()

    def _received(self, message: Received) -> None:
        if message.topic == self._hb:
            self._echo_ns = time.monotonic_ns()
            return
        parts = message.topic.removeprefix(f"{self._root}/").split("/")
        match parts:
            case ["cmd", verb]:
                self._command(verb, message)
            case ["umpires", umpire, "ack"]:
                self._ack(umpire, message)
            case ["umpires", umpire, "receivers", name]:
                is_online = message.payload == ONLINE
                self._emit(ReceiverState(self._clock_ns(), umpire, name, is_online=is_online))
            case _:
                self._count("mqtt.unknown_topic")

    def _command(self, verb: str, message: Received) -> None:
        if message.is_retained:
            self._count("mqtt.retained_command")  # an old order is no order
            return
        try:
            command = decode_command(message.payload)
            known = Verb(verb)
        except PayloadError as error:
            self._refuse(message, str(error))
        except ValueError:
            verbs = ", ".join(verb.value for verb in Verb)
            self._refuse(message, f"expected one of {verbs}; got {verb!r}")
        else:
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
        if is_ours and not reply_to.startswith(f"{self._root}/answers/"):
            self._count("mqtt.bad_reply_topic")
            return ""
        return reply_to if not set(reply_to) & {"#", "+", "\0"} else ""

    def _refuse(self, message: Received, reason: str) -> None:
        """Answer what is no command; the engine never hears of it."""
        self._count("mqtt.refused_command")
        reply_to = self._reply_topic(message)
        if not reply_to:
            return
        answer = Answer(
            id=f"{self._boot}-refused-{self._counters['mqtt.refused_command']}",
            boot=self._boot,
            seq=self._counters["mqtt.refused_command"],
            t=rfc3339(time.time_ns()),
            clk="free",
            mono_ms=self._clock_ns() / 1e6,
            command_id="",
            ok=False,
            reason=reason,
            phase="",
            reply_to=reply_to,
            correlation=message.correlation.hex(),
        )
        delivery = topics.deliver(self._field, answer)
        self.publish(delivery, encode(answer), correlation=answer.correlation)

    def _ack(self, umpire: str, message: Received) -> None:
        try:
            ack = decode_ack(message.payload)
        except PayloadError:
            self._count("mqtt.bad_ack")
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
