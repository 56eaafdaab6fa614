"""A port is read as its bytes come; its loss is told, and it is opened again."""

import fcntl
import os
import queue
import socket
import struct
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from throwin.contract.fieldfile import PortSection
from throwin.event import Bytes, Event, PortState
from throwin.io.serial_port import UNSENT_MAX, SerialReader

WAIT_S = 10.0
TIOCGEXCL = 0x80045440  # ioctl_tty(2): is the terminal in exclusive mode; Linux alone has it


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

    def __init__(self, device: Path | str) -> None:
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


def test_url_without_a_file_is_read_and_written(tmp_path: Path) -> None:
    """Url without a file is read and written: loop:// gives back what is written to it."""
    reading = Reading("loop://")
    reading.state()
    reading.reader.write(b"there and back")
    got = reading.data(14)
    reading.reader.stop()
    assert got == b"there and back"


def test_url_is_named_as_it_is() -> None:
    """Url is named as it is."""
    reading = Reading("loop://")
    state = reading.state()
    reading.reader.stop()
    assert state.detail == "opened loop://"


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """Give what a gateway on the network listens with."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT_S)
        yield server


def url_of(server: socket.socket) -> str:
    return f"socket://127.0.0.1:{server.getsockname()[1]}"


def test_socket_is_read_as_it_comes_and_not_byte_by_byte(server: socket.socket) -> None:
    """Socket is read as it comes and not byte by byte."""
    reading = Reading(url_of(server))
    gateway, _ = server.accept()
    reading.state()
    gateway.sendall(b"x" * 48)
    first = reading.next()
    gateway.close()
    reading.reader.stop()
    assert first == Bytes("gateway", 42, b"x" * 48)


def test_socket_that_the_other_end_closes_is_lost_and_opened_again(server: socket.socket) -> None:
    """Socket that the other end closes is lost and opened again."""
    reading = Reading(url_of(server))
    server.accept()[0].close()
    states = [reading.state().is_open for _ in range(3)]
    again, _ = server.accept()
    reading.reader.stop()
    again.close()
    assert states == [True, False, True]


def test_socket_that_nobody_listens_at_is_told_in_words() -> None:
    """Socket that nobody listens at is told in words."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = url_of(server)
    reading = Reading(url)
    state = reading.state()
    reading.reader.stop()
    assert state.detail == f"nobody listens at {url}"


@pytest.mark.parametrize("device", ["/dev/null", __file__, "/dev"])
def test_file_that_is_no_port_is_told_in_words(device: str) -> None:
    """File that is no port is told in words."""
    reading = Reading(device)
    state = reading.state()
    reading.reader.stop()
    assert state.detail == f"{device} is no serial port"


def test_loss_whose_reason_changes_is_told_again(tmp_path: Path) -> None:
    """Loss whose reason changes is told again."""
    path = tmp_path / "tty"
    reading = Reading(path)
    first = reading.state().detail
    path.symlink_to("/dev/null")
    second = reading.state().detail
    reading.reader.stop()
    assert (first, second) == (
        f"{path} is not there: is it plugged in?",
        f"{path} is no serial port",
    )


def test_opened_port_names_the_device_behind_the_link(reading: Reading, line: Line) -> None:
    """Opened port names the device behind the link."""
    assert reading.state().detail == f"opened {os.path.realpath(line.path)}"


def test_bytes_before_the_loss_come_before_it(reading: Reading, line: Line) -> None:
    """Bytes before the loss come before it."""
    reading.state()
    os.write(line.master, b"last words")
    got = reading.data(10)
    line.unplug()
    assert (got, reading.state().is_open) == (b"last words", False)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(chunks=st.lists(st.binary(min_size=1, max_size=2000), min_size=1, max_size=20))
def test_any_bytes_come_whole_and_in_order(line: Line, chunks: list[bytes]) -> None:
    """Any bytes come whole and in order, however they are cut on the way."""
    reading = Reading(line.path)
    reading.state()
    got = b""
    for chunk in chunks:
        os.write(line.master, chunk)
        got += reading.data(len(chunk))
    reading.reader.stop()
    assert got == b"".join(chunks)


def test_written_bytes_go_to_the_device(reading: Reading, line: Line) -> None:
    """Written bytes go to the device."""
    reading.state()
    is_taken = reading.reader.write(b"cue")
    assert (is_taken, os.read(line.master, 10)) == (True, b"cue")


