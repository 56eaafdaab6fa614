"""A field file is read whole or refused, with the key's path, the value and what was expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.contract.fieldfile import (
    PLAYERS,
    BrokerSection,
    FieldFile,
    FieldFileError,
    JournalSection,
    MatchSection,
    PitchSection,
    PortSection,
    RulebookSection,
    SurveyPoint,
    TagSection,
    UwbSection,
    parse_fieldfile,
)
from throwin.contract.toml import write_toml
from throwin.field.pitch import PLACES

GOOD = """
field = "north-field"
pitch = { length_yd = 300, width_yd = 160 }

[[survey]]
at = "centre"
lat_deg = 51.4243
lon_deg = -0.6342

[[survey]]
at = "corner_north_left"
lat_deg = 51.4255
lon_deg = -0.6342

[[ports]]
name = "gateway"
device = "/dev/ttyUSB0"
format = "nmea"

[[ports]]
name = "anchors"
device = "/dev/ttyUSB1"
format = "own"

[[tags]]
id = "r1"
sensor = "rtk"
on = "red 1"
lag_s = 0.12

[[tags]]
id = "u1"
sensor = "uwb"
on = "umpire u1"

[[uwb]]
port = "anchors"
rotation_deg = 12.5
"""


def fault_of(text: str) -> FieldFileError:
    with pytest.raises(FieldFileError) as caught:
        parse_fieldfile(text)
    return caught.value


def test_good_file_is_read() -> None:
    """Good file is read."""
    assert parse_fieldfile(GOOD).field == "north-field"


def test_file_written_and_read_again_is_equal() -> None:
    """File written and read again is equal."""
    file = parse_fieldfile(GOOD)
    assert parse_fieldfile(write_toml(file)) == file


def test_left_out_sections_have_defaults() -> None:
    """Left out sections have defaults."""
    assert parse_fieldfile(GOOD).broker.port == 1883


CASES = {
    "typo": ("width_yd = 160", "widht_yd = 160", "pitch.widht_yd"),
    "wrong_unit": ("length_yd = 300", "length_m = 274", "pitch.length_m"),
    "impossible_size": ("length_yd = 300", "length_yd = -3", "pitch.length_yd"),
    "wrong_type": ("length_yd = 300", 'length_yd = "long"', "pitch.length_yd"),
    "latitude_out_of_range": ("lat_deg = 51.4243", "lat_deg = 151.0", "survey[0].lat_deg"),
    "missing_key": ("lat_deg = 51.4243\n", "", "survey[0].lat_deg"),
    "unknown_place": ('at = "centre"', 'at = "center"', "survey[0].at"),
    "place_twice": ('at = "corner_north_left"', 'at = "centre"', "survey[1].at"),
    "unknown_format": ('format = "nmea"', 'format = "nmae"', "ports[0].format"),
    "baud_impossible": ('format = "nmea"', 'format = "nmea"\nbaud = 7', "ports[0].baud"),
    "port_twice": ('name = "anchors"', 'name = "gateway"', "ports[1].name"),
    "device_twice": ("ttyUSB1", "ttyUSB0", "ports[1].device"),
    "port_of_unknown_tag": ('format = "nmea"', 'format = "nmea"\ntag = "x"', "ports[0].tag"),
    "own_port_with_a_tag": ('format = "own"', 'format = "own"\ntag = "r1"', "ports[1].tag"),
    "tag_twice": ('id = "u1"', 'id = "r1"', "tags[1].id"),
    "unknown_entity": ('on = "red 1"', 'on = "red 5"', "tags[0].on"),
    "entity_twice": ('on = "umpire u1"', 'on = "red 1"', "tags[1].on"),
    "bad_sensor": ('sensor = "rtk"', 'sensor = "gps"', "tags[0].sensor"),
    "lag_impossible": ("lag_s = 0.12", "lag_s = 12.0", "tags[0].lag_s"),
    "frame_of_no_port": ('port = "anchors"', 'port = "tower"', "uwb[0].port"),
    "frame_of_a_port_without_uwb": ('port = "anchors"', 'port = "gateway"', "uwb[0].port"),
    "frame_twice": ("[[uwb]]", '[[uwb]]\nport = "anchors"\n[[uwb]]', "uwb[1].port"),
    "uwb_tag_without_a_frame": ('[[uwb]]\nport = "anchors"\nrotation_deg = 12.5', "", "uwb"),
    "uwb_tag_on_an_nmea_port": ('format = "nmea"', 'format = "nmea"\ntag = "u1"', "ports[0].tag"),
    "no_number": ("rotation_deg = 12.5", "rotation_deg = nan", "uwb[0].rotation_deg"),
    "infinite": ('format = "nmea"', 'format = "nmea"\nsilence_s = inf', "ports[0].silence_s"),
    "no_device": ('device = "/dev/ttyUSB0"', 'device = ""', "ports[0].device"),
    "name_with_a_blank": ('"north-field"', '"north field"', "field"),
    "name_with_a_line_end": ('"north-field"', '"north-field\\n"', "field"),
    "key_of_another_section": ("width_yd = 160", "baud = 160", "pitch.baud"),
    "no_table": ("pitch = { length_yd = 300, width_yd = 160 }", "pitch = 7", "pitch"),
    "survey_no_list": ("[[survey]]", "[survey2]", "survey2"),
    "no_toml": ("[[uwb]]", "[[uwb", "(file)"),
}


@pytest.mark.parametrize(("old", "new", "path"), CASES.values(), ids=CASES.keys())
def test_bad_value_is_named_by_its_path(old: str, new: str, path: str) -> None:
    """Bad value is named by its path."""
    assert fault_of(GOOD.replace(old, new, 1)).path == path


def test_typo_is_answered_with_the_key_that_was_meant() -> None:
    """Typo is answered with the key that was meant."""
    assert "width_yd" in fault_of(GOOD.replace("width_yd", "widht_yd")).expected


def test_wrong_unit_is_answered_with_the_right_one() -> None:
    """Wrong unit is answered with the right one."""
    assert "length_yd" in fault_of(GOOD.replace("length_yd", "length_m")).expected


def test_bad_value_is_quoted() -> None:
    """Bad value is quoted."""
    assert fault_of(GOOD.replace("lat_deg = 51.4243", "lat_deg = 151.0")).got == "151.0"


def test_misspelt_place_is_answered_with_the_right_one() -> None:
    """Misspelt place is answered with the right one."""
    assert "did you mean centre" in fault_of(GOOD.replace('"centre"', '"center"')).expected


HINTS = {
    "typo": ("width_yd = 160", "widht_yd = 160", "(did you mean width_yd?)"),
    "capitals": ("width_yd = 160", "WIDTH_YD = 160", "(did you mean width_yd?)"),
    "metres": ("length_yd = 300", "length_m = 274", "(did you mean length_yd?)"),
    "milliseconds": ("lag_s = 0.12", "lag_ms = 120", "(did you mean lag_s?)"),
    "section": ("[[ports]]", "[[port]]", "(did you mean ports?)"),
    "format": ('format = "nmea"', 'format = "nmae"', "one of nmea, own (did you mean nmea?)"),
    "sensor": ('sensor = "rtk"', 'sensor = "gps"', "one of gnss, rtk, uwb"),
    "entity": ('on = "red 1"', 'on = "Red  1"', "(did you mean red 1?)"),
    "umpire": ('on = "umpire u1"', 'on = "umpire"', "(did you mean umpire u1?)"),
    "port": ('port = "anchors"', 'port = "anchor"', "(did you mean anchors?)"),
    "tag": ('format = "nmea"', 'format = "nmea"\ntag = "r"', "(did you mean r1?)"),
    "alien": ("width_yd = 160", "baud = 1", "one of length_yd, width_yd, goal_width_yd"),
    "name": ('"north-field"', '"north field"', "1 to 32 letters, digits, dots, dashes"),
    "twice": ('name = "anchors"', 'name = "gateway"', "ports[0] has it already"),
}


@pytest.mark.parametrize(("old", "new", "hint"), HINTS.values(), ids=HINTS.keys())
def test_bad_value_is_answered_with_what_may_stand_there(old: str, new: str, hint: str) -> None:
    """Bad value is answered with what may stand there."""
    assert hint in fault_of(GOOD.replace(old, new, 1)).expected


def test_key_of_another_section_is_no_hint() -> None:
    """Key of another section is no hint: what is near in ports means nothing in pitch."""
    assert "did you mean" not in fault_of(GOOD.replace("width_yd = 160", "bauds = 1")).expected


def test_file_without_an_umpire_is_read() -> None:
    """File without an umpire is read: the daemon says what it can't do then."""
    assert parse_fieldfile(GOOD.replace('on = "umpire u1"', 'on = ""')).tags[1].on == ""


