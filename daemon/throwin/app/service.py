"""`throwin run`: the daemon. Ports and broker put events on one queue; one thread takes them.

What the engine says goes to the broker first and into the journal after: a cue waits for nothing.
"""

import argparse
import ctypes
import gc
import logging
import pathlib
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Literal

from throwin import __version__
from throwin.contract.fieldfile import FieldFile, FieldFileError, parse_fieldfile
from throwin.contract.payload import Alert, Cue, Message, Status, encode
from throwin.contract.topic import deliver
from throwin.engine import Engine
from throwin.event import BrokerState, Event, HostState, PortState, Tick
from throwin.field.frame import SurveyError
from throwin.io.journal import JournalWriter
from throwin.io.link import Link
from throwin.io.notify import Notifier
from throwin.io.serial_port import SerialReader

NS = 1_000_000_000
TICK_NS = 50_000_000  # 20 Hz
SWITCH_S = 0.0005  # a reader waits no longer for the engine's thread
CLOCK_CHECK_TICKS = 200
WATCHDOG_TICKS = 10
LATE_TICKS = 20  # further behind than this the missing ticks are skipped: the machine slept
STA_UNSYNC = 0x40  # adjtimex(2)
_log = logging.getLogger("throwin")


class Service:
    """One field's daemon, in this process.

    fail is called from the engine's thread when it can't go on. speed: how much faster than the
    monotonic clock its own runs, for a demo in a hurry.
    Raises SurveyError or FieldFileError for a field file that can't be used.
    """

    def __init__(
        self,
        field_file: FieldFile,
        *,
        fail: Callable[[], None],
        speed: float = 1.0,
    ) -> None:
        self._field_file = field_file
        self._fail = fail
        self._speed = speed
        self._clock_ns = clock_ns = clock_at(speed)
        self._boot = secrets.token_hex(4)
        self._engine = Engine(field_file, boot=self._boot)
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._readers = [
            SerialReader(port, self._events.put, clock_ns=clock_ns) for port in field_file.ports
        ]
        self._link = Link(
            broker=field_file.broker,
            field=field_file.field,
            boot=self._boot,
            emit=self._events.put,
            clock_ns=clock_ns,
        )
        self._notifier = Notifier()
        self._journal: JournalWriter | None = None
        self._told_failure = ""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine")
        self._status: Status | None = None
        self._ticks = 0
        self._clock: Literal["gps", "ntp", "free"] = "free"

    def start(self) -> None:
        """Start everything; absent ports and brokers are waited for while the rest runs."""
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()  # what stands now stands to the end: no collection looks at it again
        self._open_journal()
        self._link.start()
        for reader in self._readers:
            reader.start()
        self._thread.start()
        self._notifier.ready()
        _log.info(
            "throwin %s: field %s, boot %s, %d ports",
            __version__,
            self._field_file.field,
            self._boot,
            len(self._readers),
        )

    def stop(self) -> None:
        """Stop everything: ports first, so that the last bytes are judged and told."""
        self._notifier.stopping()
        for reader in self._readers:
            reader.stop()
        self._stopping.set()
        self._thread.join(5.0)
        if self._status is not None:
            last = self._status.stopping()
            self._link.publish(deliver(self._field_file.field, last), encode(last))
        self._link.stop()
        if self._journal is not None:
            self._journal.close()

    def _open_journal(self) -> None:
        """Begin a recording; one that can't be begun is told, and the match goes on."""
        directory = self._field_file.journal.directory
        if not directory:
            return
        folder = pathlib.Path(directory)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(time.time_ns() / NS))
        path = folder / f"{self._field_file.field}-{stamp}-{self._boot}.mcap"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._journal = JournalWriter.create(
                path, field_file=self._field_file, boot=self._boot, version=__version__
            )
        except OSError as fault:
            self._tell_host("recording", f"{path}: {fault.strerror}")

    def _run(self) -> None:
        try:
            self._loop()
        except Exception:  # noqa: BLE001 - whatever it is, the umpire must not be left with silence
            _log.exception("the engine can't go on: the service ends, so that it is started anew")
            self._fail()

    def _loop(self) -> None:
        events, clock_ns, take = self._events, self._clock_ns, self._take
        due_ns = clock_ns() + TICK_NS
        while not self._stopping.is_set():
            wait_ns = due_ns - clock_ns()
            if wait_ns > 0:
                try:
                    event = events.get(timeout=wait_ns / NS / self._speed)
                except queue.Empty:
                    continue
                take(event)
                continue
            now_ns = clock_ns()
            if now_ns - due_ns > LATE_TICKS * TICK_NS:
                due_ns = now_ns
            take(self._tick(now_ns))
            due_ns += TICK_NS

    def _tick(self, now_ns: int) -> Tick:
        if self._ticks % CLOCK_CHECK_TICKS == 0:
            self._clock = _clock_word()
            self._check_journal()
        if self._ticks % WATCHDOG_TICKS == 0:
            self._notifier.alive()
        self._ticks += 1
        return Tick(now_ns, time.time_ns(), self._clock)

    def _take(self, event: Event) -> None:
        """Let the engine take one event; tell first, then keep."""
        outputs = self._engine.step(event)
        if outputs:
            self._tell(outputs)
        if self._journal is not None:
            self._journal.record(event, outputs)
        if isinstance(event, PortState | BrokerState):
            _log.info("%s", event)

    def _tell(self, outputs: Sequence[Message]) -> None:
        field, publish = self._field_file.field, self._link.publish
        for message in outputs:
            publish(deliver(field, message), encode(message))
            match message:
                case Cue():
                    _log.info("cue %s: %s %s", message.umpire, message.pattern, message.say_en)
                case Alert():
                    _log.info("alert %s: %s %s", message.state, message.clause, message.say_en)
                case Status():
                    self._status = message
                    self._notifier.status(f"{message.state} {'; '.join(message.reasons)}")
                case _:
                    pass

    def _check_journal(self) -> None:
        failure = "" if self._journal is None else self._journal.failure
        if failure != self._told_failure:
            self._tell_host("recording", failure)
            self._told_failure = failure

    def _tell_host(self, what: str, detail: str) -> None:
        _log.error("%s: %s", what, detail)
        self._events.put(HostState(self._clock_ns(), what, detail))


