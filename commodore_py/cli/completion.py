"""Completion of words in the shell: quick, silent, without a login."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import click
    from click.shell_completion import CompletionItem

_SERVER_SECONDS = 0.25
_FILES_SECONDS = 10.0
_TAGS_AND_BRANCHES = ("refs/remotes/origin", "refs/tags")
_NO_COMPONENT = ("lib", "libs")

Words: TypeAlias = "Mapping[str, str]"
"""Words with a line of help each."""
Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def _quickly(find: Callable[[click.Context, str], Iterable[Words]]) -> Complete:
    """Complete with the last words found in time; failures give none."""

    def complete(
        ctx: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        answers: list[Words] = [{}]

        def search() -> None:
            # Messages would disturb the user's input.
            with contextlib.suppress(BaseException):
                answers.extend(find(ctx, incomplete))

        thread = threading.Thread(target=search, daemon=True)
        thread.start()
        # Files are read to the end, however busy the machine is; a server may be away.
        api_url = ctx.params.get("api_url")
        thread.join(_SERVER_SECONDS if api_url and not _is_folder(api_url) else _FILES_SECONDS)
        words = answers[-1]
        return [
            CompletionItem(word, help=_shown(words[word]) or None)
            for word in sorted(words)
            # Shells read one word per line: names with blanks or control characters are unsafe.
            if word.startswith(incomplete) and word.isprintable() and " " not in word
        ]

    return complete


def _shown(text: str) -> str:
    from commodore_py.adapters import escaping
    from commodore_py.adapters.masking import REDACTOR

    return escaping.one_line(REDACTOR.masked(" ".join(text.split())))


@_quickly
def clusters(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Ids of clusters."""
    for listed in _clusters(ctx, ids_only=True):
        yield {
            cluster["id"]: cluster.get("displayName", "") for cluster in listed if cluster.get("id")
        }


