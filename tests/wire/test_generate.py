"""Generated files follow from messages.toml, and appended fields keep old frames readable."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "firmware_protocol"
LAST_OF_BUTTON = 'about = "one more for each press of any button of this tag; wraps" },\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a copy of the protocol's folder that may be damaged."""
    copy = tmp_path / "firmware_protocol"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(folder / "generate.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_generated_files_are_up_to_date() -> None:
    """What is in the tree is what messages.toml gives."""
    checked = _run(SOURCE, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_an_edited_generated_file_is_outdated(folder: Path) -> None:
    """An edit by hand is found."""
    _replace(folder / "tagwire" / "messages.py", "FIX_LAG_MS_INVALID: Final = 65535", "X = 1")
    checked = _run(folder, "--check")
    assert (checked.returncode, checked.stderr.split(";")[0]) == (
        1,
        "tagwire/messages.py: outdated",
    )


def test_an_edited_table_is_outdated(folder: Path) -> None:
    """The spec's tables are generated too."""
    _replace(folder / "SPEC.md", "| 6 | u8 | `fix_kind` |", "| 7 | u8 | `fix_kind` |")
    assert _run(folder, "--check").stderr.split(";")[0] == "SPEC.md: outdated"


def test_a_removed_file_is_missing(folder: Path) -> None:
    """A generated file that is not there is found."""
    (folder / "vectors" / "valid.json").unlink()
    assert _run(folder, "--check").stderr.split(";")[0] == "vectors/valid.json: missing"


def test_a_generated_file_that_nothing_makes_is_unexpected(folder: Path) -> None:
    """A leftover of an earlier layout is found."""
    shutil.copy(folder / "vectors" / "valid.json", folder / "vectors" / "older.json")
    assert _run(folder, "--check").stderr.split(";")[0] == "vectors/older.json: unexpected"


def test_a_table_that_nothing_fills_is_unexpected(folder: Path) -> None:
    """A marker in the spec without a message behind it is found."""
    _replace(folder / "SPEC.md", "<!-- table Imu -->", "<!-- table Imus -->")
    assert "missing ['Imu'], unexpected ['Imus']" in _run(folder, "--check").stderr


def test_a_check_writes_nothing(folder: Path) -> None:
    """Checking leaves an outdated file as it is."""
    (folder / "vectors" / "valid.json").write_text("{}", encoding="utf-8")
    _run(folder, "--check")
    assert (folder / "vectors" / "valid.json").read_text(encoding="utf-8") == "{}"


def test_a_run_repairs_what_the_check_found(folder: Path) -> None:
    """Writing gives the tree's own files again."""
    (folder / "vectors" / "valid.json").unlink()
    assert _run(folder).returncode == 0
    assert (folder / "vectors" / "valid.json").read_bytes() == (
        SOURCE / "vectors" / "valid.json"
    ).read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('name = "heading_cdeg", type = "u16"', 'name = "heading_cdeg", type = "u24"', "type u24"),
        ('name = "shock_dmps2"', 'name = "shock"', "ends in _dmps2"),
        ('enum = "Press"', 'enum = "Presses"', "no enum Presses"),
        ("kind = 0x04", "kind = 0x03", "kinds are unique"),
        ("kind = 0x04", "kind = 0x84", "kinds from 0x80 go down"),
        ('name = "press_counter", type', 'nmae = "", name = "press_counter", type', "['nmae']"),
        (
            LAST_OF_BUTTON,
            LAST_OF_BUTTON + '{ name = "more", type = "u8", since = "1.1", about = "x" },\n',
            "appended without invalid value",
        ),
    ],
)
def test_a_schema_that_cannot_be_is_named(folder: Path, old: str, new: str, fault: str) -> None:
    """A mistake in messages.toml is told in words and writes nothing."""
    _replace(folder / "messages.toml", old, new)
    ran = _run(folder)
    assert ran.returncode == 1
    assert fault in ran.stderr


def test_an_appended_field_keeps_old_frames_readable(folder: Path) -> None:
    """A reader with a newer schema gives the invalid value for what an old tag can't send."""
    _replace(
        folder / "messages.toml",
        LAST_OF_BUTTON,
        LAST_OF_BUTTON
        + '{ name = "age_ms", type = "u16", unit = "ms", invalid = 65535, since = "1.1", '
        'about = "x" },\n'
        '{ name = "hold_ms", type = "u8", unit = "ms", invalid = 9, since = "1.2", '
        'about = "x" },\n',
    )
    assert _run(folder).returncode == 0
    program = (
        "import json, tagwire\n"
        "payloads = ['0207', '02070100', '0207010003', '020701', '02']\n"
        "frames = [tagwire.encode_frame('a', 0, tagwire.Unknown(4, bytes.fromhex(p)))"
        " for p in payloads]\n"
        "found = [tagwire.decode_frame(frame[1:-1]) for frame in frames]\n"
        "print(json.dumps([f.reason if isinstance(f, tagwire.Malformed) else f.message"
        " for f in found]))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    assert json.loads(ran.stdout) == [
        [2, 7, 65_535, 9],
        [2, 7, 1, 9],
        [2, 7, 1, 3],
        "short",
        "short",
    ]