class _Timex(ctypes.Structure):
    """The head of struct timex of adjtimex(2); the rest is room."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("room", ctypes.c_char * 512),
    )


def _clock_word() -> Literal["ntp", "free"]:
    """Say what the kernel thinks of the wall clock: set by a time service, or running free."""
    try:
        adjtimex = ctypes.CDLL(None).adjtimex
        timex = _Timex()
        is_read = adjtimex(ctypes.byref(timex)) >= 0
    except (AttributeError, OSError):
        return "free"
    return "ntp" if is_read and not timex.status & STA_UNSYNC else "free"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin run` takes."""
    parser.add_argument(
        "-c", "--config", metavar="FILE", type=pathlib.Path, required=True, help="the field file"
    )
    parser.add_argument(
        "--journal", metavar="DIR", help="record into this folder, whatever the field file says"
    )
    parser.add_argument(
        "--clock-speed", type=float, default=1.0, help=argparse.SUPPRESS
    )  # for the demo: a clock that runs faster, for tags whose time does too


def run(args: argparse.Namespace) -> int:
    """Run the daemon until it is told to stop.

    Gives 0 after SIGTERM or SIGINT, 1 when the engine could not go on, 2 for a field file that
    can't be used.
    """
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    ended = threading.Event()
    failed = threading.Event()

    def fail() -> None:
        failed.set()
        ended.set()

    text = args.config.read_text("utf-8")
    try:
        service = Service(
            _with_journal(parse_fieldfile(text), args.journal),
            fail=fail,
            speed=args.clock_speed,
        )
    except (FieldFileError, SurveyError) as error:
        print(f"throwin run: {args.config}: {error}", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    service.start()
    ended.wait()
    service.stop()
    return 1 if failed.is_set() else 0


def _with_journal(field_file: FieldFile, directory: str | None) -> FieldFile:
    return field_file if directory is None else field_file.with_journal(directory)


def clock_at(speed: float) -> Callable[[], int]:
    """Give the monotonic clock; at another speed it is the same now, and runs so much faster."""
    if speed == 1.0:
        return time.monotonic_ns
    start_ns = time.monotonic_ns()
    return lambda: start_ns + round((time.monotonic_ns() - start_ns) * speed)
