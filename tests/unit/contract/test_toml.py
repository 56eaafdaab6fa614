"""Structs written as TOML read back equal."""

import tomllib

import msgspec
import pytest

from throwin.contract.fieldfile import FieldFile, PortSection, SurveyPoint, TagSection
from throwin.contract.scenariofile import (
    CommandSection,
    ScenarioFile,
    SensorSection,
    parse_scenariofile,
)
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


def test_scenario_with_times_tables_and_lists_reads_back_equal() -> None:
    """Moments, tables of texts, lists of texts and flags come back too."""
    file = ScenarioFile(
        title="a \x7f b",
        duration_s=1.5,
        silent=("hold", "alert:C6"),
        sensors=(SensorSection(who=("red 1", "blue"), sensor="uwb"),),
        commands=(CommandSection(at_s=1.0, verb="goal", args={"by": "red", 'a "b" \x7f': "ñ"}),),
    )
    assert parse_scenariofile(write_toml(file)) == file


class Odd(msgspec.Struct):
    """Something that TOML has no word for."""

    data: bytes


def test_value_that_toml_has_not_is_refused() -> None:
    """Value that TOML has not is refused."""
    with pytest.raises(TypeError, match="expected one that TOML has, got bytes"):
        write_toml(Odd(b"x"))
