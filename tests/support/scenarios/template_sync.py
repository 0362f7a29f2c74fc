"""Components at GitHub, the template that they were made from, and `sync` over all of them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.builders import git, git_succeeds, make_repository
from tests.support.servers.github import TOKEN, GitHubServer, Hosted, serve
from tests.support.templates import change_template, make_template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

README = "{{ cookiecutter.slug }}/README.md"
QUICKLY = ("--github-pause", "0")


@dataclass
class TemplateSync:
    """Components at GitHub, and the template that they were made from."""

    commodore: CommandLine
    github: GitHubServer
    folder: Path
    template: Path
    hosted: dict[str, Hosted] = field(default_factory=dict)

    def a_component(self, slug: str, kind: str = "component") -> Hosted:
        """A component of the template as it is now, at GitHub."""
        words = (
            "--owner",
            "acme",
            "--template-url",
            str(self.template),
            "--output-dir",
            "made",
            "--trust",
        )
        (self.folder / "made").mkdir(exist_ok=True)
        ran = self.commodore(kind, "new", slug, *words)
        assert ran.code == 0, ran.err
        place = make_repository(self.folder / "git" / f"{kind}-{slug}.git", {})
        git(self.folder / "made" / slug, "push", "--quiet", f"file://{place}", "HEAD:master")
        self.hosted[slug] = self.github.host(f"acme/{kind}-{slug}", place)
        return self.hosted[slug]

    def change_template(self, old: str, new: str) -> str:
        text = (self.template / README).read_text()
        return change_template(self.template, {"README.md": text.replace(old, new)})

    def sync(
        self,
        *words: str,
        entries: tuple[str, ...] | None = None,
        kind: str = "component",
        trust: bool = True,
    ) -> Ran:
        """Offer what the template has; by default to all that GitHub has."""
        listed = self.github.repositories if entries is None else entries
        (self.folder / "list.yaml").write_text("".join(f"- {one}\n" for one in listed))
        how = ("-d", str(self.folder / "work"), kind, "sync", "list.yaml")
        token = ("--github-token", TOKEN, *(("--trust",) if trust else ()))
        url = {"COMMODORE_GITHUB_URL": self.github.url}
        return self.commodore(*how, *token, *QUICKLY, *words, **url)

    def checkout(self, slug: str) -> Path:
        return self.folder / "work" / "dependencies" / slug


@contextmanager
def make_scenario(commodore: CommandLine, folder: Path) -> Iterator[TemplateSync]:
    """GitHub with nothing in it yet, and a template without programs."""
    with serve() as github:
        yield TemplateSync(commodore, github, folder, make_template(folder / "template", hook=""))


def branch_of(hosted: Hosted, branch: str = "template-sync") -> str:
    """The commit of a branch, empty if there is none."""
    name = f"refs/heads/{branch}"
    return (
        git(hosted.place, "rev-parse", name)
        if git_succeeds(hosted.place, "rev-parse", name)
        else ""
    )


def summary(ran: Ran) -> list[str]:
    """The lines of single repositories."""
    return [line for line in ran.out.splitlines() if line.startswith(("acme/", "file:", "http:"))]
