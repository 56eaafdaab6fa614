"""Lines of NMEA 0183: framing, TAG blocks, checksums and shapes, on bytes as the field has them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.tags.nmea import LIMIT_BYTES, Sentence, SentenceReader, checksum
from throwin.tags.nmea_encoder import encode_sentence, encode_tag_block
from throwin.tags.observation import Malformed

BAUD = 100_000  # 0.1 ms a byte
GGA_RTK = b"$GNGGA,120000.10,5130.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001*78\r\n"
RMC_NAV_V = b"$GNRMC,120000.10,A,5100.00000,N,00100.00000,W,9.0,45.0,010126,,,A,V*13\r\n"


def read(*chunks: bytes) -> list[Sentence | Malformed]:
    reader = SentenceReader(BAUD)
    out: list[Sentence | Malformed] = []
    sent = 0
    for chunk in chunks:
        sent += len(chunk)
        out += reader.feed(chunk, sent * 100_000)
    return out


def said(*chunks: bytes) -> list[str]:
    """Give each item in a word: a sentence's kind or a fault's reason."""
    return [
        item.kind.decode() if isinstance(item, Sentence) else item.reason for item in read(*chunks)
    ]


def fields(body: str) -> tuple[bytes, ...]:
    (item,) = read(encode_sentence(body))
    assert isinstance(item, Sentence)
    return item.fields


def source(data: bytes) -> str | None:
    (item,) = [item for item in read(data) if isinstance(item, Sentence)]
    return item.source


@given(st.binary(max_size=256))
def test_checksum_folded_is_the_xor_of_all_bytes(data: bytes) -> None:
    """Folding wide integers gives what one XOR a byte gives."""
    total = 0
    for byte in data:
        total ^= byte
    assert checksum(data) == total


def test_gga_of_the_field_gives_its_fields() -> None:
    """Time, position, quality and dilution come out as the text that was sent."""
    (item,) = read(GGA_RTK)
    assert isinstance(item, Sentence)
    assert item.fields == (b"120000.10", b"5130.00050,N,00007.00000,W", b"4", b"0.6")


def test_rmc_with_navigational_status_v_is_valid() -> None:
    """The V of NMEA 4.1 says that the device gives no navigational status, no more."""
    (item,) = read(RMC_NAV_V)
    assert isinstance(item, Sentence)
    assert item.fields == (
        b"120000.10",
        b"5100.00000,N,00100.00000,W",
        b"9.0",
        b"45.0",
        b"010126",
        b"A",
    )


@pytest.mark.parametrize("tail", ["", ",A", ",A,", ",A,C", ",A,S", ",,V"])
def test_rmc_of_any_version_and_tail_letter_is_read(tail: str) -> None:
    """Without mode (2.0), with it (2.3), with any navigational status (4.1)."""
    body = f"GPRMC,120000.10,A,5100.00000,N,00100.00000,W,9.0,45.0,010126,,{tail}"
    assert fields(body)[1] == b"5100.00000,N,00100.00000,W"


@pytest.mark.parametrize("talker", ["GP", "GN", "GL", "GA", "GB", "GQ", "GI", "BD", "IN", "II"])
def test_talker_of_any_constellation_is_read(talker: str) -> None:
    """The last three letters name the sentence."""
    assert said(
        encode_sentence(f"{talker}GGA,120000.10,5130.0,N,00007.0,W,1,12,0.6,20.0,M,47.0,M,,")
    ) == ["GGA"]


def test_proprietary_sentence_that_ends_in_rmc_is_ignored() -> None:
    """$PGRMC is Garmin's configuration, no recommended minimum."""
    assert said(encode_sentence("PGRMC,A,63.9,00,,,,,,A,3,1,1,4,30")) == []


def test_sentence_of_another_kind_is_ignored() -> None:
    """GSV, GSA, GLL and the rest are no fault and no reading."""
    assert said(encode_sentence("GPGSV,1,1,00"), encode_sentence("PUBX,40,GLL,0")) == []


def test_sentence_of_another_kind_with_bad_checksum_is_counted() -> None:
    """Even what nobody needs tells how good the line is."""
    assert said(b"$GPGSV,1,1,00*00\r\n") == ["checksum"]


def test_ais_sentence_is_ignored() -> None:
    """A sentence that starts with ! is framed and summed like the others."""
    assert said(b"!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n") == []


