"""A field file is read whole or refused, with the key's path, the value and what was expected."""

import pytest

from throwin.contract.fieldfile import FieldFileError, parse_fieldfile
from throwin.contract.toml import write_toml

GOOD = """
field = "north-field"
pitch = { length_yd = 300, width_yd = 160 }

[[survey]]
at = "centre"
lat_deg = 51.4243
lon_deg = -0.6342

[[survey]]
at = "corner_north_left"
lat_deg = 51.4255
lon_deg = -0.6342

[[ports]]
name = "gateway"
device = "/dev/ttyUSB0"
format = "nmea"

[[ports]]
name = "anchors"
device = "/dev/ttyUSB1"
format = "own"

[[tags]]
id = "r1"
sensor = "rtk"
on = "red 1"
lag_s = 0.12

[[tags]]
id = "u1"
sensor = "uwb"
on = "umpire u1"

[[uwb]]
port = "anchors"
rotation_deg = 12.5
"""


def fault_of(text: str) -> FieldFileError:
    with pytest.raises(FieldFileError) as caught:
        parse_fieldfile(text)
    return caught.value


def test_good_file_is_read() -> None:
    """Good file is read."""
    assert parse_fieldfile(GOOD).field == "north-field"


def test_file_written_and_read_again_is_equal() -> None:
    """File written and read again is equal."""
    file = parse_fieldfile(GOOD)
    assert parse_fieldfile(write_toml(file)) == file


def test_left_out_sections_have_defaults() -> None:
    """Left out sections have defaults."""
    assert parse_fieldfile(GOOD).broker.port == 1883


CASES = {
    "typo": ("width_yd = 160", "widht_yd = 160", "pitch.widht_yd"),
    "wrong_unit": ("length_yd = 300", "length_m = 274", "pitch.length_m"),
    "impossible_size": ("length_yd = 300", "length_yd = -3", "pitch.length_yd"),
    "wrong_type": ("length_yd = 300", 'length_yd = "long"', "pitch.length_yd"),
    "latitude_out_of_range": ("lat_deg = 51.4243", "lat_deg = 151.0", "survey[0].lat_deg"),
    "missing_key": ("lat_deg = 51.4243\n", "", "survey[0].lat_deg"),
    "unknown_place": ('at = "centre"', 'at = "center"', "survey[0].at"),
    "place_twice": ('at = "corner_north_left"', 'at = "centre"', "survey.at"),
    "unknown_format": ('format = "nmea"', 'format = "nmae"', "ports[0].format"),
    "baud_impossible": ('format = "nmea"', 'format = "nmea"\nbaud = 7', "ports[0].baud"),
    "port_twice": ('name = "anchors"', 'name = "gateway"', "ports.name"),
    "device_twice": ("ttyUSB1", "ttyUSB0", "ports.device"),
    "port_of_unknown_tag": ('format = "nmea"', 'format = "nmea"\ntag = "x"', "ports[0].tag"),
    "own_port_with_a_tag": ('format = "own"', 'format = "own"\ntag = "r1"', "ports[1].tag"),
    "tag_twice": ('id = "u1"', 'id = "r1"', "tags.id"),
    "unknown_entity": ('on = "red 1"', 'on = "red 5"', "tags[0].on"),
    "entity_twice": ('on = "umpire u1"', 'on = "red 1"', "tags.on"),
    "bad_sensor": ('sensor = "rtk"', 'sensor = "gps"', "tags[0].sensor"),
    "lag_impossible": ("lag_s = 0.12", "lag_s = 12.0", "tags[0].lag_s"),
    "frame_of_no_port": ('port = "anchors"', 'port = "tower"', "uwb[0].port"),
    "no_toml": ("[[uwb]]", "[[uwb", "(file)"),
}


@pytest.mark.parametrize(("old", "new", "path"), CASES.values(), ids=CASES.keys())
def test_bad_value_is_named_by_its_path(old: str, new: str, path: str) -> None:
    """Bad value is named by its path."""
    assert fault_of(GOOD.replace(old, new, 1)).path == path


def test_typo_is_answered_with_the_key_that_was_meant() -> None:
    """Typo is answered with the key that was meant."""
    assert "width_yd" in fault_of(GOOD.replace("width_yd", "widht_yd")).expected


def test_wrong_unit_is_answered_with_the_right_one() -> None:
    """Wrong unit is answered with the right one."""
    assert "length_yd" in fault_of(GOOD.replace("length_yd", "length_m")).expected


def test_bad_value_is_quoted() -> None:
    """Bad value is quoted."""
    assert fault_of(GOOD.replace("lat_deg = 51.4243", "lat_deg = 151.0")).got == "151.0"


def test_misspelt_place_is_answered_with_the_right_one() -> None:
    """Misspelt place is answered with the right one."""
    assert "did you mean centre" in fault_of(GOOD.replace('"centre"', '"center"')).expected
