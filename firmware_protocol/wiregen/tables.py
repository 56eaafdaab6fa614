"""The tables of SPEC.md, between the markers that stand there."""

import re

from wiregen.schema import Message, Schema, SchemaError, type_bounds


def spec_table(message: Message) -> str:
    """Give one message's table for SPEC.md."""
    out = [
        (
            f"`{message.name}`, kind `0x{message.kind:02X}`, {message.direction}, "
            f"{message.size} bytes, since {message.since}."
        ),
        message.about,
        "",
        "| offset | type | field | unit | not given | meaning |",
        "|---|---|---|---|---|---|",
    ]
    at = 0
    for field in message.fields:
        unit = f"`{field.enum}`" if field.enum else field.unit
        invalid = "" if field.invalid is None else str(field.invalid)
        about = field.about + (f" ({field.sigma})" if field.sigma else "")
        if field.high < type_bounds(field.type)[1] - 1:
            about += f"; {field.low} to {field.high}"
        out.append(f"| {at} | {field.type} | `{field.name}` | {unit} | {invalid} | {about} |")
        at += field.size
    return "\n".join(out)


def enum_table(name: str, about: str, values: tuple[tuple[str, int, str], ...]) -> str:
    """Give one enum's table for SPEC.md."""
    out = [f"`{name}`: {about}", "", "| value | name | meaning |", "|---|---|---|"]
    out += [f"| {number} | {value} | {what} |" for value, number, what in values]
    return "\n".join(out)


def spec_tables(schema: Schema) -> dict[str, str]:
    """Give every generated table of SPEC.md by its marker's name."""
    tables = {message.name: spec_table(message) for message in schema.messages}
    for name, (about, values) in schema.enums.items():
        tables[name] = enum_table(name, about, values)
    return tables


_TABLE = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def fill_spec(text: str, tables: dict[str, str]) -> str:
    """Give SPEC.md with its tables renewed; raises SchemaError on a missing or unexpected one."""
    found = _TABLE.findall(text)
    if sorted(found) != sorted(tables):
        missing, unexpected = set(tables) - set(found), set(found) - set(tables)
        raise SchemaError(
            f"SPEC.md: tables missing {sorted(missing)}, unexpected {sorted(unexpected)}, "
            "each exactly once"
        )
    return _TABLE.sub(
        lambda match: f"<!-- table {match[1]} -->\n{tables[match[1]]}\n<!-- end -->", text
    )
