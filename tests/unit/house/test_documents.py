"""The documents name commands that there are and files that there are."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "firmware_protocol" / "SPEC.md",
    *sorted((ROOT / "deploy" / "docs").rglob("*.md")),
]
DEV_COMMAND = re.compile(r"\./deploy/dev ([a-z]+)")
LINK = re.compile(r"\]\(([^)#:]+)\)")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def commands() -> set[str]:
    """Give the commands that ./deploy/dev says it has."""
    done = subprocess.run(
        [str(ROOT / "deploy" / "dev"), "help"], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"^  ([a-z]+) ", done.stdout, re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_commands_in_a_document_exist(document: Path, commands: set[str]) -> None:
    """Whoever types what a document says is understood."""
    named = set(DEV_COMMAND.findall(document.read_text(encoding="utf-8")))
    assert named - commands == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_links_in_a_document_lead_to_files(document: Path) -> None:
    """A link within the repository leads somewhere."""
    links = LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_decisions_are_all_in_the_list() -> None:
    """Each decision's page is linked from the list of them."""
    folder = ROOT / "deploy" / "docs" / "adr"
    listed = set(LINK.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert {path.name for path in folder.glob("0*.md")} == listed


@pytest.mark.parametrize(
    "page", sorted((ROOT / "deploy" / "docs" / "adr").glob("0*.md")), ids=relative
)
def test_decision_has_each_of_its_parts(page: Path) -> None:
    """A decision says when, whether it holds, why, what, and what follows."""
    text = page.read_text(encoding="utf-8")
    parts = ("- Date: ", "- Status: ", "## Context", "## Decision", "## Consequences")
    assert [part for part in parts if part not in text] == []
