"""The benchmarks count what they say they count."""

import argparse
import json
import math
import os
import platform
from types import ModuleType
from typing import Any

import pytest

from throwin.app import bench_latency
from throwin.app.bench_latency import (
    FILE_M,
    SWING_M,
    SWING_S,
    UMPIRE_Y_M,
    BenchError,
    Delays,
    Figures,
    Trial,
    delays_of,
    rider_at,
    table_of,
    trial_of,
)
from throwin.app.bench_throughput import ARMED, MIX, Case, make_case, sentences_of, time_case
from throwin.app.machine import describe_machine
from throwin.contract.payload import Cue
from throwin.field.units import YARD_M

WRITTEN_NS = (1_000_000_000, 1_080_000_000, 1_100_000_000, 1_180_000_000)


def hold(mono_ms: float, **changes: object) -> Cue:
    values: dict[str, Any] = {
        "pattern": "hold",
        "alert_id": "a1",
        "next_ms": 1500,
        "fix_age_ms": 1.0,
    }
    return Cue(
        id="b-c-1",
        boot="b",
        seq=1,
        t="",
        clk="ntp",
        mono_ms=mono_ms,
        umpire="u1",
        say_en="",
        say_es="",
        valid_ms=1000,
        covers=(),
        **(values | changes),
    )


def figures(floor_p50_ms: float) -> Figures:
    def row(p50_ms: float, p99_ms: float) -> Delays:
        return Delays(p50_ms=p50_ms, p99_ms=p99_ms, count=120)

    return Figures(
        cue=row(1.2, 4.0),
        to_read=row(0.1, 1.0),
        from_read=row(1.1, 3.0),
        floor=row(floor_p50_ms, 2.0),
    )


