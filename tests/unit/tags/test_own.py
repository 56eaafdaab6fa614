"""Our own frames to Observations and back."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagwire
from tagwire import messages as wire
from throwin.tags import own
from throwin.tags.observation import (
    Button,
    Decoder,
    Fix,
    FixKind,
    Imu,
    Loss,
    Malformed,
    Observation,
    Press,
    TagStatus,
    UwbPosition,
)

MS = 1_000_000
SECOND = 1_000_000_000
FIX = Fix(
    "r1",
    0,
    1_785_495_600_123 * MS,
    FixKind.RTK_FIXED,
    51.234567891,
    -0.128234567,
    0.014**2,
    0.014 * 0.02 * -0.2,
    0.02**2,
    1.234,
    -5.321,
    0.05,
    None,
    0.12,
)


def _decode(*frames: bytes) -> list[Observation | Malformed]:
    return own.OwnDecoder().feed(b"".join(frames), 0)


def _reasons(found: list[Observation | Malformed]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Malformed)]


def _wire(message: tagwire.Message | tagwire.Unknown, seq: int = 0, tag: str = "r1") -> bytes:
    return tagwire.encode_frame(tag, seq, message)


def test_the_decoder_is_one_of_the_decoders() -> None:
    """OwnDecoder keeps the protocol that all formats share."""
    decoder: Decoder = own.OwnDecoder()
    assert decoder.flush(0) == []


# Fix


def test_a_fix_encoded_and_decoded_is_the_same_within_a_step() -> None:
    """Every figure of a fix crosses the wire to within its resolution."""
    (found,) = _decode(own.encode_fix(FIX, 7))
    assert isinstance(found, Fix)
    assert found[:4] == FIX[:4]
    assert found.lag_s == FIX.lag_s
    assert [found.lat_deg, found.lon_deg] == pytest.approx(
        [FIX.lat_deg, FIX.lon_deg], rel=0, abs=0.6e-9
    )
    assert found[6:12] == pytest.approx(FIX[6:12], rel=1e-9)


@given(
    st.floats(-90, 90).filter(lambda lat: abs(lat) > 1e-8),
    st.floats(-180, 180),
    st.integers(1, 9_223_372_036_854),
)
def test_any_position_and_time_survive_to_a_millimetre_and_a_millisecond(
    lat_deg: float, lon_deg: float, t_utc_ms: int
) -> None:
    """The wire's steps are below what any rule can notice, anywhere and at any date."""
    (found,) = _decode(
        own.encode_fix(Fix("a", 0, t_utc_ms * MS, FixKind.SINGLE, lat_deg, lon_deg), 0)
    )
    assert isinstance(found, Fix)
    assert found.t_utc_ns == t_utc_ms * MS
    assert math.hypot(found.lat_deg - lat_deg, found.lon_deg - lon_deg) * 111_320 < 0.001


def test_a_fix_with_nothing_claimed_claims_nothing() -> None:
    """What the sender left out is None, never a default."""
    bare = Fix("r1", 0, None, FixKind.SINGLE, 51.25, -0.5)
    assert _decode(own.encode_fix(bare, 0)) == [bare]


def test_no_fix_has_no_position() -> None:
    """A tag without a fix says so and nothing else, whatever its other fields hold."""
    frame = _wire(wire.Fix(1_000, 0, 51 * 10**9, 5, sigma_e_mm=3, sigma_n_mm=3, vel_e_mmps=9))
    assert _decode(frame) == [Fix("r1", 0, 1_000 * MS, FixKind.NO_FIX, 0.0, 0.0)]


def test_no_fix_encoded_is_no_fix() -> None:
    """The encoder writes no position for a tag without a fix."""
    none = Fix("r1", 0, 5 * MS, FixKind.NO_FIX, 0.0, 0.0, lag_s=0.1)
    assert _decode(own.encode_fix(none, 0)) == [none]


def test_one_sigma_of_zero_is_no_claim() -> None:
    """A claim of zero is unknown and takes the other axis with it."""
    (found,) = _decode(_wire(wire.Fix(1, 5, 1, 1, sigma_e_mm=14)))
    assert isinstance(found, Fix)
    assert (found.cov_ee_m2, found.cov_en_m2, found.cov_nn_m2) == (None, None, None)


def test_sigmas_without_a_correlation_are_an_upright_ellipse() -> None:
    """A correlation that was not given is read as 0, as the specification says."""
    (found,) = _decode(_wire(wire.Fix(1, 5, 1, 1, sigma_e_mm=10, sigma_n_mm=20)))
    assert isinstance(found, Fix)
    assert (found.cov_ee_m2, found.cov_en_m2, found.cov_nn_m2) == pytest.approx((1e-4, 0, 4e-4))


