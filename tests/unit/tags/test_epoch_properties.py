"""NMEA decoding for any fix, any cut of the stream and any damage; other readers as oracles."""

import itertools
import math
from collections.abc import Iterable

import pynmea2
import pynmeagps
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from throwin.tags.epoch import NmeaDecoder
from throwin.tags.nmea_encoder import encode_epoch, encode_gga, encode_rmc
from throwin.tags.observation import Fix, FixKind, Malformed, Observation

BAUD = 100_000  # 0.1 ms a byte
NOON_NS = 1_767_268_800_000_000_000  # 2026-01-01T12:00:00Z
HUNDREDTH_NS = 10_000_000
FROM_2000_TO_2079 = (94_668_480_000, 347_000_000_000)  # hundredths; 80-99 are read as 1980-1999
KINDS = [
    FixKind.NO_FIX,
    FixKind.ESTIMATED,
    FixKind.SINGLE,
    FixKind.DGNSS,
    FixKind.RTK_FLOAT,
    FixKind.RTK_FIXED,
]


@st.composite
def fixes(draw: st.DrawFn) -> Fix:
    """Give a fix as a receiver could have it, no nearer to zero than it would write."""
    kind = draw(st.sampled_from(KINDS))
    t_utc_ns = draw(st.integers(*FROM_2000_TO_2079)) * HUNDREDTH_NS
    if kind is FixKind.NO_FIX:
        return Fix("r1", 0, t_utc_ns, kind, 0.0, 0.0)
    sigma_m = st.floats(0.01, 20.0)
    sigma_e, sigma_n = draw(sigma_m), draw(sigma_m)
    speed = st.one_of(st.just(0.0), st.floats(0.2, 17.0), st.floats(-17.0, -0.2))
    return Fix(
        tag="r1",
        t_host_ns=0,
        t_utc_ns=t_utc_ns,
        kind=kind,
        lat_deg=draw(st.floats(-89.9, 89.9)),
        lon_deg=draw(st.one_of(st.floats(-179.9, -1e-6), st.floats(1e-6, 179.9))),
        cov_ee_m2=sigma_e**2,
        cov_en_m2=draw(st.floats(-0.9, 0.9)) * sigma_e * sigma_n,
        cov_nn_m2=sigma_n**2,
        vel_e_mps=draw(speed),
        vel_n_mps=draw(speed),
        hdop=draw(st.integers(1, 9800)) / 100,
    )


def feed(
    decoder: NmeaDecoder, chunks: Iterable[bytes], t_host_ns: int = 0
) -> list[Observation | Malformed]:
    """Give all that comes of chunks whose bytes come without a pause, and of the end."""
    out: list[Observation | Malformed] = []
    for chunk in chunks:
        t_host_ns += len(chunk) * 100_000
        out += decoder.feed(chunk, t_host_ns)
        out += decoder.flush(t_host_ns)
    return out + decoder.flush(t_host_ns + 10**9)


def make_decoder(tag: str | None = "r1", hint_ns: int = NOON_NS) -> NmeaDecoder:
    decoder = NmeaDecoder(tag, BAUD)
    decoder.hint_utc(hint_ns)
    return decoder


def fixes_of(data: bytes, hint_ns: int = NOON_NS) -> list[Fix]:
    found = feed(make_decoder(hint_ns=hint_ns), [data])
    return [item for item in found if isinstance(item, Fix)]


@given(fixes(), st.sampled_from([7, 8]))
def test_fix_encoded_and_decoded_comes_back(fix: Fix, decimals: int) -> None:
    """Every value comes back within the resolution of its field."""
    (back,) = fixes_of(encode_epoch(fix, minute_decimals=decimals), fix.t_utc_ns or 0)
    assert (back.tag, back.t_utc_ns, back.kind, back.hdop) == (
        fix.tag,
        fix.t_utc_ns,
        fix.kind,
        fix.hdop,
    )
    assert (back.lat_deg, back.lon_deg) == pytest.approx((fix.lat_deg, fix.lon_deg), abs=2e-9)
    assert (back.vel_e_mps, back.vel_n_mps) == pytest.approx(
        (fix.vel_e_mps, fix.vel_n_mps), abs=0.004
    )


@given(fixes().filter(lambda fix: fix.kind is not FixKind.NO_FIX))
def test_claimed_covariance_comes_back(fix: Fix) -> None:
    """Within what millimetres and tenths of a degree can hold of the ellipse."""
    (back,) = fixes_of(encode_epoch(fix), fix.t_utc_ns or 0)
    scale_m2 = (fix.cov_ee_m2 or 0.0) + (fix.cov_nn_m2 or 0.0)
    assert (back.cov_ee_m2, back.cov_en_m2, back.cov_nn_m2) == pytest.approx(
        (fix.cov_ee_m2, fix.cov_en_m2, fix.cov_nn_m2), abs=0.002 * (scale_m2 + math.sqrt(scale_m2))
    )


def stream_of(tags: list[str], epochs: int, *, in_blocks: bool) -> bytes:
    """Give some epochs of some tags, with a torn one, a bad one and noise among them."""
    parts = []
    for n in range(epochs):
        for place, tag in enumerate(tags):
            fix = Fix(
                tag,
                0,
                NOON_NS + n * 100_000_000,
                FixKind.RTK_FIXED,
                51.5 + 1e-6 * n,
                -0.1 - 1e-4 * place,
                4e-4,
                0.0,
                9e-4,
                3.0,
                4.0,
            )
            part = encode_epoch(fix, source=tag if in_blocks else None)
            if n % 5 == 3:
                part = part[:70] + part[71:]
            if n % 5 == 4:
                part = part.replace(b"*", b"#", 1) + b"gateway: 12 \xff$\r\n"
            parts.append(part)
    return b"".join(parts)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 6000), max_size=30), st.booleans())
