"""Writes what follows from messages.toml: Python layouts, the spec's tables, valid vectors.

Run it after each change of messages.toml; `--check` writes nothing and fails on a generated
file or table that is outdated, missing or unexpected.
"""

import argparse
import sys
from pathlib import Path

from wiregen.python import python_source
from wiregen.schema import MARK, SchemaError, parse_schema
from wiregen.tables import fill_spec, spec_tables
from wiregen.vectors import vectors

HERE = Path(__file__).resolve().parent


def outputs(here: Path) -> dict[Path, str]:
    """Give every file that follows from messages.toml with the text it should have."""
    schema = parse_schema((here / "messages.toml").read_text(encoding="utf-8"))
    spec = here / "SPEC.md"
    return {
        here / "tagwire" / "messages.py": python_source(schema),
        here / "vectors" / "valid.json": vectors(schema),
        spec: fill_spec(spec.read_text(encoding="utf-8"), spec_tables(schema)),
    }


def faults(here: Path) -> list[str]:
    """Say which generated files are outdated, missing or unexpected; empty when all is well."""
    wanted = outputs(here)
    found = []
    for path, text in wanted.items():
        name = path.relative_to(here)
        if not path.exists():
            found.append(f"{name}: missing")
        elif path.read_text(encoding="utf-8") != text:
            found.append(f"{name}: outdated")
    for path in sorted(here.rglob("*")):
        if path in wanted or path.parent.name == "wiregen" or path.suffix not in (".py", ".json"):
            continue
        if MARK in path.read_text(encoding="utf-8"):
            found.append(f"{path.relative_to(here)}: unexpected")
    return found


def main(arguments: list[str]) -> int:
    """Write or check; give the exit status."""
    parser = argparse.ArgumentParser(description="Write what follows from messages.toml.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on differences")
    options = parser.parse_args(arguments)
    try:
        if not options.check:
            for path, text in outputs(HERE).items():
                path.write_text(text, encoding="utf-8")
        found = faults(HERE)
    except SchemaError as error:
        found = [str(error)]
    for fault in found:
        print(f"{fault}; run firmware_protocol/generate.py", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
