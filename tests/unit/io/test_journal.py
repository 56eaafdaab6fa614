"""A journal gives back what went in, in order; cut anywhere, all but its end."""

import contextlib
import errno
import io
import os
import random
import time
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.records import ChunkIndex

from throwin import event
from throwin.contract.payload import Answer, Heartbeat, Message, encode
from throwin.engine import Engine
from throwin.io import journal as module
from throwin.io.journal import (
    Entry,
    Journal,
    JournalError,
    JournalReader,
    JournalWriter,
    read_journal,
)
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


@pytest.mark.parametrize("seed", range(20))
def test_cut_journal_is_not_damaged(path: Path, tmp_path: Path, seed: int) -> None:
    """A power cut is the usual end of a match: what was written is well."""
    shorter = tmp_path / "cut.mcap"
    size = random.Random(seed).randrange(6000, path.stat().st_size)
    shorter.write_bytes(path.read_bytes()[:size])
    assert not walked(shorter).is_damaged


@pytest.mark.parametrize("seed", range(20))
def test_flipped_bit_in_a_chunk_is_damage(path: Path, tmp_path: Path, seed: int) -> None:
    """What comes after it is not read, and that is not taken for the end."""
    data = bytearray(path.read_bytes())
    chunk = chunks_of(path)[0]
    inside = range(chunk.chunk_start_offset + 60, chunk.chunk_start_offset + chunk.chunk_length)
    data[random.Random(seed).choice(inside)] ^= 1 << (seed % 8)
    spoiled = tmp_path / "spoiled.mcap"
    spoiled.write_bytes(bytes(data))
    assert walked(spoiled).is_damaged


def walked(path: Path) -> JournalReader:
    reader = JournalReader(path)
    for _ in reader:
        pass
    return reader


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


def test_reader_gives_the_same_entry_by_entry(path: Path) -> None:
    """Reader gives the same entry by entry."""
    assert tuple(JournalReader(path)) == read_journal(path).entries


def test_journal_gives_its_entries_when_walked(path: Path) -> None:
    """Journal gives its entries when walked."""
    journal = read_journal(path)
    assert tuple(journal) == journal.entries


