"""Completion of words in the shell: silent, without a login."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import click
    from click.shell_completion import CompletionItem

    from commodore_py.config import Config

_SERVER_SECONDS = 1
_NO_COMPONENT = ("lib", "libs")

Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def _silently(find: Callable[[click.Context, str], Iterable[str]]) -> Complete:
    """Complete with the words that are found; failures give none."""

    def complete(
        ctx: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        words: set[str] = set()
        # Messages would disturb the user's input.
        with contextlib.suppress(Exception):
            words.update(find(ctx, incomplete))
        return [
            CompletionItem(word)
            for word in sorted(words)
            # Shells read one word per line: names with blanks or control characters are unsafe.
            if word and word.startswith(incomplete) and word.isprintable() and " " not in word
        ]

    return complete


@_silently
def clusters(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Ids of clusters."""
    from commodore_py.lieutenant.clusters import cluster_ids

    return cluster_ids(_config(ctx))


@_silently
def tenants(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Ids of tenants that have clusters."""
    from commodore_py.lieutenant.clusters import list_clusters

    return (str(cluster.get("tenant") or "") for cluster in list_clusters(_config(ctx)))


@_silently
def instances(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Instances of components in the working directory."""
    names = (path.stem for path in _visible(_work(ctx) / "inventory" / "targets"))
    return (name for name in names if name != "cluster")


@_silently
def targets(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Targets in the working directory."""
    return (path.stem for path in _visible(_work(ctx) / "inventory" / "targets"))


@_silently
def parameters(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Paths of parameters of the target, one level at a time; those with more end with a dot."""
    return _parameters(ctx, incomplete)


@_silently
def editable(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Paths of parameters, and of applications."""
    words = _parameters(ctx, incomplete)
    if incomplete.startswith("applications."):
        from commodore_py.config import WorkPaths
        from commodore_py.workflows.editing.plan import value_at

        names, _ = value_at(WorkPaths(_work(ctx).absolute()), "applications", "")
        return [*words, *(f"applications.{name}" for name in names)]
    return words if "." in incomplete else [*words, "applications"]


def _parameters(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from commodore_py.config import WorkPaths
    from commodore_py.workflows.inventory.sources import parameters_here

    paths, target = WorkPaths(_work(ctx).absolute()), ctx.params.get("target")
    is_compiled = target and (paths.targets / f"{target}.yml").is_file()
    node: object = parameters_here(paths, target if is_compiled else None)
    above, dot, _ = incomplete.rpartition(".")
    for key in above.split(".") if dot else ():
        node = node.get(key) if isinstance(node, dict) else None
    children = node if isinstance(node, dict) else {}
    words = {f"{above}{dot}{key}": value for key, value in children.items()}
    inner = (f"{word}." for word, value in words.items() if isinstance(value, dict) and value)
    return [*words, *inner]


@_silently
def values(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Legal values of the parameter named before."""
    import shlex

    from commodore_py.config import WorkPaths
    from commodore_py.workflows.editing.options import options_at

    options = options_at(WorkPaths(_work(ctx).absolute()), str(ctx.params["path"]))
    # The shell would take quotes off, and what YAML reads would be another value.
    return (option.value for option in options if shlex.quote(option.value) == option.value)


@_silently
def components(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Components that are checked out in the working directory."""
    names = (path.name for path in _visible(_work(ctx) / "dependencies") if path.is_dir())
    return (name for name in names if name not in _NO_COMPONENT and name[:4] != "pkg.")


@_silently
def cases_to_test(_ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Test cases of the component or package in the current folder."""
    return (path.stem for path in _visible(Path("tests")) if path.suffix in {".yml", ".yaml"})


@_silently
def global_revisions(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Branches and tags of the global configuration."""
    return _revisions(_work(ctx) / "inventory" / "classes" / "global")


@_silently
def tenant_revisions(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Branches and tags of the tenant's configuration."""
    for path in _visible(_work(ctx) / "inventory" / "classes"):
        # Packages are links to worktrees; the tenant's is a clone.
        if path.name != "global" and not path.is_symlink() and (path / ".git").exists():
            yield from _revisions(path)


def _config(ctx: click.Context) -> Config:
    from .settings.options import Globals, config_of

    return config_of(
        Globals(_work(ctx), request_timeout=_SERVER_SECONDS),
        may_log_in=False,
        **{name: ctx.params.get(name) or "" for name in ("api_url", "api_token")},
    )


def _work(ctx: click.Context) -> Path:
    return Path(ctx.find_root().params.get("working_dir") or ".")


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))


def _revisions(clone: Path) -> Iterator[str]:
    from commodore_py.adapters.git.refs import BRANCHES, TAGS, refs_of

    # In another folder, git would search the parent folders.
    if (clone / ".git").exists() or (clone / "HEAD").is_file():
        for name in refs_of(clone).commits:
            yield name.removeprefix(BRANCHES).removeprefix(TAGS)


@_silently
def locked_inputs(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Inputs of a lock file."""
    from commodore_py.dependencies.lock.file import LockFile
    from commodore_py.workflows.lock.names import inputs_of, name_of

    return map(name_of, inputs_of(LockFile.read(ctx.params["file"]).lock))


@_silently
def locked_versions(ctx: click.Context, _incomplete: str) -> Iterable[str]:
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
            yield from _revisions(paths.classes / name)
        elif url := lock.blocks[path].text("url"):
            yield from _revisions(paths.bare_clones / git_urls.dependency_key(url))


@_silently
def bundles(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Versions of bundles."""
    from commodore_py.config import WorkPaths
    from commodore_py.workflows.bundles.checkout import read

    bundles = read(WorkPaths(_work(ctx).absolute()))
    return (entry.version for entry in bundles.index.entries)
