"""Truth: where everybody is at any time, a pure function of a scenario with its seed.

It knows no sensors and no rules. Positions and velocities in field metres.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from throwin.contract.scenariofile import MoveSection, ScenarioFileError
from throwin.field.units import YARD_M
from throwin.sim.lineup import Lineup, Place, lineup_of, waiting_place
from throwin.sim.motion import STEP_S, Aim, Ball, Body, Milling
from throwin.sim.scenario import Scenario
from throwin.sim.seeded import stream

FADE_S = 1.0
IN_PLACE_M = 0.3
UMPIRE_MPS = 2.5
SURGE_FAR_M = 60.0
PASSING_M = 2.7  # how wide of the umpire a rider passes who surges toward him
SPARE_MILL_M = 0.45


class State(NamedTuple):
    """Position and velocity of one entity at one instant."""

    x_field_m: float
    y_field_m: float
    vx_field_mps: float
    vy_field_mps: float


class _Order(NamedTuple):
    at_s: float
    entity: str
    do: "MoveSection | Aim | Lineup"


class Truth:
    """All entities at any time from 0 to the scenario's end; before and after they stand still."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.lineups = [lineup_of(scenario, index) for index in range(len(scenario.file.throwins))]
        self._tracks = _Run(scenario, self.lineups).run()

    def at(self, t_s: float) -> dict[str, State]:
        """Give the state of every entity at a time."""
        return {entity: self.state(entity, t_s) for entity in self._tracks}

    def state(self, entity: str, t_s: float) -> State:
        """Give one entity's state: cubic Hermite between steps, so continuous with its speed."""
        track = self._tracks[entity]
        index = min(max(int(t_s / STEP_S), 0), len(track) - 2)
        u = min(max(t_s / STEP_S - index, 0.0), 1.0)
        a, b = track[index], track[index + 1]
        if entity == "ball":
            return State(*(p + u * (q - p) for p, q in zip(a, b, strict=True)))
        x_m, vx_mps = _hermite(a.x_field_m, b.x_field_m, a.vx_field_mps, b.vx_field_mps, u)
        y_m, vy_mps = _hermite(a.y_field_m, b.y_field_m, a.vy_field_mps, b.vy_field_mps, u)
        return State(x_m, y_m, vx_mps, vy_mps)

    def distance_m(self, one: str, other: str, t_s: float) -> float:
        """Give the distance of two entities at a time."""
        a, b = self.state(one, t_s), self.state(other, t_s)
        return math.hypot(a.x_field_m - b.x_field_m, a.y_field_m - b.y_field_m)


def _hermite(p: float, q: float, vp: float, vq: float, u: float) -> tuple[float, float]:
    """Give value and rate of the cubic through p, q with rates vp, vq; u in 0..1 of a step."""
    gap = (q - p) / STEP_S
    value = p + STEP_S * u * (vp + u * ((3 * gap - 2 * vp - vq) + u * (vp + vq - 2 * gap)))
    rate = vp + u * (2 * (3 * gap - 2 * vp - vq) + 3 * u * (vp + vq - 2 * gap))
    return value, rate


