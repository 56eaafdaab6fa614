"""The scenario's site: where its field lies on earth, and the field file that describes it.

What a technician would have surveyed and configured, made from the scenario alone.
"""

import math
from collections.abc import Mapping

import numpy as np

from throwin.contract.fieldfile import (
    BrokerSection,
    FieldFile,
    JournalSection,
    PortSection,
    SurveyPoint,
    TagSection,
    UwbSection,
)
from throwin.field.frame import FieldFrame
from throwin.field.pitch import PLACES, Pitch
from throwin.field.units import YARD_M
from throwin.sim.noise import MODELS
from throwin.sim.scenario import Port, Scenario
from throwin.sim.seeded import stream

FIELD_NAME = "sim"
UWB_ORIGIN_YD = (-12.0, -35.0)  # a site's anchors stand anywhere, and turned
UWB_ROTATION_DEG = 25.0
UWB_SIGMA_M = 0.02


def site_frame(scenario: Scenario) -> FieldFrame:
    """Give the true frame of the scenario's field, free of any survey's error."""
    site = scenario.file.site
    return FieldFrame(
        origin_wgs84=(site.lat_deg, site.lon_deg, 0.0),
        direction_rad=math.radians(90.0 - site.bearing_deg),
        shift_m=(0.0, 0.0),
        cov=np.zeros((3, 3)),
        residuals=(),
        warnings=(),
    )


def field_file(
    scenario: Scenario,
    *,
    devices: Mapping[str, str] | None = None,
    broker: BrokerSection | None = None,
    journal: JournalSection | None = None,
) -> FieldFile:
    """Give the field file of a scenario; devices from port name to device path."""
    file = scenario.file
    return FieldFile(
        field=FIELD_NAME,
        pitch=file.pitch,
        survey=_survey(scenario),
        ports=tuple(_port(scenario, port, devices or {}) for port in scenario.ports),
        tags=tuple(_tag(scenario, entity) for entity in scenario.entities),
        uwb=tuple(
            UwbSection(
                port=port.name,
                origin_x_field_yd=UWB_ORIGIN_YD[0],
                origin_y_field_yd=UWB_ORIGIN_YD[1],
                rotation_deg=UWB_ROTATION_DEG,
                sigma_m=UWB_SIGMA_M,
            )
            for port in scenario.ports
            if any(scenario.sensors[entity].kind == "uwb" for entity in port.entities)
        ),
        match=file.match,
        broker=broker or BrokerSection(),
        journal=journal or JournalSection(),
    )


def to_uwb(x_field_m: float, y_field_m: float) -> tuple[float, float]:
    """Turn a place in the field into the site's UWB frame, m."""
    turn = math.radians(UWB_ROTATION_DEG)
    dx, dy = x_field_m - UWB_ORIGIN_YD[0] * YARD_M, y_field_m - UWB_ORIGIN_YD[1] * YARD_M
    return (
        math.cos(turn) * dx + math.sin(turn) * dy,
        -math.sin(turn) * dx + math.cos(turn) * dy,
    )


def _survey(scenario: Scenario) -> tuple[SurveyPoint, ...]:
    """Survey every point that has a place of its own, with the scenario's error."""
    frame, site, size = site_frame(scenario), scenario.file.site, scenario.file.pitch
    pitch = Pitch(
        length_m=size.length_yd * YARD_M,
        width_m=size.width_yd * YARD_M,
        goal_width_m=size.goal_width_yd * YARD_M,
    )
    rng = stream(scenario.file.seed, "survey")
    points: list[SurveyPoint] = []
    for name in PLACES:
        x_m, y_m = pitch.place(name)
        if x_m is None or y_m is None:
            continue
        lat_deg, lon_deg = frame.to_wgs84(
            x_m + rng.gauss(0.0, site.survey_error_m), y_m + rng.gauss(0.0, site.survey_error_m)
        )
        points.append(
            SurveyPoint(
                at=name,
                lat_deg=round(lat_deg, 10),
                lon_deg=round(lon_deg, 10),
                sigma_m=site.survey_sigma_m,
            )
        )
    return tuple(points)


def _port(scenario: Scenario, port: Port, devices: Mapping[str, str]) -> PortSection:
    is_single = port.format == "nmea" and not port.has_tag_block
    return PortSection(
        name=port.name,
        device=devices.get(port.name, f"/dev/serial/by-id/sim-{port.name}"),
        format="nmea" if port.format == "nmea" else "own",
        baud=port.baud,
        tag=scenario.tags[port.entities[0]] if is_single else None,
    )


def _tag(scenario: Scenario, entity: str) -> TagSection:
    sensor = scenario.sensors[entity]
    return TagSection(
        id=scenario.tags[entity],
        sensor=sensor.kind,
        on="" if entity.startswith("spare") else entity,
        lag_s=MODELS[sensor.kind].lag_s if sensor.lag_s is None else sensor.lag_s,
    )
