"""A broker of one's own starts on the loopback, says which it is, and leaves nothing behind."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.io.conftest import WAIT_S, Ear

import throwin
from throwin.io import broker as broker_module
from throwin.io.broker import BrokerError, ChildBroker, free_port

OWNER = """
import pathlib, sys, time
from throwin.io.broker import ChildBroker
broker = ChildBroker.start(pathlib.Path(sys.argv[1]), only=sys.argv[2])
print(broker.pid, broker.port, flush=True)
time.sleep(600)
"""


def accepts(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 0.5):
            return True
    except OSError:
        return False


def comes_true(fact: Callable[[], bool]) -> bool:
    """Wait for a fact; give whether it came."""
    end_s = time.monotonic() + WAIT_S
    while not fact() and time.monotonic() < end_s:
        time.sleep(0.02)
    return fact()


def test_broker_that_was_started_accepts_at_once(broker: ChildBroker) -> None:
    """Whoever started it can connect without waiting."""
    assert accepts(broker.host, broker.port)


def test_broker_that_was_stopped_accepts_no_more(broker: ChildBroker) -> None:
    """Its port is free again."""
    broker.stop()
    assert not accepts(broker.host, broker.port)


def test_broker_stopped_twice_is_stopped(broker: ChildBroker) -> None:
    """The end of a block after a stop does no harm."""
    broker.stop()
    broker.stop()
    assert not accepts(broker.host, broker.port)


def test_broker_that_was_killed_is_gone(broker: ChildBroker) -> None:
    """As after a power cut."""
    broker.kill()
    assert not accepts(broker.host, broker.port)


def test_broker_at_work_listens_on_the_loopback_alone(broker: ChildBroker) -> None:
    """Nobody else on the network is let in, nor sees a port."""
    port = f":{broker.port:04X}"
    rows = [
        row.split()[1]
        for table in ("tcp", "tcp6")
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if row.split()[3] == "0A" and row.split()[1].endswith(port)
    ]
    assert rows == [f"0100007F{port}"]


def test_mosquitto_at_work_names_its_version(mosquitto: ChildBroker) -> None:
    """The technician sees which one it is."""
    assert mosquitto.kind.startswith("mosquitto 2.")


def test_iotcore_at_work_names_its_version(tmp_path: Path) -> None:
    """The technician sees which one it is."""
    with ChildBroker.start(tmp_path, only="iotcore") as broker:
        kind = broker.kind
    assert kind.startswith("iotcore 0.")


def test_message_through_any_broker_keeps_its_mqtt5_properties(broker: ChildBroker) -> None:
    """Expiry, response topic and correlation pass: what the contract needs of MQTT 5."""
    ear = Ear(broker)
    ear.connection.publish(
        "a/b", b"x", qos=1, expiry_s=60, reply_to="answers/me", correlation=b"\x01\xff"
    )
    got = ear.until(lambda message: message.topic == "a/b")
    ear.connection.stop()
    assert (got.reply_to, got.correlation, got.expiry_s) == ("answers/me", b"\x01\xff", 60)


def test_retained_word_in_any_broker_is_there_for_who_comes_later(broker: ChildBroker) -> None:
    """State is kept."""
    first = Ear(broker, "first")
    first.connection.publish("a/b", b"x", qos=1, is_retained=True)
    first.until(lambda message: message.topic == "a/b")
    second = Ear(broker, "second")
    got = second.until(lambda message: message.topic == "a/b")
    first.connection.stop()
    second.connection.stop()
    assert (got.payload, got.is_retained) == (b"x", True)


@pytest.mark.parametrize("kind", ["mosquitto", "iotcore"])
def test_broker_whose_owner_is_killed_ends(kind: str, tmp_path: Path) -> None:
    """A demo that crashes leaves nothing running."""
    if kind == "mosquitto" and shutil.which(kind, path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path), kind],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(throwin.__file__).parents[1])},
    )
    assert owner.stdout is not None
    port = int(owner.stdout.readline().split()[1])
    was_there = accepts("127.0.0.1", port)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    is_gone = comes_true(lambda: not accepts("127.0.0.1", port))
    assert (was_there, is_gone) == (True, True)


def test_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    """Another program that listens there is not taken for the broker."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BrokerError, match=f"expected port {port} to be free"):
            ChildBroker.start(tmp_path, port=port, only="iotcore")


def test_broker_that_ends_at_once_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why it did not start is not lost."""
    program = "import sys; print('no'); print('out of ink'); sys.exit(4)"
    monkeypatch.setattr(broker_module, "_iotcore", lambda *_: [sys.executable, "-c", program])
    with pytest.raises(BrokerError, match="exit code 4, last words: out of ink; see "):
        ChildBroker.start(tmp_path, only="iotcore")


def test_free_port_lost_to_another_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port that somebody took in between costs a try, not the demo."""
    command_of = broker_module._iotcore
    tries = []

    def make(folder: Path, port: int) -> list[str]:
        tries.append(port)
        if len(tries) == 1:
            return [sys.executable, "-c", "raise SystemExit(1)"]
        return command_of(folder, port)

    monkeypatch.setattr(broker_module, "_iotcore", make)
    with ChildBroker.start(tmp_path, only="iotcore") as broker:
        assert accepts(broker.host, broker.port)


def test_machine_without_any_broker_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to do."""
    monkeypatch.setattr(broker_module, "_find_mosquitto", lambda: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BrokerError, match=r"install mosquitto, or .*throwin\[demo\]"):
        ChildBroker.start(tmp_path)


def test_machine_without_mosquitto_takes_the_embedded_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demo runs where nothing could be installed."""
    monkeypatch.setattr(broker_module, "_find_mosquitto", lambda: None)
    with ChildBroker.start(tmp_path) as broker:
        assert broker.kind.startswith("iotcore")


def test_port_that_is_free_can_be_bound() -> None:
    """What is called free is."""
    with socket.create_server(("127.0.0.1", free_port())) as server:
        assert server.fileno() >= 0
