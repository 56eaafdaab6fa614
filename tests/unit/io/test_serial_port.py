"""A port is read as its bytes come; its loss is told, and it is opened again."""

import os
import queue
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from throwin.contract.fieldfile import PortSection
from throwin.event import Bytes, Event, PortState
from throwin.io.serial_port import SerialReader

WAIT_S = 10.0


class Line:
    """A pseudo-terminal whose name stays, as that of an adapter does."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tty"
        self.master = -1
        self.plug_in()

    def plug_in(self) -> None:
        """Make a new terminal under the old name."""
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)

    def unplug(self) -> None:
        """Pull it."""
        os.close(self.master)
        self.path.unlink(missing_ok=True)
        self.master = -1


class Reading:
    """A reader with its events."""

    def __init__(self, device: Path) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        section = PortSection(name="gateway", device=str(device), format="nmea")
        self.reader = SerialReader(section, self.events.put, clock_ns=lambda: 42)
        self.reader.start()

    def next(self) -> Event:
        """Give the next event."""
        return self.events.get(timeout=WAIT_S)

    def state(self) -> PortState:
        """Give the next event, a state."""
        event = self.next()
        assert isinstance(event, PortState)
        return event

    def data(self, size: int) -> bytes:
        """Give bytes until there are so many."""
        got = b""
        while len(got) < size:
            event = self.next()
            assert isinstance(event, Bytes)
            got += event.data
        return got


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    line = Line(tmp_path)
    yield line
    if line.master >= 0:
        os.close(line.master)


@pytest.fixture
def reading(line: Line) -> Iterator[Reading]:
    reading = Reading(line.path)
    yield reading
    reading.reader.stop()


def test_opened_port_is_told(reading: Reading) -> None:
    """Opened port is told."""
    assert reading.state().is_open


def test_bytes_come_as_they_are(reading: Reading, line: Line) -> None:
    """Bytes come as they are."""
    reading.state()
    os.write(line.master, bytes(range(256)))
    assert reading.data(256) == bytes(range(256))


def test_bytes_are_stamped_with_the_clock(reading: Reading, line: Line) -> None:
    """Bytes are stamped with the clock."""
    reading.state()
    os.write(line.master, b"x")
    assert reading.next() == Bytes("gateway", 42, b"x")


def test_pulled_port_is_told_in_words(reading: Reading, line: Line) -> None:
    """Pulled port is told in words."""
    reading.state()
    line.unplug()
    assert reading.state().detail == f"{line.path} was unplugged"


def test_port_plugged_in_again_is_opened_again(reading: Reading, line: Line) -> None:
    """Port plugged in again is opened again."""
    reading.state()
    line.unplug()
    reading.state()
    line.plug_in()
    states = [reading.state().is_open]
    while not states[-1]:
        states.append(reading.state().is_open)
    os.write(line.master, b"again")
    assert reading.data(5) == b"again"


def test_port_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    """Port that is not there is told once."""
    reading = Reading(tmp_path / "nothing")
    state = reading.state()
    with pytest.raises(queue.Empty):
        reading.events.get(timeout=1.5)
    reading.reader.stop()
    assert state.detail == f"{tmp_path / 'nothing'} is not there: is it plugged in?"


def test_port_that_another_holds_is_busy(reading: Reading, line: Line) -> None:
    """Port that another holds is busy."""
    reading.state()
    second = Reading(line.path)
    state = second.state()
    second.reader.stop()
    assert state.detail.startswith("busy: another program holds")


def test_stopped_reader_has_closed_its_port(line: Line) -> None:
    """Stopped reader has closed its port."""
    first = Reading(line.path)
    first.state()
    first.reader.stop()
    second = Reading(line.path)
    is_open = second.state().is_open
    second.reader.stop()
    assert is_open


def test_url_is_read_too() -> None:
    """Url is read too."""
    section = PortSection(name="loop", device="loop://", format="nmea")
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    reader = SerialReader(section, events.put)
    reader.start()
    state = events.get(timeout=WAIT_S)
    reader.stop()
    assert isinstance(state, PortState)
    assert state.is_open
