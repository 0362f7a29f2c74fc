"""Built-in and third-party templates at their versions."""

from __future__ import annotations

import json
import logging
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import BRANCHES, TAGS, commit_of
from commodore_py.adapters.git_urls import without_credentials
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.lib import TEMPLATES
from commodore_py.model.git_names import has_git_name

from . import rendering
from .kinds import BUILT_IN, check_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

log = logging.getLogger(__name__)

RELEASED: Final = {
    "component": ("4cb1a3e90a452f24b6292042b7d3596646bfc16f",),
    "package": ("9f0ec495572650559c7f3e9c0131d2b3a74078de",),
}
"""Versions of the built-in templates, oldest first, as repositories record them.

The first is in the folder `1`. A released version never changes: updates render it again to tell
changes of the template from those of the author.
"""
_NEWEST: Final = (None, "main", "HEAD")
_EXPRESSION: Final = re.compile(r"\{[{%#]|<[<%#]")


@dataclass(frozen=True, slots=True)
class Version:
    """A template at one version."""

    url: str
    commit: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates, each of which is cloned once."""

    scratch: Path
    trust: bool
    clones: dict[str, Path] = field(default_factory=dict)
    checkouts: dict[tuple[str, str], Path] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    """Hooks that were shown already."""

    def at(self, url: str, version: str | None, directory: str | None = None) -> Version:
        """A template at a branch, tag or commit; the newest version by default."""
        if url.startswith(BUILT_IN):
            return _built_in(url, version)
        commit = self._commit(url, version)
        top = self._checkout(url, commit)
        folder = top / (directory or ".")
        if not folder.resolve().is_relative_to(top.resolve()):
            raise CommodoreError(f"{directory} is not a folder of the template", where=url)
        if not (folder / "cookiecutter.json").is_file():
            raise CommodoreError(
                "not a cookiecutter template: there is no cookiecutter.json",
                where=without_secrets(url),
            )
        self._show_hooks(folder)
        return Version(url, commit, folder)

    def render(self, *requests: tuple[Version, Mapping[str, object]]) -> list[rendering.Rendered]:
        """Render versions of templates with variables; private ones are computed again."""
        for template, _ in requests:
            if not template.url.startswith(BUILT_IN) and not self.trust:
                raise CommodoreError(
                    "a third-party template can run code on this machine, by hooks and expressions",
                    where=without_secrets(template.url),
                    hint="review the template, above all the hooks shown above; to use it: --trust",
                )
        where = without_secrets(requests[-1][0].url)
        results = rendering.render([_job(*request) for request in requests], where=where)
        for result in results:
            for path in result.files:
                if has_git_name(str(path)):
                    raise CommodoreError(f"the template would write {path}, a file of Git's own")
        return results

    def _commit(self, url: str, version: str | None) -> str:
        if url not in self.clones:
            git_urls.check_transport(url)
            log.info("fetching the template %s", without_secrets(url))
            clone = self.scratch / f"clone-{len(self.clones)}"
            how = ("--quiet", "--no-checkout", "--", without_credentials(url), str(clone))
            with _usable(url, None):
                over_network(self.scratch, "clone", *how)
            self.clones[url] = clone
        names = [f"{BRANCHES}{version}", f"{TAGS}{version}", version] if version else []
        for name in names or [f"{BRANCHES}HEAD", "HEAD"]:
            commit = commit_of(self.clones[url], name or "")
            if commit is not None:
                return commit
        raise CommodoreError(
            f"cannot use the template {without_secrets(url)}: revision {version} not found",
            where=without_secrets(url),
            hint="--template-version is a branch, a tag or a commit of the template",
        )

    def _checkout(self, url: str, commit: str) -> Path:
        if (url, commit) not in self.checkouts:
            folder = self.scratch / f"at-{len(self.checkouts)}"
            how = ("--quiet", "--detach", str(folder), commit)
            with _usable(url, commit):
                git(self.clones[url], "worktree", "add", *how)
                if (folder / ".gitmodules").is_file():
                    over_network(folder, "submodule", "update", "--init", "--recursive", "--quiet")
            self.checkouts[url, commit] = folder
        return self.checkouts[url, commit]

    def _show_hooks(self, folder: Path) -> None:
        for hook in sorted(folder.glob("hooks/*")):
            # A link may lead to any file of the user.
            shown = hook.is_file() and hook.resolve().is_relative_to(folder.resolve())
            text = hook.read_text("utf-8", errors="replace") if shown else "a link or a folder"
            if text not in self.shown:
                log.warning("the template has the hook hooks/%s:\n%s", hook.name, text)
                self.shown.add(text)


def _job(template: Version, variables: Mapping[str, object]) -> dict[str, object]:
    given = {name: value for name, value in variables.items() if not name.startswith("_")}
    for name, value in given.items():
        # Cookiecutter evaluates values as it does defaults, and records come with repositories.
        if _EXPRESSION.search(json.dumps(value)):
            raise CommodoreError(
                f"the value of {name} contains an expression of a template: {value!r}",
                where=without_secrets(template.url),
                hint="{{, {%, {#, <<, <% and <# cannot be part of a value; that of a repository is"
                f" context.cookiecutter.{name} in .cruft.json",
            )
    cases = str(given.get("test_cases", "")).split()
    if template.url.startswith(BUILT_IN):
        for case in cases:
            check_case(case, without_secrets(template.url))
    if cases:
        # Hooks make a folder for every case, and fail if there is one.
        given["test_cases"] = " ".join(dict.fromkeys(cases))
    added = {"_template": template.url, "_commit": template.commit}
    return {"folder": str(template.folder), "given": given, "added": added}


@contextmanager
def open_templates(*, trust: bool) -> Iterator[Templates]:
    """A place for templates; removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="commodore-template-") as scratch:
        yield Templates(Path(scratch), trust)


def recorded_url(url: str) -> str:
    """A template's URL as records have it: folders of this machine from the root."""
    path = Path(url.removeprefix("file://"))
    is_path = url.startswith("file://") or "://" not in url
    return str(path.absolute()) if is_path and path.exists() else without_credentials(url)


def _built_in(url: str, version: str | None) -> Version:
    kind = url.removeprefix(BUILT_IN)
    released = RELEASED.get(kind)
    if released is None:
        raise CommodoreError(f"there is no built-in template {kind!r}", where=url)
    for number, commit in reversed([*enumerate(released, 1)]):
        if version in (*_NEWEST, str(number), commit):
            return Version(url, commit, TEMPLATES / kind / str(number))
    raise CommodoreError(
        f"the built-in {kind} template has no version {version}",
        where=url,
        hint=f"available: 1 to {len(released)}; a newer commodore may have more",
    )


@contextmanager
def _usable(url: str, version: str | None) -> Iterator[None]:
    try:
        yield
    except ProgramFailed as error:
        shown = without_secrets(url)
        at = f" at version {version}" if version else ""
        raise CommodoreError(
            f"cannot use the template {shown}{at}: {error.stderr.strip() or error}",
            where=shown,
            hint="check --template-url and --template-version, and your access to the repository",
        ) from error
