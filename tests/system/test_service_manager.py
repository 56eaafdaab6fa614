"""The daemon as its service manager sees it: what it notifies, what it logs, how it ends."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from throwin.contract.fieldfile import BrokerSection, JournalSection
from throwin.contract.toml import write_toml
from throwin.event import Tick
from throwin.io.broker import free_port
from throwin.io.journal import read_journal
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file

WAIT_S = 30.0


class Managed(NamedTuple):
    """One run of the daemon without ports and broker, from its start to SIGTERM."""

    notified: list[str]
    logged: list[str]
    exit_code: int
    folder: Path


def notified_until(manager: socket.socket, start: str) -> list[str]:
    """Give what comes until something begins like this."""
    notified: list[str] = []
    while not any(word.startswith(start) for word in notified):
        notified.append(manager.recv(4096).decode())
    return notified


@contextlib.contextmanager
def daemon(folder: Path) -> Iterator[tuple[socket.socket, "subprocess.Popen[str]"]]:
    """Start it; give the manager's socket and the process, which the block ends."""
    config = folder / "field.toml"
    file = field_file(
        load_scenario("goes_right"),
        devices={"gateway": str(folder / "no-device")},
        broker=BrokerSection(port=free_port()),
        journal=JournalSection(directory=str(folder)),
    )
    config.write_text(write_toml(file), "utf-8")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(folder / "notify"))
        manager.settimeout(WAIT_S)
        with subprocess.Popen(
            [sys.executable, "-m", "throwin", "run", "-c", str(config)],
            env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify")},
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            yield manager, process


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Managed:
    """Start it, wait until it feeds the watchdog and has named what is missing, end it."""
    folder = tmp_path_factory.mktemp("managed")
    with daemon(folder) as (manager, process):
        notified = notified_until(manager, "STATUS=degraded")
        process.send_signal(signal.SIGTERM)
        notified += notified_until(manager, "STOPPING=1")
        _, logged = process.communicate(timeout=WAIT_S)
    return Managed(notified, logged.splitlines(), process.returncode, folder)


def test_daemon_without_ports_and_broker_is_ready(managed: Managed) -> None:
    """Daemon without ports and broker is ready: a boot must not wait for them."""
    assert managed.notified[0] == "READY=1"


def test_daemon_feeds_the_watchdog(managed: Managed) -> None:
    """Daemon feeds the watchdog."""
    assert "WATCHDOG=1" in managed.notified


def test_daemon_tells_its_manager_what_is_missing(managed: Managed) -> None:
    """Daemon tells its manager what is missing."""
    (status,) = [word for word in managed.notified if word.startswith("STATUS=degraded")]
    assert "no-device is not there: is it plugged in?" in status


def test_terminated_daemon_says_that_it_stops_and_ends_well(managed: Managed) -> None:
    """Terminated daemon says that it stops and ends well."""
    assert (managed.notified[-1], managed.exit_code) == ("STOPPING=1", 0)


def test_log_is_a_line_each_with_its_level(managed: Managed) -> None:
    """Log is a line each, with its level."""
    device = managed.folder / "no-device"
    line = f"WARNING port gateway: {device} is not there: is it plugged in?"
    assert (line in managed.logged, managed.logged[-1]) == (True, "INFO stopped")


def test_journal_of_a_terminated_daemon_is_whole(managed: Managed) -> None:
    """Journal of a terminated daemon is whole."""
    assert read_journal(next(managed.folder.glob("*.mcap"))).is_whole


def test_journal_of_a_killed_daemon_is_read_up_to_the_last_second(tmp_path: Path) -> None:
    """Journal of a killed daemon is read up to the last second: after two, one is there."""
    with daemon(tmp_path) as (manager, process):
        notified_until(manager, "STATUS=degraded")
        process.kill()
        process.communicate(timeout=WAIT_S)
    journal = read_journal(next(tmp_path.glob("*.mcap")))
    ticks = [entry for entry in journal.entries if isinstance(entry.event, Tick)]
    assert (len(ticks) >= 15, journal.is_whole) == (True, False)
