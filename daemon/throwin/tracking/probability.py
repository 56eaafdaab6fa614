"""Probabilities of a Gaussian position: within a distance, or beyond a line.

What counts near the sure level is the relative error of min(P, 1 - P), so the smaller of the two
is what is computed; cheap bounds answer first where they are far below any level.
"""

import math

_erfc = math.erfc
_exp = math.exp
_sqrt = math.sqrt
_SQRT2 = math.sqrt(2.0)

NEGLIGIBLE = 1e-7  # a bound below this is the answer: no level of any profile is near
WINDOW = 7.0  # sigmas of the outer variable that the quadrature covers: 1 - P there < 3e-12
FLOOR_M = 1e-9  # a smaller sigma is none
PLAIN_SHARE = 0.6  # a share of the variance along the line of sight that one panel resolves
PANELS = 10


def _legendre(count: int) -> tuple[tuple[float, float], ...]:
    """Give nodes and weights of Gauss-Legendre quadrature on [-1, 1], by Newton's method."""
    pairs = []
    for i in range(1, count + 1):
        x = math.cos(math.pi * (i - 0.25) / (count + 0.5))
        for _ in range(100):
            p0, p1 = 1.0, x
            for k in range(2, count + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            slope = count * (x * p1 - p0) / (x * x - 1.0)
            step = p1 / slope
            x -= step
            if abs(step) < 1e-15:
                break
        pairs.append((x, 2.0 / ((1.0 - x * x) * slope * slope)))
    return tuple(pairs)


_NODES = _legendre(24)
# The same for a Gaussian of unit variance across its window: (z, weight x density).
_GAUSSIAN = tuple(
    (WINDOW * x, WINDOW * w * _exp(-0.5 * WINDOW * WINDOW * x * x) / _sqrt(math.tau))
    for x, w in _legendre(28)
)


def p_below(value_m: float, var_m2: float) -> float:
    """Give P(N(value, var) < 0), accurate in both tails; a variance of none or less is none."""
    if var_m2 <= 0.0:
        return 1.0 if value_m < 0.0 else 0.0
    return 0.5 * _erfc(value_m / _sqrt(2.0 * var_m2))


def p_within(
    dx_m: float,
    dy_m: float,
    var_x_m2: float,
    cov_xy_m2: float,
    var_y_m2: float,
    limit_m: float,
) -> float:
    """Give P(|d| < limit) for d ~ N((dx, dy), [[var_x, cov_xy], [cov_xy, var_y]]).

    Where P or 1 - P is surely below 1e-7 a bound of it is given; elsewhere a Gauss-Legendre
    quadrature along one axis, the other one in closed form.
    """
    if limit_m <= 0.0:
        return 0.0
    distance_m = _sqrt(dx_m * dx_m + dy_m * dy_m)
    half = 0.5 * (var_x_m2 + var_y_m2)
    gap = 0.5 * (var_x_m2 - var_y_m2)
    spread = _sqrt(gap * gap + cov_xy_m2 * cov_xy_m2)
    var_big, var_small = half + spread, half - spread
    if var_big <= FLOOR_M * FLOOR_M:
        return 1.0 if distance_m < limit_m else 0.0
    margin_m = distance_m - limit_m
    if margin_m > 0.0:
        ux, uy = dx_m / distance_m, dy_m / distance_m
        var_los = ux * ux * var_x_m2 + 2.0 * ux * uy * cov_xy_m2 + uy * uy * var_y_m2
        # The disc lies within a half-plane at its nearest point.
        bound = 0.5 * _erfc(margin_m / _sqrt(2.0 * var_los)) if var_los > 0.0 else 0.0
        if bound < NEGLIGIBLE:
            return bound
    else:
        # Outside the disc the displacement is at least the margin: P <= exp(-m^2 / 2 var_big).
        bound = _exp(-0.5 * margin_m * margin_m / var_big)
        if bound < NEGLIGIBLE:
            return 1.0 - bound
    if distance_m > 0.0:
        ux, uy = dx_m / distance_m, dy_m / distance_m
    else:
        ux, uy = 1.0, 0.0
    var_r = ux * ux * var_x_m2 + 2.0 * ux * uy * cov_xy_m2 + uy * uy * var_y_m2
    var_t = uy * uy * var_x_m2 - 2.0 * ux * uy * cov_xy_m2 + ux * ux * var_y_m2
    cov_rt = (ux * ux - uy * uy) * cov_xy_m2 + ux * uy * (var_y_m2 - var_x_m2)
    if var_t * (WINDOW * WINDOW) < limit_m * limit_m:
        var_left = var_r - cov_rt * cov_rt / var_t if var_t > 0.0 else var_r
        is_flat = 4.0 * var_t * var_t < limit_m * limit_m * var_left  # the disc's edge, there
        if is_flat and var_left > PLAIN_SHARE * var_r:
            return _along_sight(distance_m, var_left, var_t, cov_rt, limit_m)
    # Into principal axes: a along the larger sigma, b along the smaller.
    turn = 0.5 * math.atan2(cov_xy_m2, gap)
    c, s = math.cos(turn), math.sin(turn)
    return _across(
        abs(c * dx_m + s * dy_m),
        abs(c * dy_m - s * dx_m),
        _sqrt(var_big),
        _sqrt(max(var_small, 0.0)),
        limit_m,
    )


def _along_sight(
    distance_m: float, var_left_m2: float, var_t_m2: float, cov_rt_m2: float, limit_m: float
) -> float:
    """Integrate across the line of sight; along it, given the place across, in closed form.

    The usual case: positions known much better than the limit. var_left_m2: what is open along
    the line of sight once the place across it is given.
    """
    sigma_t_m = _sqrt(var_t_m2)
    slope = cov_rt_m2 / sigma_t_m if sigma_t_m > 0.0 else 0.0
    k = 1.0 / _sqrt(2.0 * var_left_m2)
    limit_m2 = limit_m * limit_m
    inside = outside = 0.0
    for z, weight in _GAUSSIAN:
        t_m = sigma_t_m * z
        half_chord_m = _sqrt(limit_m2 - t_m * t_m)
        mean_m = distance_m + slope * z
        u = (half_chord_m - mean_m) * k
        far = _erfc((half_chord_m + mean_m) * k)  # beyond the disc on its other side
        inside += weight * (_erfc(-u) - far)
        outside += weight * (_erfc(u) + far)
    return 0.5 * inside if inside < outside else 1.0 - 0.5 * outside


def _across(a_m: float, b_m: float, sigma_a_m: float, sigma_b_m: float, limit_m: float) -> float:
    """Integrate along the axis of the smaller sigma (b); along the larger (a) in closed form.

    For the rest: long thin covariances, and those as large as the limit. b = limit sin(theta)
    takes away the square root at the disc's edge; panels resolve what is narrow.
    """
    k = 1.0 / (_SQRT2 * sigma_a_m)
    if sigma_b_m <= FLOOR_M:
        return _span(a_m, b_m, k, limit_m)
    low_m = max(b_m - WINDOW * sigma_b_m, -limit_m)
    high_m = min(b_m + WINDOW * sigma_b_m, limit_m)
    if low_m >= limit_m:
        return 0.0
    low, high = math.asin(low_m / limit_m), math.asin(high_m / limit_m)
    reach = 0.5 * (high - low) / PANELS
    scale = 1.0 / sigma_b_m
    inside = outside = 0.0
    for panel in range(PANELS):
        middle = low + (2 * panel + 1) * reach
        for node, weight in _NODES:
            theta = middle + reach * node
            half_chord_m = limit_m * math.cos(theta)
            z = (limit_m * math.sin(theta) - b_m) * scale
            density = weight * _exp(-0.5 * z * z) * half_chord_m
            u, far = (half_chord_m - a_m) * k, _erfc((half_chord_m + a_m) * k)
            inside += density * (_erfc(-u) - far)
            outside += density * (_erfc(u) + far)
    factor = 0.5 * reach * scale / _sqrt(math.tau)
    if inside < outside:
        return inside * factor
    # What b alone leaves of the disc counts as outside too.
    beyond = _erfc((limit_m - b_m) * scale / _SQRT2) + _erfc((limit_m + b_m) * scale / _SQRT2)
    return min(inside * factor, 1.0) if beyond > 1.0 else 1.0 - outside * factor - 0.5 * beyond


def _span(a_m: float, b_m: float, k: float, limit_m: float) -> float:
    """Give P within the chord at b, when b has no variance."""
    if b_m >= limit_m:
        return 0.0
    half_chord_m = _sqrt(limit_m * limit_m - b_m * b_m)
    u, far = (half_chord_m - a_m) * k, _erfc((half_chord_m + a_m) * k)
    return 0.5 * (_erfc(-u) - far) if u < 0.0 else 1.0 - 0.5 * (_erfc(u) + far)