def test_checksum_in_small_letters_is_right() -> None:
    """Some firmware writes its hex digits small."""
    sentence = encode_sentence("GNRMC,,V,,,,,,,,,,N")
    assert said(sentence[:-4] + sentence[-4:].lower()) == ["RMC"]


@pytest.mark.parametrize("kind", ["GGA", "RMC", "GNS", "GST", "VTG"])
def test_bad_checksum_is_counted_by_kind(kind: str) -> None:
    """One kind that always fails (23 of 23 GGA in one recording) shows by its own counter."""
    assert said(f"$GP{kind},1*00\r\n".encode()) == [f"checksum_{kind}"]


def test_sentence_without_checksum_is_refused() -> None:
    """The text after which nothing proves anything gives no reading."""
    assert said(GGA_RTK.split(b"*")[0] + b"\r\n") == ["no_checksum"]


def test_checksum_cut_to_one_digit_is_none() -> None:
    """One digit proves as little as no digit."""
    assert said(GGA_RTK.strip()[:-1] + b"\r\n") == ["no_checksum"]


@pytest.mark.parametrize(
    "body",
    [
        "GNGGA,120000.10,530.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,N,0007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5160.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,9130.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,9000.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,N,18007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,E,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,N,00007.00000,N,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0",
        "GNGGA,120000.10,5130.00050,N,00007.00000,W,9,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.00050,N,00007.00000,W,,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,,,,,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,5130.q3050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,120000.10,51-0.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,12000.10,5130.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
        "GNGGA,246000.10,5130.00050,N,00007.00000,W,4,12,0.6,20.0,M,47.0,M,1.0,0001",
    ],
)
def test_gga_of_wrong_shape_is_refused_though_its_checksum_is_right(body: str) -> None:
    """Fields lost in the radio are found by count, letters, digits before the dot and range."""
    assert said(encode_sentence(body)) == ["shape_GGA"]


@pytest.mark.parametrize(
    "body",
    [
        "GNRMC,120000.10,A,,,,,9.0,45.0,010126,,,A,V",
        "GNRMC,120000.10,5100.00000,N,00100.00000,W,9.0,45.0,010126,,,A,V",
        "GNRMC,120000.10,A,5100.00000,N,00100.00000,W,45.0,010126,,,A,V",
        "GNRMC,120000.10,A,5100.00000,N,00100.00000,W,X.138,,200122,,,A,V",
        "GNRMC,120000.10,A,5100.00000,N,00100.00000,W,9.0,361.0,010126,,,A,V",
        "GNRMC,120000.10,B,5100.00000,N,00100.00000,W,9.0,45.0,010126,,,A,V",
    ],
)
def test_rmc_of_wrong_shape_is_refused_though_its_checksum_is_right(body: str) -> None:
    """A lost field, an impossible course or an unknown status makes no reading."""
    assert said(encode_sentence(body)) == ["shape_RMC"]


@pytest.mark.parametrize(
    "body",
    [
        "GNGGA,,,,,,0,00,99.99,,,,,,",
        "GPGGA,235946.005,8960.000000,N,00000.000000,E,0,0,,137.000,M,13.000,M,,",
        "GPRMC,,V,,,,,,,,,,N",
        "GPRMC,235948.00,V,0000.0000,N,00000.0000,E,,,161206,,,N",
        "GNGNS,120000.10,,,,,NN,00,99.99,,,,,V",
    ],
)
def test_sentence_without_fix_has_no_position(body: str) -> None:
    """Blank, zero or absurd, what stands in the place of a position is none."""
    assert fields(body)[1] == b""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("GPVTG,,,,,,,,,N", (b"", b"")),
        ("GPVTG,,T,,M,0.253,N,0.469,K,A", (b"", b"0.253")),
        ("GPVTG,000.0,T,357.0,M,000.1,N,0000.1,K,A", (b"000.0", b"000.1")),
    ],
)
def test_vtg_with_blanks_is_read(body: str, expected: tuple[bytes, ...]) -> None:
    """An empty VTG and a blank course at a standstill are no faults."""
    assert fields(body) == expected


def test_gst_gives_ellipse_and_axes() -> None:
    """The fields after the RMS of the ranges come out in order."""
    assert fields("GNGST,103607.00,38,60,38,89,15,24,31") == (
        b"103607.00",
        b"60",
        b"38",
        b"89",
        b"15",
        b"24",
    )


