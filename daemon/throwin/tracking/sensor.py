"""What each kind of fix is worth: the one table of error models.

An error has a fast part, new with each fix, and a slow part, the same over many fixes (multipath,
ionosphere, a body in the way). A filter averages the fast part only; the slow part is carried
beside it and added to whatever is given out. A device's own claim is a claim: it can make a
position worse than the table says, hardly better.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from throwin.tags.observation import FixKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorModel:
    """1 sigma per axis, m: fast and slow part; claim_floor: least total that a claim can give."""

    fast_m: float
    slow_m: float
    claim_floor_m: float

    @property
    def total_m(self) -> float:
        """1 sigma of both parts."""
        return math.hypot(self.fast_m, self.slow_m)


# RTK: 1-3 cm over seconds, from the data sheets of two-band receivers with a near base, and the
# tag's seat on the horse. Plain GNSS: metres that wander over a minute, 0.1-0.2 m from fix to
# fix. UWB: 0.2 m between units in the best of products.
MODELS: dict[FixKind, SensorModel] = {
    FixKind.RTK_FIXED: SensorModel(fast_m=0.015, slow_m=0.032, claim_floor_m=0.03),
    FixKind.RTK_FLOAT: SensorModel(fast_m=0.06, slow_m=0.45, claim_floor_m=0.3),
    FixKind.DGNSS: SensorModel(fast_m=0.15, slow_m=1.0, claim_floor_m=0.7),
    FixKind.SINGLE: SensorModel(fast_m=0.16, slow_m=1.5, claim_floor_m=1.0),
    FixKind.UWB: SensorModel(fast_m=0.125, slow_m=0.13, claim_floor_m=0.15),
}
MOST_M2 = 1e6  # a claim of a kilometre, or of infinity, says no more than this


class Errors(NamedTuple):
    """The variances of one fix, m2: the fast part for the filter, the slow part beside it."""

    fast_xx: float
    fast_xy: float
    fast_yy: float
    slow_xx: float
    slow_xy: float
    slow_yy: float


def split(xx_m2: float, xy_m2: float, yy_m2: float, share: float) -> Errors:
    """Give the errors of a total covariance of which a share is fast."""
    rest = 1.0 - share
    return Errors(
        share * xx_m2, share * xy_m2, share * yy_m2, rest * xx_m2, rest * xy_m2, rest * yy_m2
    )


def _usual(model: SensorModel) -> Errors:
    var_m2 = model.total_m**2
    return split(var_m2, 0.0, var_m2, model.fast_m**2 / var_m2)


_USUAL = {kind: _usual(model) for kind, model in MODELS.items()}
_FLOOR_M2 = {kind: model.claim_floor_m**2 for kind, model in MODELS.items()}
_SHARE = {kind: model.fast_m**2 / model.total_m**2 for kind, model in MODELS.items()}


def errors_of(kind: FixKind, xx_m2: float | None, xy_m2: float, yy_m2: float | None) -> Errors:
    """Give the errors of a fix of a kind with its claim, field axes; no claim: the table's.

    A claim is scaled up as a whole when its larger axis is below the floor. Zero, negative or
    not-a-number is no claim.
    """
    if xx_m2 is None or yy_m2 is None or not (xx_m2 > 0.0 and yy_m2 > 0.0):
        return _USUAL[kind]
    floor_m2 = _FLOOR_M2[kind]
    larger_m2 = max(yy_m2, xx_m2)
    if not (larger_m2 < MOST_M2 and xx_m2 * yy_m2 > xy_m2 * xy_m2):
        round_m2 = min(larger_m2, MOST_M2)
        return _USUAL[kind] if round_m2 < 1.0 else split(round_m2, 0.0, round_m2, _SHARE[kind])
    if larger_m2 < floor_m2:
        scale = floor_m2 / larger_m2
        return split(scale * xx_m2, scale * xy_m2, scale * yy_m2, _SHARE[kind])
    return split(xx_m2, xy_m2, yy_m2, _SHARE[kind])
