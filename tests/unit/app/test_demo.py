"""The demo's judgement of its own run, its screen, and how it ends."""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from throwin.app import demo
from throwin.app.drawing import Size
from throwin.app.stage import Arrival, House, Stage, StageError
from throwin.contract.payload import AckMessage, AckWord, Cue, CuePattern
from throwin.contract.scenariofile import parse_scenariofile
from throwin.sim.library import DEMO, build_scenario, load_scenario, scenario_names

WAIT_S = 20.0
HOLD = Cue(
    id="b-c-1",
    boot="b",
    seq=1,
    t="2026-06-06T14:00:00.000Z",
    clk="ntp",
    mono_ms=0.0,
    umpire="u1",
    pattern="hold",
    say_en="red two, five yards",
    say_es="",
    valid_ms=1000,
    alert_id="a1",
    next_ms=1500,
    covers=(),
    fix_age_ms=None,
)
LATE = AckMessage(receiver="demo", cue_id="b-c-1", what="dropped_late", late_ms=1200.0)
QUIET = """
title = "Nothing"
duration_s = 1.0
[[expect]]
cue = "ready"
between_s = [0.0, 1.0]
"""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path) as house:
        yield house


@pytest.fixture
def stage(house: House, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(build_scenario(parse_scenariofile(QUIET), "quiet"), tmp_path, house, 8.0)
    yield stage
    stage.close()


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    demo.add_arguments(parser)
    return parser.parse_args(words)


def children_of(pid: int) -> list[int]:
    """Give the processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(word) for word in text.split()]


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_scenarios_of_the_demo_are_shipped() -> None:
    """What the demo plays comes with the product."""
    assert set(DEMO) <= set(scenario_names())


def test_demo_plays_its_own_unless_told() -> None:
    """Without a word of it there is no other scenario, at the speed of life."""
    args = arguments()
    assert (args.scenario, args.speed, args.plain) == (None, 1.0, False)


@pytest.mark.parametrize("text", ["0.1", "9", "-1", "nan"])
def test_speed_out_of_range_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The words say which speeds there are."""
    with pytest.raises(SystemExit):
        arguments(f"--speed={text}")
    assert "expected 0.5 to 8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "wanted", "played"),
    [("goes_right", 6.0, 6.0), ("gateway_lost", 6.0, 1.0), ("gateway_lost", 0.5, 0.5)],
)
def test_scenario_with_a_loss_is_played_at_life_speed(
    name: str, wanted: float, played: float
) -> None:
    """Ports and brokers come back in real time, so such a scenario can't run faster."""
    assert demo.speed_of(load_scenario(name), wanted) == played


def test_scenario_in_which_nothing_came_fails_in_words(stage: Stage) -> None:
    """What was expected and did not come is told; so is a journal that is not there."""
    stage.close()
    assert stage.failures() == [
        "expected cue ready between 0 and 1 s; came nothing",
        "expected one journal, found 0",
    ]


def test_cue_that_no_receiver_played_fails_in_words(stage: Stage) -> None:
    """A cue that came late at every receiver was not felt."""
    stage.arrivals += [Arrival(0.5, HOLD), Arrival(0.6, LATE)]
    assert "expected hold b-c-1 to be played, it was not" in stage.failures()


@pytest.mark.parametrize(
    ("pattern", "what", "is_felt"),
    [
        ("hold", "played", True),
        ("warn", "silenced", True),
        ("ready", "silenced", False),
        ("hold", "received", False),
    ],
)
def test_only_a_warning_may_give_way(
    stage: Stage, pattern: CuePattern, what: AckWord, is_felt: bool
) -> None:
    """All else that was told is to be felt."""
    word = AckMessage(receiver="demo", cue_id="b-c-1", what=what, late_ms=1.0)
    cue = msgspec.structs.replace(HOLD, pattern=pattern)
    stage.arrivals += [Arrival(0.5, cue), Arrival(0.6, word)]
    missing = [failure for failure in stage.failures() if failure.endswith("it was not")]
    assert missing == ([f"expected {pattern} b-c-1 to be played, it was not"] * (not is_felt))


def test_daemon_that_does_not_come_up_is_told_with_its_words(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that refuses its field file is quoted."""
    monkeypatch.setattr("throwin.app.stage.START_S", 2.0)
    (tmp_path / "field.toml").write_text("feild = 1\n", "utf-8")
    with pytest.raises(StageError, match="feild"):
        list(stage.play())


def test_daemon_that_is_killed_in_the_middle_is_told(stage: Stage) -> None:
    """A daemon that ends by itself ends the scenario."""
    playing = stage.play()
    next(playing)
    assert stage._service is not None
    stage._service.kill()
    with pytest.raises(StageError, match="the daemon ended"):
        list(playing)


def test_broker_that_was_lost_comes_back_on_its_port(house: House) -> None:
    """Clients find it again without being told."""
    before = house.broker
    house.lose()
    house.restore()
    assert (house.broker.port, house.broker.pid == before.pid) == (before.port, False)


def test_drawing_is_renewed_in_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each frame begins at the terminal's corner; nothing is cleared but what is left of a line."""
    monkeypatch.setattr("shutil.get_terminal_size", lambda: Size(80, 40))
    screen = demo.Screen("A throw-in", is_plain=False, is_coloured=False)
    screen.take(None, 1.0)
    screen.close()
    text = capsys.readouterr().out
    assert (text.count("\x1b[2J"), text.count("\x1b[H"), text.endswith("\x1b[?25h")) == (1, 1, True)


def test_plain_screen_has_no_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """One line an event, and nothing that only a terminal understands."""
    screen = demo.Screen("A throw-in", is_plain=True, is_coloured=False)
    screen.take(Arrival(9.35, HOLD), 9.35)
    screen.take(None, 9.4)
    screen.close()
    assert capsys.readouterr().out == "  9.35 s  cue    u1 HOLD red two, five yards\n"


def test_unexpected_scenario_exits_with_one(tmp_path: Path) -> None:
    """A scenario that comes out otherwise is told in words."""
    path = tmp_path / "wrong.toml"
    path.write_text(QUIET, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "throwin", "demo", "--plain", "--scenario", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S * 2,
    )
    assert (done.returncode, "expected cue ready between 0 and 1 s" in done.stdout) == (1, True)


def test_missing_broker_exits_with_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without any broker there is nothing to show; the words say what to install."""
    monkeypatch.setattr("throwin.io.broker._find_mosquitto", lambda: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code = demo.run(arguments("--plain", "--scenario", "goes_right"))
    assert (code, "install mosquitto" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
)
def test_demo_that_is_ended_leaves_no_process_behind(
    number: int, code: int, tmp_path: Path
) -> None:
    """Broker and daemon end with the demo, however that ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "throwin", "demo", "--plain"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        # A job in the background ignores Control-C, and so do those that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - see above
    )
    end_s = time.monotonic() + WAIT_S
    children: list[int] = []
    while len(children) < 2 and time.monotonic() < end_s:
        time.sleep(0.05)
        children = children_of(process.pid)
    process.send_signal(number)
    got = process.wait(WAIT_S)
    while any(map(is_there, children)) and time.monotonic() < end_s + WAIT_S:
        time.sleep(0.05)
    assert (got, len(children), [pid for pid in children if is_there(pid)]) == (code, 2, [])
