"""NMEA epochs to fixes: what belongs together, what is valid, and when it is known."""

import itertools

import pytest
from tests.unit.tags.conftest import (
    FAR,
    MS,
    NEAR,
    NOON_NS,
    PLACE,
    Line,
    decode,
    gga,
    gst,
    one_fix,
    rmc,
    utc,
    vtg,
)

from throwin.field.units import KNOT_MPS
from throwin.tags.epoch import SOURCES_MAX
from throwin.tags.nmea_encoder import encode_epoch, encode_gga, encode_rmc, encode_sentence
from throwin.tags.observation import Fix, FixKind

# One epoch, one fix.


@pytest.mark.parametrize("order", list(itertools.permutations((gga, rmc, gst))))
def test_sentences_of_one_epoch_in_any_order_make_one_fix(order: tuple[object, ...]) -> None:
    """Kind and dilution of GGA, velocity and date of RMC, covariance of GST."""
    fix = one_fix(*(make("120000.10") for make in order))  # type: ignore[operator] # makers all
    assert fix == Fix(
        tag="r1",
        t_host_ns=1_000_000_000,
        t_utc_ns=NOON_NS + 100 * MS,
        kind=FixKind.RTK_FIXED,
        lat_deg=51.5,
        lon_deg=-7 / 60,
        cov_ee_m2=0.02**2,
        cov_en_m2=0.0,
        cov_nn_m2=0.03**2,
        vel_e_mps=0.0,
        vel_n_mps=19.4 * KNOT_MPS,
        hdop=0.6,
    )


def test_times_written_with_other_decimals_are_one_epoch() -> None:
    """One firmware writes 120000.10 in GGA and 120000.100 in RMC."""
    assert len(decode(gga("120000.10"), rmc("120000.100")).fixes) == 1


def test_epochs_in_a_row_are_never_mixed() -> None:
    """RMC of one epoch and GGA of the next are two fixes, each with what its own said."""
    line = decode(rmc("120000.10"), gga("120000.20"))
    assert [(fix.kind, fix.vel_n_mps is None) for fix in line.fixes] == [
        (FixKind.RTK_FIXED, False),
        (FixKind.RTK_FIXED, True),
    ]


def test_epoch_starts_when_its_first_byte_came() -> None:
    """The time on the wire of GGA and RMC is taken off, and that of what came before."""
    line = Line()
    line.send(b"noise\r\n" + gga("120000.10") + rmc("120000.10"))
    line.wait(100)
    assert line.fixes[0].t_host_ns == 1_000_000_000 + 7 * 100_000


def test_epoch_in_two_reads_starts_with_the_first() -> None:
    """The read that completes an epoch is not the one that began it."""
    data = gga("120000.10") + rmc("120000.10")
    assert one_fix(data[:50], data[50:]).t_host_ns == 1_000_000_000


# When it is known.


def test_first_epoch_is_given_when_the_line_falls_silent() -> None:
    """Before anything is known of the cycle, 40 ms of silence end it."""
    line = Line()
    assert [line.send(gga("120000.10")), line.wait(40), len(line.wait(1))] == [[], [], 1]


def test_epoch_is_given_with_the_sentence_that_ends_the_cycle() -> None:
    """Once a cycle has been seen nothing waits for silence or for the next one."""
    line = decode(gga("120000.10"), rmc("120000.10"))
    assert [len(line.send(gga("120000.20"))), len(line.send(rmc("120000.20")))] == [0, 1]


def test_epoch_without_its_last_sentence_is_given_with_the_next_one() -> None:
    """A lost RMC costs time, not the fix."""
    line = decode(gga("120000.10"), rmc("120000.10"))
    line.send(gga("120000.20"))
    assert [fix.vel_n_mps for fix in line.send(gga("120000.30")) if isinstance(fix, Fix)] == [None]


def test_bytes_of_the_port_keep_its_only_tags_epoch_open() -> None:
    """Fifteen GSV between GGA and RMC take longer than 40 ms at this speed."""
    line = Line()
    line.send(gga("120000.10"))
    for _ in range(15):
        line.send(encode_sentence("GPGSV,3,1,12,01,17,083,03,02,20,056,27,07,18,123,25"))
        assert line.wait(0) == []
    line.send(rmc("120000.10"))
    line.wait(100)
    assert len(line.fixes) == 1


