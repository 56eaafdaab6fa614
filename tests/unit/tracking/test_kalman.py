"""The filter in closed form is the filter in matrices."""

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from throwin.tracking.kalman import DENSITY_M2PS3, Kalman

Matrix = npt.NDArray[np.float64]
Step = tuple[float, float, float, float, float, float, float, float, float]


class Reference:
    """The textbook's filter, in matrices: state x, y, vx, vy."""

    def __init__(self, cov_m2: tuple[float, float, float] = (0.2, 0.05, 0.3)) -> None:
        self.x: Matrix = np.array([1.0, 2.0, 0.5, -0.5])
        self.p: Matrix = np.diag([cov_m2[0], cov_m2[2], 1.0, 1.0])
        self.p[0, 1] = self.p[1, 0] = cov_m2[1]

    def predict(self, dt: float) -> None:
        """Move on."""
        f = np.eye(4)
        f[0, 2] = f[1, 3] = dt
        q = np.zeros((4, 4))
        for axis in (0, 1):
            q[axis, axis] = dt**3 / 3
            q[axis, axis + 2] = q[axis + 2, axis] = dt**2 / 2
            q[axis + 2, axis + 2] = dt
        self.x = f @ self.x
        self.p = f @ self.p @ f.T + DENSITY_M2PS3 * q

    def update(self, h: Matrix, z: Matrix, r: Matrix) -> None:
        """Take a measurement."""
        s = h @ self.p @ h.T + r
        gain = self.p @ h.T @ np.linalg.inv(s)
        self.x = self.x + gain @ (z - h @ self.x)
        self.p = self.p - gain @ h @ self.p

    def innovation2(self, z: Matrix, r: Matrix) -> float:
        """Give the normalized innovation squared of a position."""
        h = np.eye(4)[:2]
        gap = z - h @ self.x
        return float(gap @ np.linalg.inv(h @ self.p @ h.T + r) @ gap)


def ours(cov_m2: tuple[float, float, float] = (0.2, 0.05, 0.3)) -> Kalman:
    return Kalman(
        t_ns=0,
        place_m=(1.0, 2.0),
        cov_m2=cov_m2,
        velocity_mps=(0.5, -0.5),
        var_v_m2ps2=1.0,
    )


def matrix(k: Kalman) -> Matrix:
    return np.array(
        [
            [k.pxx, k.pxy, k.cxx, k.cxy],
            [k.pxy, k.pyy, k.cyx, k.cyy],
            [k.cxx, k.cyx, k.vxx, k.vxy],
            [k.cxy, k.cyy, k.vxy, k.vyy],
        ]
    )


small = st.floats(0.001, 2.0)
place = st.floats(-5.0, 5.0)
steps = st.lists(
    st.tuples(st.floats(0.01, 1.5), place, place, small, small, st.floats(-0.9, 0.9), place, place,
              small),
    min_size=1,
    max_size=12,
)  # fmt: skip


def check_along(kalman: Kalman, reference: Reference, path: list[Step]) -> None:
    """Take both along the path, and compare where they end."""
    t_ns = kalman.t_ns
    for dt, x, y, xx, yy, rho, vx, vy, var in path:
        dt_ns = round(dt * 1e9)
        t_ns += dt_ns
        xy = rho * (xx * yy) ** 0.5
        kalman.predict(t_ns)
        reference.predict(dt_ns * 1e-9)
        kalman.take_position(x, y, xx, xy, yy)
        reference.update(np.eye(4)[:2], np.array([x, y]), np.array([[xx, xy], [xy, yy]]))
        kalman.take_velocity(vx, vy, var)
        reference.update(np.eye(4)[2:], np.array([vx, vy]), var * np.eye(2))
    np.testing.assert_allclose(
        [kalman.x, kalman.y, kalman.vx, kalman.vy], reference.x, rtol=1e-7, atol=1e-8
    )
    np.testing.assert_allclose(matrix(kalman), reference.p, rtol=1e-6, atol=1e-9)


@settings(derandomize=True, deadline=None)
@given(steps)
def test_closed_form_is_the_textbooks(path: list[Step]) -> None:
    """Closed form is the textbooks."""
    check_along(ours(), Reference(), path)


@settings(derandomize=True, deadline=None)
@given(path=steps, after=steps)
def test_round_errors_and_others_after_them_are_the_textbooks(
    path: list[Step], after: list[Step]
) -> None:
    """Round errors, for which three numbers are enough, and others after them are the same."""
    kalman, reference = ours((0.2, 0.0, 0.2)), Reference((0.2, 0.0, 0.2))
    check_along(kalman, reference, [(*step[:4], step[3], 0.0, *step[6:]) for step in path])
    check_along(kalman, reference, after)


@settings(derandomize=True, deadline=None)
@given(path=steps, xx=small, yy=small)
def test_round_errors_that_are_widened_are_the_textbooks(
    path: list[Step], xx: float, yy: float
) -> None:
    """Round errors that are widened on one axis more than on the other are the same."""
    kalman, reference = ours((0.2, 0.0, 0.2)), Reference((0.2, 0.0, 0.2))
    kalman.widen(xx, 0.0, yy)
    reference.p[0, 0] += xx
    reference.p[1, 1] += yy
    check_along(kalman, reference, [(*step[:4], step[3], 0.0, *step[6:]) for step in path])


@settings(derandomize=True, deadline=None)
@given(x=place, y=place, xx=small, yy=small, rho=st.floats(-0.9, 0.9))
def test_innovation_is_the_textbooks(x: float, y: float, xx: float, yy: float, rho: float) -> None:
    """Innovation is the textbooks."""
    kalman, reference = ours(), Reference()
    kalman.predict(100_000_000)
    reference.predict(0.1)
    xy = rho * (xx * yy) ** 0.5
    mine = kalman.innovation2(x, y, xx, xy, yy)
    textbook = reference.innovation2(np.array([x, y]), np.array([[xx, xy], [xy, yy]]))
    np.testing.assert_allclose(mine, textbook, rtol=1e-9)


def test_prediction_into_the_past_changes_nothing() -> None:
    """Prediction into the past changes nothing."""
    kalman = ours()
    kalman.predict(-5)
    np.testing.assert_array_equal(matrix(kalman), matrix(ours()))
