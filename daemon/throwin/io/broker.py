"""A broker of one's own for demo and tests: an unprivileged child on a free loopback port.

A mosquitto that is found, else the embedded broker that came with the packages; it ends with its
owner. The one user of iotcore, in a process of its own (`python -m throwin.io.broker`).
"""

import contextlib
import getpass
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"
START_S = 15.0
_MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
log_dest none
{user}"""
_IOTCORE = """\
id = 0

[router]
id = 0
max_connections = 100
max_outgoing_packet_count = 200
max_segment_size = 1048576
max_segment_count = 10

[v5.1]
name = "v5"
listen = "127.0.0.1:{port}"
next_connection_delay_ms = 1

[v5.1.connections]
connection_timeout_ms = 5000
max_payload_size = 262144
max_inflight_count = 200
dynamic_filters = true
"""


class BrokerError(RuntimeError):
    """No broker could be started; says what to do."""


class ChildBroker:
    """One broker, running. kind: which one, for people."""

    def __init__(self, process: subprocess.Popen[bytes], *, kind: str, port: int) -> None:
        self._process = process
        self.kind = kind
        self.host = HOST
        self.port = port

    @classmethod
    def start(cls, folder: Path, *, port: int | None = None, only: str | None = None) -> Self:
        """Start a broker whose files lie in folder; raises BrokerError.

        port: None takes a free one. only: "mosquitto" or "iotcore", None takes the first found.
        """
        port = port or free_port()
        mosquitto = _find_mosquitto()
        if mosquitto is not None and only in (None, "mosquitto"):
            command, kind = _mosquitto(mosquitto, folder, port)
        elif only in (None, "iotcore") and importlib.util.find_spec("iotcore") is not None:
            command, kind = _iotcore(folder, port)
        else:
            raise BrokerError(
                "broker: expected a mosquitto on the path or the package iotcore, found neither;"
                " install mosquitto, or throwin with its extra: pip install 'throwin[demo]'"
            )
        process = subprocess.Popen(  # noqa: S603 - found by name, configured here
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        broker = cls(process, kind=kind, port=port)
        broker._wait()
        return broker

    @property
    def pid(self) -> int:
        """Give the broker's process."""
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.kill()

    def __enter__(self) -> Self:
        """Give the running broker."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self.stop()

    def _wait(self) -> None:
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            if self._process.poll() is not None:
                raise BrokerError(
                    f"broker: {self.kind} ended at once, exit code {self._process.returncode}"
                )
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 0.2):
                return
            time.sleep(0.02)
        self.stop()
        raise BrokerError(f"broker: {self.kind} did not answer within {START_S:.0f} s")


def free_port() -> int:
    """Give a port of the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _find_mosquitto() -> str | None:
    """Find mosquitto on the path, or where Debian hides it from users."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def _mosquitto(program: str, folder: Path, port: int) -> tuple[list[str], str]:
    # Started by root it would change to a user of its own, who may not read the folder.
    user = f"user {getpass.getuser()}\n" if os.geteuid() == 0 else ""
    config = folder / f"mosquitto-{port}.conf"
    config.write_text(_MOSQUITTO.format(port=port, user=user), "utf-8")
    tied = shutil.which("setpriv")  # so that it ends with an owner who was killed
    ahead = [tied, "--pdeathsig", "TERM"] if tied is not None else []
    return [*ahead, program, "-c", str(config)], "mosquitto"


def _iotcore(folder: Path, port: int) -> tuple[list[str], str]:
    config = folder / f"iotcore-{port}.toml"
    config.write_text(_IOTCORE.format(port=port), "utf-8")
    version = importlib.metadata.version("iotcore")
    return [sys.executable, "-m", "throwin.io.broker", str(config)], f"iotcore {version}"


def _serve(config: str) -> None:
    """Run the embedded broker until the owner's pipe closes."""
    from iotcore import IotCoreBroker  # noqa: PLC0415 - an extra, wanted in this process alone

    threading.Thread(target=_end_with_owner, daemon=True).start()
    IotCoreBroker(config_path=config).run_forever()


def _end_with_owner() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
