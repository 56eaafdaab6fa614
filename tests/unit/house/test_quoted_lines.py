"""The documents quote what the programs say: each quoted line exists in the source.

A fenced block marked `log` is a quotation. What varies stands in angle brackets there:
`port <name>: lost` is found in f"port {name}: lost", in "port %s: lost" and in "port $name: lost".
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "<>"
DOC_VARIABLE = re.compile(r"<[^<>]*>")
FORMAT_VARIABLE = re.compile(r"%[-+0-9.]*[sdrfgx]")
SHELL_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\w+")
FENCE = re.compile(r"^```log\n(.*?)^```", re.MULTILINE | re.DOTALL)


def quoted_lines(markdown: str) -> list[str]:
    """Give the lines of the blocks marked as log, with what varies cut out."""
    lines = "".join(FENCE.findall(markdown)).splitlines()
    return [DOC_VARIABLE.sub(VARIABLE, line.strip()) for line in lines if line.strip()]


def said_in_python(source: str) -> Iterator[str]:
    """Give the texts of a module, with what varies cut out."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)):
                yield FORMAT_VARIABLE.sub(VARIABLE, text)
            case ast.JoinedStr(values=values):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else VARIABLE
                    for part in values
                )


def said_in_shell(source: str) -> Iterator[str]:
    """Give the lines of a script, with what varies cut out."""
    yield from (SHELL_VARIABLE.sub(VARIABLE, line) for line in source.splitlines())


def all_said() -> str:
    texts: list[str] = []
    for folder in ("daemon", "deploy"):
        for path in (ROOT / folder).rglob("*.py"):
            texts += said_in_python(path.read_text(encoding="utf-8"))
    texts += said_in_shell((ROOT / "deploy" / "dev").read_text(encoding="utf-8"))
    return "\n".join(texts)


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "deploy" / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    "source",
    ['say(f"port {name}: lost")', 'log.info("port %s: lost", name)'],
)
def test_text_of_python_with_a_variable_matches_its_quotation(source: str) -> None:
    """Angle brackets in a quotation stand for what the program fills in."""
    assert quoted_lines("```log\nport <name>: lost\n```\n")[0] in set(said_in_python(source))


def test_text_of_shell_with_a_variable_matches_its_quotation() -> None:
    """A shell variable is what varies too."""
    assert list(said_in_shell("echo ${found:- none}, $name")) == ["echo <>, <>"]


def test_lines_quoted_in_the_documents_exist_in_the_source() -> None:
    """Nobody searches for a line that the program never says."""
    said = all_said()
    missing = [
        f"{path.relative_to(ROOT).as_posix()}: {line}"
        for path in documents()
        for line in quoted_lines(path.read_text(encoding="utf-8"))
        if line not in said
    ]
    assert missing == []