def test_a_tiny_sigma_is_not_rounded_to_no_claim() -> None:
    """A claim below the wire's step is sent as one step."""
    (found,) = _decode(own.encode_fix(FIX._replace(cov_ee_m2=1e-12, cov_en_m2=0.0), 0))
    assert isinstance(found, Fix)
    assert found.cov_ee_m2 == pytest.approx(1e-6)


def test_a_huge_sigma_is_capped() -> None:
    """A claim above the wire's range is sent as the highest."""
    (found,) = _decode(own.encode_fix(FIX._replace(cov_ee_m2=1e8), 0))
    assert isinstance(found, Fix)
    assert found.cov_ee_m2 == pytest.approx(65.535**2)


def test_a_velocity_that_does_not_fit_is_left_out() -> None:
    """No velocity is better than a wrong one, and its sigma goes with it."""
    (found,) = _decode(own.encode_fix(FIX._replace(vel_e_mps=40.0), 0))
    assert isinstance(found, Fix)
    assert (found.vel_e_mps, found.vel_n_mps, found.sigma_v_mps) == (None, None, None)


def test_a_fix_of_uwb_kind_is_refused_by_the_encoder() -> None:
    """A UWB position has a message of its own."""
    with pytest.raises(tagwire.EncodeError, match="a GNSS fix kind, got 'UWB'"):
        own.encode_fix(FIX._replace(kind=FixKind.UWB), 0)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (wire.Fix(1, 6, 1, 1), "enum"),
        (wire.Fix(1, 255, 1, 1), "enum"),
        (wire.Fix(1, 5, 0, 0), "zero_position"),
        (wire.Button(0, 0), "enum"),
        (wire.Button(5, 0), "enum"),
        (wire.Cue(1, 1, 1), "direction"),
        (tagwire.Unknown(0x70, b"x"), "unknown_kind"),
    ],
)
def test_an_intact_frame_without_sense_is_counted_by_reason(
    message: tagwire.Message | tagwire.Unknown, reason: str
) -> None:
    """A frame that says nothing usable is a counted value."""
    frame = _wire(message)
    assert _decode(frame) == [Malformed(reason, frame[1:-1])]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (0x01, "ffffffffffff" + "05" + "0100000000" * 2 + "00" * 17),
        (0x01, "010000000000" + "05" + "0000000040" + "0100000000" + "00" * 17),
        (0x01, "010000000000" + "05" + "0100000000" + "0000000040" + "00" * 17),
        (
            0x01,
            "010000000000" + "05" + "0100000000" * 2 + "00" * 8 + "65" + "00" * 8,
        ),
        (0x02, "00" * 14 + "65"),
        (0x03, "a08c0000"),
        (0x05, "65" + "00" * 6),
    ],
)
def test_a_value_out_of_its_range_is_counted(kind: int, payload: str) -> None:
    """Time, latitude, longitude, correlation, quality, heading and charge have ranges."""
    found = _decode(_wire(tagwire.Unknown(kind, bytes.fromhex(payload))))
    assert _reasons(found) == ["range"]


# UWB


def test_a_uwb_position_comes_back() -> None:
    """Position, counter, sigma and quality cross the wire."""
    position = UwbPosition("b1", 0, 12_345 * MS, 1.5, -2.25, 0.1, 0.8)
    assert _decode(own.encode_uwb(position, 0)) == [position]


def test_a_uwb_position_with_nothing_claimed_claims_nothing() -> None:
    """Counter, sigma and quality may be missing."""
    position = UwbPosition("b1", 0, None, 1.5, -2.25, None, None)
    assert _decode(own.encode_uwb(position, 0)) == [position]


def test_quality_zero_is_no_position() -> None:
    """A tag that was heard without a solution has no coordinates."""
    frame = _wire(wire.UwbPosition(7, 1_000, 1_000, 100, 0), tag="b1")
    assert _decode(frame) == [UwbPosition("b1", 0, 7 * MS, 0.0, 0.0, None, 0.0)]