def test_silence_within_the_stream_ends_an_epoch_without_a_tick() -> None:
    """What comes out doesn't depend on when the engine ticks."""
    line = Line()
    line.send(gga("120000.10"))
    line.t_host_ns += 60 * MS
    assert [isinstance(item, Fix) for item in line.send(vtg())] == [True]


def test_new_last_sentence_is_learned_after_three_cycles() -> None:
    """A receiver that is set to send GST as well gets its covariance in, soon."""
    line = decode(gga("120000.10"), rmc("120000.10"))
    for tenth in range(2, 9):
        time = f"120000.{tenth}0"
        line.send(gga(time), rmc(time), gst(time))
    assert [fix.cov_ee_m2 is None for fix in line.fixes] == [True] * 4 + [False] * 4


def test_sentence_that_always_comes_after_a_pause_is_not_waited_for() -> None:
    """An RMC half a cycle behind its GGA would make every fix late."""
    line = Line()
    given = []
    for tenth in range(1, 6):
        time = f"120000.{tenth}0"
        given.append((len(line.send(gga(time))), len(line.wait(50))))
        line.send(rmc(time))
        line.wait(50)
    assert given == [(0, 1), (1, 0), (1, 0), (1, 0), (1, 0)]


def test_rmc_once_a_second_does_not_hold_up_the_others() -> None:
    """GGA at 10 Hz with RMC on the full second goes out at once all the same."""
    line = decode(gga("120000.10"), gga("120000.20"))
    given = [len(line.send(gga(f"12000{n // 10}.{n % 10}0"))) for n in range(10, 40)]
    assert given == [1] * 30


def test_late_rmc_gives_its_date_to_what_follows() -> None:
    """The fix is out, but the date isn't lost."""
    line = Line(hint_ns=None)
    line.send(gga("120000.10"), gga("120000.20"), gga("120001.00"), rmc("120001.00"))
    line.send(gga("120001.10"))
    assert utc(line) == [None, None, None, 1.1]


def test_gst_alone_makes_no_fix() -> None:
    """A claim without a position is nothing to give out."""
    assert decode(gst("120000.10")).out == []


# Repeats and disorder.


def test_exact_repeat_is_given_once() -> None:
    """A gateway that sends everything twice gives each fix once."""
    data = gga("120000.10") + rmc("120000.10")
    line = decode(data, gga("120000.20"), rmc("120000.20"), gga("120000.20"), rmc("120000.20"))
    assert utc(line) == [0.1, 0.2]


def test_no_fix_at_a_time_that_stands_still_is_given_each_cycle() -> None:
    """A receiver that has lost its satellites, and its clock, still speaks."""
    line = Line()
    void = encode_sentence("GPRMC,120000.00,V,,,,,,,010126,,,N")
    for _ in range(3):
        line.send(void)
        line.wait(100)
    assert [fix.kind for fix in line.fixes] == [FixKind.NO_FIX] * 3


def test_repeat_within_an_open_epoch_is_silent() -> None:
    """The same sentence twice in a row says nothing new."""
    assert utc(decode(gga("120000.10"), gga("120000.10"))) == [0.1]


def test_another_fix_of_a_time_already_given_is_given() -> None:
    """What repeats a time and says something else is for the tracker to judge."""
    line = decode(gga("120000.10"), gga("120000.20"), gga("120000.20", FAR))
    assert utc(line) == [0.1, 0.2, 0.2]


def test_older_epoch_is_given_with_its_own_time() -> None:
    """Time that goes back on the same date is told as it is."""
    line = decode(gga("152508.50"), rmc("152508.50"), gga("143306.50"), rmc("143306.50"))
    first, second = utc(line)
    assert (first, second) == (12_308.5, 9186.5)


def test_two_talkers_of_one_epoch_are_one_fix() -> None:
    """A receiver may solve for each constellation; the first solution stands."""
    line = decode(gga("120000.10", talker="GP"), gga("120000.10", FAR, talker="GL"))
    assert (len(line.fixes), line.faults) == (1, [])


# Two devices on one line.


