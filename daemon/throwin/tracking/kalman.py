"""A constant-velocity Kalman filter in the plane, in closed form: plain numbers, no matrices.

State (x, y, vx, vy) with its whole covariance; white acceleration drives it. The process noise is
isotropic, so a prediction needs ten numbers only; while the covariance is the same on both axes
and nothing crosses them, three are enough, and most tags never leave that. Source: Bar-Shalom,
Li, Kirubarajan, Estimation with Applications to Tracking and Navigation, 6.2 (discretized
continuous white noise).
"""

# Acceleration density of a horse that halts, turns and starts: 1.7 m/s gained in a second is one
# sigma, the 3 m/s of a start are two.
DENSITY_M2PS3 = 3.0


class Kalman:
    """One filter. Covariance: p for position, c for position-velocity, v for velocity.

    _is_round: the axes have equal variances and no cross terms (which then are exactly 0).
    """

    __slots__ = (
        "_is_round", "cxx", "cxy", "cyx", "cyy", "pxx", "pxy", "pyy", "t_ns", "vx", "vxx", "vxy",
        "vy", "vyy", "x", "y",
    )  # fmt: skip

    def __init__(
        self,
        *,
        t_ns: int,
        place_m: tuple[float, float],
        cov_m2: tuple[float, float, float],
        velocity_mps: tuple[float, float],
        var_v_m2ps2: float,
    ) -> None:
        self.t_ns = t_ns
        self.x, self.y = place_m
        self.vx, self.vy = velocity_mps
        self.pxx, self.pxy, self.pyy = cov_m2
        self._is_round = self.pxx == self.pyy and self.pxy == 0.0
        self.cxx = self.cxy = self.cyx = self.cyy = 0.0
        self.vxx = self.vyy = var_v_m2ps2
        self.vxy = 0.0

    def predict(self, t_ns: int) -> None:
        """Move on to an instant; one before the state's own changes nothing."""
        dt = (t_ns - self.t_ns) * 1e-9
        if dt <= 0.0:
            return
        q = DENSITY_M2PS3 * dt
        half = 0.5 * q * dt
        dt2 = dt * dt
        self.t_ns = t_ns
        self.x += self.vx * dt
        self.y += self.vy * dt
        cxx, vxx = self.cxx, self.vxx
        third = q * dt2 / 3.0
        if self._is_round:
            self.pxx = self.pyy = self.pxx + 2.0 * dt * cxx + dt2 * vxx + third
            self.cxx = self.cyy = cxx + dt * vxx + half
            self.vxx = self.vyy = vxx + q
            return
        cxy, cyx, cyy = self.cxy, self.cyx, self.cyy
        vxy, vyy = self.vxy, self.vyy
        self.pxx += 2.0 * dt * cxx + dt2 * vxx + third
        self.pyy += 2.0 * dt * cyy + dt2 * vyy + third
        self.pxy += dt * (cxy + cyx) + dt2 * vxy
        self.cxx = cxx + dt * vxx + half
        self.cxy = cxy + dt * vxy
        self.cyx = cyx + dt * vxy
        self.cyy = cyy + dt * vyy + half
        self.vxx = vxx + q
        self.vyy = vyy + q

    def widen(self, xx: float, xy: float, yy: float) -> None:
        """Add to the position's covariance what a change of its source leaves open."""
        self._is_round = self._is_round and xx == yy and xy == 0.0
        self.pxx += xx
        self.pxy += xy
        self.pyy += yy

    def innovation2(self, x: float, y: float, xx: float, xy: float, yy: float) -> float:
        """Give the normalized innovation squared of a position with this covariance."""
        sxx, sxy, syy = self.pxx + xx, self.pxy + xy, self.pyy + yy
        det = sxx * syy - sxy * sxy
        dx, dy = x - self.x, y - self.y
        return (syy * dx * dx - 2.0 * sxy * dx * dy + sxx * dy * dy) / det

    def take_position(self, x: float, y: float, xx: float, xy: float, yy: float) -> None:
        """Update by a measured position with covariance (xx, xy, yy)."""
        if self._is_round:
            if xx == yy and xy == 0.0:
                self._take_round_position(x, y, xx)
                return
            self._is_round = False
        pxx, pxy, pyy = self.pxx, self.pxy, self.pyy
        cxx, cxy, cyx, cyy = self.cxx, self.cxy, self.cyx, self.cyy
        sxx, sxy, syy = pxx + xx, pxy + xy, pyy + yy
        scale = 1.0 / (sxx * syy - sxy * sxy)
        ixx, ixy, iyy = syy * scale, -sxy * scale, sxx * scale
        # Gains: rows x, y, vx, vy; columns the measured x, y.
        k11, k12 = pxx * ixx + pxy * ixy, pxx * ixy + pxy * iyy
        k21, k22 = pxy * ixx + pyy * ixy, pxy * ixy + pyy * iyy
        k31, k32 = cxx * ixx + cyx * ixy, cxx * ixy + cyx * iyy
        k41, k42 = cxy * ixx + cyy * ixy, cxy * ixy + cyy * iyy
        dx, dy = x - self.x, y - self.y
        self.x += k11 * dx + k12 * dy
        self.y += k21 * dx + k22 * dy
        self.vx += k31 * dx + k32 * dy
        self.vy += k41 * dx + k42 * dy
        self.pxx = pxx - k11 * pxx - k12 * pxy
        self.pxy = pxy - k11 * pxy - k12 * pyy
        self.pyy = pyy - k21 * pxy - k22 * pyy
        self.cxx = cxx - k11 * cxx - k12 * cyx
        self.cxy = cxy - k11 * cxy - k12 * cyy
        self.cyx = cyx - k21 * cxx - k22 * cyx
        self.cyy = cyy - k21 * cxy - k22 * cyy
        self.vxx -= k31 * cxx + k32 * cyx
        self.vxy -= k31 * cxy + k32 * cyy
        self.vyy -= k41 * cxy + k42 * cyy

    def _take_round_position(self, x: float, y: float, var: float) -> None:
        pxx, cxx = self.pxx, self.cxx
        scale = 1.0 / (pxx + var)
        k1, k2 = pxx * scale, cxx * scale
        dx, dy = x - self.x, y - self.y
        self.x += k1 * dx
        self.y += k1 * dy
        self.vx += k2 * dx
        self.vy += k2 * dy
        self.pxx = self.pyy = pxx - k1 * pxx
        self.cxx = self.cyy = cxx - k1 * cxx
        self.vxx = self.vyy = self.vxx - k2 * cxx

    def take_velocity(self, vx: float, vy: float, var: float) -> None:
        """Update by a measured velocity, the same variance on both axes."""
        vxx, cxx = self.vxx, self.cxx
        if self._is_round:
            scale = 1.0 / (vxx + var)
            k1, k2 = cxx * scale, vxx * scale
            dx, dy = vx - self.vx, vy - self.vy
            self.x += k1 * dx
            self.y += k1 * dy
            self.vx += k2 * dx
            self.vy += k2 * dy
            self.pxx = self.pyy = self.pxx - k1 * cxx
            self.cxx = self.cyy = cxx - k1 * vxx
            self.vxx = self.vyy = vxx - k2 * vxx
            return
        vxy, vyy = self.vxy, self.vyy
        cxy, cyx, cyy = self.cxy, self.cyx, self.cyy
        sxx, syy = vxx + var, vyy + var
        scale = 1.0 / (sxx * syy - vxy * vxy)
        ixx, ixy, iyy = syy * scale, -vxy * scale, sxx * scale
        k11, k12 = cxx * ixx + cxy * ixy, cxx * ixy + cxy * iyy
        k21, k22 = cyx * ixx + cyy * ixy, cyx * ixy + cyy * iyy
        k31, k32 = vxx * ixx + vxy * ixy, vxx * ixy + vxy * iyy
        k41, k42 = vxy * ixx + vyy * ixy, vxy * ixy + vyy * iyy
        dx, dy = vx - self.vx, vy - self.vy
        self.x += k11 * dx + k12 * dy
        self.y += k21 * dx + k22 * dy
        self.vx += k31 * dx + k32 * dy
        self.vy += k41 * dx + k42 * dy
        self.pxx -= k11 * cxx + k12 * cxy
        self.pxy -= k11 * cyx + k12 * cyy
        self.pyy -= k21 * cyx + k22 * cyy
        self.cxx = cxx - k11 * vxx - k12 * vxy
        self.cxy = cxy - k11 * vxy - k12 * vyy
        self.cyx = cyx - k21 * vxx - k22 * vxy
        self.cyy = cyy - k21 * vxy - k22 * vyy
        self.vxx = vxx - k31 * vxx - k32 * vxy
        self.vxy = vxy - k31 * vxy - k32 * vyy
        self.vyy = vyy - k41 * vxy - k42 * vyy
