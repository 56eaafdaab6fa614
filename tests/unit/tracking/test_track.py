"""A track believes what agrees, drops what can't be, and comes back."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from throwin.contract.fieldfile import SensorClass
from throwin.sim.noise import MODELS as SIMULATED
from throwin.sim.noise import Common, Noise
from throwin.tags.observation import FixKind
from throwin.tracking.probability import p_below
from throwin.tracking.sensor import Errors, errors_of
from throwin.tracking.track import Outcome, TagSpec, Track

NS = 1_000_000_000
PERIOD_NS = NS // 10
RTK = errors_of(FixKind.RTK_FIXED, 1e-3, 0.0, 1e-3)
Path = Callable[[float], tuple[float, float]]


class Ride:
    """A track that is fed at 10 Hz."""

    def __init__(self, *, kind: FixKind = FixKind.RTK_FIXED, errors: Errors = RTK) -> None:
        self.track = Track(TagSpec(tag="t", sensor="rtk", lag_s=0.0))
        self.kind = kind
        self.errors = errors
        self.t_ns = 0

    def fix(self, x: float, y: float = 0.0, *, gap_ns: int = PERIOD_NS) -> Outcome:
        """Send one fix, without a velocity."""
        self.t_ns += gap_ns
        return self.track.take(self.t_ns, self.kind, (x, y), self.errors, None, None)

    def stand(self, count: int, x: float = 0.0) -> list[Outcome]:
        """Send so many fixes of one place."""
        return [self.fix(x) for _ in range(count)]

    def ride(self, path: Path, seconds: float) -> list[Outcome]:
        """Follow a path, given by its time."""
        start_ns = self.t_ns
        return [
            self.fix(*path((self.t_ns + PERIOD_NS - start_ns) / NS))
            for _ in range(round(seconds * 10))
        ]


def test_single_fix_starts_no_track() -> None:
    """Single fix starts no track."""
    ride = Ride()
    ride.fix(0.0)
    assert ride.track.at(ride.t_ns) is None


def test_two_fixes_that_agree_start_a_track() -> None:
    """Two fixes that agree start a track."""
    assert Ride().stand(2) == [Outcome.CANDIDATE, Outcome.FIRST]


def test_two_fixes_that_disagree_start_no_track() -> None:
    """Two fixes that disagree start no track."""
    ride = Ride()
    ride.fix(0.0)
    assert ride.fix(92.0) is Outcome.CANDIDATE


def test_single_jump_of_92_m_is_not_believed() -> None:
    """Single jump of 92 m is not believed."""
    ride = Ride()
    ride.stand(20)
    assert ride.fix(92.0) is Outcome.REJECTED_SPEED


def test_track_stays_where_it_was_after_a_jump() -> None:
    """Track stays where it was after a jump."""
    ride = Ride()
    ride.stand(20)
    ride.fix(92.0)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert abs(state.x_field_m) < 0.1


def test_second_fix_that_agrees_with_a_jump_moves_the_track() -> None:
    """Second fix that agrees with a jump moves the track."""
    ride = Ride()
    ride.stand(20)
    ride.fix(92.0)
    assert ride.fix(92.1) is Outcome.REOPENED


def test_wild_fixes_alone_move_no_track_within_a_second() -> None:
    """Wild fixes alone move no track within a second."""
    ride = Ride()
    ride.stand(20)
    outcomes = [ride.fix(place) for place in (92.0, -40.0, 33.0, -80.0, 61.0)]
    assert Outcome.REOPENED not in outcomes


def test_gate_reopens_after_a_second_of_rejections() -> None:
    """Gate reopens after a second of rejections."""
    ride = Ride()
    ride.stand(20)
    outcomes = [ride.fix(100.0 * (-1) ** number) for number in range(13)]
    assert outcomes.index(Outcome.REOPENED) == 10


def test_wrong_rtk_fix_half_a_metre_off_is_not_believed_once() -> None:
    """Wrong rtk fix half a metre off is not believed once."""
    ride = Ride()
    ride.stand(30)
    assert ride.fix(0.5) is Outcome.REJECTED_INNOVATION


def gallop(t_s: float) -> tuple[float, float]:
    return 17.0 * t_s, 0.0


def start(t_s: float) -> tuple[float, float]:
    return 0.5 * 5.0 * min(t_s, 3.0) ** 2, 0.0


def halt(t_s: float) -> tuple[float, float]:
    braked_s = min(max(t_s - 1.0, 0.0), 2.0)
    return 10.0 * t_s - 10.0 * max(t_s - 3.0, 0.0) - 0.5 * 5.0 * braked_s**2, 0.0


def turn(t_s: float) -> tuple[float, float]:
    return 10.0 * math.sin(t_s * 0.7), 10.0 * math.cos(t_s * 0.7) - 10.0


@pytest.mark.parametrize("path", [gallop, start, halt, turn], ids=lambda path: path.__name__)
def test_riding_is_believed(path: Path) -> None:
    """Riding is believed."""
    ride = Ride()
    if path is start:
        ride.stand(20)
    outcomes = ride.ride(path, 3.0)
    assert {Outcome.REJECTED_SPEED, Outcome.REJECTED_INNOVATION}.isdisjoint(outcomes)


def test_older_fix_is_late() -> None:
    """Older fix is late."""
    ride = Ride()
    ride.stand(5)
    assert ride.fix(0.0, gap_ns=-PERIOD_NS // 2) is Outcome.LATE


def test_same_instant_again_is_a_repeat() -> None:
    """Same instant again is a repeat."""
    ride = Ride()
    ride.stand(5)
    assert ride.fix(0.0, gap_ns=0) is Outcome.REPEAT


def test_device_that_began_anew_in_the_past_is_followed_after_a_second() -> None:
    """Device that began anew in the past is followed after a second."""
    ride = Ride()
    ride.stand(50)
    ride.t_ns -= 4 * NS
    outcomes = ride.stand(14)
    assert outcomes[-1] in (Outcome.FIRST, Outcome.USED)


def test_word_that_there_is_no_fix_is_kept() -> None:
    """Word that there is no fix is kept."""
    ride = Ride()
    ride.stand(5)
    ride.track.lose_fix()
    assert ride.track.kind is FixKind.NO_FIX


def test_better_kind_of_fix_is_believed_at_another_place() -> None:
    """Better kind of fix is believed at another place."""
    ride = Ride(kind=FixKind.SINGLE, errors=errors_of(FixKind.SINGLE, None, 0.0, None))
    ride.stand(10, 2.0)
    ride.kind, ride.errors = FixKind.RTK_FIXED, RTK
    assert ride.fix(0.5) is Outcome.USED


def test_coasting_widens() -> None:
    """Coasting widens."""
    ride = Ride()
    ride.stand(20)
    states = [ride.track.at(ride.t_ns + gap) for gap in (0, NS, 2 * NS)]
    sigmas = [state.var_x_m2 for state in states if state is not None]
    assert sigmas == sorted(sigmas)


def test_sigma_never_falls_below_the_slow_error() -> None:
    """Sigma never falls below the slow error."""
    ride = Ride()
    ride.stand(500)
    assert ride.track.sigma_m is not None
    assert ride.track.sigma_m > 0.025


@pytest.mark.parametrize("claim_m2", [None, 0.0, -1.0, math.nan])
def test_claim_that_is_none_is_the_tables(claim_m2: float | None) -> None:
    """Claim that is none is the tables."""
    assert errors_of(FixKind.RTK_FIXED, claim_m2, 0.0, claim_m2) == errors_of(
        FixKind.RTK_FIXED, None, 0.0, None
    )


def test_claim_below_the_floor_is_raised_to_it() -> None:
    """Claim below the floor is raised to it."""
    errors = errors_of(FixKind.RTK_FIXED, 1e-8, 0.0, 1e-8)
    assert errors.fast_xx + errors.slow_xx == pytest.approx(0.03**2)


def test_claim_of_something_worse_is_believed() -> None:
    """Claim of something worse is believed."""
    errors = errors_of(FixKind.RTK_FIXED, 4.0, 1.0, 4.0)
    assert (errors.fast_xx + errors.slow_xx, errors.fast_xy + errors.slow_xy) == (4.0, 1.0)


def test_claim_that_is_no_covariance_is_taken_round() -> None:
    """Claim that is no covariance is taken round."""
    errors = errors_of(FixKind.SINGLE, 4.0, 9.0, 4.0)
    assert errors.fast_xy + errors.slow_xy == 0.0


def walk(t_s: float) -> tuple[float, float]:
    return 1.2 * t_s, 3.0 * math.sin(0.4 * t_s)


def stand(t_s: float) -> tuple[float, float]:
    return 0.05 * math.sin(1.3 * t_s), 0.05 * math.cos(0.9 * t_s)


@pytest.mark.parametrize("path", [stand, walk, turn], ids=lambda path: path.__name__)
@pytest.mark.parametrize("sensor", ["rtk", "uwb", "gnss"])
def test_covariance_covers_the_error(sensor: SensorClass, path: Path) -> None:
    """NEES over many rides under the simulator's noise: no smaller truth than is claimed."""
    model = SIMULATED[sensor]
    nees = []
    for seed in range(30):
        rng = random.Random(seed)
        noise = Noise(seed, "t", model, Common(seed, model, 12.0))
        ride = Ride(kind=model.kind)
        var_m2 = model.claimed_sigma_m**2
        ride.errors = errors_of(model.kind, var_m2, 0.0, var_m2)
        for number in range(100):
            t_s = number / 10
            (x, y), (ex, ey) = path(t_s), noise.error(t_s)
            ahead = path(t_s + 0.01)
            velocity = None
            if model.sigma_v_mps is not None:
                velocity = (
                    (ahead[0] - x) / 0.01 + rng.gauss(0, model.sigma_v_mps),
                    (ahead[1] - y) / 0.01 + rng.gauss(0, model.sigma_v_mps),
                )
            ride.t_ns += PERIOD_NS
            ride.track.take(
                ride.t_ns, model.kind, (x + ex, y + ey), ride.errors, velocity, model.sigma_v_mps
            )
        state = ride.track.at(ride.t_ns)
        assert state is not None
        x, y = path(9.9)
        gap = np.array([state.x_field_m - x, state.y_field_m - y])
        cov = np.array([[state.var_x_m2, state.cov_xy_m2], [state.cov_xy_m2, state.var_y_m2]])
        nees.append(float(gap @ np.linalg.inv(cov) @ gap))
    # The mean of 30 chi-square values of two degrees is below 3.2 in 99.9 of 100 cases.
    assert float(np.mean(nees)) < 3.2


