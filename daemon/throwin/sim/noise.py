"""Sensor models: how wrong each class of tag is, drawn from seeded streams.

Errors per axis: white noise plus a slow Gauss-Markov part, of which a share is common to all
tags of the class. It knows no scenario and no truth.
"""

import math
import random
from dataclasses import dataclass, replace

from throwin.contract.fieldfile import SensorClass
from throwin.sim.seeded import stream
from throwin.tags.observation import FixKind

GRID_S = 0.1  # on which the common part of the slow error is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorModel:
    """How a class of tag errs, 1 sigma per axis.

    shared: share of the slow part's variance that all tags of the class have in common.
    sigma_v_mps: of the velocity that it gives, None = gives none. claim: claimed over true sigma.
    tail_dof: Student-t degrees of freedom of the white part, None = Gaussian.
    bias_m: a constant error of random direction that nothing claims.
    """

    kind: FixKind
    white_m: float
    slow_m: float
    tau_s: float
    shared: float = 0.0
    sigma_v_mps: float | None = None
    rate_hz: float = 10.0
    is_synchronous: bool = True
    lag_s: float = 0.12
    claim: float = 1.0
    tail_dof: float | None = None
    bias_m: float = 0.0

    @property
    def claimed_sigma_m(self) -> float:
        """What the tag says of itself."""
        return self.claim * math.hypot(self.white_m, self.slow_m)


# The three classes of the design; lag of GNSS: u-blox, 0.12 s.
MODELS: dict[SensorClass, SensorModel] = {
    "rtk": SensorModel(
        kind=FixKind.RTK_FIXED,
        white_m=0.015,
        slow_m=0.03,
        tau_s=2.0,
        shared=0.3,
        sigma_v_mps=0.05,
    ),
    "uwb": SensorModel(
        kind=FixKind.UWB,
        white_m=0.12,
        slow_m=0.12,
        tau_s=3.0,
        is_synchronous=False,
        lag_s=0.02,
    ),
    "gnss": SensorModel(
        kind=FixKind.SINGLE,
        white_m=0.15,
        slow_m=1.2,
        tau_s=40.0,
        shared=0.5,
        sigma_v_mps=0.1,
    ),
}
# What is left of an RTK or GNSS tag when its fix degrades.
DEGRADED: dict[str, SensorModel] = {
    "float": replace(MODELS["gnss"], kind=FixKind.RTK_FLOAT, white_m=0.05, slow_m=0.35, tau_s=15.0),
    "dgnss": replace(MODELS["gnss"], kind=FixKind.DGNSS, slow_m=0.8),
    "single": MODELS["gnss"],
    "none": replace(MODELS["gnss"], kind=FixKind.NO_FIX),
}


class _Slow:
    """A Gauss-Markov process of unit variance: e(t+dt) = a e(t) + sqrt(1 - a^2) n."""

    __slots__ = ("_decay", "_fresh", "_rng", "value")

    def __init__(self, rng: random.Random, step_s: float, tau_s: float) -> None:
        self._rng = rng
        self._decay = math.exp(-step_s / tau_s)
        self._fresh = math.sqrt(1.0 - self._decay * self._decay)
        self.value = rng.gauss(0.0, 1.0)

    def step(self) -> float:
        """Give the present value and move on by one step."""
        value = self.value
        self.value = self._decay * value + self._fresh * self._rng.gauss(0.0, 1.0)
        return value


class Common:
    """The part of the slow error that all tags of a model share, on a grid of time."""

    def __init__(self, seed: int, model: SensorModel, duration_s: float) -> None:
        count = math.ceil(duration_s / GRID_S) + 2
        self._axes = []
        for axis in "xy":
            slow = _Slow(stream(seed, "common", model.kind.name, axis), GRID_S, model.tau_s)
            self._axes.append([slow.step() for _ in range(count)])

    def at(self, t_s: float) -> tuple[float, float]:
        """Give the common error (x, y) in sigmas."""
        index = min(int(t_s / GRID_S), len(self._axes[0]) - 2)
        u = t_s / GRID_S - index
        x, y = (axis[index] * (1 - u) + axis[index + 1] * u for axis in self._axes)
        return x, y


class Noise:
    """The error of one tag under one model."""

    def __init__(self, seed: int, entity: str, model: SensorModel, common: Common) -> None:
        name = model.kind.name
        self.model = model
        self._common = common
        self._white = stream(seed, "white", entity, name)
        step_s = 1.0 / model.rate_hz
        self._slow = [
            _Slow(stream(seed, "slow", entity, name, axis), step_s, model.tau_s) for axis in "xy"
        ]
        turn = stream(seed, "bias", entity, name).uniform(0.0, math.tau)
        self._bias = (model.bias_m * math.cos(turn), model.bias_m * math.sin(turn))

    def error(self, t_s: float) -> tuple[float, float]:
        """Give the position's error (x, y), m; to be called once for each epoch, in order."""
        model = self.model
        own, shared = math.sqrt(1.0 - model.shared), math.sqrt(model.shared)
        x, y = (
            bias + model.slow_m * (own * slow.step() + shared * common) + self._draw()
            for bias, slow, common in zip(self._bias, self._slow, self._common.at(t_s), strict=True)
        )
        return x, y

    def velocity_error(self) -> tuple[float, float]:
        """Give the velocity's error (x, y), m/s."""
        sigma = self.model.sigma_v_mps or 0.0
        return self._white.gauss(0.0, sigma), self._white.gauss(0.0, sigma)

    def _draw(self) -> float:
        """Draw the white part; a Student-t is scaled to the same variance."""
        model = self.model
        value = self._white.gauss(0.0, model.white_m)
        if model.tail_dof is None:
            return value
        dof = model.tail_dof
        chi_square = self._white.gammavariate(dof / 2, 2.0)
        return value * math.sqrt((dof - 2) / chi_square)
