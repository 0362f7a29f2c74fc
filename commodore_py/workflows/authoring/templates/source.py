"""Built-in and cookiecutter templates: opened at a version, and rendered."""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from commodore_py.adapters import git_urls
from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.files import read_tree, write_tree
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import BRANCHES, TAGS, commit_of
from commodore_py.adapters.git_credentials import without_credentials
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

from . import builtin, cookiecutter
from .kinds import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager, ExitStack

    from commodore_py.model.tree import Tree

log = logging.getLogger(__name__)


class Template(Protocol):
    """A template at one version."""

    @property
    def url(self) -> str:
        """Where it is, as records have it."""
        ...

    @property
    def commit(self) -> str:
        """What identifies the version."""
        ...

    def filled(self, given: Mapping[str, object]) -> dict[str, object]:
        """All variables in its order; unknown ones are omitted."""
        ...

    def announce(self, variables: Mapping[str, object]) -> None:
        """Show the hooks that rendering would run."""
        ...

    def render(self, variables: Mapping[str, object]) -> Tree:
        """The files of a repository."""
        ...


class UntrustedTemplate(CommodoreError):
    """A template has hooks, but is not trusted."""


@dataclass(frozen=True, slots=True)
class Templates:
    """Opens the versions of one template."""

    url: str
    trust: bool
    clone: Path | None = None
    """Where a cookiecutter template was cloned to."""
    directory: str = "."
    versions: dict[str, Path] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    """Hooks that were shown already."""

    def at(self, version: str | None) -> Template:
        """The template at a branch, tag or commit; the newest by default."""
        if self.clone is None:
            return builtin.find(self.url, version)
        commit = self._commit(self.clone, version)
        if commit not in self.versions:
            folder = self.clone.parent / f"at-{len(self.versions)}"
            try:
                git(self.clone, "worktree", "add", "--quiet", "--detach", str(folder), commit)
                if (folder / ".gitmodules").is_file():
                    over_network(folder, "submodule", "update", "--init", "--recursive", "--quiet")
            except ProgramFailed as error:
                raise _unusable(self.url, version, error) from error
            self.versions[commit] = folder
        folder = self.versions[commit] / self.directory
        if not folder.resolve().is_relative_to(self.versions[commit].resolve()):
            raise CommodoreError(
                f"{self.directory} is not a folder of the template", where=self.url
            )
        return _Cookiecutter(self.url, commit, folder, self.shown, trust=self.trust)

    def _commit(self, clone: Path, version: str | None) -> str:
        names = [f"{BRANCHES}{version}", f"{TAGS}{version}", version] if version else []
        for name in names or [f"{BRANCHES}HEAD", "HEAD"]:
            commit = commit_of(clone, name or "")
            if commit is not None:
                return commit
        raise CommodoreError(
            f"cannot use the template {without_secrets(self.url)}: revision {version} not found",
            where=without_secrets(self.url),
            hint="--template-version is a branch, a tag or a commit of the template",
        )


class OpenTemplates(Protocol):
    """A function that opens templates."""

    def __call__(
        self, url: str, directory: str | None = None, *, trust: bool
    ) -> AbstractContextManager[Templates]:
        """Open a template by its URL and its folder in the repository."""
        ...


class TemplateCache:
    """Opens templates, and clones each only once."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._known: dict[tuple[str, str | None, bool], Templates] = {}

    @contextmanager
    def __call__(
        self, url: str, directory: str | None = None, *, trust: bool
    ) -> Iterator[Templates]:
        """Open a template by its URL and its folder in the repository."""
        key = (url, directory, trust)
        if key not in self._known:
            opened = templates(url, directory, trust=trust)
            self._known[key] = self._stack.enter_context(opened)
        yield self._known[key]


@contextmanager
def templates(url: str, directory: str | None = None, *, trust: bool) -> Iterator[Templates]:
    """Open a template by its URL and its folder in the repository; removes the clone afterwards."""
    if url.startswith(BUILT_IN):
        yield Templates(url, trust)
        return
    with tempfile.TemporaryDirectory(prefix="commodore-template-") as scratch:
        clone = Path(scratch) / "clone"
        git_urls.check_transport(url)
        shown, address = without_secrets(url), without_credentials(url)
        log.info("fetching the template %s", shown)
        how = ("--quiet", "--no-checkout", "--", address, str(clone))
        try:
            over_network(Path(scratch), "clone", *how)
        except ProgramFailed as error:
            raise _unusable(url, None, error) from error
        yield Templates(url, trust, clone, directory or ".")


def recorded_url(url: str) -> str:
    """A template's URL as records have it: folders of this machine from the root."""
    path = Path(url.removeprefix("file://"))
    is_path = url.startswith("file://") or "://" not in url
    return str(path.absolute()) if is_path and path.exists() else without_credentials(url)