@pytest.mark.parametrize("worse", [FixKind.SINGLE, FixKind.DGNSS, FixKind.RTK_FLOAT])
def test_better_kind_of_fix_leaves_nothing_of_the_old_error(worse: FixKind) -> None:
    """The first fix of a better kind moves the track to where its own sigma says."""
    ride = Ride(kind=worse, errors=errors_of(worse, None, 0.0, None))
    ride.stand(30, 1.2)
    ride.kind, ride.errors = FixKind.RTK_FIXED, RTK
    ride.fix(0.0)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert abs(state.x_field_m) < 3.0 * math.sqrt(state.var_x_m2) < 0.2


def test_better_claim_leaves_nothing_of_the_old_error() -> None:
    """A receiver that says it is much better now has found another solution."""
    ride = Ride(kind=FixKind.SINGLE, errors=errors_of(FixKind.SINGLE, 25.0, 0.0, 25.0))
    ride.stand(30, 6.0)
    ride.errors = errors_of(FixKind.SINGLE, 1.5, 0.0, 1.5)
    ride.fix(0.0)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert abs(state.x_field_m) < 3.0 * math.sqrt(state.var_x_m2) < 5.0


def test_worse_kind_of_fix_widens_at_once() -> None:
    """With the first fix of a worse kind the track is worth no more than that kind."""
    ride = Ride()
    ride.stand(30)
    ride.kind, ride.errors = FixKind.SINGLE, errors_of(FixKind.SINGLE, None, 0.0, None)
    ride.fix(1.0)
    assert ride.track.sigma_m is not None
    assert ride.track.sigma_m > 1.4


