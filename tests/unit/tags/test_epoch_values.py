"""What an NMEA epoch's fields are worth: validity, kind of fix, velocity, dilution, covariance."""

import math

import pytest
from tests.unit.tags.conftest import BAUD, PLACE, gga, gst, rmc

from throwin.field.units import KNOT_MPS
from throwin.tags.epoch import NmeaDecoder
from throwin.tags.nmea_encoder import encode_sentence
from throwin.tags.observation import Fix, FixKind, Malformed


def decode(*chunks: bytes) -> tuple[list[Fix], list[str]]:
    """Give the fixes and the reasons of faults of these chunks and a silence after them."""
    decoder = NmeaDecoder("r1", BAUD)
    out = decoder.feed(b"".join(chunks), 10**9) + decoder.flush(2 * 10**9)
    return (
        [item for item in out if isinstance(item, Fix)],
        [item.reason for item in out if isinstance(item, Malformed)],
    )


def one_fix(*chunks: bytes) -> Fix:
    (fix,), faults = decode(*chunks)
    assert faults == []
    return fix


# Validity.


def test_blank_sentences_are_no_fix_once_a_cycle() -> None:
    """The tag is alive and has no position; it has none off Ghana."""
    cycle = b"".join(
        encode_sentence(body)
        for body in ("GPRMC,,V,,,,,,,,,,N", "GPVTG,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,")
    )
    fixes, _ = decode(cycle, cycle, cycle)
    assert [fix[2:7] for fix in fixes] == [(None, FixKind.NO_FIX, 0.0, 0.0, None)] * 3


@pytest.mark.parametrize(
    "void",
    [
        "GNRMC,120000.10,V,5130.00000,N,00007.00000,W,9.0,45.0,010126,,,A,A",
        "GNRMC,120000.10,A,5130.00000,N,00007.00000,W,9.0,45.0,010126,,,N,A",
        "GNGGA,120000.10,5130.00000,N,00007.00000,W,0,12,0.6,20.0,M,47.0,M,,",
        "GNGNS,120000.10,5130.00000,N,00007.00000,W,NN,12,0.6,20.0,47.0,,,V",
    ],
)
def test_sentence_that_says_void_is_no_fix(void: str) -> None:
    """Status V, mode N and quality 0 each make a position worthless, whoever else likes it."""
    fix = one_fix(gst("120000.10"), encode_sentence(void))
    assert (fix.kind, fix.lat_deg, fix.lon_deg) == (FixKind.NO_FIX, 0.0, 0.0)


def test_void_of_one_sentence_is_believed_against_the_others() -> None:
    """GGA with a position and RMC with status V of the same epoch are no fix."""
    void = encode_sentence("GNRMC,120000.10,V,,,,,,,010126,,,N,V")
    assert one_fix(gga("120000.10"), void).kind is FixKind.NO_FIX


@pytest.mark.parametrize(
    ("quality", "kind"),
    [
        ("1", FixKind.SINGLE),
        ("2", FixKind.DGNSS),
        ("3", FixKind.SINGLE),
        ("4", FixKind.RTK_FIXED),
        ("5", FixKind.RTK_FLOAT),
        ("6", FixKind.ESTIMATED),
        ("7", FixKind.ESTIMATED),
        ("8", FixKind.ESTIMATED),
    ],
)
def test_quality_of_gga_is_the_kind(quality: str, kind: FixKind) -> None:
    """GGA has the last word, since RMC of older receivers can't say RTK."""
    assert one_fix(gga("120000.10", quality=quality), rmc("120000.10", mode="D")).kind is kind


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("A", FixKind.SINGLE),
        ("D", FixKind.DGNSS),
        ("P", FixKind.DGNSS),
        ("F", FixKind.RTK_FLOAT),
        ("R", FixKind.RTK_FIXED),
        ("E", FixKind.ESTIMATED),
        ("M", FixKind.ESTIMATED),
        ("S", FixKind.ESTIMATED),
        ("X", FixKind.SINGLE),
        ("", FixKind.SINGLE),
    ],
)
def test_mode_of_rmc_is_the_kind_where_it_is_alone(mode: str, kind: FixKind) -> None:
    """With every GGA spoilt RMC suffices; an unknown letter doesn't kill it."""
    spoilt = gga("120000.10").replace(b"20.0", b"20.1")
    fixes, faults = decode(spoilt, rmc("120000.10", mode=mode))
    assert ([fix.kind for fix in fixes], faults) == ([kind], ["checksum_GGA"])


