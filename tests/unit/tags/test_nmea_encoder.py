"""The NMEA encoder against two independent readers and against the calendar."""

import datetime
import math

import pynmea2
import pynmeagps
import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.field.units import KNOT_MPS
from throwin.tags.nmea_encoder import (
    encode_epoch,
    encode_gga,
    encode_gst,
    encode_rmc,
    encode_sentence,
    encode_tag_block,
)
from throwin.tags.observation import Fix, FixKind

T_UTC_NS = 1_780_754_400_100_000_000  # 2026-06-06T14:00:00.1Z
DEG_8_DECIMALS = 0.5e-8 / 60 + 1e-12


def make_fix(
    *,
    kind: FixKind = FixKind.RTK_FIXED,
    t_utc_ns: int | None = T_UTC_NS,
    lat_deg: float = 51.512345678,
    lon_deg: float = -0.123456789,
    vel_mps: tuple[float, float] = (3.0, -4.0),
) -> Fix:
    return Fix(
        tag="r1",
        t_host_ns=0,
        t_utc_ns=t_utc_ns,
        kind=kind,
        lat_deg=lat_deg,
        lon_deg=lon_deg,
        cov_ee_m2=0.0004,
        cov_en_m2=0.0,
        cov_nn_m2=0.0009,
        vel_e_mps=vel_mps[0],
        vel_n_mps=vel_mps[1],
    )


def fields(sentence: bytes) -> list[str]:
    return sentence.decode().strip().split("*")[0].split(",")


def test_sentence_known_from_elsewhere_has_its_checksum() -> None:
    """The checksum of a recorded sentence comes out as the receiver sent it."""
    recorded = "GNRMC,132819.60,A,4134.49795459,N,09345.03431408,W,0.148,124.888,180320,11.5985,E,D"
    assert encode_sentence(recorded) == f"${recorded}*3F\r\n".encode()


def test_tag_block_checksum_is_the_xor_worked_out_by_hand() -> None:
    """The checksum covers what stands between the backslash and the star."""
    assert encode_tag_block("a") == b"\\s:a*28\\"


def test_tag_block_with_time_gives_whole_unix_seconds() -> None:
    """The block carries the second in which the fix was measured."""
    assert b"c:1780754400*" in encode_tag_block("r1", T_UTC_NS)


@given(lat_deg=st.floats(-89.9999, 89.9999), lon_deg=st.floats(-179.9999, 179.9999))
def test_gga_read_by_pynmeagps_gives_the_position(lat_deg: float, lon_deg: float) -> None:
    """Eight decimals of a minute bring back the position within 0.01 mm."""
    read = pynmeagps.NMEAReader.parse(encode_gga(make_fix(lat_deg=lat_deg, lon_deg=lon_deg)))
    assert (read.lat, read.lon) == pytest.approx((lat_deg, lon_deg), abs=2 * DEG_8_DECIMALS)


@given(lat_deg=st.floats(-89.9999, 89.9999), lon_deg=st.floats(-179.9999, 179.9999))
def test_rmc_read_by_pynmea2_gives_the_position(lat_deg: float, lon_deg: float) -> None:
    """A second reader finds the same position in the other sentence."""
    read = pynmea2.parse(
        encode_rmc(make_fix(lat_deg=lat_deg, lon_deg=lon_deg)).decode(), check=True
    )
    assert (read.latitude, read.longitude) == pytest.approx(
        (lat_deg, lon_deg), abs=2 * DEG_8_DECIMALS
    )


@pytest.mark.parametrize(
    ("kind", "quality", "mode"),
    [
        (FixKind.SINGLE, "1", "A"),
        (FixKind.DGNSS, "2", "D"),
        (FixKind.RTK_FIXED, "4", "R"),
        (FixKind.RTK_FLOAT, "5", "F"),
        (FixKind.ESTIMATED, "6", "E"),
    ],
)
def test_fix_kind_is_said_in_both_sentences(kind: FixKind, quality: str, mode: str) -> None:
    """GGA and RMC name the kind of fix each in its own letter."""
    fix = make_fix(kind=kind)
    assert (fields(encode_gga(fix))[6], fields(encode_rmc(fix))[12]) == (quality, mode)


def test_no_fix_leaves_the_position_blank() -> None:
    """Without a fix neither sentence carries a number that could be taken for a position."""
    fix = make_fix(kind=FixKind.NO_FIX)
    assert [*fields(encode_gga(fix))[2:6], *fields(encode_rmc(fix))[3:7]] == [""] * 8