def test_single_fix_after_a_silence_is_not_believed() -> None:
    """After 5 s without a fix a single one moves nothing."""
    ride = Ride()
    ride.stand(20)
    outcome = ride.fix(40.0, gap_ns=6 * NS)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert (outcome, abs(state.x_field_m) < 0.1) == (Outcome.CANDIDATE, True)


def test_second_fix_after_a_silence_starts_the_track_there() -> None:
    """Two fixes that agree are enough after a silence too."""
    ride = Ride()
    ride.stand(20)
    ride.fix(40.0, gap_ns=6 * NS)
    assert ride.fix(40.0) is Outcome.FIRST


def test_standing_tag_of_one_fix_in_ten_seconds_has_a_track() -> None:
    """A tag that saves its battery while it stands is known, if stale."""
    ride = Ride()
    ride.fix(0.0)
    assert ride.fix(0.05, gap_ns=10 * NS) is Outcome.FIRST


def test_moving_tag_of_one_fix_in_ten_seconds_has_no_track() -> None:
    """Two places 30 m and 10 s apart are no proof of each other."""
    ride = Ride()
    ride.fix(0.0)
    assert ride.fix(30.0, gap_ns=10 * NS) is Outcome.CANDIDATE


@pytest.mark.parametrize("speed_mps", [20.0, 300.0, math.inf, math.nan])
def test_wild_velocity_is_not_believed(speed_mps: float) -> None:
    """A velocity that the track can't have leaves it as it was."""
    ride = Ride()
    ride.stand(20)
    ride.t_ns += PERIOD_NS
    ride.track.take(ride.t_ns, ride.kind, (0.0, 0.0), RTK, (speed_mps, 0.0), 0.05)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert abs(state.vx_field_mps) < 0.1


