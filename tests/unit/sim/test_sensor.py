"""What tags measure: when, of whom, and what faults make of it."""

from collections.abc import Callable

import pytest

from throwin.sim.scenario import Scenario
from throwin.sim.sensor import Reading, Sensors
from throwin.sim.truth import Truth
from throwin.tags.observation import FixKind

Cast = Callable[..., Scenario]
UTC0_NS = 1_780_754_400_030_000_000  # 30 ms past a tenth


def read(scenario: Scenario, entity: str, *, utc0_ns: int = UTC0_NS) -> list[Reading]:
    readings = Sensors(Truth(scenario), utc0_ns=utc0_ns).readings()
    return [reading for reading in readings if reading.entity == entity]


def fault(text: str) -> str:
    return f"\n[[faults]]\n{text}\n"


def test_gnss_measures_at_whole_tenths_of_utc(cast: Cast) -> None:
    """All receivers measure at the same instants, whatever the host's clock says."""
    offsets = {(UTC0_NS + round(r.t_s * 1e9)) % 100_000_000 for r in read(cast(), "red 1")}
    assert offsets == {0}


def test_uwb_tags_have_phases_of_their_own(cast: Cast) -> None:
    """Two UWB tags are never in step by themselves."""
    scenario = cast('sensors = [{who = "all", sensor = "uwb"}]\n')
    assert read(scenario, "red 1")[0].t_s != read(scenario, "red 2")[0].t_s


def test_gnss_fix_is_ready_after_its_lag(cast: Cast) -> None:
    """The first byte leaves 0.12 s and a little after the measurement."""
    waits = [reading.ready_s - reading.t_s for reading in read(cast(), "red 1")]
    assert (min(waits), max(waits)) == pytest.approx((0.12, 0.128), abs=0.001)


def test_scenario_sets_rate_and_lag(cast: Cast) -> None:
    """What a scenario says of a tag wins over its class."""
    scenario = cast('sensors = [{who = "red 1", sensor = "rtk", rate_hz = 5, lag_s = 0.3}]\n')
    first, second, *_ = read(scenario, "red 1")
    assert (second.t_s - first.t_s, first.lag_s) == pytest.approx((0.2, 0.3))


def test_silent_tag_loses_all_epochs_of_its_silence(cast: Cast) -> None:
    """From and to bound the measurements that are lost."""
    scenario = cast(more=fault('kind = "silent"\nwho = "umpires"\nfrom_s = 3.0\nto_s = 5.0'))
    lost_s = [reading.t_s for reading in read(scenario, "umpire u1") if reading.is_lost]
    assert (len(lost_s), min(lost_s) >= 3.0, max(lost_s) < 5.0) == (20, True, True)


def test_packet_loss_loses_about_its_fraction(cast: Cast) -> None:
    """Each epoch is lost on its own."""
    scenario = cast("duration_s = 100.0\n", fault('kind = "loss"\nwho = "red"\nfraction = 0.4'))
    lost = [reading.is_lost for reading in read(scenario, "red 2")]
    assert sum(lost) / len(lost) == pytest.approx(0.4, abs=0.06)


def test_loss_of_one_team_leaves_the_other(cast: Cast) -> None:
    """A fault meets only those whom it names."""
    scenario = cast(more=fault('kind = "loss"\nwho = "red"\nfraction = 0.4'))
    assert not any(reading.is_lost for reading in read(scenario, "blue 1"))


def test_degraded_fix_names_its_kind_for_its_time(cast: Cast) -> None:
    """A tag that loses its fix says so, and has it back afterwards."""
    scenario = cast(
        more=fault('kind = "degraded"\nwho = "red 1"\nfrom_s = 2.0\nto_s = 4.0\nfix = "float"')
    )
    kinds = {(2.0 <= r.t_s < 4.0): r.kind for r in read(scenario, "red 1")}
    assert kinds == {True: FixKind.RTK_FLOAT, False: FixKind.RTK_FIXED}


def test_wrong_fix_is_off_and_claims_as_before(cast: Cast) -> None:
    """A wrong fix moves the position by its offset and nothing else."""
    plain = read(cast(), "red 1")
    wrong = read(
        cast(
            more=fault(
                'kind = "wrong_fix"\nwho = "red 1"\nfrom_s = 0.0\nto_s = 9.0\nby_m = [0.5, -0.3]'
            )
        ),
        "red 1",
    )
    expected = plain[10]._replace(
        x_field_m=plain[10].x_field_m + 0.5, y_field_m=plain[10].y_field_m - 0.3
    )
    assert wrong[10] == expected


def test_velocity_follows_truth(cast: Cast) -> None:
    """An RTK receiver's velocity is within a few times 0.05 m/s of truth."""
    scenario = cast()
    truth = Truth(scenario)
    worst_mps = max(
        abs((reading.vy_field_mps or 0.0) - truth.state("red 1", reading.t_s).vy_field_mps)
        for reading in read(scenario, "red 1")
    )
    assert 0.05 < worst_mps < 0.25


def test_same_seed_gives_the_same_readings(cast: Cast) -> None:
    """A run can be had again, exactly."""
    assert read(cast(), "blue 3") == read(cast(), "blue 3")


def test_fault_on_one_tag_leaves_the_noise_of_others(cast: Cast) -> None:
    """Streams are apart: a fault here changes no number there."""
    scenario = cast(more=fault('kind = "silent"\nwho = "red 1"\nfrom_s = 1.0\nto_s = 2.0'))
    assert read(scenario, "blue 3") == read(cast(), "blue 3")
