"""`throwin run`: the daemon. Ports and broker put events on one queue; one thread takes them.

What the engine says goes to the broker first and into the journal after: a cue waits for nothing.
"""

import argparse
import gc
import logging
import logging.handlers
import pathlib
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from throwin import __version__
from throwin.app.clock import clock_at, clock_word, kernel_status
from throwin.contract.fieldfile import BrokerSection, FieldFile, FieldFileError, parse_fieldfile
from throwin.contract.payload import Alert, Cue, Lineup, MatchEvent, Message, Status, encode
from throwin.contract.topic import deliver
from throwin.engine import Engine
from throwin.event import (
    BrokerState,
    Bytes,
    Command,
    Event,
    HostCounts,
    HostState,
    PortState,
    ReceiverState,
    Tick,
)
from throwin.field.frame import SurveyError
from throwin.io.journal import JournalWriter
from throwin.io.link import Link
from throwin.io.notify import Notifier
from throwin.io.serial_port import SerialReader

NS = 1_000_000_000
TICK_NS = 50_000_000  # 20 Hz
SWITCH_S = 0.0005  # a reader waits no longer for the engine's thread
YIELD_S = 0.00005  # any sleep lets go of the interpreter; this is the shortest that is sure to
CLOCK_CHECK_TICKS = 200
WATCHDOG_TICKS = 10
ENGINE_STOP_S = 1.0
MISSING_MS = 3_000.0  # what keeps READY away is logged after so long, and once
LATE_TICKS = 20  # further behind than this the missing ticks are skipped: the machine slept
QUEUE_MAX = 50_000  # events; of what comes beyond, bytes are lost, as they are on a full wire
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
        self._readers = {
            port.name: SerialReader(port, self._offer, clock_ns=clock_ns)
            for port in field_file.ports
        }
        self._link = Link(
            broker=field_file.broker,
            field=field_file.field,
            boot=self._boot,
            emit=self._offer,
            clock_ns=clock_ns,
        )
        self._notifier = Notifier()
        self._journal: JournalWriter | None = None
        self._told_failure = ""
        self._missing: tuple[str, ...] = ()
        self._missing_ms: float | None = None  # since when, until it is told
        self._stopping = threading.Event()
        # A daemon: one that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._status: Status | None = None
        self._ticks = 0
        self._skipped_ticks = 0
        self._queue_max = 0
        self._lost_events = 0
        self._counts: tuple[tuple[str, int], ...] = ()
        self._clock: Literal["gps", "ntp", "free"] = "free"

    def start(self) -> None:
        """Start everything; absent ports and brokers are waited for while the rest runs."""
        sys.setswitchinterval(SWITCH_S)
        gc.collect()
        gc.freeze()  # what stands now stands to the end: no collection looks at it again
        self._open_journal()
        self._link.start()
        for reader in self._readers.values():
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
        for reader in self._readers.values():
            reader.stop()
        self._stopping.set()
        self._thread.join(ENGINE_STOP_S)
        if self._status is not None:
            last = self._status.stopping()
            self._link.publish(deliver(self._field_file.field, last), encode(last))
        self._link.stop()
        if self._journal is not None:
            self._journal.close()
        _log.info("stopped")

    def _offer(self, event: Event) -> None:
        """Put an event on the queue, from any thread; never blocks."""
        if self._events.qsize() >= QUEUE_MAX and isinstance(event, Bytes):
            self._lost_events += 1
            return
        self._events.put(event)

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
            self._tell_host("recording", f"{path}: {fault.strerror or fault}")
        else:
            _log.info("recording into %s", path)

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
            self._catch_up()
            now_ns = clock_ns()
            if now_ns - due_ns > LATE_TICKS * TICK_NS:
                self._skipped_ticks += (now_ns - due_ns) // TICK_NS
                due_ns = now_ns
            take(self._tick(now_ns))
            due_ns += TICK_NS
        self._catch_up()

    def _catch_up(self) -> None:
        """Take what waits at this moment: it was there before the tick, so the tick comes after.

        What comes meanwhile waits for its turn, so that no flood keeps the ticks away.
        """
        waiting = self._events.qsize()
        self._queue_max = max(self._queue_max, waiting)
        for _ in range(waiting):
            self._take(self._events.get())

    def _tick(self, now_ns: int) -> Tick:
        if self._ticks % CLOCK_CHECK_TICKS == 0:
            self._clock = clock_word(kernel_status())
            self._check_journal()
            self._tell_counts(now_ns)
        if self._ticks % WATCHDOG_TICKS == 0:
            self._notifier.alive()
        self._ticks += 1
        return Tick(now_ns, time.time_ns(), self._clock)

    def _take(self, event: Event) -> None:
        """Let the engine take one event; tell first, then keep."""
        outputs: Sequence[Message] = ()
        try:
            outputs = self._engine.step(event)
            if outputs:
                self._tell(outputs)
        finally:  # what ends the engine is the event that one wants to see
            if self._journal is not None:
                self._journal.record(event, outputs)
        if not isinstance(event, Bytes | Tick):
            _log_event(event)

    def _tell(self, outputs: Sequence[Message]) -> None:
        field, publish = self._field_file.field, self._link.publish
        for message in outputs:
            publish(deliver(field, message), encode(message))
            if isinstance(message, Cue):  # it leaves on a thread that else waits for this one
                time.sleep(YIELD_S)
        for message in outputs:
            match message:
                case Cue():
                    _log.info("cue %s: %s %s", message.umpire, message.pattern, message.say_en)
                case Alert():
                    _log.info("alert %s: %s %s", message.state, message.clause, message.say_en)
                case MatchEvent():
                    words = ", ".join(f"{key} {value}" for key, value in message.detail.items())
                    colon = ": " if words else ""
                    _log.info("%s by %s%s%s", message.what, message.trigger, colon, words)
                case Status():
                    self._tell_status(message)
                case Lineup():
                    self._tell_missing(message)
                case _:
                    pass

    def _tell_status(self, status: Status) -> None:
        before, self._status = self._status, status
        words = f"{status.state}{': ' if status.reasons else ''}{'; '.join(status.reasons)}"
        self._notifier.status(words)
        known = () if before is None else before.reasons
        for reason in status.reasons:
            if reason not in known:
                _log.warning("%s: %s", status.state, reason)
        for reason in known:
            if reason not in status.reasons:
                _log.info("no longer: %s", reason)
        if not status.reasons and (before is None or before.state != status.state):
            _log.info("%s", status.state)

    def _tell_missing(self, lineup: Lineup) -> None:
        """Log why an armed line-up is not READY, once it has been the same for a while."""
        missing = lineup.missing if lineup.phase == "armed" else ()
        if missing != self._missing:
            self._missing = missing
            self._missing_ms = lineup.mono_ms
        elif self._missing_ms is not None and lineup.mono_ms - self._missing_ms >= MISSING_MS:
            self._missing_ms = None  # told
            if missing:
                _log.warning("armed and not ready: %s", "; ".join(missing))

    def _tell_counts(self, now_ns: int) -> None:
        """Tell the engine what was counted outside of it, so that it stands in the status."""
        counted = self._link.counters()
        for name, reader in self._readers.items():
            counted.update((f"{name}.{what}", n) for what, n in reader.counters().items())
        own = {
            "queue_max": self._queue_max,
            "queue_lost": self._lost_events,
            "ticks_skipped": self._skipped_ticks,
        }
        counted.update((what, n) for what, n in own.items() if n)
        counts = tuple(sorted(counted.items()))
        if counts != self._counts:
            self._counts = counts
            self._events.put(HostCounts(now_ns, counts))

    def _check_journal(self) -> None:
        failure = "" if self._journal is None else self._journal.failure
        if failure != self._told_failure:
            self._tell_host("recording", failure)
            self._told_failure = failure

    def _tell_host(self, what: str, detail: str) -> None:
        _log.error("%s: %s", what, detail)
        self._events.put(HostState(self._clock_ns(), what, detail))