def test_velocity_claimed_to_be_worth_nothing_spoils_nothing() -> None:
    """An infinite sigma of the velocity leaves numbers."""
    ride = Ride()
    ride.stand(20)
    ride.t_ns += PERIOD_NS
    ride.track.take(ride.t_ns, ride.kind, (0.0, 0.0), RTK, (0.0, 0.0), math.inf)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert math.isfinite(state.x_field_m + state.var_x_m2)


@pytest.mark.parametrize(
    ("xx_m2", "xy_m2"), [(math.inf, 0.0), (1.0, math.nan), (1e9, 0.0), (math.inf, math.inf)]
)
def test_claim_without_end_leaves_finite_errors(xx_m2: float, xy_m2: float) -> None:
    """Whatever is claimed, the filter is given numbers."""
    assert all(math.isfinite(part) for part in errors_of(FixKind.UWB, xx_m2, xy_m2, xx_m2))


def test_place_after_a_jump_is_doubted_for_a_while() -> None:
    """Which of the two places was wrong is open at first, and no more after 4 s."""
    ride = Ride()
    ride.stand(20)
    ride.stand(2, 4.0)
    doubted_m = ride.track.sigma_m
    ride.stand(50, 4.0)
    assert doubted_m is not None
    assert ride.track.sigma_m is not None
    assert (doubted_m > 1.0, ride.track.sigma_m < 0.1) == (True, True)


def test_candidate_of_long_ago_is_none() -> None:
    """Two fixes a minute apart start no track."""
    ride = Ride()
    ride.fix(0.0)
    assert ride.fix(0.0, gap_ns=60 * NS) is Outcome.CANDIDATE


def test_velocity_without_a_claim_is_used() -> None:
    """A device that claims nothing of its velocity is taken at the usual."""
    ride = Ride()
    ride.stand(20)
    ride.t_ns += PERIOD_NS
    ride.track.take(ride.t_ns, ride.kind, (0.0, 0.0), RTK, (0.5, 0.0), None)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    assert 0.2 < state.vx_field_mps < 0.5


@pytest.mark.parametrize("speed_mps", [0.0, 1.0, 2.0, 4.0, 8.0])
def test_surely_slower_is_what_the_normal_distribution_calls_sure(speed_mps: float) -> None:
    """Five sigmas below the limit: whoever is surely slower is above it once in a million."""
    ride = Ride()
    ride.ride(lambda t_s: (speed_mps * t_s, 0.0), 3.0)
    state = ride.track.at(ride.t_ns)
    assert state is not None
    limits = [0.5 * number for number in range(1, 30)]
    called = [limit for limit in limits if ride.track.is_surely_slower(limit)]
    seen_mps = math.hypot(state.vx_field_mps, state.vy_field_mps)
    sure = [x for x in limits if p_below(x - seen_mps, state.var_v_m2ps2) < 3e-7]
    assert (set(called) <= set(sure), called != []) == (True, True)


def test_track_that_has_not_started_is_surely_nothing() -> None:
    """Without a fix nothing is sure."""
    assert not Ride().track.is_surely_slower(100.0)