def _counters_ms(*sent: tuple[int, int, int]) -> list[int]:
    """Feed (sequence, host ms, counter) and give the unwrapped counters in ms."""
    decoder = own.OwnDecoder()
    found = [
        item
        for seq, t_ms, counter in sent
        for item in decoder.feed(_wire(wire.UwbPosition(counter, 1, 1), seq), t_ms * MS)
        if isinstance(item, UwbPosition)
    ]
    return [item.t_tag_ns // MS for item in found if item.t_tag_ns is not None]


def test_the_counter_goes_on_over_its_wrap() -> None:
    """After 49.7 days the unwrapped counter simply goes on."""
    assert _counters_ms((0, 0, 2**32 - 50), (1, 100, 50)) == [2**32 - 50, 2**32 + 50]


def test_the_counter_goes_on_over_a_restart() -> None:
    """A restarted device's counter goes on by the host time that passed."""
    assert _counters_ms((500, 0, 80_000), (0, 3_000, 40), (1, 3_100, 140)) == [
        80_000,
        83_000,
        83_100,
    ]


def test_a_counter_ahead_of_host_time_is_a_restart() -> None:
    """A counter can't measure the future, even when the sequence shows no restart."""
    assert _counters_ms((0, 0, 1_000), (1, 100, 900_000)) == [1_000, 1_100]


def test_a_backlog_is_believed() -> None:
    """Frames that a gateway held back keep the spacing of their measurement."""
    assert _counters_ms((0, 0, 1_000), (1, 60_000, 1_100), (2, 60_000, 1_200)) == [
        1_000,
        1_100,
        1_200,
    ]


def test_a_late_counter_may_go_back_a_little() -> None:
    """Small steps back are the device's own."""
    assert _counters_ms((0, 0, 5_000), (1, 100, 4_990)) == [5_000, 4_990]


# Button


def _presses(*sent: tuple[int, int, int]) -> list[Press]:
    """Feed (sequence, host ms, press counter) of READY and THROW by odd counter."""
    decoder = own.OwnDecoder()
    return [
        item.press
        for seq, t_ms, counter in sent
        for item in decoder.feed(
            own.encode_button(
                Button("u1", 0, (Press.READY, Press.THROW)[counter % 2]), seq, counter
            ),
            t_ms * MS,
        )
        if isinstance(item, Button)
    ]


def test_a_press_sent_three_times_is_one_press() -> None:
    """Frames with the same press counter are one press."""
    assert _presses((0, 0, 7), (1, 20, 7), (2, 40, 7)) == [Press.THROW]


def test_two_presses_sent_in_turns_are_two() -> None:
    """An older press that is still being repeated is not a third one."""
    assert _presses((0, 0, 254), (1, 20, 255), (2, 40, 254), (3, 60, 255)) == [
        Press.READY,
        Press.THROW,
    ]


def test_the_press_counter_wraps() -> None:
    """After 255 comes 0, a new press."""
    assert _presses((0, 0, 255), (1, 900, 0)) == [Press.THROW, Press.READY]


def test_the_same_press_counter_much_later_is_a_new_press() -> None:
    """A tag that restarted unseen is heard."""
    assert _presses((0, 0, 7), (1, 5_001, 7)) == [Press.THROW, Press.THROW]


def test_after_a_restart_the_press_counter_is_counted_anew() -> None:
    """A restart that the sequence shows clears what was remembered."""
    assert _presses((1_000, 0, 7), (0, 500, 7)) == [Press.THROW, Press.THROW]


@pytest.mark.parametrize("press", list(Press))
def test_every_press_comes_back(press: Press) -> None:
    """No button is lost between the two enums."""
    assert _decode(own.encode_button(Button("u1", 0, press), 0, 0)) == [Button("u1", 0, press)]


# Imu and status


@pytest.mark.parametrize(
    "imu", [Imu("r1", 0, 90.25, 12.5), Imu("r1", 0, None, None), Imu("r1", 0, 0.0, 0.0)]
)
def test_heading_and_shock_come_back(imu: Imu) -> None:
    """What was not given stays not given."""
    assert _decode(own.encode_imu(imu, 0)) == [imu]


def test_heading_just_below_north_is_north() -> None:
    """Rounding wraps at 360 degrees."""
    assert _decode(own.encode_imu(Imu("r1", 0, 359.999, None), 0)) == [Imu("r1", 0, 0.0, None)]


@pytest.mark.parametrize("status", [TagStatus("r1", 0, 87, -2.5), TagStatus("r1", 0, None, None)])
def test_status_comes_back(status: TagStatus) -> None:
    """What was not given stays not given."""
    assert _decode(own.encode_status(status, 0)) == [status]


# Sequence


def test_a_gap_is_a_loss_before_the_frame_that_shows_it() -> None:
    """Missing sequence numbers are told with their number."""
    found = _decode(own.encode_fix(FIX, 65_535), own.encode_fix(FIX, 2))
    assert found[1] == Loss("r1", 0, 2)


def test_each_tag_has_a_sequence_of_its_own() -> None:
    """Tags that share a port don't disturb each other's count."""
    found = _decode(
        own.encode_fix(FIX, 5),
        own.encode_fix(FIX._replace(tag="r2"), 900),
        own.encode_fix(FIX, 6),
    )
    assert [type(item) for item in found] == [Fix, Fix, Fix]


@pytest.mark.parametrize(("seq", "reason"), [(5, "repeat"), (4, "old")])
def test_a_frame_that_came_before_is_dropped_and_counted(seq: int, reason: str) -> None:
    """A repeated or old sequence number gives no observation."""
    again = own.encode_fix(FIX, seq)
    found = _decode(own.encode_fix(FIX, 5), again)
    assert found[1:] == [Malformed(reason, again[1:-1])]


def test_a_frame_of_an_unknown_kind_is_no_gap() -> None:
    """A kind that this build doesn't know still counts in the sequence."""
    found = _decode(
        own.encode_fix(FIX, 0), _wire(tagwire.Unknown(0x70, b""), 1), own.encode_fix(FIX, 2)
    )
    assert [type(item) for item in found] == [Fix, Malformed, Fix]


def test_a_tag_that_is_not_listed_is_counted() -> None:
    """With a list of tags, all others are counted and say nothing."""
    frame = own.encode_fix(FIX, 0)
    decoder = own.OwnDecoder(["r2"])
    assert decoder.feed(frame, 0) == [Malformed("unknown_tag", frame[1:-1])]


def test_a_flood_of_tags_is_still_decoded() -> None:
    """Memory for tags is bounded, and each is heard all the same."""
    frames = [own.encode_fix(FIX._replace(tag=f"t{number}"), 0) for number in range(600)]
    assert [type(item) for item in _decode(*frames)] == [Fix] * 600


# Times of arrival

BAUD = 115_200
FRAME = own.encode_fix(FIX, 0)


def _on_the_line_ns(size: int) -> int:
    return int(size * 10 * 1e9 / BAUD)


def test_without_a_baud_a_frame_has_the_time_of_its_chunk() -> None:
    """No baud, no correction."""
    (found,) = own.OwnDecoder().feed(FRAME, SECOND)
    assert not isinstance(found, Malformed)
    assert found.t_host_ns == SECOND


def test_with_a_baud_a_frame_has_the_time_of_its_first_byte() -> None:
    """The bytes from the first to the chunk's end were on the line before the read."""
    (found,) = own.OwnDecoder(baud=BAUD).feed(FRAME, SECOND)
    assert not isinstance(found, Malformed)
    assert found.t_host_ns == SECOND - _on_the_line_ns(len(FRAME) - 1)


def test_two_frames_of_one_chunk_have_times_of_their_own() -> None:
    """The second frame began as many bytes before the end as it has."""
    found = own.OwnDecoder(baud=BAUD).feed(FRAME + own.encode_fix(FIX, 1), SECOND)
    assert [item.t_host_ns for item in found if isinstance(item, Fix)] == [
        SECOND - _on_the_line_ns(2 * len(FRAME) - 1),
        SECOND - _on_the_line_ns(len(FRAME) - 1),
    ]


def test_a_frame_over_three_chunks_has_the_time_of_the_first() -> None:
    """The chunk that held the first byte counts, however long the rest took."""
    decoder = own.OwnDecoder(baud=BAUD)
    decoder.feed(FRAME[:11], SECOND)
    decoder.feed(FRAME[11:20], 2 * SECOND)
    (found,) = decoder.feed(FRAME[20:], 3 * SECOND)
    assert not isinstance(found, Malformed)
    assert found.t_host_ns == SECOND - _on_the_line_ns(10)


@given(st.lists(st.integers(0, 3 * len(FRAME)), max_size=6))
def test_any_split_gives_the_same_observations(cuts: list[int]) -> None:
    """Chunks that arrive at one moment are one chunk."""
    data = own.encode_fix(FIX, 0) + own.encode_fix(FIX, 1) + own.encode_fix(FIX, 3)
    decoder = own.OwnDecoder()
    edges = [0, *sorted(cuts), len(data)]
    found = [item for start, end in pairwise(edges) for item in decoder.feed(data[start:end], 0)]
    assert found == _decode(data)


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_give_values_and_no_exception(chunks: list[bytes]) -> None:
    """Whatever comes in, nothing is raised."""
    decoder = own.OwnDecoder(baud=BAUD)
    for t_host_ns, chunk in enumerate(chunks):
        decoder.feed(chunk, t_host_ns)
    assert decoder.flush(0) == []


@given(st.integers(0, 255), st.binary(max_size=60), st.integers(0, 3))
def test_any_intact_frame_gives_values_and_no_exception(
    kind: int, payload: bytes, seq: int
) -> None:
    """Whatever an intact frame holds, nothing is raised."""
    frame = _wire(tagwire.Unknown(kind, payload), seq)
    assert len(own.OwnDecoder().feed(frame, 0)) == 1
