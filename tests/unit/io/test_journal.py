"""A journal gives back what went in, in order; cut anywhere, all but its end."""

import random
from pathlib import Path

import pytest

from throwin import event
from throwin.contract.payload import Heartbeat, Message, encode
from throwin.engine import Engine
from throwin.io.journal import Journal, JournalError, JournalWriter, read_journal
from throwin.sim.fast import events, make_run
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file


def beat(number: int) -> Heartbeat:
    return Heartbeat(
        id=f"b-h{number}", boot="b", seq=number, t="", clk="ntp", mono_ms=1.0, phase="between",
        armed=False,
    )  # fmt: skip


SCENARIO = load_scenario("creeps_inside_5yd")


@pytest.fixture(scope="module")
def steps() -> list[tuple[event.Event, list[Message]]]:
    """Give a whole throw-in, step by step."""
    engine = Engine(field_file(SCENARIO), boot="b0")
    return [(one, engine.step(one)) for one in events(make_run(SCENARIO))]


@pytest.fixture(scope="module")
def path(
    steps: list[tuple[event.Event, list[Message]]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Give its journal."""
    path = tmp_path_factory.mktemp("journal") / "match.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    for one, outputs in steps:
        writer.record(one, outputs)
    writer.close()
    return path


def test_events_come_back_in_order(
    steps: list[tuple[event.Event, list[Message]]], path: Path
) -> None:
    """Events come back in order."""
    assert [entry.event for entry in read_journal(path).entries] == [one for one, _ in steps]


def test_outputs_come_back_with_their_event(
    steps: list[tuple[event.Event, list[Message]]], path: Path
) -> None:
    """Outputs come back with their event."""
    expected = [tuple(encode(message) for message in outputs) for _, outputs in steps]
    assert [entry.outputs for entry in read_journal(path).entries] == expected


def test_closed_journal_is_whole(path: Path) -> None:
    """Closed journal is whole."""
    assert read_journal(path).is_whole


def test_journal_names_its_start(path: Path) -> None:
    """Journal names its start."""
    journal = read_journal(path)
    assert (journal.boot, journal.version) == ("b0", "1")


def cut(path: Path, folder: Path, size: int) -> Journal:
    shorter = folder / "cut.mcap"
    shorter.write_bytes(path.read_bytes()[:size])
    return read_journal(shorter)


@pytest.mark.parametrize("seed", range(40))
def test_cut_journal_is_read_up_to_the_cut(path: Path, tmp_path: Path, seed: int) -> None:
    """Cut journal is read up to the cut."""
    whole = read_journal(path).entries
    size = random.Random(seed).randrange(6000, path.stat().st_size)
    entries = cut(path, tmp_path, size).entries
    assert entries == whole[: len(entries)]


def test_cut_journal_is_not_whole(path: Path, tmp_path: Path) -> None:
    """Cut journal is not whole."""
    assert not cut(path, tmp_path, path.stat().st_size - 1).is_whole


def test_journal_cut_at_its_end_has_all_but_the_last_step(path: Path, tmp_path: Path) -> None:
    """Journal cut at its end has all but the last step."""
    whole = read_journal(path).entries
    assert cut(path, tmp_path, path.stat().st_size - 1).entries == whole[:-1]


def test_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    """File that is no journal is refused."""
    path = tmp_path / "notes.txt"
    path.write_text("nothing of the kind", "utf-8")
    with pytest.raises(JournalError, match="expected a journal of format 1, got none"):
        read_journal(path)


def test_journal_is_never_written_over(path: Path) -> None:
    """Journal is never written over."""
    with pytest.raises(FileExistsError):
        JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")


def test_full_disk_ends_the_recording_in_words() -> None:
    """Full disk ends the recording in words."""
    full = Path("/dev/full").open("wb")  # noqa: SIM115 - the writer closes it
    writer = JournalWriter(full, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.record(event.Tick(1, 1, "ntp"), [beat(1)])
    writer.close()
    assert writer.failure == "recording ended: No space left on device"


def test_recording_that_has_ended_takes_no_more(tmp_path: Path) -> None:
    """Recording that has ended takes no more."""
    path = tmp_path / "ended.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.failure = "the disk is too slow: recording ended"
    writer.record(event.Tick(1, 1, "ntp"), [beat(1)])
    writer.close()
    assert read_journal(path).entries == ()