@pytest.mark.parametrize(
    ("modes", "kind"),
    [
        ("AAN", FixKind.SINGLE),
        ("DDNN", FixKind.DGNSS),
        ("RRN", FixKind.RTK_FIXED),
        ("RF", FixKind.RTK_FLOAT),
        ("DA", FixKind.SINGLE),
        ("ED", FixKind.ESTIMATED),
        ("X", FixKind.SINGLE),
    ],
)
def test_modes_of_gns_are_as_good_as_the_worst_in_use(modes: str, kind: FixKind) -> None:
    """A constellation that is not used (N) doesn't count."""
    fix = one_fix(encode_sentence(f"GNGNS,120000.10,{PLACE},{modes},12,0.7,20.0,47.0,,,V"))
    assert (fix.kind, fix.hdop) == (kind, 0.7)


def test_zero_position_is_no_fix_and_counted() -> None:
    """A receiver that claims a fix at 0 degrees, 0 degrees has none."""
    fixes, faults = decode(gga("120000.10", "0000.00000,N,00000.00000,E"))
    assert ([fix.kind for fix in fixes], faults) == ([FixKind.NO_FIX], ["zero_position"])


# Velocity, dilution, covariance.


def test_course_and_speed_give_velocity() -> None:
    """10 knots toward east-north-east."""
    fix = one_fix(rmc("120000.10", speed="10.0", course="60.0"))
    assert (fix.vel_e_mps, fix.vel_n_mps) == pytest.approx(
        (10 * KNOT_MPS * math.sqrt(3) / 2, 10 * KNOT_MPS / 2)
    )


@pytest.mark.parametrize(
    ("speed", "course", "velocity"),
    [
        ("0.19", "", (0.0, 0.0)),
        ("0.20", "", (None, None)),
        ("", "45.0", (None, None)),
        ("", "", (None, None)),
    ],
)
def test_blank_course_or_speed_is_zero_only_at_a_standstill(
    speed: str, course: str, velocity: tuple[float | None, float | None]
) -> None:
    """Below 0.1 m/s receivers leave the course blank; anything else blank is unknown."""
    fix = one_fix(rmc("120000.10", speed=speed, course=course))
    assert (fix.vel_e_mps, fix.vel_n_mps) == velocity


@pytest.mark.parametrize("hdop", ["", "0.0", "99.99"])
def test_dilution_that_is_blank_zero_or_99_is_none(hdop: str) -> None:
    """These stand for unknown."""
    body = f"GNGGA,120000.10,{PLACE},1,12,{hdop},20.0,M,47.0,M,,"
    assert one_fix(encode_sentence(body)).hdop is None


@pytest.mark.parametrize(
    ("sigmas", "cov"),
    [
        (",,,0.03,0.02", (0.0004, 0.0, 0.0009)),
        ("2.0,1.0,0.0,,", (1.0, 0.0, 4.0)),
        ("2.0,1.0,90.0,,", (4.0, 0.0, 1.0)),
        ("2.0,1.0,45.0,,", (2.5, 1.5, 2.5)),
        ("2.0,1.0,135.0,,", (2.5, -1.5, 2.5)),
        ("2.0,1.0,45.0,1.6,1.6", (2.56, 1.5, 2.56)),
        ("2.0,1.0,45.0,1.0,1.0", (1.0, 1.0, 1.0)),
        (",,,0.0,0.02", (None, None, None)),
        (",,,0.03,0.000", (None, None, None)),
        ("0.0,0.0,0.0,,", (None, None, None)),
        ("2.0,0.0,0.0,,", (None, None, None)),
        (",,,,", (None, None, None)),
    ],
)
def test_claimed_sigmas_give_the_covariance_and_zero_none(
    sigmas: str, cov: tuple[float | None, ...]
) -> None:
    """Sigmas of the axes, tilted by the ellipse; the ellipse alone; zero is no claim."""
    fix = one_fix(gga("120000.10"), gst("120000.10", sigmas))
    assert (fix.cov_ee_m2, fix.cov_en_m2, fix.cov_nn_m2) == pytest.approx(cov, abs=1e-12)
