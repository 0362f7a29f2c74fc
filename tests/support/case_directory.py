"""The directory of a case: files, repositories, clusters, pages, from values of YAML."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.authoring import make_component_clone, make_package_clone
from tests.support.builders import Link, commit_in, commit_to, git, make_repository
from tests.support.fleet import make_fleet
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.support.servers.web import Web


def publish_pages(web: Web, given: dict[str, Any]) -> None:
    """Serve pages: texts, or mappings of `text`, `archive` or `charts` and fields of pages."""
    for path, page in given.items():
        fields: dict[str, Any] = {"text": page} if isinstance(page, str) else dict(page)
        if "charts" in fields:
            charts = {(name, v): chart_archive(name, v) for name, v in fields["charts"]}
            chart_repository(web, charts, path=path)
        else:
            text = fields.pop("text", "")
            content = tar_archive(fields.pop("archive")) if "archive" in fields else text
            web.put(path, content, **fields)


def _component(root: Path, given: dict[str, Any]) -> None:
    spec = {"name": "one", **given}
    options = {key: spec[key] for key in ("code", "remote") if key in spec}
    make_component_clone(root / "src", spec["name"], spec.get("files"), **options)


def _package(root: Path, given: dict[str, Any]) -> None:
    make_package_clone(root / "src", given["name"], given["files"])


def _repositories(root: Path, given: dict[str, dict[str, str]]) -> None:
    for name, files in given.items():
        make_repository(root / "remotes" / f"{name}.git", files)


def _fleet(root: Path, given: dict[str, Any]) -> None:
    fleet = make_fleet(root, **given["components"])
    if "tenant" in given:
        fleet.configure(given["tenant"])


def make_checkouts(root: Path, given: dict[str, list[dict[str, Any]]]) -> None:
    """Make repositories of a list of commits, each with the files that it changes."""
    for name, commits in given.items():
        (root / name).mkdir()
        git(root / name, "init", "--quiet")
        for files in commits:
            write_files(root / name, files)
            commit_in(root / name, {})


def make_commits(root: Path, given: dict[str, Any]) -> None:
    """Commit files to bare repositories, made if missing, by NAME or NAME@BRANCH, a new branch."""
    for place, files in given.items():
        name, _, branch = place.partition("@")
        repository = root / "repos" / f"{name}.git"
        if not repository.exists():
            make_repository(repository, {})
        if branch:
            git(repository, "branch", branch, "master")
        contents = {path: _committed(content) for path, content in files.items()}
        commit_to(repository, contents, branch=branch or "master")


def _committed(content: Any) -> str | Link | None:  # noqa: ANN401 - YAML
    match content:
        case {"link": target}:
            return Link(target)
        case {"json": value}:
            return json.dumps(value, indent=1)
        case _:
            return content  # type: ignore[no-any-return] # a text, or null for a removed file


def place_of(root: Path, name: str) -> Path:
    """The path of a file, which may be in the home directory."""
    return Path.home() / name.removeprefix("home/") if name.startswith("home/") else root / name


def write_files(root: Path, given: dict[str, Any]) -> None:
    """Write files: null removes one, [old, new] replaces a text, a mapping makes something else.

    Names that begin with home/ are in the home directory.
    """
    for name, content in given.items():
        path = place_of(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case None if path.is_dir():
                shutil.rmtree(path)
            case None:
                path.unlink()
            case [old, new]:
                before = path.read_text("utf-8")
                assert old in before
                path.write_text(before.replace(old, new, 1), "utf-8")
            case dict():
                _make(root, path, content)
            case _:
                path.write_text(content, "utf-8")


def _make(root: Path, path: Path, content: dict[str, Any]) -> None:
    match content:
        case {"link": target}:
            path.symlink_to(target)
        case {"folder": _}:
            path.mkdir()
        case {"objects": objects}:
            path.write_text("---\n".join(f"{json.dumps(content)}\n" for content in objects))
        case {"repository": _}:
            shutil.rmtree(path)
            git(path.parent, "init", "--quiet")
        case {"moved": old}:
            (root / old).rename(path)
        case {"program": script}:
            path.write_text(script)
            path.chmod(0o755)
        case {"latin1": [old, new]}:
            path.write_bytes(path.read_bytes().replace(old.encode(), new.encode("latin1"), 1))
        case {"latin1": text}:
            path.write_bytes(text.encode("latin1"))
        case _:
            raise ValueError(f"{path}: {content} is not a kind of file")


GIVEN: Mapping[str, Callable[[Path, Any], None]] = {
    "component": _component,
    "package": _package,
    "repositories": _repositories,
    "fleet": _fleet,
    "commits": make_commits,
    "checkout": make_checkouts,
    "files": write_files,
}
