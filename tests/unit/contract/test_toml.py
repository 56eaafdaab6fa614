"""Structs written as TOML read back equal."""

import tomllib

import msgspec

from throwin.contract.fieldfile import FieldFile, PortSection, SurveyPoint, TagSection
from throwin.contract.toml import write_toml

FILE = FieldFile(
    field="a.b",
    survey=(SurveyPoint(at="centre", lat_deg=51.1234567891, lon_deg=-0.5),),
    ports=(PortSection(name="gw", device='/dev/"odd" \\ ñ', format="nmea", tag=None),),
    tags=(TagSection(id="r1", sensor="rtk", on="red 1", lag_s=0.12),),
)


def test_field_file_reads_back_equal() -> None:
    """Every value comes back, quotes and backslashes in texts too."""
    assert msgspec.convert(tomllib.loads(write_toml(FILE)), FieldFile) == FILE


def test_value_that_is_none_is_left_out() -> None:
    """TOML has no null: a key without a value is not written."""
    assert "tag =" not in write_toml(FILE)
