"""The service manager is told over its socket, and where there is none nobody is."""

import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from throwin.io.notify import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """Give a service manager's socket, named in the environment as it does."""
    name = str(tmp_path / "notify") if request.param == "path" else f"@{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind("\0" + name[1:] if name.startswith("@") else name)
        server.settimeout(5.0)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        yield server


def test_start_that_is_over_is_told(manager: socket.socket) -> None:
    """The unit is active from here on."""
    Notifier().ready()
    assert manager.recv(100) == b"READY=1"


def test_watchdog_that_is_fed_hears_of_it(manager: socket.socket) -> None:
    """The engine's progress."""
    Notifier().alive()
    assert manager.recv(100) == b"WATCHDOG=1"


def test_end_that_has_begun_is_told(manager: socket.socket) -> None:
    """The manager waits for it."""
    Notifier().stopping()
    assert manager.recv(100) == b"STOPPING=1"


def test_status_in_words_is_told(manager: socket.socket) -> None:
    """One line for `systemctl status`, in any language."""
    Notifier().status("degraded: sin posición")
    assert manager.recv(100).decode() == "STATUS=degraded: sin posición"


def test_status_of_several_lines_can_not_say_anything_else(manager: socket.socket) -> None:
    """Each line of a datagram is a statement of its own: a port's name must not make one."""
    Notifier().status("port\nSTOPPING=1")
    assert manager.recv(100) == b"STATUS=port STOPPING=1"


def test_daemon_without_a_manager_tells_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started by hand, it needs no socket."""
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert Notifier()._address == ""


def test_manager_that_is_gone_stops_nothing(manager: socket.socket) -> None:
    """A notification that can't be delivered is nobody's fault."""
    notifier = Notifier()
    manager.close()
    notifier.ready()
    notifier.alive()
    assert notifier._address != ""


def test_manager_that_does_not_read_stops_nothing(manager: socket.socket) -> None:
    """The engine's thread never waits for the manager."""
    notifier = Notifier()
    for _ in range(2_000):
        notifier.alive()
    assert manager.recv(100) == b"WATCHDOG=1"
