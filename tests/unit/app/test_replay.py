"""A replay says what the record held, where it differs first, and how much of it there was."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from throwin import __version__
from throwin.app import replay as module
from throwin.app.replay import Difference, first_difference, run
from throwin.contract.fieldfile import FieldFile
from throwin.contract.payload import Heartbeat, Message, Status, encode
from throwin.event import Bytes, Event, Tick
from throwin.io.journal import Entry, JournalWriter, read_journal
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file

FILE = field_file(load_scenario("goes_right"))


def beat(number: int, *, phase: str = "between") -> Heartbeat:
    return Heartbeat(
        id=f"b-h{number}", boot="b", seq=number, t="2026-06-06T14:00:00.000Z", clk="ntp",
        mono_ms=1.0, phase=phase, armed=False,
    )  # fmt: skip


def tick(number: int) -> Tick:
    return Tick(number * 1_000_000_000, 0, "ntp")


class Beating:
    """An engine that beats at every event, and at some otherwise than it did."""

    def __init__(self, changes: dict[int, Callable[[], list[Message]]] | None = None) -> None:
        self._changes = changes or {}
        self._number = 0

    def step(self, event: Event, /) -> list[Message]:
        """Beat."""
        self._number += 1
        change = self._changes.get(self._number)
        return [beat(self._number)] if change is None else change()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Give a journal of ten beats, one each second."""
    return record(tmp_path / "beats.mcap", version=__version__)


def record(path: Path, *, version: str, count: int = 10) -> Path:
    writer = JournalWriter.create(path, field_file=FILE, boot="b", version=version)
    for number in range(1, count + 1):
        writer.record(tick(number), [beat(number)])
    writer.close()
    return path


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Give what replays a file with an engine of ours."""

    def play(path: Path, engine: Beating, *, check: bool = True) -> int:
        def make(file: FieldFile, *, boot: str) -> Beating:
            return engine

        monkeypatch.setattr(module, "Engine", make)
        return run(argparse.Namespace(file=path, check=check))

    return play


def burst() -> list[Message]:
    raise ZeroDivisionError("a bug")


def test_replay_that_is_the_same_says_how_much_was_compared(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Replay that is the same says how much was compared."""
    code = play(journal, Beating())
    assert (code, capsys.readouterr().out) == (
        0,
        f"{journal}: 10 events, 10 messages over 9.0 s, outputs identical\n",
    )


def test_replay_that_differs_names_event_time_and_key(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Replay that differs names event, time and key."""
    code = play(journal, Beating({4: lambda: [beat(4, phase="armed")]}))
    first_line = capsys.readouterr().out.splitlines()[0]
    assert (code, first_line) == (
        1,
        f"{journal}: differs first at event 4 (Tick, 3.000 s) in phase",
    )


def test_replay_that_differs_shows_both(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Replay that differs shows both."""
    play(journal, Beating({4: list}))
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"  recorded: {encode(beat(4)).decode()}",
        "  replayed: nothing",
    ]


def test_message_that_is_too_many_is_a_difference(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Message that is too many is a difference."""
    play(journal, Beating({4: lambda: [beat(4), beat(5)]}))
    assert "  recorded: nothing" in capsys.readouterr().out.splitlines()


def status(counters: dict[str, int], reasons: tuple[str, ...] = ()) -> Status:
    return Status(
        id="s", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, state="ready", reasons=reasons,
        version="1", counters=counters,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "key"),
    [
        (status({"a": 1}), status({"a": 2}), "counters.a"),
        (status({"a": 1}), status({}), "counters.a"),
        (status({}), status({"b": 1}), "counters.b"),
        (status({}, ("x", "y")), status({}, ("x", "z")), "reasons[1]"),
        (status({}, ("x",)), status({}, ("x", "z")), "reasons[1]"),
        (status({"a": 1, "b": 2}), status({"b": 2, "a": 1}), ""),
    ],
)
def test_first_key_that_differs_is_named(was: Status, now: Status, key: str) -> None:
    """First key that differs is named; "" where only their order does."""
    entry = Entry(tick(1), (encode(was),))
    found = first_difference([entry], Beating({1: lambda: [now]}))
    assert found == Difference(1, tick(1), key, encode(was), encode(now))


def test_record_that_is_no_json_differs_without_a_key() -> None:
    """Record that is no json differs without a key."""
    found = first_difference([Entry(tick(1), (b"\xff",))], Beating())
    assert found == Difference(1, tick(1), "", b"\xff", encode(beat(1)))


def test_entries_that_are_the_same_have_no_difference(journal: Path) -> None:
    """Entries that are the same have no difference."""
    assert first_difference(read_journal(journal), Beating()) is None


def test_engine_that_fails_is_told_with_the_event(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Engine that fails is told with the event, and what went by before it."""
    code = play(journal, Beating({3: burst}))
    said = capsys.readouterr()
    words = "the engine fails at event 3 (Tick); before it 2 events, 2 messages over 1.0 s"
    assert (code, said.out) == (1, f"{journal}: {words}\n")


def test_engine_that_fails_shows_where(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Engine that fails shows where."""
    play(journal, Beating({3: burst}))
    assert "ZeroDivisionError: a bug" in capsys.readouterr().err


def test_journal_that_was_cut_off_says_how_much_was_read(
    journal: Path,
    play: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Journal that was cut off says how much was read."""
    journal.write_bytes(journal.read_bytes()[:-1])
    play(journal, Beating(), check=False)
    assert capsys.readouterr().err == (
        f"{journal}: cut off; read up to its last whole chunk: 9 events, 9 messages over 8.0 s\n"
    )


def test_damaged_journal_is_not_called_whole(
    journal: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes after the damage was not compared: that is no success."""
    data = bytearray(journal.read_bytes())
    data[-400] ^= 1
    journal.write_bytes(bytes(data))
    code = play(journal, Beating())
    assert (code, capsys.readouterr().err.startswith(f"{journal}: damaged; read up")) == (1, True)


def test_journal_that_holds_nothing_is_not_called_identical(
    tmp_path: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal that holds nothing is not called identical."""
    path = record(tmp_path / "empty.mcap", version=__version__, count=0)
    code = play(path, Beating())
    assert (code, capsys.readouterr().out) == (
        1,
        f"{path}: 0 events, 0 messages over 0.0 s: nothing to compare\n",
    )


def test_journal_of_another_version_says_so(
    tmp_path: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal of another version says so."""
    path = record(tmp_path / "old.mcap", version="0.0.1")
    play(path, Beating())
    assert capsys.readouterr().err == (
        f"{path}: recorded by throwin 0.0.1, replayed by {__version__}\n"
    )


def test_journal_that_can_not_be_used_is_refused(
    tmp_path: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal that can not be used is refused."""
    path = tmp_path / "notes.txt"
    path.write_text("nothing", "utf-8")
    code = play(path, Beating())
    assert (code, "expected a journal" in capsys.readouterr().err) == (2, True)


def test_crash_of_the_daemon_is_replayed_as_a_crash(
    tmp_path: Path, play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Crash of the daemon is replayed as a crash: the event that did it stands last."""
    path = tmp_path / "crash.mcap"
    writer = JournalWriter.create(path, field_file=FILE, boot="b", version=__version__)
    writer.record(tick(1), [beat(1)])
    writer.record(Bytes("gateway", 2, b"poison"), [])
    writer.close()
    code = play(path, Beating({2: burst}))
    assert (code, "fails at event 2 (Bytes)" in capsys.readouterr().out) == (1, True)
