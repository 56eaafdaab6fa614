"""Scenarios by name: those that come with the product, and files of one's own."""

import importlib.resources
import pathlib

from throwin.contract.scenariofile import ScenarioFile, parse_scenariofile
from throwin.sim.consistency import check_scenario
from throwin.sim.scenario import Scenario, resolve_scenario

# What `throwin demo` plays, in order: a good throw-in, then one for each cue.
DEMO = ("goes_right", "creeps_inside_5yd", "wrong_side", "umpire_tag_dies")


def scenario_names() -> list[str]:
    """Give the names of the scenarios that come with the product."""
    folder = importlib.resources.files(__package__) / "scenarios"
    return sorted(
        item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml")
    )


def load_scenario(name: str, *, seed: int | None = None) -> Scenario:
    """Load one that comes with the product, by its name, or any by its path.

    Raises ScenarioFileError for what is in it, FileNotFoundError when there is none.
    """
    path = pathlib.Path(name)
    if path.suffix == ".toml":
        return build_scenario(parse_scenariofile(path.read_text("utf-8")), path.stem, seed=seed)
    if name not in scenario_names():
        raise FileNotFoundError(
            f"scenario: expected a .toml file or one of {', '.join(scenario_names())}, got {name!r}"
        )
    resource = importlib.resources.files(__package__) / "scenarios" / f"{name}.toml"
    return build_scenario(parse_scenariofile(resource.read_text("utf-8")), name, seed=seed)


def build_scenario(file: ScenarioFile, name: str, *, seed: int | None = None) -> Scenario:
    """Work out and check a scenario; raises ScenarioFileError when its parts disagree."""
    scenario = resolve_scenario(file if seed is None else _with_seed(file, seed), name)
    check_scenario(scenario)
    return scenario


def _with_seed(file: ScenarioFile, seed: int) -> ScenarioFile:
    fields = {name: getattr(file, name) for name in file.__struct_fields__}
    return ScenarioFile(**{**fields, "seed": seed})
