"""A broker of one's own for demo and tests: an unprivileged child on a free loopback port.

A mosquitto that is found, else the embedded broker that came with the packages; it ends with its
owner. The one user of iotcore, in a process of its own (`python -m throwin.io.broker`).
"""

import contextlib
import functools
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"
START_S = 15.0
TRIES = 3  # a free port may be taken by another between the look and the start
_MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
log_dest stderr
log_type error
log_type warning
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
    """One broker, running. kind: which one, for people, e.g. "mosquitto 2.0.11".

    It ends with the thread that started it, however that ends.
    """

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
        make: Callable[[Path, int], list[str]]
        mosquitto = _find_mosquitto()
        if mosquitto is not None and only in (None, "mosquitto"):
            kind = f"mosquitto {_version(mosquitto)}".strip()
            make = functools.partial(_mosquitto, mosquitto)
        elif only in (None, "iotcore") and importlib.util.find_spec("iotcore") is not None:
            kind = f"iotcore {importlib.metadata.version('iotcore')}"
            make = _iotcore
        else:
            raise BrokerError(
                f"broker: expected {only or 'a mosquitto on the path or the package iotcore'},"
                " found none; install mosquitto, or throwin with its extra:"
                " pip install 'throwin[demo]'"
            )
        for _ in range(0 if port else TRIES - 1):
            with contextlib.suppress(BrokerError):
                return cls._begin(folder, port or free_port(), kind, make)
        return cls._begin(folder, port or free_port(), kind, make)

    @classmethod
    def _begin(
        cls, folder: Path, port: int, kind: str, make: Callable[[Path, int], list[str]]
    ) -> Self:
        if _accepts(port):
            raise BrokerError(f"broker: expected port {port} to be free, another program has it")
        log = folder / f"broker-{port}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603 - found by name, configured here
                make(folder, port), stdin=subprocess.PIPE, stdout=out, stderr=out
            )
        broker = cls(process, kind=kind, port=port)
        broker._wait(log)
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

    def _wait(self, log: Path) -> None:
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            if self._process.poll() is not None:
                self.stop()
                words = log.read_text("utf-8", "replace").strip().rpartition("\n")[2]
                raise BrokerError(
                    f"broker: {self.kind} ended at once, exit code {self._process.returncode},"
                    f" last words: {words or 'none'}; see {log}"
                )
            if _accepts(self.port):
                return
            time.sleep(0.02)
        self.stop()
        raise BrokerError(f"broker: {self.kind} did not answer within {START_S:.0f} s; see {log}")


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), 0.2):
            return True
    except OSError:
        return False


def free_port() -> int:
    """Give a port of the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _find_mosquitto() -> str | None:
    """Find mosquitto on the path, or where Debian hides it from users."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def _version(program: str) -> str:
    """Give what mosquitto calls itself; its help, with exit code 3, has no other use."""
    done = subprocess.run([program, "-h"], capture_output=True, text=True, check=False)  # noqa: S603 - found by name
    found = re.match(r"mosquitto version (\S+)", done.stdout)
    return found.group(1) if found else ""


def _mosquitto(program: str, folder: Path, port: int) -> list[str]:
    # Started by root it would change to a user of its own, who may not read the folder.
    user = "user root\n" if os.geteuid() == 0 else ""
    config = folder / f"mosquitto-{port}.conf"
    config.write_text(_MOSQUITTO.format(port=port, user=user), "utf-8")
    tied = shutil.which("setpriv")  # so that it ends with an owner who was killed
    ahead = [tied, "--pdeathsig", "TERM"] if tied is not None else []
    return [*ahead, program, "-c", str(config)]


def _iotcore(folder: Path, port: int) -> list[str]:
    config = folder / f"iotcore-{port}.toml"
    config.write_text(_IOTCORE.format(port=port), "utf-8")
    return [sys.executable, "-m", "throwin.io.broker", str(config)]


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
