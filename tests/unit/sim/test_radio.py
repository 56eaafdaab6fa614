"""The tags' words decode to what the sensors measured."""

from collections.abc import Callable

import pynmeagps
import pytest

from throwin.sim.radio import Radio, Sent
from throwin.sim.scenario import Scenario
from throwin.sim.sensor import Reading, Sensors
from throwin.sim.site import UWB_ORIGIN_YD, site_frame, to_uwb
from throwin.sim.truth import Truth
from throwin.tags.observation import Button, Fix, FixKind, Loss, Press, UwbPosition
from throwin.tags.own import OwnDecoder

Cast = Callable[..., Scenario]
UTC0_NS = 1_780_754_400_000_000_000
OWN = 'ports = [{name = "radio", who = "all", format = "own"}]\n'
UWB = 'sensors = [{who = "all", sensor = "uwb"}]\n'


def broadcast(scenario: Scenario) -> tuple[list[Reading], list[Sent]]:
    readings = Sensors(Truth(scenario), utc0_ns=UTC0_NS).readings()
    return readings, Radio(scenario, utc0_ns=UTC0_NS).send(readings)


def observe(sent: list[Sent]) -> list[object]:
    decoder = OwnDecoder()
    return [item for one in sent for item in decoder.feed(one.data, round(one.ready_s * 1e9))]


def test_nmea_epoch_gives_the_measured_place(cast: Cast) -> None:
    """An independent reader finds the place that was measured, within a millimetre."""
    scenario = cast('ports = [{name = "a", who = "red 1", format = "nmea", tag_block = false},'
                    ' {name = "b", who = ["red 2", "red 3", "red 4", "blue", "umpires"],'
                    ' format = "own"}]\n')  # fmt: skip
    readings, sent = broadcast(scenario)
    mine = [reading for reading in readings if reading.entity == "red 1"]
    gga = next(one.data for one in sent if one.port == "a").split(b"\r\n")[1] + b"\r\n"
    fix = pynmeagps.NMEAReader.parse(gga)
    assert site_frame(scenario).to_field(fix.lat, fix.lon) == pytest.approx(
        (mine[0].x_field_m, mine[0].y_field_m), abs=1e-3
    )


def test_nmea_gateway_names_the_tag_before_each_sentence(cast: Cast) -> None:
    """On a shared line each of the three sentences carries a TAG block."""
    _, sent = broadcast(cast())
    assert sent[0].data.count(b"\\s:") == 3


def test_own_frames_give_every_reading(cast: Cast) -> None:
    """Every epoch of every tag arrives as one fix."""
    readings, sent = broadcast(cast(OWN))
    fixes = [item for item in observe(sent) if isinstance(item, Fix)]
    assert len(fixes) == len(readings)


def test_own_fix_carries_the_time_of_measurement(cast: Cast) -> None:
    """UTC of measurement comes back in whole milliseconds."""
    readings, sent = broadcast(cast(OWN))
    fix = next(item for item in observe(sent) if isinstance(item, Fix))
    assert fix.t_utc_ns == UTC0_NS + round(readings[0].t_s * 1e9)


def test_own_fix_carries_the_velocity(cast: Cast) -> None:
    """Velocity east and north comes back within a millimetre a second."""
    scenario = cast(OWN)
    readings, sent = broadcast(scenario)
    fix = next(item for item in observe(sent) if isinstance(item, Fix))
    first = readings[0]
    expected = site_frame(scenario).turn_to_local(
        first.vx_field_mps or 0.0, first.vy_field_mps or 0.0
    )
    assert (fix.vel_e_mps, fix.vel_n_mps) == pytest.approx(expected, abs=1e-3)


def test_own_fix_carries_its_kind(cast: Cast) -> None:
    """The kind of the fix is that of the sensor."""
    _, sent = broadcast(cast(OWN))
    assert {item.kind for item in observe(sent) if isinstance(item, Fix)} == {FixKind.RTK_FIXED}


def test_lost_epochs_show_as_gaps_in_the_sequence(cast: Cast) -> None:
    """What the radio loses the decoder counts."""
    silence = '\n[[faults]]\nkind = "silent"\nwho = "red 1"\nfrom_s = 2.0\nto_s = 3.0\n'
    _, sent = broadcast(cast(OWN, silence))
    losses = [item for item in observe(sent) if isinstance(item, Loss)]
    assert [(loss.tag, loss.missing) for loss in losses] == [("r1", 10)]


def test_uwb_positions_are_in_the_systems_own_frame(cast: Cast) -> None:
    """A UWB tag says where it is in its anchors' frame."""
    readings, sent = broadcast(cast(UWB))
    found = next(item for item in observe(sent) if isinstance(item, UwbPosition))
    assert (found.x_uwb_m, found.y_uwb_m) == pytest.approx(
        to_uwb(readings[0].x_field_m, readings[0].y_field_m), abs=1e-3
    )


def test_uwb_frame_has_its_origin_where_the_field_file_says() -> None:
    """The anchors' origin has the coordinates 0, 0."""
    x_m, y_m = (0.9144 * value for value in UWB_ORIGIN_YD)
    assert to_uwb(x_m, y_m) == pytest.approx((0.0, 0.0))


def test_uwb_tag_without_a_position_says_so(cast: Cast) -> None:
    """Quality 0 means that there is none."""
    none = '\n[[faults]]\nkind = "degraded"\nwho = "all"\nfrom_s = 0.0\nto_s = 9.0\nfix = "none"\n'
    _, sent = broadcast(cast(UWB, none))
    found = next(item for item in observe(sent) if isinstance(item, UwbPosition))
    assert found.quality == 0.0


def test_press_is_sent_three_times_and_counts_once(cast: Cast) -> None:
    """A press survives the loss of a frame, and is one press."""
    press = '\n[[presses]]\nwho = "umpire u1"\nat_s = 4.0\nbutton = "throw"\n'
    _, sent = broadcast(cast(OWN, press))
    presses = [item for item in observe(sent) if isinstance(item, Button)]
    assert [(item.tag, item.press) for item in presses] == [("ump-u1", Press.THROW)]


def test_two_presses_are_two(cast: Cast) -> None:
    """Each press has a count of its own."""
    press = '\n[[presses]]\nwho = "umpire u1"\nat_s = {}\nbutton = "ready"\n'
    _, sent = broadcast(cast(OWN, press.format(4.0) + press.format(6.0)))
    assert sum(isinstance(item, Button) for item in observe(sent)) == 2
