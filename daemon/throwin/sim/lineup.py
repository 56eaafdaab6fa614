"""Where a line-up stands: the umpire on the line, two files before him, each rider's place.

Places only; who gets there when is motion's part. Metres in the field frame.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from throwin.contract.scenariofile import ThrowinSection
from throwin.field.units import YARD_M
from throwin.sim.scenario import Scenario
from throwin.sim.seeded import stream

UMPIRE_COMES_FROM_M = 5.0 * YARD_M  # behind his spot, along the line
PONY_LINE_M = 10.0  # outside the boards
PONY_GAP_M = 3.0

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """One throw-in's places, and where its people come from when nothing else places them.

    facing: +1 when the umpire looks toward +y, else -1. side: +1 or -1 along x by rider.
    """

    throwin: ThrowinSection
    umpire: str
    facing: int
    places: Mapping[str, Place]
    side: Mapping[str, int]
    starts: Mapping[str, Place]


def lineup_of(scenario: Scenario, index: int) -> Lineup:
    """Work out the places of the throw-in with that index."""
    row = scenario.file.throwins[index]
    facing = 1 if row.facing == "left" else -1
    umpire = f"umpire {row.umpire}"
    umpire_x_m, umpire_y_m = (YARD_M * value for value in row.umpire_at_yd)
    red_side = _red_side(scenario, row)
    half_gap_m = row.file_gap_yd * YARD_M / 2
    first_m = _first_row_m(row.nearest_yd * YARD_M, half_gap_m - abs(umpire_x_m))
    absent = scenario.select(row.absent)
    places: dict[str, Place] = {umpire: (umpire_x_m, umpire_y_m)}
    side: dict[str, int] = {}
    for team, order, sign in (
        ("red", row.red_order, red_side),
        ("blue", row.blue_order, -red_side),
    ):
        riders = [f"{team} {number}" for number in order]
        present = [rider for rider in riders if rider in scenario.entities and rider not in absent]
        for depth, rider in enumerate(present):
            along_m = first_m + depth * row.row_gap_yd * YARD_M
            places[rider] = (sign * half_gap_m, umpire_y_m + facing * along_m)
            side[rider] = sign
    for slot in row.slots:
        places[slot.who] = (slot.at_yd[0] * YARD_M, slot.at_yd[1] * YARD_M)
        side.setdefault(slot.who, 1 if slot.at_yd[0] >= 0 else -1)
    starts = {
        who: _start(place, side.get(who), facing, row, stream(scenario.file.seed, index, who))
        for who, place in places.items()
    }
    return Lineup(
        throwin=row, umpire=umpire, facing=facing, places=places, side=side, starts=starts
    )


def waiting_place(scenario: Scenario, entity: str) -> Place:
    """Give where someone waits whom neither a line-up nor the scenario places."""
    kind, _, name = entity.partition(" ")
    half_width_m = scenario.file.pitch.width_yd * YARD_M / 2
    match kind:
        case "spare":
            number = int(name)
            return (
                PONY_GAP_M * (number - scenario.file.cast.spares / 2),
                half_width_m + PONY_LINE_M,
            )
        case "umpire":
            number = scenario.file.cast.umpires.index(name)
            return (30.0 * YARD_M * (1 + number), 12.0 * YARD_M)
        case "red" | "blue":
            side = -1 if kind == "red" else 1
            return (side * (15.0 + 3.0 * int(name)) * YARD_M, 8.0 * YARD_M)
        case _:
            return (0.0, 0.0)


def _red_side(scenario: Scenario, row: ThrowinSection) -> int:
    stands = row.red_stands or ("south" if scenario.file.match.red_attacks == "north" else "north")
    return 1 if stands == "north" else -1


def _first_row_m(nearest_m: float, across_m: float) -> float:
    """Give how far along the line the first row stands for its distance to be nearest_m."""
    return math.sqrt(max(nearest_m * nearest_m - across_m * across_m, 0.0))


def _start(
    place: Place, side: int | None, facing: int, row: ThrowinSection, rng: random.Random
) -> Place:
    if side is None:
        return (place[0], place[1] - facing * UMPIRE_COMES_FROM_M)
    along_m = row.walk_up_yd * YARD_M + rng.uniform(0.0, 1.5)
    return (place[0] + side * rng.uniform(0.5, 2.0), place[1] + facing * along_m)