@pytest.fixture(scope="module")
def small(
    steps: list[tuple[event.Event, list[Message]]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Give a journal of a few small chunks."""
    path = tmp_path_factory.mktemp("journal") / "small.mcap"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_BYTES", 300)
        writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
        for one, outputs in steps[104:116]:
            writer.record(one, outputs)
        writer.close()
    return path


def chunks_of(path: Path) -> list[ChunkIndex]:
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    return summary.chunk_indexes


@pytest.fixture(scope="module")
def counts(small: Path, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """Give how many entries are left of a cut, the longer the rest the later; -1 = wrong ones.

    The cuts are at every byte of the last two chunks, and at every fifth elsewhere.
    """
    whole, data = read_journal(small).entries, small.read_bytes()
    last = chunks_of(small)[-2:]
    end = last[1].chunk_start_offset + last[1].chunk_length
    cuts = {*range(0, len(data), 5), *range(last[0].chunk_start_offset, end + 1), len(data) - 1}
    shorter, counts = tmp_path_factory.mktemp("journal") / "cut.mcap", []
    for size in sorted(cuts):
        shorter.write_bytes(data[:size])
        try:
            entries: tuple[Entry, ...] = read_journal(shorter).entries
        except JournalError:
            entries = ()
        counts.append(len(entries) if entries == whole[: len(entries)] else -1)
    return counts


def test_journal_cut_at_any_byte_is_read_up_to_there(counts: list[int]) -> None:
    """Journal cut at any byte is read up to there: a longer rest never gives less."""
    assert (counts == sorted(counts), counts[0], counts[-1]) == (True, 0, 11)


def test_cut_costs_the_chunk_that_it_is_in_and_no_more(counts: list[int]) -> None:
    """Cut costs the chunk that it is in and no more: chunk by chunk all comes."""
    assert len(set(counts)) > 5


@pytest.mark.parametrize("seed", range(40))
def test_journal_with_a_flipped_bit_is_read_up_to_it(
    small: Path, tmp_path: Path, seed: int
) -> None:
    """Journal with a flipped bit is read up to it: each chunk has a check value."""
    whole, data = read_journal(small).entries, bytearray(small.read_bytes())
    begin = chunks_of(small)[0].chunk_start_offset  # what stands before has no check value
    place = random.Random(seed).randrange(begin, len(data))
    data[place] ^= 1 << (seed % 8)
    flipped = tmp_path / "flipped.mcap"
    flipped.write_bytes(bytes(data))
    entries = read_journal(flipped).entries
    assert entries == whole[: len(entries)]


def test_journal_that_is_still_written_can_be_read(
    steps: list[tuple[event.Event, list[Message]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Journal that is still written can be read: so could what a killed daemon leaves behind."""
    monkeypatch.setattr(module, "SYNC_S", 0.01)
    path = tmp_path / "growing.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    for one, outputs in steps[:50]:
        writer.record(one, outputs)
    count, end_s = 0, time.monotonic() + 10.0
    while count < 49 and time.monotonic() < end_s:
        with contextlib.suppress(JournalError):
            count = len(read_journal(path).entries)
    writer.close()
    assert count == 49


def test_answer_to_a_topic_of_the_events_spoils_nothing(tmp_path: Path) -> None:
    """Answer to a topic of the events spoils nothing: askers name any topic they like."""
    answer = Answer(
        id="a", boot="b", seq=1, t="", clk="ntp", mono_ms=1.0, command_id="c", ok=True, reason="",
        phase="between", reply_to="events-in", correlation="",
    )  # fmt: skip
    path = tmp_path / "answer.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.record(event.Tick(1, 1, "ntp"), [answer])
    writer.close()
    assert read_journal(path).entries == (Entry(event.Tick(1, 1, "ntp"), (encode(answer),)),)


def test_event_that_can_not_be_written_ends_the_recording_in_words(tmp_path: Path) -> None:
    """Event that can not be written ends the recording in words."""
    path = tmp_path / "odd.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.record(event.HostState(1, "recording", "\udcff"), [])
    writer.close()
    assert writer.failure.startswith("recording ended: ")


def test_disk_that_is_too_slow_ends_the_recording_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Disk that is too slow ends the recording in words, and the journal is not called whole."""
    monkeypatch.setattr(module, "BACKLOG_MAX", 0)
    path = tmp_path / "slow.mcap"
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.record(event.Tick(1, 1, "ntp"), [beat(1)])
    writer.close()
    assert (writer.failure, read_journal(path).is_whole) == (
        "the disk is too slow: recording ended",
        False,
    )


class SmallDisk(io.FileIO):
    """A file on a disk that takes no more than some bytes."""

    def __init__(self, path: Path, room: int) -> None:
        super().__init__(path, "wb")
        self._room = room

    def write(self, data: object, /) -> int:
        """Write what there is room for."""
        part = bytes(data)[: self._room]  # type: ignore[call-overload] # a buffer of any kind
        if not part:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._room -= len(part)
        return super().write(part)


def test_journal_of_a_disk_that_fills_is_read_up_to_there(
    steps: list[tuple[event.Event, list[Message]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Journal of a disk that fills is read up to there."""
    monkeypatch.setattr(module, "CHUNK_BYTES", 300)
    path = tmp_path / "full.mcap"
    stream = io.BufferedWriter(SmallDisk(path, 20_000), 512)
    writer = JournalWriter(stream, field_file=field_file(SCENARIO), boot="b0", version="1")
    for one, outputs in steps:
        writer.record(one, outputs)
    writer.close()
    entries = read_journal(path).entries
    expected = [one for one, _ in steps[: len(entries)]]
    assert (len(entries) > 20, [entry.event for entry in entries]) == (True, expected)


def test_event_of_a_later_kind_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Event of a later kind is refused in words."""
    path = tmp_path / "later.mcap"
    monkeypatch.setattr(module, "encode_event", lambda event: b"\x92\xa1z\x90")
    writer = JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b0", version="1")
    writer.record(event.Tick(1, 1, "ntp"), [])
    writer.close()
    with pytest.raises(JournalError, match="expected an event of the journal"):
        read_journal(path)


def test_journal_of_another_format_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journal of another format is refused."""
    path = tmp_path / "later.mcap"
    monkeypatch.setattr(module, "FORMAT", 2)
    JournalWriter.create(path, field_file=field_file(SCENARIO), boot="b", version="9").close()
    monkeypatch.undo()
    with pytest.raises(JournalError, match="expected a journal of format 1, got '2'"):
        read_journal(path)
