"""Every command is explained, links between files of the repository work, schemas are valid."""

import json
import re
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from tests.support.schemas import FOLDER, file_of

from .command_reference import Command, commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GENERATED = {"commands.md", "deviations.md", "json.md", "problem-codes.md"}

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SCHEMA = re.compile(r'"([a-z-]+/v\d+)"')

COMMANDS = list(commands())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.path)
def test_every_command_and_option_is_explained(command: Command) -> None:
    options = [p for p in command.click.params if isinstance(p, click.Option) and not p.hidden]

    assert command.click.help
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    targets = [t.partition("#")[0] for t in _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))]
    paths = [page.parent / t for t in targets if t and "://" not in t]

    assert [str(p) for p in paths if not p.exists() and p.name not in GENERATED] == []


def test_every_schema_is_published_as_a_file() -> None:
    code = (ROOT / "commodore_py" / "cli").rglob("*.py")
    used = {name for file in code for name in _SCHEMA.findall(file.read_text("utf-8"))}

    # The completion's cache is a private file, not a result.
    assert {file_of(name) for name in used - {"known-clusters/v1"}} == set(FOLDER.glob("*"))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_a_published_schema_is_valid_and_names_itself(file: Path) -> None:
    schema = json.loads(file.read_text("utf-8"))

    Draft202012Validator.check_schema(schema)

    assert file_of(schema["properties"]["schema"]["const"]) == file
    assert schema["title"] == schema["properties"]["schema"]["const"]
    assert schema["description"]
