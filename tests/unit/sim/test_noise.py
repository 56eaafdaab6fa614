"""The sensor models err as their class is said to err."""

import math
import statistics
from dataclasses import replace

import pytest

from throwin.contract.fieldfile import SensorClass
from throwin.sim.noise import MODELS, Common, Noise, SensorModel

EPOCHS = 40_000


def draw(model: SensorModel, *, seed: int = 5, entity: str = "red 1") -> list[float]:
    """Give the x errors of one tag over 4,000 s at 10 Hz."""
    common = Common(seed, model, EPOCHS / model.rate_hz)
    noise = Noise(seed, entity, model, common)
    return [noise.error(number / model.rate_hz)[0] for number in range(EPOCHS)]


def correlation(one: list[float], other: list[float]) -> float:
    return statistics.correlation(one, other)


@pytest.mark.parametrize("kind", ["rtk", "uwb"])
def test_total_sigma_is_that_of_the_class(kind: SensorClass) -> None:
    """White and slow part together give the class's sigma an axis."""
    model = MODELS[kind]
    sigma_m = math.sqrt(statistics.fmean(error * error for error in draw(model)))
    assert sigma_m == pytest.approx(math.hypot(model.white_m, model.slow_m), rel=0.05)


@pytest.mark.parametrize("kind", ["rtk", "uwb"])
def test_neighbouring_epochs_are_correlated_by_the_slow_part(kind: SensorClass) -> None:
    """The correlation of two epochs is exp(-dt/tau) times the slow part's share."""
    model, errors = MODELS[kind], draw(MODELS[kind])
    share = model.slow_m**2 / (model.slow_m**2 + model.white_m**2)
    expected = share * math.exp(-1.0 / (model.rate_hz * model.tau_s))
    assert correlation(errors[:-1], errors[1:]) == pytest.approx(expected, abs=0.03)


def test_epochs_ten_time_constants_apart_are_not_correlated() -> None:
    """The slow part forgets."""
    errors = draw(MODELS["rtk"])
    assert abs(correlation(errors[:-200], errors[200:])) < 0.05


def test_neighbours_share_a_part_of_the_gnss_error() -> None:
    """Half of the slow variance is common to two tags; over many seeds it shows."""
    model = MODELS["gnss"]
    pairs = []
    for seed in range(400):
        common = Common(seed, model, 1.0)
        pairs.append(
            [Noise(seed, entity, model, common).error(0.0)[0] for entity in ("red 1", "red 2")]
        )
    found = correlation([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found == pytest.approx(0.5, abs=0.1)


def test_uwb_tags_share_nothing() -> None:
    """Two UWB tags err independently."""
    one, other = draw(MODELS["uwb"], entity="red 1"), draw(MODELS["uwb"], entity="red 2")
    assert abs(correlation(one, other)) < 0.05


def test_heavy_tails_keep_the_variance() -> None:
    """A Student-t white part is scaled to the Gaussian's variance."""
    model = replace(MODELS["rtk"], slow_m=0.0, tail_dof=5.0)
    assert statistics.pstdev(draw(model)) == pytest.approx(model.white_m, rel=0.1)


def test_heavy_tails_are_heavy() -> None:
    """Errors beyond four sigma come far more often than under a Gaussian (2.5 in 40,000)."""
    model = replace(MODELS["rtk"], slow_m=0.0, tail_dof=5.0)
    assert sum(abs(error) > 4 * model.white_m for error in draw(model)) > 50


def test_bias_has_the_length_asked_for() -> None:
    """A bias stays, whatever the noise."""
    model = replace(MODELS["rtk"], white_m=0.0, slow_m=0.0, bias_m=0.25)
    noise = Noise(1, "red 1", model, Common(1, model, 1.0))
    assert math.hypot(*noise.error(0.0)) == pytest.approx(0.25)


def test_claim_scales_what_the_tag_says_of_itself() -> None:
    """A receiver may claim less error than it has."""
    model = replace(MODELS["rtk"], claim=0.5)
    assert model.claimed_sigma_m == pytest.approx(0.5 * math.hypot(0.015, 0.03))
