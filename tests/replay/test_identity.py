"""A replay gives the same, bit for bit, whatever the hash seed of the process that runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from throwin.contract.payload import Cue
from throwin.engine import Engine
from throwin.io.journal import JournalWriter
from throwin.sim.fast import events, make_run
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file

NAMES = ("creeps_inside_5yd", "bad_line", "gateway_lost", "button_throw", "uwb_goes_right")


@pytest.fixture(scope="module", params=NAMES)
def journal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the journal of a scenario."""
    scenario = load_scenario(request.param)
    path = tmp_path_factory.mktemp("journal") / f"{request.param}.mcap"
    engine = Engine(field_file(scenario), boot="b0")
    writer = JournalWriter.create(path, field_file=field_file(scenario), boot="b0", version="0")
    for one in events(make_run(scenario)):
        writer.record(one, engine.step(one))
    writer.close()
    return path


def replay(path: Path, *arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "throwin", "replay", str(path), *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_replay_under_another_hash_seed_is_identical(journal: Path, hash_seed: str) -> None:
    """Replay under another hash seed is identical."""
    done = replay(journal, "--check", hash_seed=hash_seed)
    assert (done.returncode, done.stdout.split(", ")[-1]) == (0, "outputs identical\n")


def test_replay_prints_the_findings(journal: Path) -> None:
    """Replay prints the findings."""
    assert "READY" in replay(journal).stdout


def test_message_that_is_missing_is_found_and_named(tmp_path: Path) -> None:
    """Message that is missing is found and named."""
    scenario = load_scenario("goes_right")
    path = tmp_path / "changed.mcap"
    engine = Engine(field_file(scenario), boot="b0")
    writer = JournalWriter.create(path, field_file=field_file(scenario), boot="b0", version="0")
    missing = 0
    for number, one in enumerate(events(make_run(scenario)), start=1):
        outputs = engine.step(one)
        if not missing and any(isinstance(message, Cue) for message in outputs):
            missing = number
            outputs = []
        writer.record(one, outputs)
    writer.close()
    done = replay(path, "--check")
    assert (done.returncode, f"differs first at event {missing}" in done.stdout) == (1, True)


def test_file_that_is_no_journal_is_refused_in_words(tmp_path: Path) -> None:
    """File that is no journal is refused in words."""
    path = tmp_path / "notes.mcap"
    path.write_bytes(b"nothing")
    done = replay(path)
    assert (done.returncode, "expected a journal" in done.stderr) == (2, True)
