"""Scenarios are found by name or by path, and a wrong name is answered with the right ones."""

import pathlib

import pytest

from throwin.sim.library import DEMO, load_scenario, scenario_names


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenario_loads_under_its_name(name: str) -> None:
    """Every scenario that comes with the product is valid."""
    assert load_scenario(name).name == name


def test_scenario_is_loaded_from_a_path(tmp_path: pathlib.Path) -> None:
    """A file of one's own needs no place in the product."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "mine"\nduration_s = 5.0\n[[expect]]\nphase = "armed"\nbetween_s = [1.0, 2.0]\n'
    )
    assert load_scenario(str(path)).file.title == "mine"


def test_unknown_name_is_answered_with_the_known_ones() -> None:
    """Whoever mistypes a name sees those that there are."""
    with pytest.raises(FileNotFoundError, match="goes_right"):
        load_scenario("goes_rigth")


def test_seed_of_the_command_line_wins() -> None:
    """The seed can be given from outside."""
    assert load_scenario("goes_right", seed=77).file.seed == 77


def test_demo_takes_about_a_minute() -> None:
    """The demo's scenarios together last no longer than people watch."""
    assert sum(load_scenario(name).file.duration_s for name in DEMO) == 60.0
