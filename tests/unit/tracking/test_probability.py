"""Probabilities are right where a level is near, for any covariance, and cheap bounds elsewhere."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from throwin.tracking.probability import NEGLIGIBLE, p_below, p_within

LIMIT_M = 4.572


def covariance(big: float, small: float, turn: float) -> tuple[float, float, float]:
    c, s = math.cos(turn), math.sin(turn)
    return (
        c * c * big**2 + s * s * small**2,
        c * s * (big**2 - small**2),
        s * s * big**2 + c * c * small**2,
    )


def reference(
    dx: float, dy: float, cov: tuple[float, float, float], limit_m: float
) -> tuple[float, float]:
    """Give (P inside, P outside) by adaptive quadrature in principal axes."""
    values, vectors = np.linalg.eigh(np.array([[cov[0], cov[1]], [cov[1], cov[2]]]))
    b0, a0 = vectors.T @ np.array([dx, dy])
    sb, sa = np.sqrt(np.maximum(values, 1e-24))

    def density(b: float) -> float:
        return float(np.exp(-0.5 * ((b - b0) / sb) ** 2) / (sb * math.sqrt(2 * math.pi)))

    def inside(b: float) -> float:
        half = math.sqrt(max(limit_m**2 - b * b, 0.0))
        left, right = special.ndtr((-half - a0) / sa), special.ndtr((half - a0) / sa)
        return density(b) * float(right - left)

    def outside(b: float) -> float:
        half = math.sqrt(max(limit_m**2 - b * b, 0.0))
        left, right = special.ndtr((-half - a0) / sa), special.ndtr(-(half - a0) / sa)
        return density(b) * float(left + right)

    low, high = max(-limit_m, b0 - 10 * sb), min(limit_m, b0 + 10 * sb)
    if low >= high:
        return 0.0, 1.0
    marks = [mark for mark in (b0 - 3 * sb, b0, b0 + 3 * sb) if low < mark < high] or None
    options = {"points": marks, "limit": 400, "epsabs": 1e-14, "epsrel": 1e-10}
    beyond = special.ndtr((-limit_m - b0) / sb) + special.ndtr((b0 - limit_m) / sb)
    return (
        integrate.quad(inside, low, high, **options)[0],
        integrate.quad(outside, low, high, **options)[0] + float(beyond),
    )


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    small=st.floats(0.003, 5.0),
    ratio=st.floats(1.0, 30.0),
    turn=st.floats(0.0, math.pi),
    sigmas=st.floats(-6.0, 6.0),
    bearing=st.floats(0.0, 2 * math.pi),
)
def test_p_within_agrees_with_adaptive_quadrature(
    small: float, ratio: float, turn: float, sigmas: float, bearing: float
) -> None:
    """P within agrees with adaptive quadrature."""
    cov = covariance(small * ratio, small, turn)
    distance_m = max(0.0, LIMIT_M + sigmas * small * math.sqrt(ratio))
    dx, dy = distance_m * math.cos(bearing), distance_m * math.sin(bearing)
    inside, outside = reference(dx, dy, cov, LIMIT_M)
    p = p_within(dx, dy, *cov, LIMIT_M)
    smaller = min(inside, outside)
    mine = p if inside <= outside else 1.0 - p
    assert abs(mine - smaller) <= max(0.02 * smaller, 2 * NEGLIGIBLE)


@pytest.mark.parametrize("sigma_m", [0.01, 0.1, 0.5, 2.0, 5.0])
@pytest.mark.parametrize("distance_m", [0.0, 1.0, 4.4, 4.572, 4.7, 6.0])
def test_p_within_of_a_circle_is_noncentral_chi_square(sigma_m: float, distance_m: float) -> None:
    """P within of a circle is noncentral chi square."""
    expected = stats.ncx2.cdf((LIMIT_M / sigma_m) ** 2, 2, (distance_m / sigma_m) ** 2)
    p = p_within(distance_m, 0.0, sigma_m**2, 0.0, sigma_m**2, LIMIT_M)
    assert p == pytest.approx(expected, abs=2e-7)


@given(
    dx=st.floats(-30.0, 30.0),
    dy=st.floats(-30.0, 30.0),
    big=st.floats(0.0, 20.0),
    small=st.floats(0.0, 20.0),
    turn=st.floats(0.0, math.pi),
)
def test_p_within_is_a_probability(
    dx: float, dy: float, big: float, small: float, turn: float
) -> None:
    """P within is a probability."""
    assert 0.0 <= p_within(dx, dy, *covariance(big, small, turn), LIMIT_M) <= 1.0


@given(
    distance_m=st.floats(0.0, 12.0),
    sigma_m=st.floats(0.02, 3.0),
    bearing=st.floats(0.0, 2 * math.pi),
)
def test_p_within_of_a_circle_knows_no_bearing(
    distance_m: float, sigma_m: float, bearing: float
) -> None:
    """P within of a circle knows no bearing."""
    var = sigma_m**2
    turned = p_within(
        distance_m * math.cos(bearing), distance_m * math.sin(bearing), var, 0.0, var, LIMIT_M
    )
    assert turned == pytest.approx(p_within(distance_m, 0.0, var, 0.0, var, LIMIT_M), abs=3e-7)


@pytest.mark.parametrize(("distance_m", "p"), [(4.571, 1.0), (4.573, 0.0), (0.0, 1.0)])
def test_p_within_of_a_known_place_is_certain(distance_m: float, p: float) -> None:
    """P within of a known place is certain."""
    assert p_within(distance_m, 0.0, 0.0, 0.0, 0.0, LIMIT_M) == p


@pytest.mark.parametrize(("dy", "expected"), [(0.0, True), (5.0, False)])
def test_p_within_of_a_place_known_across_only(dy: float, *, expected: bool) -> None:
    """P within of a place known across only."""
    p = p_within(0.0, dy, 1.0, 0.0, 0.0, LIMIT_M)
    assert (p > 0.999) is expected


def test_p_within_no_distance_is_nothing() -> None:
    """P within no distance is nothing."""
    assert p_within(0.0, 0.0, 1.0, 0.0, 1.0, 0.0) == 0.0


@pytest.mark.parametrize("value_m", [-3.0, -0.5, 0.0, 0.5, 3.0, 7.0])
def test_p_below_is_the_normal_distribution(value_m: float) -> None:
    """P below is the normal distribution."""
    assert p_below(value_m, 0.25) == pytest.approx(stats.norm.cdf(0.0, value_m, 0.5), rel=1e-9)


@pytest.mark.parametrize(("value_m", "p"), [(-0.1, 1.0), (0.1, 0.0), (0.0, 0.0)])
def test_p_below_of_a_known_value_is_certain(value_m: float, p: float) -> None:
    """P below of a known value is certain."""
    assert p_below(value_m, 0.0) == p
