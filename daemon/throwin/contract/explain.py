"""What is wrong with a file, in the words of the one who wrote it: path, expected, got."""

import difflib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

_AT = re.compile(r"^(?P<what>.*) - at `\$\.?(?P<path>.*)`$", re.DOTALL)
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<key>.*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<key>.*)`$")


class Explained(NamedTuple):
    """One fault of a file: the key's path, what was expected there, what stands there."""

    path: str
    expected: str
    got: str


def explain(
    message: str, raw: dict[str, Any], sections: Iterable[type[msgspec.Struct]]
) -> Explained:
    """Explain a validation error's text; sections: all structs whose keys may be meant."""
    match = _AT.match(message)
    what, path = (match["what"], match["path"]) if match else (message, "")
    if unknown := _UNKNOWN.match(what):
        key = unknown["key"]
        known = sorted({name for section in sections for name in section.__struct_fields__})
        near = difflib.get_close_matches(key, known, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return Explained(_join(path, key), f"a known key{hint}", f"unknown key {key!r}")
    if missing := _MISSING.match(what):
        return Explained(_join(path, missing["key"]), "a value", "nothing")
    expected = what.removeprefix("Expected ").split(", got ")[0].replace("`", "")
    return Explained(path or "(file)", expected, repr(_value_at(raw, path)))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _value_at(raw: object, path: str) -> object:
    """Walk a path such as moves[1].to_yd[0]; a part that is not there ends the walk."""
    value = raw
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return value
    return value
