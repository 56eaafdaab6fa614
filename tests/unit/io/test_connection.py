"""What a connection does that no broker at hand can be made to ask for."""

import queue
import socket
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from tests.unit.io.conftest import WAIT_S, Ear

from throwin.contract.fieldfile import BrokerSection
from throwin.io import connection as connection_module
from throwin.io.broker import ChildBroker
from throwin.io.connection import Connection, Receipt


class Owner:
    """A connection with the states that it tells."""

    def __init__(self, port: int = 1, **broker: str) -> None:
        self.states: queue.SimpleQueue[tuple[bool, str]] = queue.SimpleQueue()
        self.connection = Connection(
            broker=BrokerSection(port=port, **broker),
            client_id="owner",
            will=None,
            topics=[("cmd/+", 1), ("hb", 0)],
            on_message=lambda message: None,
            on_state=lambda is_up, why: self.states.put((is_up, why)),
        )


def test_subscription_that_is_refused_is_told_by_its_topic(mosquitto: ChildBroker) -> None:
    """A daemon that can't hear commands does not look well."""
    owner = Owner(mosquitto.port)
    owner.connection.start()
    owner.states.get(timeout=WAIT_S)
    client = owner.connection._client
    refused = ReasonCode(PacketTypes.SUBACK, "Not authorized")
    granted = ReasonCode(PacketTypes.SUBACK, "Granted QoS 0")
    assert client is not None
    owner.connection._subscribed(client, None, 1, [refused, granted], None)
    state = owner.states.get(timeout=WAIT_S)
    owner.connection.stop()
    assert state == (
        True,
        f"connected to 127.0.0.1:{mosquitto.port}, which lets us not hear cmd/+ (Not authorized)",
    )


def test_password_of_a_file_is_taken_without_its_line_end(tmp_path: Path) -> None:
    """Editors end a file with a line end."""
    (tmp_path / "password").write_text("pass word\r\n")
    owner = Owner(user="u", password_file=str(tmp_path / "password"))
    assert owner.connection._password == "pass word"  # noqa: S105 - a test's


@pytest.mark.parametrize(
    "code", [MQTTErrorCode.MQTT_ERR_QUEUE_SIZE, MQTTErrorCode.MQTT_ERR_CONN_LOST]
)
def test_message_that_was_given_up_holds_no_room(code: MQTTErrorCode) -> None:
    """Else the background would wait for it for ever."""
    info = mqtt.MQTTMessageInfo(1)
    info.rc = code
    assert Receipt(info).is_done()


def test_message_on_its_way_holds_its_room() -> None:
    """It has neither left nor been given up."""
    assert not Receipt(mqtt.MQTTMessageInfo(1)).is_done()


def test_socket_that_was_opened_sends_at_once_and_queues_little(broker: ChildBroker) -> None:
    """Without these a cue takes 68 ms in place of 1, and a dead link holds it for minutes."""
    with socket.create_connection((broker.host, broker.port)) as sock:
        client = mqtt.Client(CallbackAPIVersion.VERSION2)
        connection_module._opened(client, None, sock)
        found = [
            sock.getsockopt(level, getattr(socket, name))
            for level, name, _ in connection_module.SOCKET_OPTIONS
        ]
    assert found == [value for _, _, value in connection_module.SOCKET_OPTIONS]


def test_connection_that_was_never_started_stops(broker: ChildBroker) -> None:
    """A service whose start failed half-way can clean up."""
    owner = Owner(broker.port)
    owner.connection.stop()
    assert not owner.connection.is_up


def test_message_without_a_connection_is_not_taken() -> None:
    """The library would keep it and send it later."""
    assert Owner().connection.publish("a", b"x", qos=1) is None


def test_message_to_a_topic_that_can_be_none_is_not_taken(broker: ChildBroker) -> None:
    """It is counted, not raised."""
    ear = Ear(broker)
    receipt = ear.connection.publish("a/#", b"x", qos=1)
    ear.connection.stop()
    assert (receipt, ear.connection.counters()["mqtt.bad_topic"]) == (None, 1)
