"""Serial ports: one blocking reader thread a port, reopened with backoff. The one user of pyserial.

What has arrived is read at once and stamped with the moment of that read. A port that is lost is
closed by its own thread, told, and tried again; the rest goes on.
"""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from typing import Protocol

import serial

from throwin.contract.fieldfile import PortSection
from throwin.event import Bytes, Event, PortState

READ_MAX = 4096
WAIT_S = 0.2  # a thread that is told to stop looks up at least this often
RETRY_FIRST_S = 0.5
RETRY_MOST_S = 5.0
BITS_PER_BYTE = 10
_FAULTS = (serial.SerialException, OSError, TypeError, ValueError)


class _Port(Protocol):
    """What is used of a pyserial port."""

    def read(self, size: int = 1, /) -> bytes: ...

    def close(self) -> None: ...


class SerialReader:
    """Reads one port on a thread of its own; emit takes its events, from that thread.

    clock_ns: the host's monotonic clock.
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
        self.bytes_read = 0
        self.openings = 0

    def start(self) -> None:
        """Start reading; a port that is not there is tried again and again."""
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """Let the thread close the port and end."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        retry_s = RETRY_FIRST_S
        while not self._stopping.is_set():
            try:
                port = self._open()
            except _FAULTS as fault:
                self._tell_lost(_in_words(fault, self._section.device))
                self._stopping.wait(retry_s)
                retry_s = min(2 * retry_s, RETRY_MOST_S)
                continue
            retry_s = RETRY_FIRST_S
            self._told = ""
            self.openings += 1
            detail = f"opened {os.path.realpath(self._section.device)}"
            self._emit(PortState(self._section.name, self._clock_ns(), is_open=True, detail=detail))
            try:
                self._read(port)
            except _FAULTS as fault:
                self._tell_lost(_in_words(fault, self._section.device))
            finally:
                with contextlib.suppress(*_FAULTS):
                    port.close()

    def _open(self) -> _Port:
        """Open the device anew: the name is resolved at each try."""
        device = self._section.device
        if "://" in device:
            opened: _Port = serial.serial_for_url(
                device, baudrate=self._section.baud, timeout=WAIT_S
            )
            return opened
        return serial.Serial(device, baudrate=self._section.baud, timeout=WAIT_S, exclusive=True)

    def _read(self, port: _Port) -> None:
        """Read until the port is lost or the thread is to stop."""
        name, clock_ns, emit = self._section.name, self._clock_ns, self._emit
        read = _reader_of(port)
        while not self._stopping.is_set():
            data = read()
            if data:
                self.bytes_read += len(data)
                emit(Bytes(name, clock_ns(), data))

    def _tell_lost(self, why: str) -> None:
        """Tell a loss once, and again when its reason has changed."""
        if why != self._told:
            self._told = why
            self._emit(PortState(self._section.name, self._clock_ns(), is_open=False, detail=why))


def _reader_of(port: _Port) -> Callable[[], bytes]:
    """Give what reads whatever has arrived, waiting a while if nothing has."""
    if not isinstance(port, serial.Serial):
        return lambda: port.read(1)
    fd = port.fileno()

    def read() -> bytes:
        ready, _, _ = select.select([fd], [], [], WAIT_S)
        if not ready:
            return b""
        data = os.read(fd, READ_MAX)
        if not data:
            raise serial.SerialException("the device is gone")
        return data

    return read


def _in_words(fault: Exception, device: str) -> str:
    """Say what is wrong with a port, and what to do."""
    text = str(fault)
    lower = text.lower()
    if "exclusively lock" in lower or "busy" in lower:
        return f"busy: another program holds {device}; stop it (gpsd? ModemManager?)"
    if "no such file" in lower:
        return f"{device} is not there: is it plugged in?"
    if "permission denied" in lower:
        return f"no permission to open {device}: add the user to the group dialout"
    if "gone" in lower or "input/output error" in lower or "returned no data" in lower:
        return f"{device} was unplugged"
    return f"{device}: {text}"
