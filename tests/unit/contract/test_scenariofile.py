"""What a scenario file may say, and how a mistake in one is named."""

import pytest

from throwin.contract.scenariofile import (
    ScenarioFileError,
    Silent,
    WrongFix,
    parse_scenariofile,
)

HEAD = 'title = "t"\nduration_s = 10.0\n'


def test_minimal_file_has_eight_riders_and_one_umpire() -> None:
    """What is not said is the usual cast."""
    cast = parse_scenariofile(HEAD).cast
    assert (cast.red, cast.blue, cast.umpires) == ((1, 2, 3, 4), (1, 2, 3, 4), ("u1",))


def test_fault_kinds_are_told_apart() -> None:
    """The kind says which keys a fault has."""
    text = HEAD + (
        'faults = [{kind = "silent", who = "red 1", from_s = 1, to_s = 2},'
        ' {kind = "wrong_fix", who = "red", from_s = 1, to_s = 2, by_m = [0.5, 0]}]'
    )
    assert [type(fault) for fault in parse_scenariofile(text).faults] == [Silent, WrongFix]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeed = 1", "seeed: expected a known key (did you mean seed?), got unknown key 'seeed'"),
        ('seed = "x"', "seed: expected int, got 'x'"),
        ("mill_yd = 2.0", "mill_yd: expected float <= 0.5, got 2.0"),
        ("throwins = [{}]", "throwins[0].formed_s: expected a value, got nothing"),
        (
            "throwins = [{formed_s = 5, umpire_at_yd = [1]}]",
            "throwins[0].umpire_at_yd: expected array of length 2, got [1]",
        ),
        (
            'moves = [{who = "red 1", at_s = 1, accel_mps2 = 9}]',
            "moves[0].accel_mps2: expected float <= 5.0, got 9",
        ),
        ('touches = ["C6", "X1"]', "touches[1]: expected"),
        ('faults = [{kind = "fire"}]', "faults[0].kind: "),
        ("title = ", "(file): expected TOML, got "),
    ],
)
def test_mistake_is_named_by_path_value_and_expectation(text: str, message: str) -> None:
    """Whoever wrote the file is told which key, what it held and what it should hold."""
    head = "" if text.startswith("title") else HEAD
    with pytest.raises(ScenarioFileError) as caught:
        parse_scenariofile(head + text)
    assert str(caught.value).startswith(message)


def test_missing_title_is_named() -> None:
    """A required key at the top has no dots in its path."""
    with pytest.raises(ScenarioFileError, match=r"^title: expected a value, got nothing$"):
        parse_scenariofile("duration_s = 1.0")


def test_start_without_a_time_zone_is_refused() -> None:
    """The scenario's start is a moment, not a local time."""
    with pytest.raises(ScenarioFileError, match=r"^start_utc: "):
        parse_scenariofile(HEAD + "start_utc = 2026-06-06T14:00:00")
