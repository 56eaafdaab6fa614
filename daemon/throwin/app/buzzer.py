"""`throwin buzzer`: a receiver in the terminal. It draws what an umpire would feel, and says it."""

import argparse
import contextlib
import pathlib
import queue
import re
import signal
import time
from typing import NamedTuple, assert_never

from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import AckMessage, Cue, Heartbeat
from throwin.event import BrokerState
from throwin.io.link import ReceiverLink
from throwin.receiver.core import Action, Play, Receiver, Report
from throwin.receiver.pattern import draw

TICK_S = 0.1
NAME_PATTERN = r"[A-Za-z0-9_.-]{1,32}"


class Heard(NamedTuple):
    """One message, with the moment at which it came."""

    t_ms: float
    message: Cue | Heartbeat


def now_ms() -> float:
    """Give this receiver's own monotonic clock, ms."""
    return time.monotonic_ns() / 1e6


def ack_of(receiver: str, report: Report) -> AckMessage:
    """Give the message of a receiver's report."""
    return AckMessage(
        receiver=receiver, cue_id=report.cue_id, what=report.what.value, late_ms=report.late_ms
    )


class Console:
    """Plays for one umpire by printing; acknowledges what it has played."""

    def __init__(
        self, *, broker: BrokerSection, field: str, umpire: str, name: str, lang: str
    ) -> None:
        self._lang = lang
        self._field = field
        self._umpire = umpire
        self._known: tuple[str, ...] | None = None  # the umpires of the last heartbeat
        self._name = name
        self._inbox: queue.SimpleQueue[Heard | BrokerState] = queue.SimpleQueue()
        self._receiver = Receiver(umpire, now_ms())
        self._link = ReceiverLink(
            broker=broker,
            field=field,
            umpire=umpire,
            name=name,
            hear=lambda t_host_ns, message: self._inbox.put(Heard(t_host_ns / 1e6, message)),
            on_link=self._inbox.put,
        )
        self.is_stopping = False

    def run(self) -> None:
        """Play until it is told to stop."""
        self._link.start()
        try:
            while not self.is_stopping:
                with contextlib.suppress(queue.Empty):
                    self._take(self._inbox.get(timeout=TICK_S))
                for action in self._receiver.tick(now_ms()):
                    self._do(action)
        finally:
            self._link.stop()

    def _take(self, heard: Heard | BrokerState) -> None:
        match heard:
            case BrokerState():
                self._print(heard.detail)
            case Heard(t_ms, Heartbeat() as beat):
                self._known = beat.umpires
                self._receiver.heartbeat(beat, t_ms)
            case Heard(t_ms, Cue() as cue):
                for action in self._receiver.cue(cue, t_ms):
                    self._do(action)

    def _do(self, action: Action) -> None:
        match action:
            case Play():
                said = action.say_es if self._lang == "es" else action.say_en
                if action.pattern == "blind" and self._receiver.is_blind:
                    said += self._why()
                self._print(f"{action.pattern.upper():6} {draw(action.pattern)}  {said}".rstrip())
            case Report():
                self._link.acknowledge(ack_of(self._name, action))
            case _:
                assert_never(action)

    def _why(self) -> str:
        """Say what a mistaken name would look like from here."""
        if self._known is None:
            return f" (nothing has spoken for field {self._field} on this broker)"
        if self._known and self._umpire not in self._known:
            known = ", ".join(self._known)
            return f" (field {self._field} has the umpires {known}, not {self._umpire})"
        return ""

    def _print(self, text: str) -> None:
        print(time.strftime("%H:%M:%S"), text, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin buzzer` takes."""
    parser.add_argument("--console", action="store_true", help="play in the terminal (the default)")
    parser.add_argument("--host", default="127.0.0.1", help="the broker (default 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=1883, help="its port (default 1883)")
    parser.add_argument("--user", help="the broker's user, if it asks for one")
    parser.add_argument(
        "--password-file", metavar="FILE", type=pathlib.Path, help="the password alone in a file"
    )
    parser.add_argument(
        "--field", type=_name, required=True, help="the field's name, as in its field file"
    )
    parser.add_argument(
        "--umpire", type=_name, required=True, help="the umpire's id, as in the field file"
    )
    parser.add_argument(
        "--name", type=_name, default="console", help="this receiver's name (default console)"
    )
    parser.add_argument("--lang", choices=["en", "es"], default="en", help="what it speaks")


def _port(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 65_535:
        raise argparse.ArgumentTypeError(f"expected 1 to 65535, got {text}")
    return value


def _name(text: str) -> str:
    """Take what is a level of a topic, as the field file does."""
    if re.fullmatch(NAME_PATTERN, text) is None:
        raise argparse.ArgumentTypeError(f"expected 1 to 32 of A-Z a-z 0-9 _ . -, got {text!r}")
    return text


def run(args: argparse.Namespace) -> int:
    """Play until SIGTERM or SIGINT; gives 0."""
    console = Console(
        broker=BrokerSection(
            host=args.host,
            port=args.port,
            user=args.user,
            password_file=args.password_file and str(args.password_file),
        ),
        field=args.field,
        umpire=args.umpire,
        name=args.name,
        lang=args.lang,
    )

    def stop(*_: object) -> None:
        console.is_stopping = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    console.run()
    return 0
