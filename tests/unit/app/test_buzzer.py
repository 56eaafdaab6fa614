"""`throwin buzzer` shows what an umpire would feel, answers for it, and goes cleanly."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import throwin
from throwin.app import buzzer, cli
from throwin.contract.fieldfile import BrokerSection
from throwin.contract.payload import Cue, CuePattern, Heartbeat, encode
from throwin.contract.topic import deliver
from throwin.event import Ack, Event, ReceiverState
from throwin.io.broker import ChildBroker, free_port
from throwin.io.link import Link
from throwin.receiver.core import Report, What

WAIT_S = 15.0


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[ChildBroker]:
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path, only="mosquitto") as broker:
        yield broker


class Daemon:
    """A daemon's link that gives cues as the engine would."""

    def __init__(self, port: int) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.link = Link(
            broker=BrokerSection(port=port), field="north", boot="b0", emit=self.events.put
        )
        self.link.start()

    def until_receiver(self, *, is_online: bool) -> ReceiverState:
        """Wait until the receiver has said that it came or went."""
        while True:
            event = self.events.get(timeout=WAIT_S)
            if isinstance(event, ReceiverState) and event.is_online is is_online:
                return event

    def acks(self, n: int) -> list[tuple[str, str]]:
        """Wait for so many acknowledgements."""
        found: list[tuple[str, str]] = []
        while len(found) < n:
            event = self.events.get(timeout=WAIT_S)
            if isinstance(event, Ack):
                found.append((event.cue_id, event.what))
        return found

    def say(self, message: Cue | Heartbeat) -> None:
        """Publish a message."""
        self.link.publish(deliver("north", message), encode(message))


class Program:
    """The command in a process of its own, with the lines that it prints."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "throwin", "buzzer", "--console", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(throwin.__file__).parents[1])},
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, word: str) -> str:
        """Give the first line with a word, without its time."""
        while True:
            line = self.lines.get(timeout=WAIT_S)
            if word in line:
                return line.partition(" ")[2].rstrip()

    def end(self, number: signal.Signals) -> int:
        """Send a signal; give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        """End it, whatever has become of it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(WAIT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def daemon(broker: ChildBroker) -> Iterator[Daemon]:
    daemon = Daemon(broker.port)
    yield daemon
    daemon.link.stop()


@pytest.fixture
def program(broker: ChildBroker, daemon: Daemon) -> Iterator[Program]:
    program = Program("--port", str(broker.port), "--field", "north", "--umpire", "u1")
    daemon.until_receiver(is_online=True)
    yield program
    program.close()


def make_cue(number: int, pattern: CuePattern, *, mono_ms: float = 1000.0) -> Cue:
    return Cue(
        id=f"q{number}",
        boot="b0",
        seq=number,
        t="",
        clk="free",
        mono_ms=mono_ms,
        umpire="u1",
        pattern=pattern,
        say_en="red two, five yards",
        say_es="rojo dos, cinco yardas",
        valid_ms=1000,
        alert_id=None,
        next_ms=None,
        covers=(),
        fix_age_ms=None,
    )


def test_cue_at_the_console_is_one_line(daemon: Daemon, program: Program) -> None:
    """Pattern, drawing and words."""
    daemon.say(make_cue(1, "hold"))
    assert program.until("HOLD") == "HOLD   ▅▅▅ ▅▅▅ ▅▅▅  red two, five yards"


def test_cue_at_the_console_is_acknowledged(daemon: Daemon, program: Program) -> None:
    """The technician sees that it was played."""
    daemon.say(make_cue(1, "hold"))
    assert daemon.acks(2) == [("q1", "received"), ("q1", "played")]


def test_late_cue_at_the_console_is_told_and_not_shown(daemon: Daemon, program: Program) -> None:
    """Only what would be felt is shown."""
    daemon.say(make_cue(1, "ready", mono_ms=60_000.0))
    daemon.say(make_cue(2, "hold", mono_ms=1_000.0))
    assert daemon.acks(3)[2] == ("q2", "dropped_late")


def test_silence_of_the_daemon_is_blind_at_the_console(program: Program) -> None:
    """Nothing that comes is something that is said."""
    assert "  no link" in program.until("BLIND")


@pytest.mark.parametrize(
    ("field", "umpire", "words"),
    [
        ("noth", "u1", "(nothing has spoken for field noth on this broker)"),
        ("north", "u9", "(field north has the umpires u1, u2, not u9)"),
    ],
)
def test_mistaken_name_at_the_console_is_told(
    broker: ChildBroker, daemon: Daemon, field: str, umpire: str, words: str
) -> None:
    """A receiver of a field or an umpire whom nobody knows says so with its BLIND."""
    program = Program("--port", str(broker.port), "--field", field, "--umpire", umpire)
    try:
        program.until("connected")
        beat = Heartbeat(
            id="b-h1", boot="b", seq=1, t="", clk="ntp", mono_ms=1.0, phase="between",
            armed=False, umpires=("u1", "u2"),
        )  # fmt: skip
        daemon.say(beat)
        line = program.until("BLIND")
    finally:
        program.close()
    assert line.endswith(words)


def test_interrupted_console_ends_with_0(program: Program) -> None:
    """Control-C is how one leaves it."""
    program.until("connected")
    assert program.end(signal.SIGINT) == 0


def test_terminated_console_is_offline(daemon: Daemon, program: Program) -> None:
    """Whoever ends it, the daemon knows."""
    program.until("connected")
    program.end(signal.SIGTERM)
    event = daemon.until_receiver(is_online=False)
    assert (event.umpire, event.receiver) == ("u1", "console")


def test_console_without_a_broker_says_so(unused_port: int) -> None:
    """An absent broker is words, and then BLIND."""
    program = Program("--port", str(unused_port), "--field", "north", "--umpire", "u1")
    words = program.until("no broker"), program.until("BLIND")
    program.close()
    assert words[0].startswith(f"no broker at 127.0.0.1:{unused_port}")


@pytest.fixture
def unused_port() -> int:
    return free_port()


@pytest.mark.parametrize(
    "arguments",
    [["--umpire", "#"], ["--umpire", "a/b"], ["--umpire", ""], ["--umpire", "u", "--port", "0"]],
)
def test_argument_that_can_be_no_topic_or_port_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What would never work is refused at once."""
    with pytest.raises(SystemExit, match="2"):
        cli.main(["buzzer", "--field", "north", *arguments])
    assert "expected" in capsys.readouterr().err


def test_password_file_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing file is named, without a traceback."""
    path = str(tmp_path / "none")
    code = cli.main(["buzzer", "--field", "n", "--umpire", "u", "--password-file", path])
    assert (code, capsys.readouterr().err) == (2, f"throwin: {path}: No such file or directory\n")


def test_spanish_console_speaks_spanish(capsys: pytest.CaptureFixture[str]) -> None:
    """The words are the umpire's."""
    console = buzzer.Console(
        broker=BrokerSection(), field="north", umpire="u1", name="console", lang="es"
    )
    console._take(buzzer.Heard(0.0, make_cue(1, "hold")))
    assert capsys.readouterr().out.rstrip().endswith("rojo dos, cinco yardas")


def test_report_of_a_receiver_becomes_its_message() -> None:
    """The receiver's name goes with it."""
    ack = buzzer.ack_of("wrist", Report("q1", What.PLAYED, 2.5))
    assert (ack.receiver, ack.cue_id, ack.what, ack.late_ms) == ("wrist", "q1", "played", 2.5)