def test_no_fix_is_void_in_rmc() -> None:
    """Status V marks the sentence as not valid."""
    assert fields(encode_rmc(make_fix(kind=FixKind.NO_FIX)))[2] == "V"


@given(
    speed_mps=st.floats(0.11, 20.0),
    course_rad=st.floats(0.0, 2 * math.pi),
)
def test_velocity_read_by_pynmeagps_comes_back(speed_mps: float, course_rad: float) -> None:
    """Speed and course give the velocity within the sentence's resolution."""
    vel_mps = (speed_mps * math.sin(course_rad), speed_mps * math.cos(course_rad))
    read = pynmeagps.NMEAReader.parse(encode_rmc(make_fix(vel_mps=vel_mps)))
    speed_back_mps = read.spd * KNOT_MPS
    course_back_rad = math.radians(read.cog)
    assert (
        speed_back_mps * math.sin(course_back_rad),
        speed_back_mps * math.cos(course_back_rad),
    ) == pytest.approx(vel_mps, abs=0.003)


def test_standstill_has_speed_and_no_course() -> None:
    """Below 0.1 m/s the course is blank, as receivers leave it."""
    assert fields(encode_rmc(make_fix(vel_mps=(0.05, 0.0))))[7:9] == ["0.097", ""]


def test_course_that_rounds_to_full_circle_is_zero() -> None:
    """359.999 degrees are said as 0.00, never as 360.00."""
    assert fields(encode_rmc(make_fix(vel_mps=(-1e-5, 5.0))))[8] == "0.00"


@given(t_utc_s=st.integers(0, 4_000_000_000), hundredths=st.integers(0, 99))
def test_date_and_time_agree_with_the_calendar(t_utc_s: int, hundredths: int) -> None:
    """Date and time of day are those of the standard library, leap days included."""
    fix = make_fix(t_utc_ns=t_utc_s * 1_000_000_000 + hundredths * 10_000_000)
    moment = datetime.datetime.fromtimestamp(t_utc_s, datetime.UTC)
    rmc = fields(encode_rmc(fix))
    assert (rmc[1], rmc[9]) == (
        moment.strftime("%H%M%S") + f".{hundredths:02d}",
        moment.strftime("%d%m%y"),
    )


def test_time_that_rounds_over_midnight_takes_the_next_date() -> None:
    """A fix 1 ms before midnight carries 00:00:00.00 and the new date, not the old one."""
    midnight_ns = 1_780_790_400_000_000_000  # 2026-06-07T00:00:00Z
    rmc = fields(encode_rmc(make_fix(t_utc_ns=midnight_ns - 1_000_000)))
    assert (rmc[1], rmc[9]) == ("000000.00", "070626")


def test_gst_read_by_pynmea2_gives_the_claimed_sigma() -> None:
    """North and east sigmas are the roots of the claimed covariance."""
    read = pynmea2.parse(encode_gst(make_fix()).decode(), check=True)
    assert (read.std_dev_latitude, read.std_dev_longitude) == (0.03, 0.02)


def test_gst_without_a_claim_is_blank() -> None:
    """An unknown sigma is a blank field, never zero."""
    fix = make_fix()._replace(cov_ee_m2=None, cov_nn_m2=None)
    assert fields(encode_gst(fix))[2:] == [""] * 7


def test_gst_major_axis_points_along_the_correlation() -> None:
    """Errors along north-east put the ellipse's major axis at 45 degrees."""
    fix = make_fix()._replace(cov_ee_m2=0.01, cov_en_m2=0.009, cov_nn_m2=0.01)
    assert fields(encode_gst(fix))[3:6] == ["0.138", "0.032", "45.0"]


def test_epoch_with_source_names_it_before_each_sentence() -> None:
    """On a shared line every sentence says whose it is."""
    assert encode_epoch(make_fix(), source="tag7").count(b"\\s:tag7,c:1780754400*") == 3


def test_epoch_without_source_is_three_plain_sentences() -> None:
    """One tag a port needs no TAG block."""
    kinds = [line[3:6] for line in encode_epoch(make_fix()).split(b"\r\n")[:-1]]
    assert kinds == [b"RMC", b"GGA", b"GST"]


def test_fix_without_time_is_refused() -> None:
    """NMEA can't carry a fix that has no time of day."""
    with pytest.raises(ValueError, match="t_utc_ns: expected"):
        encode_epoch(make_fix(t_utc_ns=None))


def test_uwb_fix_is_refused() -> None:
    """NMEA has no word for a UWB position."""
    with pytest.raises(ValueError, match="got UWB"):
        encode_epoch(make_fix(kind=FixKind.UWB))
