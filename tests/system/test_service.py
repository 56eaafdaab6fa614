"""The daemon as a process: real terminals, a real mosquitto, a subscriber, and what it hears."""

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from throwin.contract.fieldfile import BrokerSection, JournalSection
from throwin.contract.toml import write_toml
from throwin.io.broker import ChildBroker, free_port
from throwin.io.connection import Connection, Received
from throwin.io.journal import read_journal
from throwin.sim.library import load_scenario
from throwin.sim.live import LivePorts
from throwin.sim.site import field_file

WAIT_S = 20.0
SPEED = 4.0
ROOT = "throwin/1/sim"
CUES = f"{ROOT}/umpires/u1/cue"


class Heard(NamedTuple):
    """One message, with its JSON where it has some."""

    received: Received
    body: dict[str, Any]


class Field:
    """A broker, ports, a running daemon, and a client that hears everything."""

    def __init__(self, folder: Path, scenario: str, *, broker_port: int | None = None) -> None:
        self.folder = folder
        self.scenario = load_scenario(scenario)
        self.ports = LivePorts(self.scenario, folder, speed=SPEED)
        port = broker_port or free_port()
        self.config = folder / "field.toml"
        self.config.write_text(
            write_toml(
                field_file(
                    self.scenario,
                    devices=self.ports.devices,
                    broker=BrokerSection(port=port),
                    journal=JournalSection(directory=str(folder)),
                )
            ),
            "utf-8",
        )
        self.log = (folder / "service.log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "throwin", "run", "-c", str(self.config),
             "--clock-speed", str(SPEED)],
            stdout=self.log, stderr=self.log,
        )  # fmt: skip

    def close(self) -> int:
        """End it as systemd would; gives its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT_S)
        self.ports.close()
        self.log.close()
        return code


def listen(port: int, heard: "queue.SimpleQueue[Heard]") -> Connection:
    def hear(received: Received) -> None:
        body: dict[str, Any] = {}
        with contextlib.suppress(ValueError):
            loaded = json.loads(received.payload)
            body = loaded if isinstance(loaded, dict) else {}
        heard.put(Heard(received, body))

    client = Connection(
        broker=BrokerSection(port=port),
        client_id=f"test-{os.getpid()}",
        will=None,
        topics=[(f"{ROOT}/#", 1)],
        on_message=hear,
        on_state=lambda is_up, why: None,
    )
    client.start()
    assert client.wait_up(WAIT_S)
    return client


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildBroker]:
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mosquitto is not installed")
    with ChildBroker.start(tmp_path_factory.mktemp("broker"), only="mosquitto") as broker:
        yield broker


class Played(NamedTuple):
    """All that a scenario brought, and how the daemon ended."""

    heard: list[Heard]
    exit_code: int
    folder: Path
    lost_bytes: int

    def cues(self) -> list[Heard]:
        """Give the cues, in order."""
        return [one for one in self.heard if one.received.topic == CUES]

    def patterns(self) -> list[str]:
        """Give the cues in order, each run of the same as one."""
        found: list[str] = []
        for one in self.cues():
            if not found or found[-1] != one.body["pattern"]:
                found.append(one.body["pattern"])
        return found


def play(scenario: str, broker: ChildBroker, folder: Path) -> Played:
    heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
    client = listen(broker.port, heard)
    field = Field(folder, scenario, broker_port=broker.port)
    try:
        assert field.ports.wait_opened(WAIT_S)
        field.ports.start()
        assert field.ports.wait(60.0)
    finally:
        code = field.close()
        client.stop()
    return Played([heard.get() for _ in range(heard.qsize())], code, folder, field.ports.lost_bytes)


@pytest.fixture(scope="module")
def creeper(broker: ChildBroker, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play("creeps_inside_5yd", broker, tmp_path_factory.mktemp("creeper"))


@pytest.fixture(scope="module")
def dying(broker: ChildBroker, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play("umpire_tag_dies", broker, tmp_path_factory.mktemp("dying"))


def test_rider_who_creeps_in_gives_cues_in_order(creeper: Played) -> None:
    """Rider who creeps in gives cues in order."""
    assert creeper.patterns() == ["ready", "warn", "hold", "end", "ready"]


def test_tag_that_dies_gives_ready_then_blind(dying: Played) -> None:
    """Tag that dies gives ready then blind."""
    assert dying.patterns() == ["ready", "blind"]


def test_every_cue_has_an_id_of_its_own(creeper: Played) -> None:
    """Every cue has an id of its own."""
    ids = [cue.body["id"] for cue in creeper.cues()]
    assert len(ids) == len(set(ids))


def test_every_cue_expires_at_the_broker(creeper: Played) -> None:
    """Every cue expires at the broker."""
    assert {cue.received.expiry_s for cue in creeper.cues()} <= {1, 2}


def test_every_cue_says_how_long_it_is_valid(creeper: Played) -> None:
    """Every cue says how long it is valid."""
    assert {cue.body["valid_ms"] for cue in creeper.cues()} == {1000}


def test_no_cue_is_retained(creeper: Played) -> None:
    """No cue is retained."""
    assert not any(cue.received.is_retained for cue in creeper.cues())


def test_no_byte_is_lost_on_the_way_in(creeper: Played) -> None:
    """No byte is lost on the way in."""
    assert creeper.lost_bytes == 0


def test_stopped_daemon_ends_well(creeper: Played) -> None:
    """Stopped daemon ends well."""
    assert creeper.exit_code == 0


def test_last_status_says_that_it_stops(creeper: Played) -> None:
    """Last status says that it stops."""
    last = [one for one in creeper.heard if one.received.topic == f"{ROOT}/status"][-1]
    assert last.body["state"] == "stopping"


def test_stopped_daemon_is_offline(creeper: Played) -> None:
    """Stopped daemon is offline."""
    last = [one for one in creeper.heard if one.received.topic == f"{ROOT}/availability"][-1]
    assert last.received.payload == b"offline"


def test_journal_of_a_live_run_replays_the_same(creeper: Played) -> None:
    """Journal of a live run replays the same."""
    path = next(creeper.folder.glob("*.mcap"))
    done = subprocess.run(
        [sys.executable, "-m", "throwin", "replay", str(path), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("outputs identical\n")


def test_journal_of_a_live_run_is_whole(creeper: Played) -> None:
    """Journal of a live run is whole."""
    assert read_journal(next(creeper.folder.glob("*.mcap"))).is_whole


def test_daemon_without_a_broker_runs_and_records(tmp_path: Path) -> None:
    """Daemon without a broker runs and records."""
    field = Field(tmp_path, "goes_right")
    assert field.ports.wait_opened(WAIT_S)
    field.ports.start()
    assert field.ports.wait(60.0)
    code = field.close()
    entries = read_journal(next(tmp_path.glob("*.mcap"))).entries
    cues = [m for entry in entries for m in entry.outputs if b'"type":"cue"' in m]
    assert (code, len(cues)) == (0, 1)


def test_killed_daemon_is_offline_by_its_will(broker: ChildBroker, tmp_path: Path) -> None:
    """Killed daemon is offline by its will."""
    heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
    field = Field(tmp_path, "goes_right", broker_port=broker.port)
    assert field.ports.wait_opened(WAIT_S)
    client = listen(broker.port, heard)

    def await_word(word: bytes) -> bytes:
        while True:
            received = heard.get(timeout=WAIT_S).received
            if received.topic.endswith("availability") and received.payload == word:
                return received.payload

    await_word(b"online")
    field.process.kill()
    last = await_word(b"offline")
    field.close()
    client.stop()
    assert last == b"offline"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('field = "sim"', 'feild = "sim"', "unknown key 'feild'"),
        ('at = "corner_north_left"', 'at = "corner_nort_left"', "did you mean corner_north_left"),
        ('sensor = "rtk"', 'sensor = "rkt"', "tags[0].sensor"),
    ],
)
def test_field_file_with_a_fault_is_refused_in_words(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    """Field file with a fault is refused in words."""
    path = tmp_path / "field.toml"
    text = write_toml(field_file(load_scenario("goes_right")))
    path.write_text(text.replace(old, new, 1), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "throwin", "run", "-c", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, words in done.stderr) == (2, True)


def test_mirrored_survey_is_refused_in_words(tmp_path: Path) -> None:
    """Mirrored survey is refused in words."""
    path = tmp_path / "field.toml"
    text = write_toml(field_file(load_scenario("goes_right")))
    swapped = text.replace("_left", "_tmp").replace("_right", "_left").replace("_tmp", "_right")
    path.write_text(swapped, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "throwin", "run", "-c", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, "mirror image" in done.stderr) == (2, True)


def test_field_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Field file that is not there is named."""
    done = subprocess.run(
        [sys.executable, "-m", "throwin", "run", "-c", str(tmp_path / "no.toml")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, "no.toml" in done.stderr) == (2, True)
