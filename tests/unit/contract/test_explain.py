"""A fault of a file is told by its path, what was expected and what stands there."""

from typing import Any, Literal

import msgspec
import pytest

from throwin.contract.explain import Explained, did_you_mean, explain


class Hoof(msgspec.Struct, forbid_unknown_fields=True):
    """One of four."""

    shoe: Literal["steel", "aluminium"] = "steel"
    size_mm: float = 120.0


class Ear(msgspec.Struct, forbid_unknown_fields=True, tag="ear", tag_field="kind"):
    """One kind of marking."""

    colour: str


class Blaze(msgspec.Struct, forbid_unknown_fields=True, tag="blaze", tag_field="kind"):
    """Another kind."""

    width_mm: int


class Horse(msgspec.Struct, forbid_unknown_fields=True):
    """A file of all the shapes that there are."""

    name: str
    hooves: tuple[Hoof, ...] = ()
    markings: tuple[Ear | Blaze, ...] = ()
    place_yd: tuple[float, float] | None = None
    words: dict[str, str] = {}


CASES: list[tuple[dict[str, Any], Explained]] = [
    ({}, Explained("name", "a value", "nothing")),
    ({"name": 7}, Explained("name", "str", "7")),
    (
        {"nmae": "x"},
        Explained("nmae", "a known key (did you mean name?)", "unknown key 'nmae'"),
    ),
    (
        {"name": "x", "hooves": [{}, {"shoo": "steel"}]},
        Explained("hooves[1].shoo", "a known key (did you mean shoe?)", "unknown key 'shoo'"),
    ),
    (
        {"name": "x", "hooves": [{"rim": 1}]},
        Explained("hooves[0].rim", "a known key, one of shoe, size_mm", "unknown key 'rim'"),
    ),
    (
        {"name": "x", "hooves": [{"shoe": "stele"}]},
        Explained(
            "hooves[0].shoe", "one of aluminium, steel (did you mean steel?)", "'stele'"
        ),
    ),
    (
        {"name": "x", "markings": [{"kind": "blaze", "widht_mm": 3}]},
        Explained(
            "markings[0].widht_mm",
            "a known key (did you mean width_mm?)",
            "unknown key 'widht_mm'",
        ),
    ),
    ({"name": "x", "place_yd": [1.0, "y"]}, Explained("place_yd[1]", "float", "'y'")),
    ({"name": "x", "words": {"a": 1}}, Explained("words[...]", "str", "{'a': 1}")),
    ({"name": "x", "hooves": 4}, Explained("hooves", "array", "4")),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "expected"), CASES)
def test_fault_is_told_by_path_expectation_and_value(
    raw: dict[str, Any], expected: Explained
) -> None:
    """Fault is told by path, expectation and value."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(raw, Horse)
    assert explain(str(caught.value), raw, Horse) == expected


def test_fault_of_the_whole_file_has_a_path_too() -> None:
    """Fault of the whole file has a path too."""
    assert explain("Expected `object`, got `int`", {}, Horse).path == "(file)"


def test_word_that_nothing_is_near_to_gets_no_hint() -> None:
    """Word that nothing is near to gets no hint."""
    assert did_you_mean("xyz", ["length_yd", "width_yd"]) == ""


def test_hint_ignores_capitals_and_blanks() -> None:
    """Hint ignores capitals and blanks."""
    assert did_you_mean(" RED   1 ", ["red 1", "blue 1"]) == " (did you mean red 1?)"
