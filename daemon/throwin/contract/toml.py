"""Frozen structs to TOML text that reads back equal. Pure; it reads nothing."""

import datetime
import json

import msgspec


def write_toml(struct: msgspec.Struct) -> str:
    """Give the TOML text of a struct of numbers, texts, tuples and structs; None is left out."""
    return "\n".join(_lines(struct, "")).strip() + "\n"


def _lines(struct: msgspec.Struct, path: str) -> list[str]:
    plain: list[str] = []
    tables: list[str] = []
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        key = f"{path}.{name}" if path else name
        if value is None:
            continue
        if isinstance(value, msgspec.Struct):
            tables += ["", f"[{key}]", *_lines(value, key)]
        elif isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
            for item in value:
                tables += ["", f"[[{key}]]", *_lines(item, key)]
        else:
            plain.append(f"{name} = {_value(value)}")
    return plain + tables


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            # JSON escapes what TOML forbids, but for one character: delete.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case datetime.datetime():
            return value.isoformat()
        case tuple():
            return "[" + ", ".join(_value(item) for item in value) + "]"
        case dict():
            pairs = (f"{_value(key)} = {_value(item)}" for key, item in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case _:
            raise TypeError(f"value: expected one that TOML has, got {type(value).__name__}")
