"""Words to the service manager: ready, alive, stopping (man 3 sd_notify).

They come from the engine's thread, so none waits: what the manager has no room for is lost.
"""

import contextlib
import os
import socket


class Notifier:
    """Tells systemd over its socket; without one it tells nobody."""

    def __init__(self, address: str | None = None) -> None:
        path = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        # A leading @ stands for the abstract namespace, whose names begin with a null byte.
        self._address = "\0" + path[1:] if path.startswith("@") else path

    def ready(self) -> None:
        """Tell that the start is over."""
        self._send("READY=1")

    def alive(self) -> None:
        """Feed the watchdog."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Tell that the end has begun."""
        self._send("STOPPING=1")

    def status(self, text: str) -> None:
        """Show one line in `systemctl status`."""
        # Each line of a datagram is a statement of its own.
        self._send("STATUS=" + " ".join(text.split()))

    def _send(self, message: str) -> None:
        if not self._address:
            return
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out,
        ):
            out.setblocking(False)
            out.sendto(message.encode(), self._address)
