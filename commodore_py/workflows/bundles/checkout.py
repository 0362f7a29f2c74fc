"""The checkout of the global configuration: its bundles, and commits of what commands write."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.status import status
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of as bytes_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.dependencies.bundles.content import content_of
from commodore_py.dependencies.bundles.in_use import class_file
from commodore_py.dependencies.bundles.index import FILE, FOLDER, Index, parse
from commodore_py.errors import CommodoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.dependencies.bundles.content import Content
    from commodore_py.dependencies.bundles.index import Entry

_GLOBAL = "commodore.yml"  # which only a global configuration has
_NAME_IT = (
    "change to a checkout of the global configuration; in a working directory it is"
    " inventory/classes/global"
)


@dataclass(frozen=True, slots=True)
class Bundles:
    """A checkout and its index; an empty text if there is none yet."""

    folder: Path
    index: Index
    text: bytes = b""

    def entry(self, version: str) -> Entry:
        """A version that must be there."""
        entry = self.index.entry(version)
        if entry is None:
            versions = ", ".join(entry.version for entry in reversed(self.index.sorted())) or "none"
            raise UsageError(
                f"there is no bundle {version}",
                where=str(self.folder / FILE),
                hint=f"known versions: {versions}",
            )
        return entry

    def bytes_of(self, entry: Entry) -> bytes:
        """The class file of a version."""
        return bytes_of(class_file(self.folder, entry.name))

    def content(self, entry: Entry) -> Content:
        """Content of a version."""
        file = str(class_file(self.folder, entry.name))
        return content_of(self.bytes_of(entry), file, entry.commits)

    def aliases(self) -> dict[str, str]:
        """Classes in `bundles` that the index lacks, and the version that each leads to, if any."""
        versions = {entry.name: entry.version for entry in self.index.entries}
        files = (self.folder / FOLDER).glob("*.y*ml")
        names = {file.stem for file in files if file.name != Path(FILE).name} - versions.keys()
        included = {name: self._only_class_of(name) for name in names}
        aliases = {}
        for name in sorted(names):
            leads_to = name
            for _ in names:
                leads_to = included.get(leads_to, leads_to)
            aliases[name] = versions.get(leads_to, "")
        return aliases

    def _only_class_of(self, name: str) -> str:
        """The class that a class includes, if that is all that it does."""
        file = class_file(self.folder, name)
        with suppress(YamlError):
            match yaml.load(bytes_of(file), name=str(file)):
                case {"classes": [str(included)], **others} if not others:
                    return included.rpartition(".")[2]
        return ""


def read(paths: WorkPaths) -> Bundles:
    """The bundles of the checkout around the current folder, else of the working directory."""
    folder = _checkout(paths)
    if not (folder / FILE).is_file():
        raise CommodoreError(
            "there is no index of bundles",
            where=str(folder / FILE),
            hint=f"{_NAME_IT}; `commodore bundle publish` begins an index",
        )
    text = bytes_of(folder / FILE)
    return Bundles(folder, parse(text, str(folder / FILE)), text)


def writable(paths: WorkPaths) -> Bundles:
    """The bundles of a checkout that may be committed to: it is clean, and on a branch."""
    folder = _checkout(paths)
    if not git(folder, "branch", "--show-current").strip():
        raise CommodoreError(
            "the checkout is not on a branch", where=str(folder), hint="git switch BRANCH"
        )
    if status(folder, untracked=False).changes:
        raise CommodoreError(
            "the checkout has changes", where=str(folder), hint="commit or stash them first"
        )
    file = folder / FILE
    text = bytes_of(file) if file.is_file() else b""
    return Bundles(folder, parse(text, str(file)) if text else Index(), text)


def _checkout(paths: WorkPaths) -> Path:
    """The checkout of a global configuration: around the current folder, or what was fetched."""
    checkouts = [
        path for path in (_top(Path.cwd()), _top(paths.classes / "global")) if path is not None
    ]
    for file in (FILE, _GLOBAL):
        for checkout in checkouts:
            if (checkout / file).is_file():
                return checkout.resolve()
    raise CommodoreError(
        "not a checkout of a global configuration", where=str(Path.cwd()), hint=_NAME_IT
    )


def commit(bundles: Bundles, files: Mapping[str, bytes], message: str, *, push: bool) -> str:
    """Write files and commit them; what cannot be committed is taken back. Returns the commit."""
    folder = bundles.folder
    before = {name: bytes_of(file) if (file := folder / name).is_file() else None for name in files}
    try:
        for name, content in files.items():
            write_if_changed(folder / name, content)
        git(folder, "add", "--", *files)
        git(folder, "commit", "--quiet", "--message", message, "--", *files)
    except BaseException as error:
        for name, old in before.items():
            if old is None:
                remove(folder / name)
            else:
                write_if_changed(folder / name, old)
        git(folder, "reset", "--quiet", "--", *files)
        if isinstance(error, ProgramFailed):
            raise CommodoreError(
                f"cannot commit: {error.stderr.strip()}", where=str(folder)
            ) from error
        raise
    if push:
        over_network(folder, "push", "--quiet", "origin", "HEAD")
    return git(folder, "rev-parse", "HEAD").strip()


def _top(folder: Path) -> Path | None:
    for path in (folder.absolute(), *folder.absolute().parents):
        if (path / ".git").exists():
            return path
    return None
