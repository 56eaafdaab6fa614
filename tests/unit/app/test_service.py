"""The service takes every event in order, tells before it keeps, and never hangs in silence."""

import logging
import os
import queue
import sys
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from throwin.app import service as module
from throwin.app.service import Service
from throwin.contract.fieldfile import BrokerSection, FieldFile, JournalSection
from throwin.contract.payload import Cue, Heartbeat, Lineup, Message, Status
from throwin.contract.topic import Delivery
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
    Verb,
)
from throwin.io.journal import read_journal
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file

WAIT_S = 10.0
SCENARIO = load_scenario("goes_right")
BEAT = Heartbeat(
    id="h1", boot="b", seq=1, t="", clk="free", mono_ms=0.0, phase="between", armed=False
)


class FakeLink:
    """Keeps what is published; tells nothing by itself."""

    def __init__(
        self,
        *,
        broker: BrokerSection,
        field: str,
        boot: str,
        emit: Callable[[Event], None],
        clock_ns: Callable[[], int],
    ) -> None:
        self.broker = broker
        self.emit = emit
        self.sent: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        self.stopped = False

    def start(self) -> None:
        """Start nothing."""

    def publish(self, delivery: Delivery, payload: bytes) -> None:
        """Keep it."""
        self.sent.put((delivery.topic, payload))

    def stop(self) -> None:
        """Note it."""
        self.stopped = True

    def counters(self) -> dict[str, int]:
        """Give one that is always there."""
        return {"mqtt.dropped": 2}

    def topics(self) -> list[str]:
        """Give the topics of all that was published until now."""
        return [self.sent.get()[0] for _ in range(self.sent.qsize())]


class FakeEngine:
    """Notes what it takes, and answers with nothing."""

    def __init__(self, on: Callable[[Event], list[Message]] = lambda event: []) -> None:
        self.taken: list[Event] = []
        self._on = on

    def step(self, event: Event) -> list[Message]:
        """Take it."""
        self.taken.append(event)
        return self._on(event)


class Rig:
    """A service on a pseudo-terminal and a link that goes nowhere."""

    def __init__(self, folder: Path, *, journal: str = "") -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self._slave = slave
        self.failed: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.file: FieldFile = field_file(
            SCENARIO,
            devices={"gateway": os.ttyname(slave)},
            journal=JournalSection(directory=journal),
        )
        self.service: Any = Service(self.file, fail=lambda: self.failed.put(True))
        self.link = cast("FakeLink", self.service._link)

    def set(self, **parts: object) -> None:
        """Put something of ours in the place of a part of the service."""
        for name, part in parts.items():
            setattr(self.service, f"_{name}", part)

    def waiting(self) -> list[Event]:
        """Give what waits on the queue."""
        events = self.service._events
        return [events.get() for _ in range(events.qsize())]

    def close(self) -> None:
        """Close the terminal."""
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    monkeypatch.setattr(module, "Link", FakeLink)
    interval_s = sys.getswitchinterval()
    rig = Rig(tmp_path, journal=str(tmp_path / "journals"))
    yield rig
    rig.close()
    sys.setswitchinterval(interval_s)


def journal_of(folder: Path) -> list[Event]:
    (path,) = folder.glob("journals/*.mcap")
    return [entry.event for entry in read_journal(path).entries]


def wait_for(link: FakeLink, end: str) -> None:
    while not link.sent.get(timeout=WAIT_S)[0].endswith(end):
        pass


def test_running_service_beats(rig: Rig) -> None:
    """Running service beats."""
    rig.service.start()
    topic = ""
    while not topic.endswith("/hb"):
        topic, _ = rig.link.sent.get(timeout=WAIT_S)
    rig.service.stop()
    assert topic == "throwin/1/sim/hb"


def test_bytes_of_a_port_are_recorded_as_they_came(rig: Rig, tmp_path: Path) -> None:
    """Bytes of a port are recorded as they came."""
    rig.service.start()
    wait_for(rig.link, "/hb")
    os.write(rig.master, b"$GN")
    wait_for(rig.link, "/hb")
    wait_for(rig.link, "/hb")
    rig.service.stop()
    data = b"".join(one.data for one in journal_of(tmp_path) if isinstance(one, Bytes))
    assert data == b"$GN"


def test_stopped_service_says_so_last(rig: Rig) -> None:
    """Stopped service says so last."""
    rig.service.start()
    wait_for(rig.link, "/status")
    rig.service.stop()
    sent = [rig.link.sent.get() for _ in range(rig.link.sent.qsize())]
    assert (sent[-1][0].endswith("/status"), b'"state":"stopping"' in sent[-1][1]) == (True, True)


def test_stopped_service_has_stopped_its_link(rig: Rig) -> None:
    """Stopped service has stopped its link."""
    rig.service.start()
    rig.service.stop()
    assert rig.link.stopped