def _log_event(event: Event) -> None:
    """Log what happens outside, in words."""
    match event:
        case PortState():
            level = logging.INFO if event.is_open else logging.WARNING
            _log.log(level, "port %s: %s", event.port, event.detail)
        case BrokerState():
            level = logging.INFO if event.is_connected else logging.WARNING
            _log.log(level, "broker: %s", event.detail)
        case ReceiverState():
            word = "online" if event.is_online else "offline"
            _log.info("receiver %s of umpire %s: %s", event.receiver, event.umpire, word)
        case Command():
            words = " ".join(f"{name}={value}" for name, value in event.args)
            _log.info("command %s %s (%s, %s)", event.verb.value, words, event.source, event.id)
        case _:
            pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin run` takes."""
    parser.add_argument(
        "-c", "--config", metavar="FILE", type=pathlib.Path, required=True, help="the field file"
    )
    parser.add_argument(
        "--journal", metavar="DIR", help="record into this folder, whatever the field file says"
    )
    parser.add_argument(
        "--broker",
        metavar="HOST[:PORT]",
        help="use this broker, whatever the field file says; user and password stay",
    )
    parser.add_argument(
        "--clock-speed", type=float, default=1.0, help=argparse.SUPPRESS
    )  # for the demo: a clock that runs faster, for tags whose time does too


def run(args: argparse.Namespace) -> int:
    """Run the daemon until it is told to stop.

    Gives 0 after SIGTERM or SIGINT, 1 when the engine could not go on, 2 for a field file that
    can't be used.
    """
    ended = threading.Event()
    failed = threading.Event()

    def fail() -> None:
        failed.set()
        ended.set()

    with _logging():
        try:
            service = Service(_field_file(args), fail=fail, speed=args.clock_speed)
        except (FieldFileError, SurveyError) as error:
            print(f"throwin run: {args.config}: {error}", file=sys.stderr)
            return 2
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        service.start()
        ended.wait()
        service.stop()
    return 1 if failed.is_set() else 0


@contextmanager
def _logging() -> Iterator[None]:
    """Log to stderr by a thread of its own: a reader that stands still holds no umpire's cue up."""
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    listener = logging.handlers.QueueListener(lines, out)
    handler = logging.handlers.QueueHandler(lines)
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    root.addHandler(handler)
    listener.start()
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        listener.stop()


def _field_file(args: argparse.Namespace) -> FieldFile:
    """Read the field file, and put what the command line says in its place."""
    try:
        text = args.config.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise FieldFileError("(file)", "UTF-8", str(error)) from None
    field_file = parse_fieldfile(text)
    if args.journal is not None:
        field_file = field_file.with_journal(args.journal)
    if args.broker is not None:
        field_file = field_file.with_broker(*_host_and_port(args.broker))
    return field_file


def _host_and_port(text: str) -> tuple[str, int]:
    """Take HOST, HOST:PORT, [V6] or [V6]:PORT apart; raises FieldFileError."""
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port:
        host, port = text, str(BrokerSection().port)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65_535:
        raise FieldFileError("--broker", "HOST or HOST:PORT", repr(text))
    return host, int(port)