def test_spare_tags_may_be_many() -> None:
    """Spare tags may be many."""
    file = parse_fieldfile(GOOD.replace('on = "red 1"', "").replace('on = "umpire u1"', ""))
    assert [tag.on for tag in file.tags] == ["", ""]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.from_regex(r"[A-Za-z0-9_.-]{1,32}", fullmatch=True)


def floats(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


PITCHES = st.builds(
    PitchSection,
    length_yd=floats(1.0, 500.0),
    width_yd=floats(1.0, 500.0),
    goal_width_yd=floats(1e-3, 500.0),
    north_goal=TEXTS,
    south_goal=TEXTS,
)
POINTS = st.builds(
    SurveyPoint,
    at=st.sampled_from(sorted(PLACES)),
    lat_deg=floats(-90.0, 90.0),
    lon_deg=floats(-180.0, 180.0),
    sigma_m=floats(1e-3, 10.0),
    height_m=floats(-500.0, 6000.0),
)
UMPIRES = NAMES.map(lambda name: f"umpire {name}")
BROKERS = st.builds(
    BrokerSection,
    host=TEXTS,
    port=st.integers(1, 65_535),
    user=st.none() | TEXTS,
    password_file=st.none() | TEXTS,
)


@st.composite
def field_files(draw: st.DrawFn) -> FieldFile:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    devices = draw(
        st.lists(
            TEXTS.filter(bool), min_size=len(names), max_size=len(names), unique=True
        )
    )  # fmt: skip
    ids = draw(st.lists(NAMES, max_size=6, unique=True))
    ons = draw(
        st.lists(
            st.sampled_from(PLAYERS) | UMPIRES | st.just("ball"),
            min_size=len(ids),
            max_size=len(ids),
            unique=True,
        )
    )
    own = draw(st.booleans())
    tags = tuple(
        TagSection(
            id=one,
            sensor=draw(st.sampled_from(["rtk", "gnss", "uwb"] if own else ["rtk", "gnss"])),
            on=draw(st.sampled_from(["", on])),
            lag_s=draw(floats(0.0, 1.0)),
        )
        for one, on in zip(ids, ons, strict=True)
    )
    plain = [tag.id for tag in tags if tag.sensor != "uwb"]
    ports = tuple(
        PortSection(
            name=name,
            device=device,
            format="own" if own else "nmea",
            baud=draw(st.integers(300, 12_000_000)),
            tag=None if own else draw(st.sampled_from([None, *plain])),
            silence_s=draw(floats(1e-3, 3600.0)),
        )
        for name, device in zip(names, devices, strict=True)
    )
    frames = (
        UwbSection(
            port=names[0],
            origin_x_field_yd=draw(floats(-1000.0, 1000.0)),
            rotation_deg=draw(floats(-360.0, 360.0)),
        ),
    )
    return FieldFile(
        field=draw(NAMES),
        pitch=draw(PITCHES),
        survey=tuple(draw(st.lists(POINTS, max_size=4, unique_by=lambda point: point.at))),
        ports=ports,
        tags=tags,
        uwb=frames if own else (),
        match=draw(st.builds(MatchSection)),
        broker=draw(BROKERS),
        rulebook=RulebookSection(profile=draw(TEXTS), hold_tolerance_m=draw(floats(0.0, 2.0))),
        journal=JournalSection(directory=draw(TEXTS)),
    )


@given(field_files())
def test_any_file_written_and_read_again_is_equal(file: FieldFile) -> None:
    """Any file written and read again is equal."""
    assert parse_fieldfile(write_toml(file)) == file


@given(
    st.lists(
        st.sampled_from([*GOOD.splitlines(), "[a.b]", "x = [1, {y = 2}]", "field = 1", "tags = 3"])
    ),
)
def test_any_text_is_a_field_file_or_a_fault_with_a_path(lines: list[str]) -> None:
    """Any text is a field file or a fault with a path."""
    named = "(read)"
    try:
        parse_fieldfile("\n".join(lines))
    except FieldFileError as error:
        named = error.path
    assert named