@_quickly
def tenants(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Ids of tenants that have clusters."""
    for listed in _clusters(ctx, ids_only=False):
        yield {cluster["tenant"]: "" for cluster in listed if cluster.get("tenant")}


@_quickly
def instances(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Instances of components in the working directory."""
    names = (path.stem for path in _visible(_work(ctx) / "inventory" / "targets"))
    yield {name: "" for name in names if name != "cluster"}


@_quickly
def targets(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Targets in the working directory."""
    yield {path.stem: "" for path in _visible(_work(ctx) / "inventory" / "targets")}


@_quickly
def parameters(ctx: click.Context, incomplete: str) -> Iterator[Words]:
    """Paths of parameters of the target, one level at a time; those with more end with a dot."""
    yield _parameters(ctx, incomplete)


@_quickly
def editable(ctx: click.Context, incomplete: str) -> Iterator[Words]:
    """Paths of parameters, and of applications."""
    words = _parameters(ctx, incomplete)
    if incomplete.startswith("applications."):
        from commodore_py.config import WorkPaths
        from commodore_py.workflows.editing.plan import value_at

        names, _ = value_at(WorkPaths(_work(ctx).absolute()), "applications", "")
        words = {**words, **{f"applications.{name}": "" for name in names}}
    elif "." not in incomplete:
        words = {**words, "applications": ""}
    yield words


def _parameters(ctx: click.Context, incomplete: str) -> Words:
    from commodore_py.config import WorkPaths
    from commodore_py.workflows.inventory.hierarchy import parameters_of
    from commodore_py.workflows.inventory.sources import of_working_directory

    paths, target = WorkPaths(_work(ctx).absolute()), ctx.params.get("target")
    is_compiled = target and (paths.targets / f"{target}.yml").is_file()
    hierarchy = of_working_directory(paths, target if is_compiled else None)
    node: object = parameters_of(hierarchy, engine="native", missing_ok=True)
    above, dot, _ = incomplete.rpartition(".")
    for key in above.split(".") if dot else ():
        node = node.get(key) if isinstance(node, dict) else None
    children = node if isinstance(node, dict) else {}
    words = {f"{above}{dot}{key}": value for key, value in children.items()}
    inner = {f"{word}.": "" for word, value in words.items() if isinstance(value, dict) and value}
    return {**dict.fromkeys(words, ""), **inner}


@_quickly
def values(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Legal values of the parameter named before."""
    import shlex

    from commodore_py.config import WorkPaths
    from commodore_py.workflows.editing.options import options_at

    options = options_at(WorkPaths(_work(ctx).absolute()), str(ctx.params["path"]))
    # The shell would take quotes off, and what YAML reads would be another value.
    yield {
        option.value: option.source
        for option in options
        if shlex.quote(option.value) == option.value
    }


@_quickly
def components(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Components that are checked out in the working directory."""
    names = (path.name for path in _visible(_work(ctx) / "dependencies") if path.is_dir())
    yield {name: "" for name in names if name not in _NO_COMPONENT and name[:4] != "pkg."}


@_quickly
def cases_to_test(_ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Test cases of the component or package in the current folder."""
    names = (path.stem for path in _visible(Path("tests")) if path.suffix in {".yml", ".yaml"})
    yield dict.fromkeys(names, "")


@_quickly
def global_revisions(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Branches and tags of the global configuration."""
    yield _revisions(_work(ctx) / "inventory" / "classes" / "global")


@_quickly
def tenant_revisions(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Branches and tags of the tenant's configuration."""
    for path in _visible(_work(ctx) / "inventory" / "classes"):
        # Packages are links to worktrees; the tenant's is a clone.
        if path.name != "global" and not path.is_symlink() and (path / ".git").exists():
            yield _revisions(path)


def _clusters(ctx: click.Context, *, ids_only: bool) -> Iterator[list[dict[str, str]]]:
    """Saved names, then those of the API or the folder, if the saved ones are outdated."""
    from . import known_clusters

    given = {name: ctx.params.get(name) or "" for name in ("api_url", "api_token")}
    saved = known_clusters.recall(given["api_url"])
    if saved:
        yield saved.clusters
    if not saved or not saved.fresh or _is_folder(given["api_url"]):
        yield _queried(ctx, given, ids_only=ids_only)


def _queried(
    ctx: click.Context, given: Mapping[str, str], *, ids_only: bool
) -> list[dict[str, str]]:
    from commodore_py.lieutenant.clusters import cluster_ids, list_clusters

    from . import known_clusters
    from .settings.options import Globals, config_of

    config = config_of(Globals(_work(ctx), request_timeout=1), may_log_in=False, **given)
    if ids_only and _is_folder(config.api_url):
        return [{"id": name} for name in cluster_ids(config)]
    listed = list_clusters(config)
    known_clusters.remember(config.api_url, listed)
    return [{key: str(value) for key, value in cluster.items()} for cluster in listed]


def _is_folder(api_url: str) -> bool:
    return api_url.startswith((".", "/", "file://"))


def _work(ctx: click.Context) -> Path:
    return Path(ctx.find_root().params.get("working_dir") or ".")


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))


def _revisions(clone: Path) -> Words:
    from commodore_py.adapters.git.program import git

    # In another folder, git would search the parent folders.
    if not ((clone / ".git").exists() or (clone / "HEAD").is_file()):
        return {}
    names = git(clone, "for-each-ref", "--format=%(refname)", *_TAGS_AND_BRANCHES)
    words: dict[str, str] = {}
    for name in names.splitlines():
        short = name.removeprefix("refs/remotes/origin/").removeprefix("refs/tags/")
        if short != "HEAD":
            words[short] = "tag" if name.startswith("refs/tags/") else "branch"
    return words


@_quickly
def locked_inputs(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Inputs of a lock file."""
    from commodore_py.dependencies.lock.file import LockFile
    from commodore_py.workflows.lock.names import inputs_of, name_of

    yield {name_of(path): "" for path in inputs_of(LockFile.read(ctx.params["file"]).lock)}


@_quickly
def locked_versions(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Branches and tags of the repository of an input, if it is here."""
    from commodore_py.adapters import git_urls
    from commodore_py.config import WorkPaths
    from commodore_py.dependencies.lock.facts import tenant_of
    from commodore_py.dependencies.lock.file import LockFile
    from commodore_py.workflows.lock.names import find_inputs

    paths, lock = WorkPaths(_work(ctx)), LockFile.read(ctx.params["file"]).lock
    for path in find_inputs(lock, ctx.params["names"], ""):
        if path[0] == "config":
            name = "global" if path[1] == "global" else tenant_of(lock)
            yield _revisions(paths.classes / name)
        elif url := lock.blocks[path].text("url"):
            yield _revisions(paths.bare_clones / git_urls.dependency_key(url))


@_quickly
def bundles(ctx: click.Context, _incomplete: str) -> Iterator[Words]:
    """Versions of bundles."""
    from commodore_py.config import WorkPaths
    from commodore_py.workflows.bundles.checkout import read

    index = read(WorkPaths(_work(ctx).absolute())).index
    yield {
        entry.version: entry.withdrawn.reason if entry.withdrawn else "" for entry in index.entries
    }