@pytest.mark.parametrize(
    "data",
    [
        gga("120000.10") + rmc("120000.10", FAR),
        rmc("120000.10") + gga("120000.10", FAR),
        gga("120000.10") + gga("120000.10", FAR),
    ],
)
def test_one_time_at_two_places_gives_no_fix(data: bytes) -> None:
    """GGA of one device and RMC of another: nobody knows which is the tag's."""
    line = decode(data)
    assert (line.fixes, line.faults) == ([], ["mixed_devices"])


def test_late_sentence_at_another_place_is_counted() -> None:
    """Even after the fix is out, a second place is told."""
    line = decode(gga("120000.10"), gga("120000.20"), rmc("120000.20", FAR))
    assert (len(line.fixes), line.faults) == (2, ["mixed_devices"])


@pytest.mark.parametrize("place", [NEAR, "5130.0000,N,00007.0000,W"])
def test_place_rounded_otherwise_is_the_same(place: str) -> None:
    """GGA and RMC of one device may differ in the last digit and in the number of digits."""
    line = decode(gga("120000.10"), rmc("120000.10", place))
    assert (len(line.fixes), line.faults) == (1, [])


def test_place_across_the_date_line_is_the_same() -> None:
    """180 degrees east and west are one meridian."""
    line = decode(
        gga("120000.10", "5130.00000,N,17959.99999,E"),
        rmc("120000.10", "5130.00000,N,18000.00000,W"),
    )
    assert line.faults == []


# Decimals.


def test_lost_pair_of_equal_digits_is_refused() -> None:
    """Two zeros lost leave the checksum right and move the position 92 m north."""
    cut = b"$GNGGA,120000.10,5130.050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001*78\r\n"
    line = decode(gga("120000.00"), cut, gga("120000.20"))
    assert (utc(line), line.faults) == ([0.0, 0.2], ["digits"])


def test_digits_lost_from_latitude_and_found_in_longitude_are_refused() -> None:
    """The length of both together is not what is known of them."""
    line = decode(gga("120000.00"), gga("120000.10", "5130.000,N,00007.0000000,W"))
    assert line.faults == ["digits"]


def test_other_decimals_five_times_in_a_row_are_the_new_ones() -> None:
    """A receiver may be set to more decimals while it runs."""
    more = "5130.0000000,N,00007.0000000,W"
    line = decode(gga("120000.00"), *(gga(f"120000.{n}0", more) for n in range(1, 8)))
    assert (utc(line), line.faults) == ([0.0, 0.5, 0.6, 0.7], ["digits"] * 4)


def test_other_decimals_now_and_then_stay_refused() -> None:
    """Only what is consistent is learned."""
    cut = "5130.050,N,00007.00000,W"
    places = [PLACE, cut, cut, cut, PLACE] * 3
    line = decode(*(gga(f"1200{n:02d}.00", place) for n, place in enumerate(places)))
    assert line.faults == ["digits"] * 9


def test_other_decimals_that_differ_each_time_stay_refused() -> None:
    """Five cuts of five kinds are no new setting."""
    places = [f"5130.{'0' * n},N,00007.00000,W" for n in (1, 2, 3, 4, 6, 7)]
    line = decode(gga("120000.00"), *(gga(f"12000{n}.10", place) for n, place in enumerate(places)))
    assert line.faults == ["digits"] * 6


# VTG.


def test_vtg_gives_velocity_where_there_is_no_rmc() -> None:
    """GGA and VTG are all that some receivers send."""
    line = decode(gga("120000.10"), vtg(), gga("120000.20"), vtg())
    assert [fix.vel_e_mps for fix in line.fixes] == [pytest.approx(10 * KNOT_MPS)] * 2


def test_vtg_that_ends_the_cycle_lets_the_fix_go() -> None:
    """Where VTG is needed, it is waited for."""
    line = decode(gga("120000.10"), vtg())
    assert [len(line.send(gga("120000.20"))), len(line.send(vtg()))] == [0, 1]


def test_vtg_after_rmc_is_not_waited_for() -> None:
    """It says what RMC has said."""
    line = decode(rmc("120000.10"), vtg())
    assert [len(line.send(rmc("120000.20"))), len(line.send(vtg()))] == [1, 0]


