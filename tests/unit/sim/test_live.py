"""Live ports are real terminals: what is due comes, what is gone is gone."""

import os
import pathlib
import select
import time
import tty
from collections.abc import Callable

import pytest

from throwin import event
from throwin.sim.fast import make_run
from throwin.sim.live import LivePorts
from throwin.sim.scenario import Scenario

Cast = Callable[..., Scenario]
SPEED = 40.0
SHORT = "duration_s = 2.0\n"
NO_THROWIN = ""
SOON = '\n[[expect]]\nphase = "armed"\nbetween_s = [1.0, 2.0]\n'
END_S = 20.0


def open_raw(path: str) -> int:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    return fd


def read_all(fd: int, is_over: Callable[[], bool]) -> bytes:
    """Read until nothing more comes after the end, or the port hangs up."""
    got = b""
    end_s = time.monotonic() + END_S
    while time.monotonic() < end_s:
        ready, _, _ = select.select([fd], [], [], 0.05)
        if not ready:
            if is_over():
                break
            continue
        try:
            data = os.read(fd, 65_536)
        except OSError:
            break
        if not data:
            break
        got += data
    return got


def brief(cast: Cast, more: str = "") -> Scenario:
    return cast(SHORT, more, throwin=NO_THROWIN, expect=SOON)


def test_bytes_on_the_terminal_are_those_of_the_run(cast: Cast, tmp_path: pathlib.Path) -> None:
    """Live and fast mode send the same bytes, but for the UTC in them."""
    scenario = brief(cast)
    with LivePorts(scenario, tmp_path, speed=SPEED) as ports:
        fd = open_raw(ports.devices["gateway"])
        ports.start()
        got = read_all(fd, lambda: ports.wait(0.0))
        os.close(fd)
        assert ports.run is not None
        expected = b"".join(
            chunk.data for chunk in make_run(scenario, utc0_ns=ports.run.utc0_ns).chunks
        )
    assert got == expected


def test_bytes_that_nobody_reads_are_lost_and_counted(cast: Cast, tmp_path: pathlib.Path) -> None:
    """A port that nobody has open holds up nothing."""
    with LivePorts(brief(cast), tmp_path, speed=SPEED) as ports:
        ports.start()
        ports.wait(END_S)
        assert ports.run is not None
        assert ports.lost_bytes == sum(len(chunk.data) for chunk in ports.run.chunks)


def test_lost_port_hangs_up(cast: Cast, tmp_path: pathlib.Path) -> None:
    """Whoever reads a port that is lost learns it from the terminal itself."""
    gone = '\n[[faults]]\nkind = "port_lost"\nport = "gateway"\nfrom_s = 1.0\nto_s = 1.5\n'
    with LivePorts(brief(cast, gone), tmp_path, speed=SPEED) as ports:
        fd = open_raw(ports.devices["gateway"])
        ports.start()
        read_all(fd, lambda: ports.wait(0.0))
        hung_up = select.poll()
        hung_up.register(fd, select.POLLIN)
        events = hung_up.poll(0)
        os.close(fd)
    assert events[0][1] & select.POLLHUP


def test_lost_port_comes_back_under_its_name(cast: Cast, tmp_path: pathlib.Path) -> None:
    """The link leads to the new terminal."""
    gone = '\n[[faults]]\nkind = "port_lost"\nport = "gateway"\nfrom_s = 0.5\nto_s = 1.0\n'
    with LivePorts(brief(cast, gone), tmp_path, speed=SPEED) as ports:
        before = os.open(ports.devices["gateway"], os.O_RDWR | os.O_NOCTTY)
        ports.start()
        ports.wait(END_S)
        after = open_raw(ports.devices["gateway"])
        os.close(before)
        os.close(after)
        assert ports.wait(0.0)


def test_links_are_removed_at_the_end(cast: Cast, tmp_path: pathlib.Path) -> None:
    """Nothing stays behind."""
    with LivePorts(brief(cast), tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_opened_port_is_noticed(cast: Cast, tmp_path: pathlib.Path) -> None:
    """The simulator can wait until the service is there."""
    with LivePorts(brief(cast), tmp_path) as ports:
        before = ports.wait_opened(0.0)
        fd = open_raw(ports.devices["gateway"])
        after = ports.wait_opened(1.0)
        os.close(fd)
    assert (before, after) == (False, True)


def test_commands_are_handed_on(cast: Cast, tmp_path: pathlib.Path) -> None:
    """A scenario's commands go where the caller sends them."""
    taken: list[event.Command] = []
    goal = '\n[[commands]]\nat_s = 1.0\nverb = "goal"\nargs = { team = "red" }\n'
    with LivePorts(brief(cast, goal), tmp_path, speed=SPEED, on_command=taken.append) as ports:
        ports.start()
        ports.wait(END_S)
    assert [(one.verb, one.args) for one in taken] == [(event.Verb.GOAL, (("team", "red"),))]


def test_what_the_service_writes_is_handed_on(cast: Cast, tmp_path: pathlib.Path) -> None:
    """A port goes both ways: cues for a tag's buzzer come out here."""
    heard: list[tuple[str, bytes]] = []
    with LivePorts(
        brief(cast),
        tmp_path,
        speed=SPEED,
        on_downlink=lambda name, data: heard.append((name, data)),
    ) as ports:
        fd = open_raw(ports.devices["gateway"])
        os.write(fd, b"hello")
        ports.start()
        read_all(fd, lambda: ports.wait(0.0))
        os.close(fd)
    assert heard == [("gateway", b"hello")]


def test_failure_of_the_thread_reaches_whoever_waits(cast: Cast, tmp_path: pathlib.Path) -> None:
    """A worker that dies is never taken for one that is done."""

    def refuse(_: event.Command) -> None:
        raise ValueError("refused")

    goal = '\n[[commands]]\nat_s = 1.0\nverb = "goal"\n'
    with LivePorts(brief(cast, goal), tmp_path, speed=SPEED, on_command=refuse) as ports:
        ports.start()
        with pytest.raises(ValueError, match="refused"):
            ports.wait(END_S)