def test_bytes_for_a_lost_port_are_refused_and_counted(tmp_path: Path) -> None:
    """Bytes for a lost port are refused and counted: a late cue is worse than none."""
    reading = Reading(tmp_path / "nothing")
    reading.state()
    is_taken = reading.reader.write(b"cue")
    reading.reader.stop()
    assert (is_taken, reading.reader.counters()) == (False, {"losses": 1, "unsent": 3})


def test_more_than_a_port_takes_is_refused(reading: Reading) -> None:
    """More than a port takes is refused."""
    reading.state()
    assert not reading.reader.write(b"x" * (UNSENT_MAX + 1))


def test_device_that_takes_nothing_holds_nobody_up(reading: Reading, line: Line) -> None:
    """Device that takes nothing holds nobody up: its terminal is full, and bytes still come."""
    reading.state()
    while reading.reader.write(b"x" * 1000):
        pass
    os.write(line.master, b"still here")
    assert reading.data(10) == b"still here"


def test_readings_are_counted(reading: Reading, line: Line) -> None:
    """Readings are counted."""
    reading.state()
    os.write(line.master, b"four")
    reading.data(4)
    line.unplug()
    reading.state()
    assert reading.reader.counters() == {"bytes": 4, "openings": 1, "losses": 1}


def exclusive_mode(fd: int) -> int:
    return int(struct.unpack("i", fcntl.ioctl(fd, TIOCGEXCL, b"\0\0\0\0"))[0])


def test_open_port_keeps_others_out_and_a_closed_one_does_not(line: Line) -> None:
    """Open port keeps others out and a closed one does not."""
    witness = os.open(line.path, os.O_RDWR | os.O_NOCTTY)
    reading = Reading(line.path)
    reading.state()
    while_open = exclusive_mode(witness)
    reading.reader.stop()
    after = exclusive_mode(witness)
    os.close(witness)
    assert (while_open, after) == (1, 0)


class Patience(threading.Event):
    """Notes how long it is asked to wait, and waits no moment; at the fifth time all ends."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        """Note it."""
        self.waits.append(timeout)
        if len(self.waits) == 5:
            self.set()
        return self.is_set()


def test_absent_port_is_tried_less_and_less_often(tmp_path: Path) -> None:
    """Absent port is tried less and less often."""
    section = PortSection(name="gateway", device=str(tmp_path / "nothing"), format="nmea")
    reader = SerialReader(section, lambda event: None)
    patience = reader._stopping = Patience()
    reader.start()
    reader._thread.join(WAIT_S)
    reader.stop()
    assert patience.waits == [0.5, 1.0, 2.0, 4.0, 5.0]


def test_port_that_is_lost_as_soon_as_it_opens_is_tried_less_and_less_often(
    server: socket.socket,
) -> None:
    """Port that is lost as soon as it opens is tried less and less often."""
    section = PortSection(name="gateway", device=url_of(server), format="nmea")
    reader = SerialReader(section, lambda event: None)
    patience = reader._stopping = Patience()
    reader.start()
    for _ in range(5):
        server.accept()[0].close()
    reader._thread.join(WAIT_S)
    reader.stop()
    assert patience.waits == [0.5, 1.0, 2.0, 4.0, 5.0]


def test_fault_that_nobody_foresaw_costs_the_port_alone(line: Line) -> None:
    """Fault that nobody foresaw costs the port alone: it is lost, told and opened again."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def emit(event: Event) -> None:
        if isinstance(event, Bytes) and event.data == b"bad":
            raise LookupError("nobody foresaw this")
        events.put(event)

    section = PortSection(name="gateway", device=str(line.path), format="nmea")
    reader = SerialReader(section, emit, clock_ns=lambda: 42)
    reader.start()
    events.get(timeout=WAIT_S)
    os.write(line.master, b"bad")
    got = [events.get(timeout=WAIT_S), events.get(timeout=WAIT_S)]
    reader.stop()
    assert got == [
        PortState("gateway", 42, False, f"{line.path}: nobody foresaw this"),
        PortState("gateway", 42, True, f"opened {os.path.realpath(line.path)}"),
    ]


def test_reader_that_never_started_can_be_stopped_and_written_to(line: Line) -> None:
    """Reader that never started can be stopped and written to."""
    section = PortSection(name="gateway", device=str(line.path), format="nmea")
    reader = SerialReader(section, lambda event: None)
    reader.stop()
    assert not reader.write(b"cue")