class _Run:
    """One pass over the scenario's time, which gives the tracks."""

    def __init__(self, scenario: Scenario, lineups: list[Lineup]) -> None:
        self._scenario = scenario
        self._file = scenario.file
        self._lineups = lineups
        self._bodies = {e: Body(*self._start(e)) for e in scenario.entities if e != "ball"}
        holder = lineups[0].umpire if lineups else None
        self._ball = Ball(self._bodies[holder] if holder else None)
        self._milling = {entity: self._mill(entity) for entity in self._bodies}
        self._places: dict[str, Place] = {}

    def run(self) -> dict[str, list[State]]:
        orders = sorted(self._orders(), key=lambda order: order.at_s)
        tracks: dict[str, list[State]] = {entity: [] for entity in self._scenario.entities}
        due = 0
        for number in range(math.ceil(self._file.duration_s / STEP_S) + 2):
            t_s = number * STEP_S
            while due < len(orders) and orders[due].at_s <= t_s + 1e-9:
                self._obey(orders[due])
                due += 1
            self._note(tracks, t_s)
            for body in self._bodies.values():
                body.step()
            self._ball.step()
            self._check_formed(t_s)
        return tracks

    def _start(self, entity: str) -> Place:
        for row in self._file.places:
            if row.who == entity:
                return (row.at_yd[0] * YARD_M, row.at_yd[1] * YARD_M)
        if self._lineups and entity in self._lineups[0].starts:
            return self._lineups[0].starts[entity]
        return waiting_place(self._scenario, entity)

    def _mill(self, entity: str) -> Milling:
        rng = stream(self._file.seed, "mill", entity)
        amplitude_m = self._file.mill_yd * YARD_M
        if entity.startswith("spare"):
            amplitude_m = SPARE_MILL_M
        return Milling(amplitude_m, tuple(rng.random() for _ in range(8)))

    def _note(self, tracks: dict[str, list[State]], t_s: float) -> None:
        fade, rate = self._fade(t_s)
        for entity, body in self._bodies.items():
            dx, dy, dvx, dvy = self._milling[entity].at(t_s, fade, rate)
            tracks[entity].append(
                State(body.x_m + dx, body.y_m + dy, body.vx_mps + dvx, body.vy_mps + dvy)
            )
        if "ball" in tracks:
            ball = self._ball
            tracks["ball"].append(State(ball.x_m, ball.y_m, ball.vx_mps, ball.vy_mps))

    def _fade(self, t_s: float) -> tuple[float, float]:
        """Give the milling's envelope and its rate: off from a release to the next call."""
        value, rate = 1.0, 0.0
        for lineup in self._lineups:
            row = lineup.throwin
            if t_s >= row.call_s and row.call_s > 0:
                value, rate = _smooth((t_s - row.call_s) / FADE_S)
            if row.release_s is not None and t_s >= row.release_s:
                up, slope = _smooth((t_s - row.release_s) / FADE_S)
                value, rate = 1.0 - up, -slope
        return value, rate

    def _orders(self) -> Iterable[_Order]:
        for index, lineup in enumerate(self._lineups):
            row = lineup.throwin
            for entity in lineup.places:
                yield _Order(row.call_s, entity, lineup)
            if "ball" in self._scenario.entities:
                yield _Order(row.call_s, "ball", lineup)
            if row.release_s is not None:
                yield from self._surge(index, lineup, row.release_s)
        for move in self._file.moves:
            for entity in self._scenario.select(move.who):
                yield _Order(move.at_s, entity, move)

    def _surge(self, index: int, lineup: Lineup, release_s: float) -> Iterable[_Order]:
        row = lineup.throwin
        for entity in self._scenario.select(row.surge.who):
            if entity not in lineup.side:
                continue
            rng = stream(self._file.seed, "surge", index, entity)
            at_s = release_s + rng.uniform(0.0, row.surge.jitter_s)
            x_m, y_m = lineup.places[entity]
            wide_m = x_m + lineup.side[entity] * PASSING_M
            match row.surge.toward:
                case "umpire":
                    aim = (wide_m, y_m - lineup.facing * SURGE_FAR_M)
                case "away":
                    aim = (wide_m, y_m + lineup.facing * SURGE_FAR_M)
                case "north" | "south" as end:
                    sign = 1 if end == "north" else -1
                    aim = (sign * SURGE_FAR_M, y_m + rng.uniform(-12.0, 12.0))
            yield _Order(
                at_s,
                entity,
                Aim(
                    x_field_m=aim[0],
                    y_field_m=aim[1],
                    speed_mps=row.surge.speed_mps,
                    accel_mps2=row.surge.accel_mps2,
                ),
            )
        if "ball" in self._scenario.entities:
            turn = math.radians(row.ball_angle_deg)
            far_m = row.ball_travels_yd * YARD_M
            by_yd = (
                far_m * math.sin(turn) / YARD_M,
                lineup.facing * far_m * math.cos(turn) / YARD_M,
            )
            yield _Order(
                release_s,
                "ball",
                MoveSection(who="ball", at_s=release_s, by_yd=by_yd, speed_mps=row.ball_mps),
            )

    def _obey(self, order: _Order) -> None:
        match order.do:
            case Aim() as aim:
                self._bodies[order.entity].aim = aim
            case Lineup() as lineup if order.entity == "ball":
                self._ball.carrier = self._bodies[lineup.umpire]
            case Lineup() as lineup:
                place = self._places[order.entity] = lineup.places[order.entity]
                is_umpire = order.entity == lineup.umpire
                self._bodies[order.entity].aim = Aim(
                    x_field_m=place[0],
                    y_field_m=place[1],
                    speed_mps=UMPIRE_MPS if is_umpire else lineup.throwin.approach_mps,
                    accel_mps2=1.5,
                )
            case MoveSection() as move if order.entity == "ball":
                self._hit(move)
            case MoveSection() as move:
                body = self._bodies[order.entity]
                x_m, y_m = self._aim_of(move, order.entity, body)
                body.aim = Aim(
                    x_field_m=x_m,
                    y_field_m=y_m,
                    speed_mps=move.speed_mps,
                    accel_mps2=move.accel_mps2,
                )

    def _hit(self, move: MoveSection) -> None:
        if move.carried_by is not None:
            self._ball.carrier = self._bodies[move.carried_by]
            return
        x_m, y_m = self._aim_of(move, "ball", self._ball)
        self._ball.hit(x_m - self._ball.x_m, y_m - self._ball.y_m, move.speed_mps)

    def _aim_of(self, move: MoveSection, entity: str, body: Body | Ball) -> Place:
        if move.to_yd is not None:
            return (move.to_yd[0] * YARD_M, move.to_yd[1] * YARD_M)
        if move.by_yd is not None:
            return (body.x_m + move.by_yd[0] * YARD_M, body.y_m + move.by_yd[1] * YARD_M)
        if move.toward is not None:
            other = self._ball if move.toward == "ball" else self._bodies[move.toward]
            dx, dy = body.x_m - other.x_m, body.y_m - other.y_m
            scale = move.until_yd * YARD_M / max(math.hypot(dx, dy), 1e-6)
            return (other.x_m + dx * scale, other.y_m + dy * scale)
        if move.back and entity in self._places:
            return self._places[entity]
        stop_s = math.hypot(body.vx_mps, body.vy_mps) / move.accel_mps2
        return (body.x_m + body.vx_mps * stop_s, body.y_m + body.vy_mps * stop_s)

    def _check_formed(self, t_s: float) -> None:
        for index, lineup in enumerate(self._lineups):
            formed_s = lineup.throwin.formed_s
            if not formed_s <= t_s < formed_s + STEP_S:
                continue
            moved = {
                entity
                for move in self._file.moves
                if lineup.throwin.call_s <= move.at_s <= formed_s
                for entity in self._scenario.select(move.who)
            }
            for entity, (x_m, y_m) in lineup.places.items():
                body = self._bodies[entity]
                away_m = math.hypot(body.x_m - x_m, body.y_m - y_m)
                if away_m > IN_PLACE_M and entity not in moved:
                    raise ScenarioFileError(
                        f"throwins[{index}].formed_s",
                        "time enough for all to be in place",
                        f"{formed_s:g}, when {entity} is {away_m:.1f} m away",
                    )


def _smooth(u: float) -> tuple[float, float]:
    """Give 3u^2 - 2u^3 and its rate a second, 0 and 1 outside."""
    if not 0.0 < u < 1.0:
        return (0.0 if u <= 0.0 else 1.0), 0.0
    return u * u * (3 - 2 * u), 6 * u * (1 - u) / FADE_S
