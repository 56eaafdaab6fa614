"""For the tests of the outside: a real broker, and a client that hears everything."""

import queue
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from throwin.contract.fieldfile import BrokerSection
from throwin.io.broker import ChildBroker
from throwin.io.connection import Connection, Received

WAIT_S = 10.0


class Ear:
    """A client that subscribes to everything, and can speak."""

    def __init__(self, broker: ChildBroker, name: str = "ear") -> None:
        self.heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
        self.connection = Connection(
            broker=BrokerSection(host=broker.host, port=broker.port),
            client_id=name,
            will=None,
            topics=[("#", 1)],
            on_message=self.heard.put,
            on_state=lambda is_up, why: None,
        )
        self.connection.start()
        assert self.connection.wait_up(WAIT_S)

    def until(self, is_it: Callable[[Received], bool]) -> Received:
        """Give the first message that is meant; those before it are passed over."""
        while True:
            message = self.heard.get(timeout=WAIT_S)
            if is_it(message):
                return message


@pytest.fixture(params=["mosquitto", "iotcore"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChildBroker]:
    """Give each kind of broker that the demo may find."""
    if (
        request.param == "mosquitto"
        and shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None
    ):
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path, only=request.param) as broker:
        yield broker


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[ChildBroker]:
    """Give a mosquitto."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path, only="mosquitto") as broker:
        yield broker


@pytest.fixture
def ear(broker: ChildBroker) -> Iterator[Ear]:
    """Give a client that hears everything on the broker."""
    ear = Ear(broker)
    yield ear
    ear.connection.stop()
