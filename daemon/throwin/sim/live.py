"""A scenario on pseudo-terminals in real time: the world as the service sees it.

One thread writes each port's bytes when they are due; what the service writes to a port is read
and handed on. It starts no service and no broker.
"""

import contextlib
import os
import pathlib
import select
import selectors
import threading
import time
import tty
from collections.abc import Callable
from functools import partial
from typing import Self

from throwin import event
from throwin.contract.scenariofile import PortLost
from throwin.sim.fast import Run, commands_of, make_run
from throwin.sim.scenario import Scenario

NS = 1_000_000_000
DRAIN_BYTES = 4096
LEAD_S, LEAD_SHARE = 0.3, 0.05  # for working out the run, on a slow machine too
FULL_S = 0.2  # how long a full terminal is given before its bytes are lost
IDLE_S = 0.02  # how long the thread looks for what the service writes when nothing is due
JOIN_S = 5.0


class LivePorts:
    """One pseudo-terminal a port, each behind a link whose name outlives it.

    folder: where the links are made. on_command: called from the thread with each command of the
    scenario. on_downlink: called with port and bytes that the service wrote to it.
    speed: scenario seconds a second; above 1 the service needs a clock that runs as fast.
    lost_bytes counts what nobody read.
    """

    def __init__(
        self,
        scenario: Scenario,
        folder: pathlib.Path,
        *,
        speed: float = 1.0,
        on_command: Callable[[event.Command], None] | None = None,
        on_downlink: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self._scenario = scenario
        self._speed = speed
        self._on_command = on_command
        self._on_downlink = on_downlink
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._masters: dict[str, int] = {}
        self._failure: BaseException | None = None
        self.run: Run | None = None
        self.start_host_ns = 0
        self.lost_bytes = 0
        self.devices = {port.name: str(folder / f"sim-{port.name}") for port in scenario.ports}
        for name in self.devices:
            self._open(name)

    def __enter__(self) -> Self:
        """Give itself; close() comes at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close whatever happened."""
        self.close()

    def start(self) -> None:
        """Begin the scenario in a moment; its fixes carry the present UTC."""
        lead_ns = round(max(LEAD_S, LEAD_SHARE * self._scenario.file.duration_s) * NS)
        self.start_host_ns = time.monotonic_ns() + lead_ns
        self.run = make_run(self._scenario, utc0_ns=time.time_ns() + lead_ns)
        self._thread = threading.Thread(target=self._work, args=(self.run,), name="sim-ports")
        self._thread.start()

    def wait_opened(self, timeout_s: float) -> bool:
        """Wait until someone has opened every port; tell whether he has."""
        end_s = time.monotonic() + timeout_s
        while not all(_has_reader(master) for master in self._masters.values()):
            if time.monotonic() >= end_s or self._stop.wait(IDLE_S):
                return False
        return True

    def elapsed_s(self) -> float:
        """Give the scenario's time; negative before it begins."""
        if self._thread is None:
            return -LEAD_S
        return (time.monotonic_ns() - self.start_host_ns) / NS * self._speed

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the scenario's end; tell whether it came. Raises what ended the thread."""
        if self._thread is None:
            return False
        self._thread.join(timeout_s)
        if self._failure is not None:
            raise self._failure
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop, close every port and remove the links."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(JOIN_S)
        for name in list(self._masters):
            self._lose(name)
        for link in self.devices.values():
            with contextlib.suppress(FileNotFoundError):
                pathlib.Path(link).unlink()

    def _open(self, name: str) -> None:
        """Make a new pseudo-terminal and point the port's link at it."""
        master, slave = os.openpty()
        tty.setraw(slave)
        link = pathlib.Path(self.devices[name])
        fresh = link.with_name(link.name + ".new")
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(link)
        os.close(slave)
        os.set_blocking(master, False)
        self._masters[name] = master

    def _lose(self, name: str) -> None:
        master = self._masters.pop(name, None)
        if master is not None:
            os.close(master)

    def _work(self, run: Run) -> None:
        try:
            looked_s = time.monotonic()
            for due_s, do in self._agenda(run):
                if time.monotonic() - looked_s > IDLE_S:
                    self._drain(0.0)  # even when always late
                    looked_s = time.monotonic()
                while not self._stop.is_set() and self.elapsed_s() < due_s:
                    self._drain((due_s - self.elapsed_s()) / self._speed)
                if self._stop.is_set():
                    return
                do()
            self._drain(0.0)
        except Exception as failure:  # noqa: BLE001 a supervised worker: wait() raises it
            self._failure = failure

    def _agenda(self, run: Run) -> list[tuple[float, Callable[[], None]]]:
        """Give all that is to be done, each with its time in the scenario."""
        agenda: list[tuple[float, Callable[[], None]]] = []
        for fault in run.scenario.file.faults:
            if isinstance(fault, PortLost):
                agenda.append((fault.from_s, partial(self._lose, fault.port)))
                agenda.append((fault.to_s, partial(self._open, fault.port)))
        for command in commands_of(run.scenario, 0):
            agenda.append((command.t_host_ns / NS, partial(self._command, command)))
        for chunk in run.chunks:
            agenda.append((chunk.t_s, partial(self._write, chunk.port, chunk.data)))
        agenda.append((run.scenario.file.duration_s, lambda: None))
        agenda.sort(key=lambda item: item[0])
        return agenda

    def _write(self, name: str, data: bytes) -> None:
        """Write what a port brings; what nobody reads in time is lost, as on a wire."""
        master = self._masters.get(name)
        if master is None:
            return
        rest = memoryview(data)
        end_s = time.monotonic() + FULL_S
        while rest and _has_reader(master):
            try:
                rest = rest[os.write(master, rest) :]
            except BlockingIOError:
                if time.monotonic() >= end_s:
                    break
                _wait_for_room(master)
            except OSError:  # the reader closed between the look and the write
                break
        self.lost_bytes += len(rest)

    def _drain(self, wait_s: float) -> None:
        """Wait, and read what the service writes meanwhile."""
        with selectors.DefaultSelector() as selector:
            for name, master in self._masters.items():
                selector.register(master, selectors.EVENT_READ, name)
            for key, _ in selector.select(max(min(wait_s, IDLE_S), 0.0)):
                try:
                    data = os.read(key.fd, DRAIN_BYTES)
                except OSError:  # nobody has the other end open: nothing to read, do not spin
                    self._stop.wait(min(max(wait_s, 0.0), 0.001))
                    continue
                if data and self._on_downlink is not None:
                    self._on_downlink(key.data, data)

    def _command(self, command: event.Command) -> None:
        if self._on_command is not None:
            self._on_command(command._replace(t_host_ns=time.monotonic_ns()))


def _has_reader(master: int) -> bool:
    """Tell whether the other end of a pseudo-terminal is open: else it polls as hung up."""
    poll = select.poll()
    poll.register(master, select.POLLIN)
    return not any(events & select.POLLHUP for _, events in poll.poll(0))


def _wait_for_room(master: int) -> None:
    poll = select.poll()
    poll.register(master, select.POLLOUT)
    poll.poll(10)