def test_engine_that_can_not_go_on_fails_the_service(rig: Rig) -> None:
    """Engine that can not go on fails the service: systemd starts it anew."""

    def burst(event: Event) -> list[Message]:
        raise ZeroDivisionError("a bug")

    rig.set(engine=FakeEngine(burst))
    rig.service.start()
    failed = rig.failed.get(timeout=WAIT_S)
    rig.service.stop()
    assert failed


def test_event_that_ended_the_engine_is_the_last_one_recorded(rig: Rig, tmp_path: Path) -> None:
    """Event that ended the engine is the last one recorded: a replay ends there too."""

    def burst(event: Event) -> list[Message]:
        if isinstance(event, Bytes):
            raise ZeroDivisionError("a bug")
        if isinstance(event, PortState):  # open: what came before is dropped
            os.write(rig.master, b"poison")
        return []

    rig.set(engine=FakeEngine(burst))
    rig.service.start()
    rig.failed.get(timeout=WAIT_S)
    rig.service.stop()
    last = journal_of(tmp_path)[-1]
    assert isinstance(last, Bytes)


def test_message_is_told_before_it_is_kept(rig: Rig) -> None:
    """Message is told before it is kept: no cue waits for a disk."""
    order: list[str] = []

    class Keeping:
        """Notes when it is asked to keep something."""

        failure = ""

        def record(self, event: Event, outputs: object) -> None:
            """Note it."""
            order.append(f"kept after {rig.link.sent.qsize()} told")

    rig.set(engine=FakeEngine(lambda event: [BEAT]), journal=Keeping())
    rig.service._take(Tick(1, 1, "free"))
    assert order == ["kept after 1 told"]


CUE = Cue(
    id="c1", boot="b", seq=1, t="", clk="free", mono_ms=0.0, umpire="u1", pattern="hold", say_en="",
    say_es="", valid_ms=1000, alert_id=None, next_ms=None, covers=(), fix_age_ms=None,
)  # fmt: skip


