"""Valid vectors, from an encoder of its own: byte by byte and bit by bit, as the spec words it.

It never imports tagwire, so that the two can disagree.
"""

import json
from collections.abc import Iterator

from wiregen.schema import MARK, TYPES, Message, Schema


def crc16(data: bytes) -> int:
    """Give CRC-16/IBM-3740, bit by bit as the spec words it."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def stuff(data: bytes) -> bytes:
    """Give COBS of at most 253 bytes, byte by byte as the spec words it."""
    out, run = bytearray(), bytearray()
    for byte in data:
        if byte:
            run.append(byte)
        else:
            out += bytes([len(run) + 1]) + run
            run.clear()
    return bytes(out + bytes([len(run) + 1]) + run)


def wire(schema: Schema, tag: str, seq: int, kind: int, payload: bytes) -> bytes:
    """Give a whole frame with its delimiters."""
    name = tag.encode("ascii")
    data = bytes([schema.version << 4, kind]) + seq.to_bytes(2, "little")
    data += bytes([len(name)]) + name + payload
    return b"\0" + stuff(data + crc16(data).to_bytes(2, "big")) + b"\0"


def _vector_values(message: Message) -> Iterator[tuple[str, list[int], bytes]]:
    """Give name, values and junk tail of each vector of one message."""
    low = [field.low for field in message.fields]
    high = [field.high for field in message.fields]
    middle = [
        field.low + (field.high - field.low) * (index + 2) // (len(message.fields) + 3)
        for index, field in enumerate(message.fields)
    ]
    yield "lowest", low, b""
    yield "highest", high, b""
    yield "middle", middle, b""
    if any(field.invalid is not None for field in message.fields):
        yield (
            "not given",
            [field.low if field.invalid is None else field.invalid for field in message.fields],
            b"",
        )
    yield "longer than known", middle, b"\x00\xa5\x00"


def vectors(schema: Schema) -> str:
    """Give vectors/valid.json."""
    cases = []
    for number, message in enumerate(schema.messages):
        for step, (name, values, junk) in enumerate(_vector_values(message)):
            payload = b"".join(
                value.to_bytes(field.size, "little", signed=TYPES[field.type][2])
                for field, value in zip(message.fields, values, strict=True)
            )
            tag = ("r1", "umpire-1", "7", "A_long.tag-id_of_32_characters_x", "b")[step]
            seq = (0, 65_535, 256, 1, 4_660 + number)[step]
            cases.append(
                {
                    "name": f"{message.name}, {name}",
                    "hex": wire(schema, tag, seq, message.kind, payload + junk).hex(),
                    "tag": tag,
                    "seq": seq,
                    "message": message.name,
                    "fields": dict(
                        zip((field.name for field in message.fields), values, strict=True)
                    ),
                    "tail": junk.hex(),
                }
            )
    return json.dumps({"note": MARK, "cases": cases}, indent=1) + "\n"
