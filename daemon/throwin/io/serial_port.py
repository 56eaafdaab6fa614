"""Serial ports: one blocking reader thread a port, reopened with backoff. The one user of pyserial.

What has arrived is read at once and stamped with the moment of that read. A port that is lost is
closed by its own thread, told, and tried again; the rest goes on. No other thread touches a port:
what is to be written waits for its thread, and is dropped when the port is lost.
"""

import contextlib
import fcntl
import os
import select
import termios
import threading
import time
from collections import deque
from collections.abc import Callable

import serial

from throwin.contract.fieldfile import PortSection
from throwin.event import Bytes, Event, PortState

READ_MAX = 4096
UNSENT_MAX = 4096  # bytes that wait for a port to take them: 0.4 s at 115200 baud
RETRY_FIRST_S = 0.5
RETRY_MOST_S = 5.0
_HUNG_UP = "hung up"
URL_WAIT_S = 0.05  # a port that is no file can't be waited for together with the wake-up
_WORDS = (
    ("exclusively lock", "busy: another program holds {device}; stop it (gpsd? ModemManager?)"),
    ("busy", "busy: another program holds {device}; stop it (gpsd? ModemManager?)"),
    ("no such", "{device} is not there: is it plugged in?"),
    ("permission denied", "no permission to open {device}: add the user to the group dialout"),
    ("inappropriate ioctl", "{device} is no serial port"),
    ("not a directory", "{device} is no serial port"),
    ("is a directory", "{device} is no serial port"),
    (_HUNG_UP, "{device} was unplugged"),
    ("input/output error", "{device} was unplugged"),
    ("connection refused", "nobody listens at {device}"),
    ("connection reset", "{device} was unplugged"),
)


