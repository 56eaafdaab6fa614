"""The example field file is one that the daemon takes as it is."""

from pathlib import Path

import pytest

from throwin.contract.fieldfile import FieldFile, parse_fieldfile
from throwin.engine import Engine
from throwin.event import PortState, Tick

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def example() -> FieldFile:
    """Give the example."""
    return parse_fieldfile((ROOT / "deploy" / "field.example.toml").read_text("utf-8"))


def test_example_has_both_formats(example: FieldFile) -> None:
    """Example has both formats."""
    assert [port.format for port in example.ports] == ["nmea", "own"]


def test_engine_takes_the_example(example: FieldFile) -> None:
    """Engine takes the example."""
    assert Engine(example, boot="b").phase.value == "between"


def test_survey_of_the_example_fits(example: FieldFile) -> None:
    """Survey of the example fits."""
    engine = Engine(example, boot="b")
    engine.step(PortState("gateway", 0, is_open=True, detail="opened"))
    told = [message for n in range(80) for message in engine.step(Tick(n * 50_000_000, 0, "ntp"))]
    assert not any(b"survey" in repr(message).encode() for message in told)