@dataclass(frozen=True, slots=True)
class _Cookiecutter:
    url: str
    commit: str
    folder: Path
    shown: set[str]
    trust: bool

    def filled(self, given: Mapping[str, object]) -> dict[str, object]:
        own = {name: value for name, value in given.items() if not name.startswith("_")}
        return cookiecutter.filled(self.folder, own)

    def announce(self, variables: Mapping[str, object]) -> None:
        self._show(cookiecutter.hooks_of(self.folder), self._context(variables))

    def render(self, variables: Mapping[str, object]) -> Tree:
        context = self._context(variables)
        hooks = cookiecutter.hooks_of(self.folder)
        if hooks and not self.trust:
            self._show(hooks, context)
            names = ", ".join(str(hook) for hook in hooks)
            raise UntrustedTemplate(
                f"the template runs hooks, shown above: {names}",
                where=without_secrets(self.url),
                hint="review them; to run them on this machine: --trust",
            )
        tree = cookiecutter.render(self.folder, context)
        if not hooks:
            return tree
        self._show(hooks, context)
        with tempfile.TemporaryDirectory(prefix="commodore-template-") as scratch:
            folder = Path(scratch) / "project" / str(variables.get("slug", "project"))
            folder.mkdir(parents=True)
            for hook in hooks:
                if hook.stage == "post_gen_project":
                    write_tree(folder, read_tree(folder) | tree)
                self._run(hook, Path(scratch), folder, context)
            if all(hook.stage != "post_gen_project" for hook in hooks):
                return read_tree(folder) | tree
            return read_tree(folder)

    def _context(self, variables: Mapping[str, object]) -> dict[str, object]:
        return {**variables, "_template": self.url, "_commit": self.commit}

    def _show(self, hooks: tuple[cookiecutter.Hook, ...], context: Mapping[str, object]) -> None:
        for hook in hooks:
            text = cookiecutter.script_of(hook, context)
            if text not in self.shown:
                log.warning("the template runs the hook %s:\n%s", hook, text)
            self.shown.add(text)

    def _run(
        self,
        hook: cookiecutter.Hook,
        scratch: Path,
        folder: Path,
        context: Mapping[str, object],
    ) -> None:
        script = scratch / f"{hook.stage}{hook.file.suffix}"
        script.write_text(cookiecutter.script_of(hook, context), "utf-8")
        script.chmod(0o700)
        command = [sys.executable, "-B", str(script)] if script.suffix == ".py" else [str(script)]
        where = folder
        if hook.stage == "pre_prompt":
            where = scratch / "prompt"
            shutil.copytree(self.folder, where, symlinks=True)
        try:
            run(command, cwd=where, only_env=child_environment(), forward=True)
        except ProgramFailed as error:
            raise CommodoreError(
                f"{hook} of the template failed: {error.stderr.strip() or error}",
                where=without_secrets(self.url),
            ) from error


def _unusable(url: str, version: str | None, error: ProgramFailed) -> CommodoreError:
    shown = without_secrets(url)
    at = f" at version {version}" if version else ""
    return CommodoreError(
        f"cannot use the template {shown}{at}: {error.stderr.strip() or error}",
        where=shown,
        hint="check --template-url and --template-version, and your access to the repository",
    )
