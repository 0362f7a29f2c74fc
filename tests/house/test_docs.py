"""Every command is explained, links between files of the repository work, schemas are valid."""

import json
import re
from pathlib import Path

import click
from jsonschema import Draft202012Validator

from tests.support.schemas import FOLDER, file_of

from .command_reference import commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GENERATED = {"commands.md", "deviations.md", "json.md", "problem-codes.md"}

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SCHEMA = re.compile(r'"([a-z-]+/v\d+)"')


def test_all_commands_and_options_have_help() -> None:
    unexplained = [
        f"{command.path} {parameter.name if parameter else ''}"
        for command in commands()
        for parameter in (None, *command.click.params)
        if not (command.click.help if parameter is None else _is_explained(parameter))
    ]

    assert unexplained == []


def _is_explained(parameter: click.Parameter) -> bool:
    is_shown = isinstance(parameter, click.Option) and not parameter.hidden
    return not is_shown or bool(getattr(parameter, "help", ""))


def test_links_inside_the_project_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for link in _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))
        if (target := link.partition("#")[0]) and "://" not in target
        if not (path := page.parent / target).exists() and path.name not in GENERATED
    ]

    assert broken == []


def test_all_schemas_are_published() -> None:
    code = (ROOT / "commodore_py" / "cli").rglob("*.py")
    used = {name for file in code for name in _SCHEMA.findall(file.read_text("utf-8"))}

    assert {file_of(name) for name in used} == set(FOLDER.glob("*"))


def test_published_schemas_are_valid_and_name_themselves() -> None:
    for file in FOLDER.glob("*.json"):
        schema = json.loads(file.read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
        assert file_of(schema["properties"]["schema"]["const"]) == file
        assert schema["title"] == schema["properties"]["schema"]["const"]
        assert schema["description"]