class SerialReader:
    """Reads one port on a thread of its own; emit takes its events, from that thread.

    emit must not block. clock_ns: the host's monotonic clock.
    """

    def __init__(
        self,
        section: PortSection,
        emit: Callable[[Event], None],
        *,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._section = section
        self._emit = emit
        self._clock_ns = clock_ns
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"port-{section.name}", daemon=True)
        self._told = ""
        self._lock = threading.Lock()  # guards what is unsent, and the wake-up's two ends
        self._unsent: deque[bytes] = deque()
        self._is_open = False
        self._wake: tuple[int, int] | None = None
        self._counts = {"bytes": 0, "openings": 0, "losses": 0, "unsent": 0}

    def start(self) -> None:
        """Start reading; a port that is not there is tried again and again."""
        self._wake = os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """Let the thread close the port and end; nothing is emitted any more."""
        self._stopping.set()
        self._wake_up()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        with self._lock:
            if self._wake is not None and not self._thread.is_alive():
                for end in self._wake:
                    os.close(end)
                self._wake = None

    def write(self, data: bytes) -> bool:
        """Hand bytes to the port's thread, from any thread; never blocks.

        Gives False, and counts them, when the port is lost or doesn't take what it was given.
        """
        with self._lock:
            is_taken = self._is_open and sum(map(len, self._unsent)) + len(data) <= UNSENT_MAX
            if is_taken:
                self._unsent.append(data)
            else:
                self._counts["unsent"] += len(data)
        self._wake_up()
        return is_taken

    def counters(self) -> dict[str, int]:
        """Give what has been counted; what never happened is not in it."""
        return {name: count for name, count in self._counts.items() if count}

    def _wake_up(self) -> None:
        with self._lock:
            if self._wake is not None:
                with contextlib.suppress(BlockingIOError):  # it is being woken already
                    os.write(self._wake[1], b"w")

    def _run(self) -> None:
        retry_s = RETRY_FIRST_S
        while not self._stopping.is_set():
            began_s = time.monotonic()
            try:
                self._open_and_read()
            except Exception as fault:  # noqa: BLE001 - drivers and pyserial raise what they like; a port never ends the rest
                self._tell_lost(_in_words(fault, self._section.device))
            if time.monotonic() - began_s > RETRY_FIRST_S:
                retry_s = RETRY_FIRST_S
            self._stopping.wait(retry_s)
            retry_s = min(2 * retry_s, RETRY_MOST_S)

    def _open_and_read(self) -> None:
        """Open the device anew, its name resolved anew; read until it is lost or all ends."""
        device = self._section.device
        port = serial.serial_for_url(
            device, baudrate=self._section.baud, timeout=URL_WAIT_S, exclusive=True
        )
        try:
            fd = _fd_of(port)
            where = device if "://" in device else _resolved(device)
            if fd is not None:
                _claim(port, fd)
            self._told = ""
            self._counts["openings"] += 1
            self._is_open = True
            self._tell(f"opened {where}", is_open=True)
            if fd is None:
                self._read_url(port)
            else:
                self._read_fd(fd)
        finally:
            with self._lock:
                self._is_open = False
                self._counts["unsent"] += sum(map(len, self._unsent))
                self._unsent.clear()
            with contextlib.suppress(OSError, TypeError, termios.error):
                _release(port)
                port.close()

    def _read_fd(self, fd: int) -> None:
        name, clock_ns, emit, counts = self._section.name, self._clock_ns, self._emit, self._counts
        wake = self._wake[0] if self._wake is not None else -1
        waited, unsent, stopping = [fd, wake], self._unsent, self._stopping
        while not stopping.is_set():
            ready, room, _ = select.select(waited, [fd] if unsent else [], [])
            if fd in ready:
                try:
                    data = os.read(fd, READ_MAX)
                    t_host_ns = clock_ns()
                except BlockingIOError:  # woken for nothing
                    continue
                if not data:
                    raise serial.SerialException(_HUNG_UP)
                counts["bytes"] += len(data)
                emit(Bytes(name, t_host_ns, data))
            if wake in ready:
                os.read(wake, READ_MAX)
            if room:
                with contextlib.suppress(BlockingIOError):
                    self._send(lambda data: os.write(fd, data))

    def _read_url(self, port: serial.Serial) -> None:
        while not self._stopping.is_set():
            data = port.read(1)
            if data:
                t_host_ns = self._clock_ns()
                data += port.read(min(port.in_waiting, READ_MAX))
                self._counts["bytes"] += len(data)
                self._emit(Bytes(self._section.name, t_host_ns, data))
            if self._unsent:
                self._send(lambda data: port.write(data) or 0)

    def _send(self, write: Callable[[bytes], int]) -> None:
        """Write what has waited longest; what the port does not take goes on waiting."""
        data = self._unsent[0]  # only this thread takes something out
        rest = data[write(data) :]
        with self._lock:
            self._unsent.popleft()
            if rest:
                self._unsent.appendleft(rest)

    def _tell(self, detail: str, *, is_open: bool) -> None:
        self._emit(PortState(self._section.name, self._clock_ns(), is_open, detail))

    def _tell_lost(self, why: str) -> None:
        """Tell a loss once, and again when its reason has changed."""
        if why != self._told:
            self._told = why
            self._counts["losses"] += 1
            self._tell(why, is_open=False)


def _fd_of(port: serial.Serial) -> int | None:
    """Give the file of a port that has one; loop:// and rfc2217:// have none."""
    try:
        return port.fileno()
    except OSError:  # io.UnsupportedOperation is one
        return None


def _resolved(device: str) -> str:
    """Give the device behind a link; a name that is no text is shown with escapes."""
    return os.path.realpath(device).encode("utf-8", "backslashreplace").decode()


def _claim(port: serial.Serial, fd: int) -> None:
    """Keep other programs out and the adapter from holding bytes back, where the driver can.

    pyserial's lock binds only who asks for it; TIOCEXCL binds everybody but root. FTDI adapters
    gather bytes for 16 ms unless low latency is asked for.
    """
    with contextlib.suppress(OSError, termios.error):
        fcntl.ioctl(fd, termios.TIOCEXCL)
    with contextlib.suppress(OSError, ValueError, NotImplementedError, AttributeError):
        port.set_low_latency_mode(True)


def _release(port: serial.Serial) -> None:
    """Let others in again: a terminal that somebody else has open keeps the mark."""
    fd = _fd_of(port)
    if fd is not None:
        with contextlib.suppress(OSError, termios.error):
            fcntl.ioctl(fd, termios.TIOCNXCL)


def _in_words(fault: Exception, device: str) -> str:
    """Say what is wrong with a port, and what to do."""
    text = str(fault)
    lower = text.replace(device, "").lower()
    for mark, words in _WORDS:
        if mark in lower:
            return words.format(device=device)
    return f"{device}: {text or type(fault).__name__}"
