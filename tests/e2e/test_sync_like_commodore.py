"""`component sync` offers what Commodore offers; both ask what they take for GitHub itself.

Commodore asks nobody but api.github.com. So both are led there: to the stand-in, by a proxy and a
certificate of that name. What Commodore's library for GitHub understands of the stand-in is also
what holds the stand-in to GitHub.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git, make_repository
from tests.support.commodore import clean_environment, find_commodore, outcome_of
from tests.support.servers import github, proxy
from tests.support.templates import change_template, make_template

if TYPE_CHECKING:
    from tests.support.servers.github import GitHubServer

pytestmark = pytest.mark.e2e

OURS = Path(sys.executable).with_name("commodore")
NAMES = ("changed", "merged-differently", "same", "archived", "no-record", "offered")
OPTIONS = ("--github-token", github.TOKEN, "--github-pause", "0", "-l", "bot")


@pytest.fixture(scope="session")
def commodore() -> Path:
    return find_commodore()


def run(program: Path, folder: Path, *words: str, **variables: str) -> tuple[int, str]:
    """Run a program as a stranger, with GitHub's repositories in a folder."""
    home = folder / "home"
    environment = clean_environment(home)
    (home / ".gitconfig").write_text(
        "[user]\n  name = Me\n  email = me@example.com\n"
        f'[url "file://{folder}/git/"]\n  insteadOf = ssh://git@github.com/acme/\n'
    )
    return outcome_of([str(program), *words], folder, environment | variables)


def make_components(folder: Path, template: Path) -> None:
    """The repositories, as they are before the template changes."""
    folder.mkdir()
    for name in NAMES:
        place = make_repository(folder / "git" / f"component-{name}.git", {})
        words = ("component", "new", name, "--owner", "acme", "--copyright", "Me <me@example.com>")
        more = ("--template-url", str(template), "--trust", "--output-dir", ".")
        code, output = run(OURS, folder, *words, *more)
        assert code == 0, output
        git(folder / name, "push", "--quiet", f"file://{place}", "HEAD:master")
        shutil.rmtree(folder / name)
    commit_to(folder / "git" / "component-no-record.git", {".cruft.json": None})
    commit_to(folder / "git" / "component-merged-differently.git", {"own": "x\n"})


def populate(server: GitHubServer, folder: Path) -> None:
    """Have the repositories at GitHub."""
    for name in NAMES:
        place = folder / "git" / f"component-{name}.git"
        server.host(f"acme/component-{name}", place, archived=name == "archived")
    hosted = server.repositories["acme/component-offered"]
    git(hosted.place, "branch", "template-sync", "master")
    hosted.pull("template-sync", body="old", labels=["theirs"])
    (folder / "list.yaml").write_text("".join(f"- acme/component-{n}\n" for n in (*NAMES, "gone")))


def state_of(server: GitHubServer) -> dict[str, object]:
    """What became of all repositories."""
    found: dict[str, object] = {}
    for name, hosted in server.repositories.items():
        refs = git(hosted.place, "for-each-ref", "--format=%(refname)", "refs/heads").splitlines()
        found[name] = {
            "pulls": [asdict(pull) for pull in hosted.pulls],
            "branches": {
                ref: (
                    git(hosted.place, "ls-tree", "-r", ref),
                    # Commodore's messages end without a line's end.
                    [one.strip() for one in _log(hosted.place, ref).split("\0")],
                )
                for ref in refs
            },
        }
    return found


def _log(place: Path, ref: str) -> str:
    return git(place, "log", "--format=%an %ae%n%B%x00", ref)


def test_both_open_same_pull_requests(commodore: Path, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    template = make_template(tmp_path / "template")
    make_components(tmp_path / "ours", template)
    shutil.copytree(tmp_path / "ours", tmp_path / "commodore")
    text = (template / "{{ cookiecutter.slug }}" / "README.md").read_text()
    change_template(template, {"README.md": text.replace("two", "theirs"), "new/file": "new\n"})
    for name in ("ours", "commodore"):
        place = tmp_path / name / "git" / "component-same.git"
        record = json.loads(git(place, "show", "master:.cruft.json"))
        record["skip"] = ["README.md", "new"]
        commit_to(place, {".cruft.json": json.dumps(record, indent=2) + "\n"})
    file, tls = proxy.certificate(tmp_path, "api.github.com")

    states, writes, output = {}, {}, {}
    for name, program, more in (("ours", OURS, ("--trust",)), ("commodore", commodore, ())):
        with (
            github.serve(known_as="https://api.github.com", tls=tls) as server,
            proxy.leading_to(server.server_port) as url,
        ):
            folder = tmp_path / name
            populate(server, folder)
            words = ("component", "sync", "list.yaml", *OPTIONS, *more)
            variables = {"HTTPS_PROXY": url, "REQUESTS_CA_BUNDLE": str(file)}
            code, output[name] = run(program, folder, *words, **variables)
            assert code == 0, output[name][-3000:]
            states[name], writes[name] = state_of(server), server.writes()

    assert states["ours"] == states["commodore"]
    assert "template-sync" in str(states["ours"])
    created = [line for line in writes["ours"] if line.endswith("/pulls")]
    assert created == [line for line in writes["commodore"] if line.endswith("/pulls")]
    assert created == [
        f"POST /repos/acme/component-{name}/pulls" for name in ("changed", "merged-differently")
    ]
    assert sorted(writes["ours"]) == sorted(writes["commodore"])


def test_missing_token_exits_with_same_code(commodore: Path, tmp_path: Path) -> None:
    codes = []
    for name, program in (("ours", OURS), ("commodore", commodore)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "list.yaml").write_text("- acme/component-one\n")
        code, output = run(program, folder, "component", "sync", "list.yaml")
        codes.append(code)
        assert "token" in output

    assert codes == [1, 1]