def test_gns_gives_modes_and_dilution() -> None:
    """One letter a constellation."""
    assert fields("GNGNS,103607.00,5327.03942,N,00214.42462,W,AANN,06,5.88,56.0,48.5,,,V") == (
        b"103607.00",
        b"5327.03942,N,00214.42462,W",
        b"AANN",
        b"5.88",
    )


def test_sentence_glued_to_another_is_split() -> None:
    """A lost line end costs nothing: the next $ starts the next sentence."""
    assert said(
        b"$GPGSA,A,1,,,,,,,,,,,,,,,*1E" + encode_sentence("GPRMC,235949.00,V,,,,,,,161206,,,N")
    ) == ["RMC"]


def test_cut_sentence_before_a_good_one_costs_only_itself() -> None:
    """Half a sentence on the same line leaves the whole one readable."""
    assert said(b"$GNGGA,120000.10,5130.00050,N,00007.00" + GGA_RTK) == ["no_checksum", "GGA"]


def test_noise_before_and_after_a_sentence_is_counted_apart() -> None:
    """Text of a gateway on the same line is noise; the sentence in it is read."""
    assert said(b'{"nmea":"' + GGA_RTK.strip() + b'"}\r\n') == ["noise", "GGA", "noise"]


@pytest.mark.parametrize(
    "noise",
    [b"0.5,M,,*4B\r\n", b"ets Jan 8 2013,rst cause:2\r\n", b"AT\r", b"\x80\xfe\xff\x91\n"],
)
def test_line_that_is_no_sentence_is_noise(noise: bytes) -> None:
    """The rest of a sentence, boot text, modem commands and wrong baud are counted, not more."""
    assert said(noise, GGA_RTK) == ["noise", "GGA"]


def test_bytes_beyond_ascii_in_a_sentence_are_refused() -> None:
    """Noise on the wire changes the checksum; nothing is decoded before that is known."""
    assert said(b"$GNGGA,1200\xc6\xff.10,5130.00050,N*00\r\n") == ["checksum_GGA"]


def test_blank_lines_and_padding_are_silent() -> None:
    """NULs, blanks and empty lines are what idle lines carry."""
    assert said(b"\r\n\n\0\0\0  \r\n", GGA_RTK.strip() + b"  \r\n") == ["GGA"]


def test_sentence_longer_than_the_standard_is_read() -> None:
    """93 characters come from real receivers; the standard's limit is 82."""
    body = "GNGGA,132819.60,4134.49795459,N,09345.03431408,W,2,10,0.9,278.161,M,-31.442,M,6.6,0133"
    assert said(encode_sentence(body)) == ["GGA"]


def test_sentence_of_the_limit_is_read_and_one_more_is_overlong() -> None:
    """256 bytes pass, 257 don't."""
    longest = encode_sentence("GPGSV," + "1" * (LIMIT_BYTES - 10))
    assert (len(longest.strip()), said(longest), said(b"$" + b"1" * LIMIT_BYTES + b"\r\n")) == (
        LIMIT_BYTES,
        [],
        ["overlong"],
    )


def test_stream_without_line_end_is_overlong_once() -> None:
    """A stuck line fills no memory and one counter once; the next sentence is read."""
    assert said(b"$" + b"x" * 300, b"y" * 1000, b"z\r\n" + GGA_RTK) == ["overlong", "GGA"]


def test_tag_block_names_the_source() -> None:
    """The id stands behind s: and may have any letters that an id of ours has."""
    assert source(encode_tag_block("tag7", 1_785_500_000_000_000_000) + GGA_RTK) == "tag7"


def test_tag_block_of_a_group_names_the_source_for_its_other_lines() -> None:
    """Only the first line of a group need say whose it is (NMEA 0183 4.10, 7.9.3)."""
    lines = [block(f"g:{n}-2-42{name}") + GGA_RTK for n, name in ((1, ",s:tag7"), (2, ""))]
    assert [item.source for item in read(*lines) if isinstance(item, Sentence)] == ["tag7"] * 2


def test_tag_block_of_an_unknown_group_names_nobody() -> None:
    """Where the first line was lost, nobody is guessed."""
    assert source(block("g:2-2-43") + GGA_RTK) is None


def test_tag_block_without_source_names_nobody() -> None:
    """A block may say the time alone."""
    assert source(block("c:1785500000") + GGA_RTK) is None


def test_groups_without_end_are_forgotten_oldest_first() -> None:
    """Memory stays bounded whatever the line brings."""
    reader = SentenceReader(BAUD)
    for number in range(200):
        reader.feed(block(f"g:1-2-{number},s:a") + GGA_RTK, 0)
    assert list(reader._groups) == [str(number) for number in range(136, 200)]


