"""The docs know every command, their links lead somewhere, and decisions have their shape."""

import json
import re
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from tests.support.schemas import FOLDER, file_of

from .command_reference import PAGE, Command, commands, page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "changelog.d" / "README.md"])
ADRS = sorted((DOCS / "adr").glob("[0-9]*.md"))

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SCHEMA = re.compile(r'"([a-z-]+/v\d+)"')
_CODE = re.compile(r"`([^`]+)`")


COMMANDS = list(commands())


def sections(page: Path) -> dict[str, str]:
    """The text below each second-level heading."""
    parts = re.split(r"^(## .*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def words_in_code(text: str) -> set[str]:
    return {word for code in _CODE.findall(text) for word in re.split(r"[\s=]", code)}


CLI_PAGE = sections(DOCS / "reference" / "cli.md")


def test_page_of_commands_matches_their_help() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.house.command_reference"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.path)
def test_every_command_and_option_is_explained(command: Command) -> None:
    options = [p for p in command.click.params if isinstance(p, click.Option) and not p.hidden]

    assert command.click.help
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    targets = [t.partition("#")[0] for t in _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))]
    paths = [page.parent / t for t in targets if t and "://" not in t]

    assert [str(path) for path in paths if not path.exists()] == []


@pytest.mark.parametrize("page", ADRS, ids=lambda page: page.stem)
def test_every_decision_has_its_four_parts(page: Path) -> None:
    text = page.read_text("utf-8")
    number, title = int(page.name[:4]), text.splitlines()[0]

    assert title.startswith(f"# {number}. ")
    assert list(sections(page)) == [
        "## Context",
        "## Decision",
        "## Consequences",
        "## Not chosen",
    ]
    assert all(part.strip() for part in sections(page).values())
    assert len(text.splitlines()) < 80


def test_every_decision_is_in_the_index_under_its_title() -> None:
    listed = re.findall(
        r"^\| (\d+) \| \[([^\]]+)\]\(([^)]+)\) \|$",
        (DOCS / "adr" / "index.md").read_text("utf-8"),
        re.MULTILINE,
    )

    expected = [
        (
            str(int(page.name[:4])),
            page.read_text("utf-8").splitlines()[0].partition(". ")[2],
            page.name,
        )
        for page in ADRS
    ]
    assert listed == expected


def used_schemas() -> set[str]:
    code = (ROOT / "commodore_py" / "cli").rglob("*.py")
    used = {name for file in code for name in _SCHEMA.findall(file.read_text("utf-8"))}
    # The cache of the completion is a file of ours, not a result.
    return used - {"known-clusters/v1"}


def test_every_row_of_the_first_hour_names_its_test() -> None:
    page = (DOCS / "explanation" / "first-hour.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| (?!stumble|behaviour)", line)]

    # That these exist is tested for all pages of explanations.
    assert [row for row in rows if not re.search(r"\| `tests/[\w/]+\.py: test_\w+` \|$", row)] == []
    assert len(rows) > 20


def test_every_schema_has_its_section() -> None:
    page = DOCS / "reference" / "json.md"

    assert {f"## {name}" for name in used_schemas()} == set(sections(page))
    assert all(
        f"(schemas/{file_of(name).name})" in page.read_text("utf-8") for name in used_schemas()
    )


def test_every_schema_is_published_as_a_file() -> None:
    assert {file_of(name) for name in used_schemas()} == set(FOLDER.glob("*"))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_a_published_schema_is_valid_and_names_itself(file: Path) -> None:
    schema = json.loads(file.read_text("utf-8"))

    Draft202012Validator.check_schema(schema)

    assert file_of(schema["properties"]["schema"]["const"]) == file
    assert schema["title"] == schema["properties"]["schema"]["const"]


def test_the_readme_begins_with_two_commands() -> None:
    first = _FENCE.findall((ROOT / "README.md").read_text("utf-8"))[0]

    verbs = [line.partition("#")[0].strip() for line in first.splitlines()[1:-1]]

    assert verbs == ["make demo", "make test"]


def test_changelog_fragments_have_a_known_kind_and_content() -> None:
    fragments = [p for p in (ROOT / "changelog.d").iterdir() if p.name != "README.md"]

    for fragment in fragments:
        _, kind, ending = fragment.name.split(".")
        assert (kind in {"added", "changed", "fixed", "removed"}, ending) == (True, "md")
        assert fragment.read_text("utf-8").strip()
