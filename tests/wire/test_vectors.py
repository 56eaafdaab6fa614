"""The protocol's vectors, each both ways and each cut in every manner."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tagwire
from tagwire.cobs import unstuff

FOLDER = Path(__file__).parents[2] / "firmware_protocol" / "vectors"
SPEC = (FOLDER.parent / "SPEC.md").read_text(encoding="utf-8")
JUNK = b"boot ok"


def _cases(*names: str) -> list[Any]:
    found = []
    for name in names:
        cases = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
        found += [pytest.param(case, id=f"{name}: {case['name']}") for case in cases]
    return found


VALID = _cases("hand", "valid")
MALFORMED = _cases("malformed")
STREAMS = _cases("streams")


def _message(case: dict[str, Any]) -> tagwire.Message | tagwire.Unknown:
    fields = case["fields"]
    if case["message"] == "unknown":
        return tagwire.Unknown(fields["kind"], bytes.fromhex(fields["payload"]))
    made: tagwire.Message = getattr(tagwire, case["message"])(**fields)
    return made


def _word(item: tagwire.Frame | tagwire.Malformed) -> str:
    match item:
        case tagwire.Malformed(reason, _):
            return reason
        case tagwire.Frame():
            return type(item.message).__name__


def _byte_by_byte(data: bytes) -> list[tuple[int, tagwire.Frame | tagwire.Malformed]]:
    deframer = tagwire.Deframer()
    return [found for byte in data for found in deframer.feed(bytes([byte]))]


def test_the_folder_holds_the_known_families_and_no_other_file() -> None:
    """A vector file that no test reads is an error."""
    assert sorted(path.name for path in FOLDER.iterdir()) == [
        "hand.json",
        "malformed.json",
        "streams.json",
        "valid.json",
    ]


@pytest.mark.parametrize("case", VALID)
def test_valid_bytes_decoded_give_the_fields(case: dict[str, Any]) -> None:
    """A valid vector is one frame with the tag, sequence, flags and fields that it states."""
    data = bytes.fromhex(case["hex"])
    assert tagwire.Deframer().feed(data) == [
        (
            1,
            tagwire.Frame(
                case["tag"], case["seq"], case.get("flags", 0), _message(case), data[1:-1]
            ),
        )
    ]


@pytest.mark.parametrize("case", [case for case in VALID if not case.values[0]["tail"]])
def test_fields_encoded_give_the_valid_bytes(case: dict[str, Any]) -> None:
    """The same vector read the other way gives its bytes."""
    frame = tagwire.encode_frame(
        case["tag"], case["seq"], _message(case), flags=case.get("flags", 0)
    )
    assert frame.hex() == case["hex"]


@pytest.mark.parametrize("case", VALID)
def test_valid_bytes_one_at_a_time_give_nothing_before_the_last(case: dict[str, Any]) -> None:
    """Only the closing delimiter completes a frame."""
    data = bytes.fromhex(case["hex"])
    assert _byte_by_byte(data[:-1]) == []


@pytest.mark.parametrize("case", VALID + MALFORMED + STREAMS)
def test_bytes_one_at_a_time_give_what_they_give_whole(case: dict[str, Any]) -> None:
    """No split of the bytes changes what comes of them."""
    data = bytes.fromhex(case["hex"])
    assert _byte_by_byte(data) == tagwire.Deframer().feed(data)


@pytest.mark.parametrize("case", VALID + MALFORMED)
def test_bytes_behind_a_frame_survive(case: dict[str, Any]) -> None:
    """What stands behind the closing delimiter is kept for the next frame."""
    data = bytes.fromhex(case["hex"])
    deframer = tagwire.Deframer()
    deframer.feed(data + JUNK)
    assert deframer.feed(b"\0") == [(len(data), tagwire.Malformed("cobs", JUNK))]


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_bytes_are_dropped_for_the_stated_reason(case: dict[str, Any]) -> None:
    """A malformed vector is one fault with its reason."""
    found = tagwire.Deframer().feed(bytes.fromhex(case["hex"]))
    assert [_word(item) for _, item in found] == [case["reason"]]


@pytest.mark.parametrize("case", STREAMS)
def test_stream_gives_the_stated_items(case: dict[str, Any]) -> None:
    """A stream gives the stated frames and faults at the stated positions."""
    found = tagwire.Deframer().feed(bytes.fromhex(case["hex"]))
    assert [[at, _word(item)] for at, item in found] == case["expect"]


def test_the_families_are_not_empty() -> None:
    """Every message occurs in the vectors by hand and in the generated ones."""
    for name in ("hand", "valid"):
        kinds = {case.values[0]["message"] for case in _cases(name)}
        assert kinds - {"unknown"} == {
            "Fix",
            "UwbPosition",
            "Imu",
            "Button",
            "Status",
            "Cue",
        }


def test_every_reason_has_a_malformed_vector() -> None:
    """Each reason that the codec can give is pinned by at least one vector."""
    assert {case.values[0]["reason"] for case in MALFORMED} == {
        "overlong",
        "cobs",
        "short",
        "crc",
        "version",
        "flags",
        "tag",
    }


def test_the_specifications_example_is_a_vector() -> None:
    """The bytes that open the specification are those of the first vector by hand."""
    (example,) = re.findall(r"```\n((?:[0-9a-f]{2}\s)+)```", SPEC)
    assert bytes.fromhex(example).hex() == _cases("hand")[0].values[0]["hex"]


def test_the_specifications_rows_are_the_examples_bytes() -> None:
    """The example's table holds the unstuffed frame, byte for byte."""
    rows = re.findall(r"^\| `((?:[0-9a-f]{2} ?)+)` \|", SPEC, re.MULTILINE)
    frame = unstuff(bytes.fromhex(_cases("hand")[0].values[0]["hex"])[1:-1])
    assert bytes.fromhex("".join(rows)) == bytes(frame or b"")[1:]


@pytest.mark.parametrize("case", _cases("hand")[:6])
def test_the_specifications_sizes_are_those_of_the_frames(case: dict[str, Any]) -> None:
    """The size table states what a frame with an id of two characters takes."""
    size = len(tagwire.encode_frame("r1", 0, _message(case)))
    milliseconds = f"{size * 10 / 115.2:.1f}"
    assert f"| {case['message']} | {size} | {milliseconds} |" in SPEC


@pytest.mark.parametrize("case", MALFORMED)
def test_every_reason_stands_in_the_specification(case: dict[str, Any]) -> None:
    """A counter's name is the same in the code and in the specification."""
    assert f"| `{case['reason']}` |" in SPEC