def parsed(module: ModuleType, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture(scope="module")
def mix() -> Case:
    """Give the match mix as NMEA."""
    return make_case("match mix", MIX, "nmea")


def test_match_mix_is_armed_a_sixth_of_its_time(mix: Case) -> None:
    """Match mix is armed a sixth of its time."""
    assert 0.13 <= mix.armed <= 0.19


def test_all_armed_is_armed_nearly_all_of_its_time() -> None:
    """All armed is armed nearly all of its time."""
    assert make_case("all armed", ARMED, "own").armed > 0.85


def test_case_has_twelve_tags_at_10_hz(mix: Case) -> None:
    """Case has twelve tags at 10 hz."""
    assert 7000 <= mix.fixes <= 7200


def test_epoch_of_a_case_is_two_sentences(mix: Case) -> None:
    """Epoch of a case is two sentences."""
    assert {sentence[3:6] for sentence in sentences_of(mix)} == {b"RMC", b"GGA"}


def test_rate_is_fixes_over_the_time_that_passed(
    mix: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seconds on the clock: half as many a second as there are."""
    clock = iter((10.0, 12.0))
    monkeypatch.setattr("time.process_time", lambda: next(clock))
    assert time_case(mix) == mix.fixes / 2


def test_delays_are_median_and_99th_percentile() -> None:
    """Delays are median and 99th percentile."""
    delays = delays_of([float(value) for value in range(1, 101)])
    assert (delays.p50_ms, delays.p99_ms, delays.count) == (50.5, 99.0, 100)


def test_machine_is_described() -> None:
    """Machine is described by what it has."""
    machine = describe_machine()
    assert (machine.cores, machine.python) == (os.cpu_count(), platform.python_version())


def test_way_of_a_cue_begins_with_the_write_before_its_read() -> None:
    """The cue says when its byte was read; the write before that is where its way begins."""
    assert trial_of(hold(1_100.2), 1_101_500_000, WRITTEN_NS) == Trial(1.5, 0.2)


@pytest.mark.parametrize(
    "cue",
    [
        hold(1_100.2, pattern="end"),
        hold(1_100.2, pattern="ready"),
        hold(1_100.2, fix_age_ms=None),
        hold(999.9),
    ],
    ids=["end", "ready", "repeat", "before all writes"],
)
def test_cue_that_no_write_brought_is_not_timed(cue: Cue) -> None:
    """Only the first telling of a HOLD comes of a byte; a repeat comes of time."""
    assert trial_of(cue, 1_101_500_000, WRITTEN_NS) is None


def test_ratios_are_over_the_floor() -> None:
    """Median over median, 99th percentile over 99th percentile."""
    assert (figures(0.8).ratio_p50, figures(0.8).ratio_p99) == pytest.approx((1.5, 2.0))


def test_table_has_both_ratios_and_aims() -> None:
    """Who reads the table sees what was aimed at."""
    assert table_of(figures(0.8)).splitlines()[-1] == (
        "cue / floor      p50   1.50 (aim 1.5)   p99   2.00 (aim 2.0)"
    )


@pytest.mark.parametrize(
    ("floors_ms", "code", "measured"),
    [([0.8], 0, 1), ([1.2, 0.9], 0, 2), ([1.2, 1.3, 1.4, 0.5], 1, 3)],
)
def test_noise_is_measured_again_then_told(
    floors_ms: list[float], code: int, measured: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run on a busy machine counts for nothing; three in a row are told."""
    runs: list[int] = []

    def measure(trials: int) -> Figures:
        runs.append(trials)
        return figures(floors_ms[len(runs) - 1])

    monkeypatch.setattr(bench_latency, "measure", measure)
    assert (bench_latency.run(parsed(bench_latency)), runs) == (code, [120] * measured)


def test_figures_for_programs_are_one_line_of_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json there is nothing else on stdout."""
    monkeypatch.setattr(bench_latency, "measure", lambda trials: figures(0.8))
    bench_latency.run(parsed(bench_latency, "--json"))
    assert json.loads(capsys.readouterr().out)["ratio_p50"] == pytest.approx(1.5)


@pytest.mark.timeout(120)
def test_real_cue_is_timed_through_the_real_daemon() -> None:
    """One trial goes from a terminal through the daemon and the broker."""
    run = bench_latency.measure(1)
    assert (run.cue.count, 0.0 < run.to_read.p50_ms < run.cue.p50_ms) == (1, True)


def test_rider_stands_until_he_swings() -> None:
    """While the line-up arms nobody moves, and he begins from where he stood."""
    assert rider_at(7.0, None) == pytest.approx(rider_at(7.0, 7.0), abs=1e-9)


def test_rider_crosses_five_yards_twice_a_swing() -> None:
    """He is outside at the beginning of a swing and inside in its middle."""
    distances_m = [
        math.hypot(FILE_M, rider_at(t_s, 0.0)[0] - UMPIRE_Y_M) for t_s in (0.0, SWING_S / 2)
    ]
    assert distances_m == pytest.approx([5 * YARD_M + SWING_M, 5 * YARD_M - SWING_M], abs=0.02)


@pytest.mark.parametrize("t_s", [0.1, 0.4, 0.9, 1.3])
def test_velocity_of_the_rider_is_that_of_his_way(t_s: float) -> None:
    """What his tag says of its velocity agrees with its positions."""
    step_s = 1e-5
    rate_mps = (rider_at(t_s + step_s, 0.0)[0] - rider_at(t_s - step_s, 0.0)[0]) / (2 * step_s)
    assert rider_at(t_s, 0.0)[1] == pytest.approx(rate_mps, abs=1e-6)


def test_rider_never_starts_as_for_the_ball() -> None:
    """A start is told by 1 m/s; he stays below it."""
    assert max(abs(rider_at(n / 100, 0.0)[1]) for n in range(160)) < 0.8


def test_bench_that_measures_nothing_exits_with_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing is told in a line."""

    def measure(trials: int) -> Figures:
        raise BenchError("expected a HOLD, got none in 3 swings")

    monkeypatch.setattr(bench_latency, "measure", measure)
    code = bench_latency.run(parsed(bench_latency))
    assert (code, "expected a HOLD" in capsys.readouterr().err) == (2, True)