def test_vtg_after_a_pause_belongs_to_no_epoch() -> None:
    """It has no time, so it is never put to an epoch that a pause has ended."""
    line = decode(gga("120000.10"), vtg())
    line.send(vtg("270.0"), gga("120000.20"))
    line.wait(100)
    assert line.fixes[1].vel_e_mps is None


def test_vtg_after_a_fix_that_is_out_teaches_to_wait_for_it() -> None:
    """A receiver that is set to send VTG as well gets its velocity in, soon."""
    line = decode(gga("120000.10"), gga("120000.20"))
    for tenth in range(3, 9):
        line.send(gga(f"120000.{tenth}0"), vtg(), vtg())
    assert [fix.vel_e_mps is None for fix in line.fixes] == [True] * 5 + [False] * 3


# Many tags on one line.


def make_fix(tag: str, tenths: int) -> Fix:
    return Fix(
        tag=tag,
        t_host_ns=0,
        t_utc_ns=NOON_NS + tenths * 100 * MS,
        kind=FixKind.RTK_FIXED,
        lat_deg=51.5 + tenths * 1e-6,
        lon_deg=-0.1,
        vel_e_mps=3.0,
        vel_n_mps=4.0,
    )


def test_tags_in_blocks_interleaved_keep_apart() -> None:
    """Sentences of three tags, mixed with log lines, make three tags' fixes."""
    line = Line(tag=None)
    for tenths in range(3):
        for encode in (encode_gga, encode_rmc):
            for tag in ("a", "b", "c"):
                fix = make_fix(tag, tenths)
                block = encode_epoch(fix, source=tag).split(b"$")[0]
                line.send(block + encode(fix))
        line.send(b"I (4711) gateway: rssi -71\r\n")
        line.wait(60)
    assert (
        sorted((fix.tag, (fix.t_utc_ns or 0) - NOON_NS) for fix in line.fixes),
        set(line.faults),
    ) == ([(tag, t * 100 * MS) for tag in "abc" for t in range(3)], {"noise"})


def test_sentence_without_block_on_a_shared_line_is_refused() -> None:
    """Nobody knows whose it is."""
    line = Line(tag=None)
    line.send(gga("120000.10"))
    assert line.faults == ["no_tag"]


def test_sentence_with_a_broken_block_is_counted_once() -> None:
    """The block's fault is the sentence's as well."""
    line = Line(tag=None)
    line.send(b"\\s:a*00\\" + gga("120000.10"))
    line.wait(100)
    assert (line.fixes, line.faults) == ([], ["tag_block"])


def test_broken_block_on_a_port_of_one_tag_costs_nothing() -> None:
    """Whose sentence it is was known before."""
    line = decode(b"\\s:a*00\\" + gga("120000.10"))
    assert ([fix.tag for fix in line.fixes], line.faults) == (["r1"], ["tag_block"])


def test_tag_on_a_busy_line_is_given_when_it_falls_silent_itself() -> None:
    """Bytes of others don't hold up an epoch whose last sentence was lost."""
    line = Line(tag=None)
    line.send(encode_epoch(make_fix("a", 0), source="a", with_gst=False).splitlines(True)[0])
    line.send(*(encode_epoch(make_fix("b", n), source="b") for n in range(3)))
    assert [fix.tag for fix in line.wait(0) if isinstance(fix, Fix)] == ["a"]


def test_tag_whose_cycle_pauses_is_given_before_its_next_sentence() -> None:
    """What comes out doesn't depend on when the engine ticks, on a shared line either."""
    line = Line(tag=None)
    first, second = encode_epoch(make_fix("a", 0), source="a", with_gst=False).splitlines(True)[:2]
    line.send(first)
    line.t_host_ns += 60 * MS
    line.send(second)
    line.wait(100)
    assert [fix.hdop is None for fix in line.fixes] == [True]


def test_tags_without_end_are_forgotten_oldest_first_and_their_fix_is_given() -> None:
    """Memory stays bounded; what was held of the forgotten one is not lost."""
    line = Line(tag=None)
    for number in range(SOURCES_MAX + 1):
        tag = f"t{number}"
        line.send(encode_epoch(make_fix(tag, 0), source=tag, with_gst=False))
    assert (len(line.decoder._sources), line.fixes[0].tag) == (SOURCES_MAX, "t0")