def test_blocks_without_end_are_forgotten() -> None:
    """Each block says its second; what was remembered of old ones goes."""
    reader = SentenceReader(BAUD)
    for second in range(2000):
        reader.feed(encode_tag_block("a", second * 1_000_000_000) + GGA_RTK, 0)
    assert len(reader._blocks) <= 512


@pytest.mark.parametrize("bad", [b"\\s:tag7*00\\", b"\\s:tag7\\", b"\\\\"])
def test_tag_block_with_wrong_checksum_names_nobody_and_is_counted(bad: bytes) -> None:
    """A sentence whose source is in doubt says so."""
    assert [source(bad + GGA_RTK), said(bad + GGA_RTK)] == ["", ["tag_block", "GGA"]]


@pytest.mark.parametrize("name", ["", "tag 7", "x" * 33, "t\u00e4g"])
def test_tag_block_with_invalid_id_is_counted(name: str) -> None:
    """An id that no field file can have is told apart from a broken block."""
    data = block(f"s:{name}") + GGA_RTK
    assert [source(data), said(data)] == ["", ["tag_id", "GGA"]]


@pytest.mark.parametrize("torn", [b"\\s:tag7,c:17855", b"\\s:tag7*28\\\r\n", b"\\s:a*28\\x\r\n"])
def test_tag_block_without_sentence_is_counted(torn: bytes) -> None:
    """A torn block doesn't reach into the next line."""
    assert (said(torn + GGA_RTK)[0], source(torn + GGA_RTK)) == ("tag_block", None)


def test_stamp_is_the_arrival_of_the_first_byte() -> None:
    """Ten bits a byte from the end of the chunk back to the sentence's first."""
    reader = SentenceReader(BAUD)
    (item,) = reader.feed(b"\r\n" + GGA_RTK, 50_000_000)
    assert isinstance(item, Sentence)
    assert item.t_host_ns == 50_000_000 - len(GGA_RTK) * 100_000


def test_stamp_of_a_torn_sentence_is_that_of_its_first_chunk() -> None:
    """A sentence that comes in three reads began with the first of them."""
    reader = SentenceReader(BAUD)
    reader.feed(GGA_RTK[:3], 1_000_000)
    reader.feed(GGA_RTK[3:9], 70_000_000)
    (item,) = reader.feed(GGA_RTK[9:], 90_000_000)
    assert isinstance(item, Sentence)
    assert item.t_host_ns == 1_000_000 - 3 * 100_000


PIECES = st.sampled_from(
    [
        GGA_RTK,
        RMC_NAV_V,
        encode_tag_block("tag7", 1_785_500_000_000_000_000) + GGA_RTK,
        b"$GPGSA,A,1,,,,,,,,,,,,,,,*1E",
        b"$GNGGA,120000.10,5130.0",
        b"boot text\r\n",
        b"$",
        b"!",
        b"\\",
        b"*",
        b"\r",
        b"\n",
        b"\0 ",
        b"\\s:",
        b"y" * 250,
        b"\xb5\x62\x01\x07",
    ]
)
STREAMS = st.lists(st.one_of(PIECES, st.binary(max_size=20)), max_size=12).map(b"".join)


@given(STREAMS, st.lists(st.integers(0, 1500), max_size=8))
def test_stream_cut_anywhere_gives_the_same(stream: bytes, cuts: list[int]) -> None:
    """How the reads cut a stream changes nothing, stamps included."""
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[a:b] for a, b in itertools.pairwise(edges)]
    assert read(*chunks) == read(stream)


@given(STREAMS)
def test_stream_byte_by_byte_gives_the_same(stream: bytes) -> None:
    """Reads of one byte each give what one read gives."""
    assert read(*(stream[i : i + 1] for i in range(len(stream)))) == read(stream)


@given(st.lists(st.binary(max_size=400), max_size=6))
def test_arbitrary_bytes_never_raise_and_keep_little(chunks: list[bytes]) -> None:
    """Whatever comes, no more than one piece is kept."""
    reader = SentenceReader(BAUD)
    for chunk in chunks:
        reader.feed(chunk, 0)
    assert len(reader._buffer) <= LIMIT_BYTES


def block(text: str) -> bytes:
    data = text.encode("latin-1")
    return b"\\%s*%02X\\" % (data, checksum(data))
