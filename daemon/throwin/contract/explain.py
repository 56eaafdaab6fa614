"""What is wrong with a file, in the words of the one who wrote it: path, expected, got. Pure."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

NAME_PATTERN = r"^[A-Za-z0-9_.-]{1,32}\Z"
NAME_WORDS = "1 to 32 letters, digits, dots, dashes or underscores"
_AT = re.compile(r"^(?P<what>.*) - at `\$\.?(?P<path>.*)`$", re.DOTALL)
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<key>.*)`$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(?P<key>.*)`$")


class Explained(NamedTuple):
    """One fault of a file: the key's path, what was expected there, what stands there."""

    path: str
    expected: str
    got: str


def explain(message: str, raw: dict[str, Any], root: type[msgspec.Struct]) -> Explained:
    """Explain the text of a validation error that came of reading raw as root."""
    match = _AT.match(message)
    what, path = (match["what"], match["path"]) if match else (message, "")
    kinds = list(_kinds_at(inspect.type_info(root), _steps(path)))
    if unknown := _UNKNOWN.match(what):
        key = unknown["key"]
        known = [
            field.encode_name
            for kind in kinds
            if isinstance(kind, inspect.StructType)
            for field in kind.fields
        ]
        hint = did_you_mean(key, known) or f", one of {', '.join(dict.fromkeys(known))}"
        return Explained(_join(path, key), f"a known key{hint}", f"unknown key {key!r}")
    if missing := _MISSING.match(what):
        return Explained(_join(path, missing["key"]), "a value", "nothing")
    value = _value_at(raw, path)
    words = [
        str(word) for kind in kinds if isinstance(kind, inspect.LiteralType) for word in kind.values
    ]
    if words:
        expected = f"one of {', '.join(words)}{did_you_mean(str(value), words)}"
    else:
        expected = what.removeprefix("Expected ").split(", got ")[0].replace("`", "")
        expected = expected.replace(f"str matching regex {NAME_PATTERN!r}", NAME_WORDS)
    return Explained(path or "(file)", expected, repr(value))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Give the words of a hint at what was meant, "" when nothing comes near."""
    plain = {name.lower(): name for name in known}
    near = difflib.get_close_matches(" ".join(word.lower().split()), plain, n=1)
    return f" (did you mean {plain[near[0]]}?)" if near else ""


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _steps(path: str) -> list[str]:
    """Take a path such as moves[1].to_yd[0] apart."""
    return re.findall(r"[^.\[\]]+", path)


def _kinds_at(kind: inspect.Type, steps: Sequence[str]) -> Iterator[inspect.Type]:
    """Give what may stand at a path: several where a value may be of several kinds."""
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _kinds_at(one, steps)
        return
    if not steps:
        yield kind
        return
    match kind:
        case inspect.StructType():
            for field in kind.fields:
                if field.encode_name == steps[0]:
                    yield from _kinds_at(field.type, steps[1:])
        case inspect.VarTupleType():
            yield from _kinds_at(kind.item_type, steps[1:])
        case inspect.TupleType():
            yield from _kinds_at(kind.item_types[int(steps[0])], steps[1:])
        case _:
            return


def _value_at(raw: object, path: str) -> object:
    """Give what stands at a path; a part that is not there ends the way."""
    value = raw
    for step in _steps(path):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return value
    return value
