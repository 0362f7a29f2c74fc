"""What the shell offers for a word half typed: quickly, silently, without logging in."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import click

_SECONDS = 0.25
_TAGS_AND_BRANCHES = ("refs/remotes/origin", "refs/tags")
_NO_COMPONENT = ("lib", "libs")

Candidates: TypeAlias = Iterable[tuple[str, str]]
"""Words with a line of help each."""
Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def _quickly(find: Callable[[click.Context], Candidates]) -> Complete:
    """The words found in time; whatever goes wrong or takes too long, there are just none."""

    def complete(
        ctx: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found: list[tuple[str, str]] = []

        def look() -> None:
            # The user is typing, and cannot read a message.
            with contextlib.suppress(BaseException):
                found.extend(tuple(find(ctx)))

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        thread.join(_SECONDS)
        words = dict(found)
        return [
            CompletionItem(word, help=words[word] or None)
            for word in sorted(words)
            if word.startswith(incomplete)
        ]

    return complete


@_quickly
def clusters(ctx: click.Context) -> Candidates:
    """Ids of clusters."""
    for cluster in _clusters(ctx, ids_only=True):
        if cluster.get("id"):
            yield cluster["id"], cluster.get("displayName", "")


@_quickly
def tenants(ctx: click.Context) -> Candidates:
    """Ids of tenants that have clusters."""
    return [
        (cluster["tenant"], "")
        for cluster in _clusters(ctx, ids_only=False)
        if cluster.get("tenant")
    ]


@_quickly
def instances(ctx: click.Context) -> Candidates:
    """Instances of components in the working directory."""
    names = (path.stem for path in _visible(_work(ctx) / "inventory" / "targets"))
    return [(name, "") for name in names if name != "cluster"]


@_quickly
def components(ctx: click.Context) -> Candidates:
    """Components that are checked out in the working directory."""
    names = (path.name for path in _visible(_work(ctx) / "dependencies") if path.is_dir())
    return [(name, "") for name in names if name not in _NO_COMPONENT and name[:4] != "pkg."]


@_quickly
def global_revisions(ctx: click.Context) -> Candidates:
    """Branches and tags of the global configuration."""
    return _revisions(_work(ctx) / "inventory" / "classes" / "global")


@_quickly
def tenant_revisions(ctx: click.Context) -> Candidates:
    """Branches and tags of the tenant's configuration."""
    classes = _visible(_work(ctx) / "inventory" / "classes")
    clones = [path for path in classes if path.name != "global" and (path / ".git").exists()]
    # Packages are links to worktrees; the tenant's clone lies there itself.
    return _revisions(next(path for path in clones if not path.is_symlink()))


def _clusters(ctx: click.Context, *, ids_only: bool) -> list[dict[str, str]]:
    from . import known_clusters  # noqa: PLC0415 - only when a shell asks

    given = {name: ctx.params.get(name) or "" for name in ("api_url", "api_token")}
    known = known_clusters.recall(given["api_url"])
    if known and known.fresh and not _is_folder(given["api_url"]):
        return known.clusters
    stale = known.clusters if known else []
    return _asked_for(ctx, given, ids_only=ids_only) or stale


def _asked_for(
    ctx: click.Context, given: Mapping[str, str], *, ids_only: bool
) -> list[dict[str, str]]:
    from commodore_py import lieutenant  # noqa: PLC0415 - only when a shell asks
    from commodore_py.errors import CommodoreError  # noqa: PLC0415

    from . import known_clusters  # noqa: PLC0415
    from .options import Globals, config_of  # noqa: PLC0415

    config = config_of(Globals(_work(ctx), request_timeout=1), may_log_in=False, **given)
    try:
        if ids_only and _is_folder(config.api_url):
            return [{"id": name} for name in lieutenant.cluster_ids(config)]
        found = lieutenant.list_clusters(config)
    except CommodoreError:
        return []
    known_clusters.remember(config.api_url, found)
    return [{key: str(value) for key, value in cluster.items()} for cluster in found]


def _is_folder(api_url: str) -> bool:
    return api_url.startswith((".", "/", "file://"))


def _work(ctx: click.Context) -> Path:
    return Path(ctx.find_root().params.get("working_dir") or ".")


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))


def _revisions(clone: Path) -> Candidates:
    from commodore_py.adapters.git import git  # noqa: PLC0415 - only when a shell asks

    if not os.path.lexists(clone / ".git"):
        return
    names = git(clone, "for-each-ref", "--format=%(refname)", *_TAGS_AND_BRANCHES)
    for name in names.splitlines():
        short = name.removeprefix("refs/remotes/origin/").removeprefix("refs/tags/")
        if short != "HEAD":
            yield short, "tag" if name.startswith("refs/tags/") else "branch"
