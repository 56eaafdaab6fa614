"""The source of tagwire/messages.py.

Its text is what the formatter would make of it, so that generated code passes the same checks.
"""

import re
from collections.abc import Iterator

from wiregen.schema import MARK, TYPES, Field, Message, Schema, type_bounds


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _reading(field: Field) -> tuple[list[str], str]:
    """Give the names that unpack fills for a field, and the expression of its value."""
    if len(field.codes) == 1:
        return [field.name], field.name
    low, high = f"{field.name}_low", f"{field.name}_high"
    return [low, high], f"{high} << 32 | {low}"


def _writing(field: Field) -> list[str]:
    if len(field.codes) == 1:
        return [f"message.{field.name}"]
    return [f"message.{field.name} & 0xFFFFFFFF", f"message.{field.name} >> 32"]


def _defaults(message: Message) -> dict[str, str]:
    """Give the constants of the fields that may be left out: those at the end with invalid."""
    found: dict[str, str] = {}
    for field in reversed(message.fields):
        if field.invalid is None:
            break
        found[field.name] = _constant(message, field)
    return found


def _constant(message: Message, field: Field) -> str:
    return f"{_snake(message.name)}_{field.name}_invalid".upper()


def _python_message(message: Message) -> Iterator[str]:
    yield f"class {message.name}(NamedTuple):"
    yield f'    """{message.about}'
    yield ""
    for field in message.fields:
        unit = f" [{field.unit}]" if field.unit else ""
        yield f"    {field.name}{unit}: {field.about}."
    yield '    """'
    yield ""
    defaults = _defaults(message)
    for field in message.fields:
        default = f" = {defaults[field.name]}" if field.name in defaults else ""
        yield f"    {field.name}: int{default}"
    yield ""
    yield ""


def _python_codec(message: Message) -> Iterator[str]:
    upper, lower = _snake(message.name).upper(), _snake(message.name)
    readings = [_reading(field) for field in message.fields]
    codes = "".join(field.codes for field in message.fields)
    yield f'_{upper} = Struct("<{codes}")'
    yield ""
    yield ""
    yield f"def _decode_{lower}(body: bytes | bytearray, at: int) -> {message.name}:"
    yield "    ("
    for names, _ in readings:
        for name in names:
            yield f"        {name},"
    yield f"    ) = _{upper}.unpack_from(body, at)"
    yield "    return tuple.__new__("
    yield f"        {message.name},"
    yield "        ("
    for _, value in readings:
        yield f"            {value},"
    yield "        ),"
    yield "    )"
    yield ""
    yield ""
    yield f"def _encode_{lower}(message: {message.name}) -> bytes:"
    yield f"    return _{upper}.pack("
    for field in message.fields:
        for part in _writing(field):
            yield f"        {part},"
    yield "    )"
    yield ""
    yield ""


def _bounds(message: Message) -> Iterator[str]:
    """Give the constants of bounds that the wire type does not enforce by itself."""
    for field in message.fields:
        low, high = type_bounds(field.type)
        stem = f"{_snake(message.name)}_{field.name}".upper()
        if field.low > low + 1:
            yield f"{stem}_MIN: Final = {field.low}"
        if field.high < high - 1:
            yield f"{stem}_MAX: Final = {field.high}"


def _pads(message: Message) -> dict[int, bytes]:
    """Give what completes the shorter payloads of older revisions: size → invalid values."""
    pads: dict[int, bytes] = {}
    pad, size = b"", message.size
    for field in reversed(message.fields):
        if field.since == message.since or field.invalid is None:
            break
        is_signed = TYPES[field.type][2]
        pad = field.invalid.to_bytes(field.size, "little", signed=is_signed) + pad
        size -= field.size
        pads[size] = pad
    return pads


def python_source(schema: Schema) -> str:
    """Give tagwire/messages.py."""
    out: list[str] = [
        f'"""The messages as typed values, with their layouts. {MARK}.',
        "",
        "Numbers are whole steps of the wire's units, exactly as sent. What can't be sent is",
        "refused when it is encoded; what comes in is not judged here.",
        '"""',
        "",
        "import enum",
        "from collections.abc import Callable",
        "from struct import Struct",
        "from typing import Final, NamedTuple, assert_never",
        "",
        "from tagwire.error import EncodeError",
        "",
    ]
    for message in schema.messages:
        out.extend(
            f"{_constant(message, field)}: Final = {field.invalid}"
            for field in message.fields
            if field.invalid is not None
        )
        out.extend(_bounds(message))
    out += ["", ""]
    for name, (about, values) in schema.enums.items():
        out += [f"class {name}(enum.IntEnum):", f'    """{about}"""', ""]
        out += [f"    {value} = {number}  # {what}" for value, number, what in values]
        out += ["", ""]
    for message in schema.messages:
        out.extend(_python_message(message))
    union = " | ".join(message.name for message in schema.messages)
    out += [f"Message = {union}", ""]
    for message in schema.messages:
        out.extend(_python_codec(message))
    out += [
        "_Decode = Callable[[bytes | bytearray, int], Message]",
        "",
        "# Kind → bytes of the payload; what completes an older revision's shorter one; decoder.",
        "DECODERS: Final[dict[int, tuple[int, dict[int, bytes], _Decode]]] = {",
    ]
    out += [
        f"    0x{message.kind:02X}: ({message.size}, {_pads(message)}, "
        f"_decode_{_snake(message.name)}),"
        for message in schema.messages
    ]
    out += ["}", ""]
    out += ["# Field, lowest and highest value, and the invalid one that stands beside them.", ""]
    out += ["LIMITS: Final[dict[str, tuple[tuple[str, int, int, int | None], ...]]] = {"]
    for message in schema.messages:
        out.append(f'    "{message.name}": (')
        out += [
            f'        ("{field.name}", {field.low}, {field.high}, {field.invalid}),'
            for field in message.fields
        ]
        out.append("    ),")
    out += [
        "}",
        "",
        "",
        "def encode_payload(message: Message) -> tuple[int, bytes]:",
        '    """Give kind and payload; raises EncodeError on a value that is out of range."""',
        "    for (name, low, high, invalid), value in zip(",
        "        LIMITS[type(message).__name__], message, strict=True",
        "    ):",
        "        if not low <= value <= high and value != invalid:",
        '            field = f"{type(message).__name__}.{name}"',
        '            raise EncodeError(field, f"{low} to {high}", value)',
        "    match message:",
    ]
    for message in schema.messages:
        out.append(f"        case {message.name}():")
        out.append(
            f"            return 0x{message.kind:02X}, _encode_{_snake(message.name)}(message)"
        )
    out += ["        case _:", "            assert_never(message)", ""]
    return "\n".join(out)
