"""Components and packages at GitHub for command cases, made from the template in `template/`.

given   github: kinds by slug; `list.yaml` has all, bare repositories are in `repos/KIND-SLUG.git`
steps   github, with archived: slugs; closed: slugs whose pull requests are closed; refuse and
        refuse_writes: [status, message] of the next requests; odd: [status, body] by "METHOD PATH"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.authoring import make_new
from tests.support.builders import git, make_repository
from tests.support.servers.github import Refusal
from tests.support.tables import check_subset
from tests.support.templates import make_template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.command_line import CommandLine
    from tests.support.servers.github import GitHubServer, Hosted


def host_made(
    commodore: CommandLine, folder: Path, kept: Path, github: GitHubServer, kinds: dict[str, str]
) -> None:
    """Make components or packages, and host them."""
    template = make_template(folder / "template", hook="")
    (folder / "made").mkdir()
    for slug, kind in kinds.items():
        made = folder / "made" / slug
        make_new(commodore, made, kept, kind, template)
        place = make_repository(folder / "repos" / f"{kind}-{slug}.git", {})
        git(made, "push", "--quiet", f"file://{place}", "HEAD:master")
        github.host(f"acme/{kind}-{slug}", place)
    names = "".join(f"- {name}\n" for name in github.repositories)
    (folder / "list.yaml").write_text(names)


def change_github(github: GitHubServer, change: Mapping[str, Any]) -> None:
    """Change what GitHub has, or how it answers."""
    for slug in change.get("archived", ()):
        _hosted(github, slug).archived = True
    for slug in change.get("closed", ()):
        for pull in _hosted(github, slug).pulls:
            pull.state = "closed"
    github.refusals += [Refusal(*refusal) for refusal in change.get("refuse", ())]
    github.refuse_writes += [Refusal(*refusal) for refusal in change.get("refuse_writes", ())]
    for request, (status, body) in change.get("odd", {}).items():
        github.odd[request] = status, body.encode()


def check_pulls(github: GitHubServer, wanted: Mapping[str, Any]) -> None:
    """Compare pull requests by slug."""
    for slug, pulls in wanted.items():
        check_subset([vars(pull) for pull in _hosted(github, slug).pulls], pulls, slug)


def _hosted(github: GitHubServer, slug: str) -> Hosted:
    names = (name for name in github.repositories if name.endswith(f"-{slug}"))
    return github.repositories[next(names)]
