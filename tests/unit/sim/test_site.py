"""The field file that a scenario gives describes the scenario's own site."""

import tomllib
from collections.abc import Callable

import pytest

from throwin.contract.fieldfile import FieldFile
from throwin.contract.toml import write_toml
from throwin.field.frame import FieldFrame, Surveyed, fit_frame
from throwin.field.pitch import Pitch
from throwin.field.units import yd_to_m
from throwin.sim.scenario import Scenario
from throwin.sim.site import field_file, site_frame

Cast = Callable[..., Scenario]


def fit(file: FieldFile) -> FieldFrame:
    return fit_frame(
        [
            Surveyed(
                at=point.at,
                lat_deg=point.lat_deg,
                lon_deg=point.lon_deg,
                height_m=0.0,
                sigma_m=point.sigma_m,
            )
            for point in file.survey
        ],
        Pitch(
            length_m=yd_to_m(file.pitch.length_yd),
            width_m=yd_to_m(file.pitch.width_yd),
            goal_width_m=yd_to_m(file.pitch.goal_width_yd),
        ),
    )


def test_fitted_survey_is_the_site(cast: Cast) -> None:
    """Where the simulator puts a tag the fitted frame finds it, within a millimetre."""
    scenario = cast()
    lat_deg, lon_deg = site_frame(scenario).to_wgs84(12.0, -34.0)
    found = fit(field_file(scenario)).to_field(lat_deg, lon_deg)
    assert found == pytest.approx((12.0, -34.0), abs=1e-3)


def test_survey_error_moves_the_points(cast: Cast) -> None:
    """A survey that is worth less leaves residuals."""
    scenario = cast("site = { survey_error_m = 0.05, survey_sigma_m = 0.05 }\n")
    worst_m = max(one.residual_m for one in fit(field_file(scenario)).residuals)
    assert 0.02 < worst_m < 0.3


def test_velocity_to_the_north_goal_has_the_fields_bearing(cast: Cast) -> None:
    """At a bearing of 90 degrees the field's +x is east."""
    frame = site_frame(cast("site = { bearing_deg = 90.0 }\n"))
    assert frame.turn_to_local(1.0, 0.0) == pytest.approx((1.0, 0.0))


def test_tags_are_on_their_riders(cast: Cast) -> None:
    """The roster is that of the cast; a spare horse is on nobody."""
    tags = {tag.id: tag.on for tag in field_file(cast("cast = { spares = 1 }\n")).tags}
    assert (tags["r1"], tags["ump-u1"], tags["s1"]) == ("red 1", "umpire u1", "")


def test_single_tag_port_names_its_tag(cast: Cast) -> None:
    """A port without TAG blocks has its tag in the field file."""
    scenario = cast(
        'ports = [{name = "a", who = "umpires", format = "nmea", tag_block = false},'
        ' {name = "b", who = "players", format = "own"}]\n'
    )
    assert [port.tag for port in field_file(scenario).ports] == ["ump-u1", None]


def test_uwb_port_has_its_frame(cast: Cast) -> None:
    """Where UWB tags are, the field file says how their frame lies."""
    scenario = cast('sensors = [{who = "all", sensor = "uwb"}]\n')
    assert [section.port for section in field_file(scenario).uwb] == ["gateway"]


def test_devices_of_live_ports_stand_in_the_file(cast: Cast) -> None:
    """The service finds the pseudo-terminals by the file alone."""
    written = write_toml(field_file(cast(), devices={"gateway": "/tmp/here"}))
    assert tomllib.loads(written)["ports"][0]["device"] == "/tmp/here"