def test_cue_is_let_go_before_anything_else_is_told(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cue is let go before anything else is told: the engine's thread stands back for it."""
    told: list[int] = []
    monkeypatch.setattr(time, "sleep", lambda s: told.append(rig.link.sent.qsize()))
    rig.service._tell([CUE, BEAT])
    assert (told, rig.link.sent.qsize()) == ([1], 2)


class Clock:
    """A monotonic clock that moves at each look."""

    def __init__(self, step_ns: int) -> None:
        self.now_ns = 0
        self._step_ns = step_ns

    def __call__(self) -> int:
        """Move, and give the time."""
        self.now_ns += self._step_ns
        return self.now_ns


def looped(rig: Rig, clock: Clock, *, ticks: int, waiting: list[Event]) -> list[Event]:
    """Run the loop on a settable clock until it has ticked so often; give what it took."""

    def on(event: Event) -> list[Message]:
        if sum(isinstance(one, Tick) for one in engine.taken) == ticks:
            rig.service._stopping.set()
        return []

    engine = FakeEngine(on)
    rig.set(engine=engine, clock_ns=clock)
    for event in waiting:
        rig.service._events.put(event)
    rig.service._loop()
    return [one for one in engine.taken if not isinstance(one, HostCounts)]


def data(number: int) -> Bytes:
    return Bytes("gateway", number, b"x")


def test_tick_comes_after_what_waited_before_it(rig: Rig) -> None:
    """Tick comes after what waited before it, however late the tick is."""
    waiting: list[Event] = [data(n) for n in range(100)]
    taken = looped(rig, Clock(60_000_000), ticks=1, waiting=waiting)
    assert taken[:100] == waiting


def test_flood_does_not_keep_the_ticks_away(rig: Rig) -> None:
    """Flood does not keep the ticks away: what comes while others are taken waits for its turn."""
    offer = rig.service._offer

    def on(event: Event) -> list[Message]:
        if isinstance(event, Tick):
            rig.service._stopping.set()
        elif isinstance(event, Bytes) and event.t_host_ns < 1000:
            offer(data(event.t_host_ns + 1))
        return []

    engine = FakeEngine(on)
    rig.set(engine=engine, clock_ns=Clock(60_000_000))
    offer(data(0))
    rig.service._loop()
    assert isinstance(engine.taken[1], Tick)


def test_events_that_wait_at_the_end_are_taken_too(rig: Rig) -> None:
    """Events that wait at the end are taken too."""
    rig.service._stopping.set()
    taken = looped(rig, Clock(1), ticks=-1, waiting=[data(1), data(2)])
    assert taken == [data(1), data(2)]


def test_ticks_come_at_their_times(rig: Rig) -> None:
    """Ticks come at their times: one each 50 ms of the clock."""
    taken = looped(rig, Clock(10_000_000), ticks=3, waiting=[])
    times_ms = [one.t_host_ns // 1_000_000 for one in taken if isinstance(one, Tick)]
    assert times_ms == sorted(times_ms)
    assert len({time_ms // 50 for time_ms in times_ms}) == 3


def test_machine_that_slept_does_not_make_up_for_ticks(rig: Rig) -> None:
    """Machine that slept does not make up for ticks, and counts them."""
    looped(rig, Clock(10_000_000_000), ticks=2, waiting=[])
    assert rig.service._skipped_ticks > 100


def test_largest_backlog_is_counted(rig: Rig) -> None:
    """Largest backlog is counted."""
    looped(rig, Clock(60_000_000), ticks=1, waiting=[data(n) for n in range(7)])
    assert rig.service._queue_max == 7


def test_bytes_beyond_the_queue_are_lost_and_counted(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes beyond the queue are lost and counted."""
    monkeypatch.setattr(module, "QUEUE_MAX", 2)
    for number in range(5):
        rig.service._offer(data(number))
    assert (rig.waiting(), rig.service._lost_events) == ([data(0), data(1)], 3)


def test_command_is_never_lost(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Command is never lost, however long the queue is."""
    monkeypatch.setattr(module, "QUEUE_MAX", 0)
    command = Command(1, "c1", Verb.ABORT)
    rig.service._offer(command)
    assert rig.waiting() == [command]


def test_what_is_counted_outside_is_told_to_the_engine(rig: Rig) -> None:
    """What is counted outside is told to the engine."""
    rig.set(queue_max=9)
    rig.service._tell_counts(5)
    assert rig.waiting() == [HostCounts(5, (("mqtt.dropped", 2), ("queue_max", 9)))]


def test_counts_that_are_as_before_are_not_told_again(rig: Rig) -> None:
    """Counts that are as before are not told again."""
    rig.service._tell_counts(5)
    rig.service._tell_counts(6)
    assert len(rig.waiting()) == 1


def test_recording_that_ends_is_told_once(rig: Rig) -> None:
    """Recording that ends is told once."""

    class Full:
        """A journal whose disk is full."""

        failure = "recording ended: No space left on device"

    rig.set(journal=Full(), clock_ns=lambda: 3)
    rig.service._check_journal()
    rig.service._check_journal()
    assert rig.waiting() == [HostState(3, "recording", "recording ended: No space left on device")]


def test_recording_that_can_not_begin_is_told_and_the_match_goes_on(
    rig: Rig, tmp_path: Path
) -> None:
    """Recording that can not begin is told and the match goes on."""
    (tmp_path / "journals").write_text("a file where the folder should be", "utf-8")
    rig.service._open_journal()
    (told,) = rig.waiting()
    assert isinstance(told, HostState)
    assert told.detail.endswith("File exists")


LINES: list[tuple[Event, str]] = [
    (PortState("gateway", 0, is_open=True, detail="opened x"), "port gateway: opened x"),
    (BrokerState(0, is_connected=False, detail="gone"), "broker: gone"),
    (ReceiverState(0, "u1", "wrist", is_online=True), "receiver wrist of umpire u1: online"),
    (Command(0, "c1", Verb.GOAL, (("by", "red"),)), "command goal by=red (mqtt, c1)"),
]


@pytest.mark.parametrize(("event", "line"), LINES)
def test_what_happens_outside_is_logged_in_words(
    rig: Rig, caplog: pytest.LogCaptureFixture, event: Event, line: str
) -> None:
    """What happens outside is logged in words."""
    caplog.set_level(logging.INFO, "throwin")
    rig.service._take(event)
    assert line in caplog.messages


def test_status_is_logged_when_it_changes(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """Status is logged when it changes."""
    caplog.set_level(logging.INFO, "throwin")
    for seq in range(3):
        status = Status(
            id=f"s{seq}", boot="b", seq=seq, t="", clk="free", mono_ms=0.0, state="degraded",
            reasons=("port gateway: gone",), version="0", counters={},
        )  # fmt: skip
        rig.service._tell([status])
    assert caplog.messages == ["degraded: port gateway: gone"]


def test_reason_that_is_gone_is_logged_alone(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """What stays as it was is not told again."""
    caplog.set_level(logging.INFO, "throwin")
    for seq, reasons in enumerate([("a", "b"), ("b",), ()]):
        status = Status(
            id=f"s{seq}", boot="b", seq=seq, t="", clk="free", mono_ms=0.0,
            state="degraded" if reasons else "ready", reasons=reasons, version="0", counters={},
        )  # fmt: skip
        rig.service._tell([status])
    assert caplog.messages == [
        "degraded: a",
        "degraded: b",
        "no longer: a",
        "no longer: b",
        "ready",
    ]


def test_what_keeps_ready_away_is_logged_once(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """An armed line-up that is not READY says why, when it has been so for a while."""
    caplog.set_level(logging.INFO, "throwin")
    for seq in range(10):
        lineup = Lineup(
            id=f"l{seq}", boot="b", seq=seq, t="", clk="free", mono_ms=seq * 1000.0,
            phase="armed", trigger="", ready=False, covers=(), missing=("no umpire has a tag",),
            red_attacks_expected="north", red_attacks_in_force="unknown", throwing_umpire=None,
            in_lineup=(), late=(), verdicts=(),
        )  # fmt: skip
        rig.service._tell([lineup])
    assert caplog.messages == ["armed and not ready: no umpire has a tag"]
