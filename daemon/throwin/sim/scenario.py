"""A scenario with its cast, tags and ports worked out.

It says who is there and what is asked of him; where he is at a time is truth's part.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from throwin.contract.fieldfile import SensorClass
from throwin.contract.scenariofile import (
    PortSection,
    ScenarioFile,
    ScenarioFileError,
    SensorSection,
    Who,
)

GROUPS = ("red", "blue", "players", "umpires", "spares", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """What one tag is; None = what its class usually has. loss: share of epochs lost."""

    kind: SensorClass
    rate_hz: float | None
    lag_s: float | None
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One serial port and those whose tags it hears, in the cast's order."""

    name: str
    format: str
    has_tag_block: bool
    baud: int
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole scenario; entities in a fixed order, tags from entity to tag id."""

    name: str
    file: ScenarioFile
    entities: tuple[str, ...]
    tags: Mapping[str, str]
    sensors: Mapping[str, Sensor]
    ports: tuple[Port, ...]

    def select(self, who: Who) -> tuple[str, ...]:
        """Give the entities of a name, a group, or several of them; raises KeyError."""
        return select(self.entities, who)


def resolve_scenario(file: ScenarioFile, name: str) -> Scenario:
    """Work out cast, sensors and ports; raises ScenarioFileError for a port or who amiss."""
    entities = tuple(_cast(file))
    sensors = _sensors(file, entities)
    return Scenario(
        name=name,
        file=file,
        entities=entities,
        tags={entity: tag_of(entity) for entity in entities},
        sensors=sensors,
        ports=_ports(file, entities, sensors),
    )


def tag_of(entity: str) -> str:
    """Give the id of an entity's tag: r1, b1, s1, ball, ump-u1."""
    kind, _, number = entity.partition(" ")
    return f"ump-{number}" if kind == "umpire" else f"{kind[0]}{number}" if number else kind


def select(entities: tuple[str, ...], who: Who) -> tuple[str, ...]:
    """Give the entities of a name, a group, or several of them; raises KeyError for others."""
    wanted = [who] if isinstance(who, str) else who
    chosen: set[str] = set()
    for one in wanted:
        found = [entity for entity in entities if entity == one or one in _groups(entity)]
        if not found and one not in GROUPS:
            raise KeyError(one)
        chosen.update(found)
    return tuple(entity for entity in entities if entity in chosen)


def _groups(entity: str) -> tuple[str, ...]:
    match entity.partition(" ")[0]:
        case "red" | "blue" as team:
            return (team, "players", "all")
        case "umpire":
            return ("umpires", "all")
        case "spare":
            return ("spares", "all")
        case _:
            return ("all",)


def _cast(file: ScenarioFile) -> Iterator[str]:
    cast = file.cast
    yield from (f"red {number}" for number in sorted(cast.red))
    yield from (f"blue {number}" for number in sorted(cast.blue))
    yield from (f"umpire {name}" for name in cast.umpires)
    if cast.ball:
        yield "ball"
    yield from (f"spare {number}" for number in range(1, cast.spares + 1))


def check_who(path: str, entities: tuple[str, ...], who: Who) -> tuple[str, ...]:
    """Give the entities of who; raises ScenarioFileError with the key's path."""
    try:
        return select(entities, who)
    except KeyError as error:
        names = ", ".join((*entities, *GROUPS))
        raise ScenarioFileError(path, f"one of {names}", repr(error.args[0])) from None


def _sensors(file: ScenarioFile, entities: tuple[str, ...]) -> dict[str, Sensor]:
    rows: dict[str, SensorSection] = {}
    for index, row in enumerate(file.sensors):
        rows.update(dict.fromkeys(check_who(f"sensors[{index}].who", entities, row.who), row))
    usual = SensorSection(who="all", sensor="rtk")
    return {
        entity: Sensor(kind=row.sensor, rate_hz=row.rate_hz, lag_s=row.lag_s, loss=row.loss)
        for entity in entities
        for row in [rows.get(entity, usual)]
    }


def _ports(
    file: ScenarioFile, entities: tuple[str, ...], sensors: Mapping[str, Sensor]
) -> tuple[Port, ...]:
    has_uwb = any(sensor.kind == "uwb" for sensor in sensors.values())
    usual = PortSection(name="gateway", who="all", format="own" if has_uwb else "nmea")
    ports: list[Port] = []
    heard: dict[str, str] = {}
    for index, row in enumerate(file.ports or (usual,)):
        path = f"ports[{index}]"
        chosen = check_who(f"{path}.who", entities, row.who)
        is_single = row.format == "nmea" and not row.tag_block
        if is_single and len(chosen) != 1:
            raise ScenarioFileError(
                f"{path}.who", "exactly one, since tag_block is false", f"{len(chosen)}"
            )
        for entity in chosen:
            if entity in heard:
                raise ScenarioFileError(
                    f"{path}.who", "everyone on one port", f"{entity} on {heard[entity]} too"
                )
            if sensors[entity].kind == "uwb" and row.format != "own":
                raise ScenarioFileError(
                    f"{path}.format", f"own, since {entity} has a UWB tag", repr(row.format)
                )
            heard[entity] = row.name
        ports.append(
            Port(
                name=row.name,
                format=row.format,
                has_tag_block=row.format == "nmea" and row.tag_block,
                baud=row.baud,
                entities=chosen,
            )
        )
    if missing := [entity for entity in entities if entity not in heard]:
        raise ScenarioFileError("ports", "everyone on a port", f"none for {', '.join(missing)}")
    return tuple(ports)