def test_stream_cut_anywhere_gives_the_same_fixes(cuts: list[int], in_blocks: bool) -> None:
    """How the reads cut a stream, and where ticks fall between them, changes nothing."""
    data = stream_of(["a", "b"] if in_blocks else ["r1"], 9, in_blocks=in_blocks)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(edges)]
    tag = None if in_blocks else "r1"
    assert sorted(map(repr, feed(make_decoder(tag), chunks))) == sorted(
        map(repr, feed(make_decoder(tag), [data]))
    )


def test_stream_byte_by_byte_gives_the_same_in_the_same_order() -> None:
    """Reads of one byte each give what one read gives."""
    data = stream_of(["r1"], 9, in_blocks=False)
    single = feed(make_decoder(), (data[i : i + 1] for i in range(len(data))))
    assert single == feed(make_decoder(), [data])


SOME_BYTES = st.lists(
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [
                stream_of(["r1"], 2, in_blocks=False),
                stream_of(["a", "b"], 1, in_blocks=True),
                b"$GNGGA,,,,,,0,00,99.99,,,,,,*56\r\n",
                b"$GPRMC,,V,,,,,,,,,,N*53\r\n",
                b"$GPVTG,,,,,,,,,N*30\r\n",
            ]
        ),
        st.from_regex(rb"\$GN(GGA|RMC|GNS|GST|VTG),[0-9.,NSEWAV]{0,90}\*[0-9A-F]{2}\r\n"),
    ),
    max_size=8,
)


@given(SOME_BYTES, st.lists(st.integers(0, 10**10), min_size=8, max_size=8), st.booleans())
def test_arbitrary_bytes_at_arbitrary_times_never_raise(
    chunks: list[bytes], times: list[int], has_tag: bool
) -> None:
    """Whatever comes and whenever, what goes out is fixes on the globe and counted faults."""
    decoder = make_decoder("r1" if has_tag else None)
    out: list[Observation | Malformed] = []
    for chunk, t_host_ns in zip(chunks, times, strict=False):
        out += decoder.feed(chunk, t_host_ns) + decoder.flush(t_host_ns)
    strange = [
        item
        for item in out
        if not isinstance(item, Malformed)
        and not (isinstance(item, Fix) and abs(item.lat_deg) <= 90 and abs(item.lon_deg) <= 180)
    ]
    assert strange == []


EPOCH = Fix(
    "r1", 0, NOON_NS, FixKind.RTK_FIXED, 51.512345678, -0.123456789, 4e-4, 1e-4, 9e-4, 3.0, 4.0
)


@pytest.mark.parametrize("data", [encode_gga(EPOCH), encode_rmc(EPOCH)])
def test_byte_flipped_in_a_sentence_gives_the_same_fix_or_none(data: bytes) -> None:
    """Every byte, every other value: nothing is ever invented."""
    (whole,) = fixes_of(data)
    wrong = [
        (at, value)
        for at in range(len(data))
        for value in range(256)
        if fixes_of(data[:at] + bytes([value]) + data[at + 1 :]) not in ([], [whole])
    ]
    assert wrong == []


@settings(max_examples=300)
@given(st.data())
def test_bits_flipped_in_an_epoch_never_move_it(data: st.DataObject) -> None:
    """One damaged byte in an epoch of three sentences costs a field, never the place."""
    epoch = encode_epoch(EPOCH)
    at = data.draw(st.integers(0, len(epoch) - 1))
    value = data.draw(st.integers(0, 255))
    (whole,) = fixes_of(epoch)
    places = {
        (fix.lat_deg, fix.lon_deg)
        for fix in fixes_of(epoch[:at] + bytes([value]) + epoch[at + 1 :])
    }
    assert places <= {(whole.lat_deg, whole.lon_deg)}


@settings(max_examples=300)
@given(st.data())
def test_bytes_flipped_in_blocks_never_give_one_tag_anothers_place(data: st.DataObject) -> None:
    """A damaged TAG block costs sentences, never puts them to another tag."""
    stream = stream_of(["a", "b"], 3, in_blocks=True)
    at = data.draw(st.integers(0, len(stream) - 1))
    value = data.draw(st.integers(0, 255))
    damaged = stream[:at] + bytes([value]) + stream[at + 1 :]
    found = {
        (item.tag, round(item.lon_deg, 6))
        for item in feed(make_decoder(None), [damaged])
        if isinstance(item, Fix)
    }
    assert found <= {("a", -0.1), ("b", -0.1001)}


@given(fixes().filter(lambda fix: fix.kind is not FixKind.NO_FIX))
def test_position_agrees_with_two_other_readers(fix: Fix) -> None:
    """Two libraries find the same latitude and longitude in the same sentence."""
    data = encode_gga(fix)
    (own,) = fixes_of(data)
    gps, two = pynmeagps.NMEAReader.parse(data), pynmea2.parse(data.decode(), check=True)
    assert [(own.lat_deg, own.lon_deg)] * 2 == [
        pytest.approx((gps.lat, gps.lon), abs=1e-9),
        pytest.approx((two.latitude, two.longitude), abs=1e-9),
    ]
