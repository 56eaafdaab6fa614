"""How horses move: toward an aim, within what a horse can do, smoothly.

Speed and acceleration never jump: each step turns the velocity toward the wanted one by at
most the allowed acceleration. No sensors, no scenario; metres and seconds.
"""

import math
from dataclasses import dataclass

STEP_S = 0.01
SETTLE_S = 0.4  # time constant of the last part of an approach
HORSE_MPS2 = 5.0  # the most that a horse accelerates, brakes or turns with


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """Where someone is going, how fast at most, and how hard he accelerates."""

    x_field_m: float
    y_field_m: float
    speed_mps: float
    accel_mps2: float


class Body:
    """Position and velocity of one horse, stepped in time."""

    __slots__ = ("aim", "vx_mps", "vy_mps", "x_m", "y_m")

    def __init__(self, x_field_m: float, y_field_m: float) -> None:
        self.x_m, self.y_m = x_field_m, y_field_m
        self.vx_mps = self.vy_mps = 0.0
        self.aim: Aim | None = None

    def step(self) -> None:
        """Move on by STEP_S.

        Wanted speed at distance d: min(speed, sqrt(a d), d / tau): braking needs at most a.
        """
        aim = self.aim
        if aim is None:
            return
        dx, dy = aim.x_field_m - self.x_m, aim.y_field_m - self.y_m
        distance_m = math.hypot(dx, dy)
        wanted_mps = min(
            aim.speed_mps, math.sqrt(aim.accel_mps2 * distance_m), distance_m / SETTLE_S
        )
        scale = wanted_mps / distance_m if distance_m > 1e-9 else 0.0
        gain_x, gain_y = dx * scale - self.vx_mps, dy * scale - self.vy_mps
        gain_mps, allowed_mps = math.hypot(gain_x, gain_y), aim.accel_mps2 * STEP_S
        if gain_mps > allowed_mps:
            gain_x *= allowed_mps / gain_mps
            gain_y *= allowed_mps / gain_mps
        self.x_m += (self.vx_mps + gain_x / 2) * STEP_S
        self.y_m += (self.vy_mps + gain_y / 2) * STEP_S
        self.vx_mps += gain_x
        self.vy_mps += gain_y


class Ball:
    """The ball: in a hand or on a stick, or rolling to a stop. Not bound by a horse's limits."""

    __slots__ = ("_slows_mps2", "carrier", "vx_mps", "vy_mps", "x_m", "y_m")

    def __init__(
        self, carrier: Body | None, x_field_m: float = 0.0, y_field_m: float = 0.0
    ) -> None:
        self.carrier = carrier
        self.x_m, self.y_m = x_field_m, y_field_m
        self.vx_mps = self.vy_mps = 0.0
        self._slows_mps2 = 0.0

    def hit(self, dx_m: float, dy_m: float, speed_mps: float) -> None:
        """Send it off at a speed so that it comes to rest after (dx, dy): v^2 / 2d slows it."""
        distance_m = max(math.hypot(dx_m, dy_m), 1e-6)
        self.carrier = None
        self.vx_mps = speed_mps * dx_m / distance_m
        self.vy_mps = speed_mps * dy_m / distance_m
        self._slows_mps2 = speed_mps * speed_mps / (2 * distance_m)

    def step(self) -> None:
        """Move on by STEP_S."""
        if self.carrier is not None:
            self.x_m, self.y_m = self.carrier.x_m, self.carrier.y_m
            self.vx_mps, self.vy_mps = self.carrier.vx_mps, self.carrier.vy_mps
            return
        speed_mps = math.hypot(self.vx_mps, self.vy_mps)
        if speed_mps == 0.0:
            return
        slower_mps = max(speed_mps - self._slows_mps2 * STEP_S, 0.0)
        mean = (1 + slower_mps / speed_mps) / 2 * STEP_S
        self.x_m += self.vx_mps * mean
        self.y_m += self.vy_mps * mean
        self.vx_mps *= slower_mps / speed_mps
        self.vy_mps *= slower_mps / speed_mps


class Milling:
    """The small slow motion of a standing horse: two sinusoids an axis, seeded phases.

    x(t) = sum A_k sin(w_k t + p_k), faded by an envelope that the caller gives with its rate.
    """

    __slots__ = ("_x", "_y")

    def __init__(self, amplitude_m: float, uniform: "tuple[float, ...]") -> None:
        """Take eight numbers in 0..1: a period and a phase for each of the four sinusoids."""
        waves = [
            (
                amplitude_m * share,
                math.tau / (4.0 + 4.0 * uniform[2 * k]),
                math.tau * uniform[2 * k + 1],
            )
            for k, share in enumerate((0.6, 0.4, 0.6, 0.4))
        ]
        self._x, self._y = waves[:2], waves[2:]

    def at(self, t_s: float, fade: float, fade_rate: float) -> tuple[float, float, float, float]:
        """Give (x, y, vx, vy) of the displacement at a time."""
        x_m, vx_mps = _sum(self._x, t_s)
        y_m, vy_mps = _sum(self._y, t_s)
        return (
            fade * x_m,
            fade * y_m,
            fade * vx_mps + fade_rate * x_m,
            fade * vy_mps + fade_rate * y_m,
        )


def _sum(waves: list[tuple[float, float, float]], t_s: float) -> tuple[float, float]:
    x = v = 0.0
    for amplitude, omega, phase in waves:
        x += amplitude * math.sin(omega * t_s + phase)
        v += amplitude * omega * math.cos(omega * t_s + phase)
    return x, v
