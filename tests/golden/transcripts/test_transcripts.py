"""What compiles say, word for word, against real repositories over three transports.

One file per scene, without paths, ids and addresses.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from tests.support.builders import commit_to, git, url_of
from tests.support.fleet import CLUSTER, MAIN, Fleet, make_fleet
from tests.support.servers import git_http, git_ssh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.golden import Golden

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
OUT = "manifests/web/out.yaml"
HOOK = "#!/bin/sh\n{}\n"
# Somebody whose push gets between our fetch and our push.
RIVAL = (
    "[ -e rival-was-here ] && exit 0; touch rival-was-here\n"
    "unset GIT_QUARANTINE_PATH; git update-ref refs/heads/master refs/rival"
)
PROTECTED = "echo 'GitLab: You are not allowed to push code to protected branches.'; exit 1"


@dataclass
class Scene:
    """A cluster whose catalog is reached over some transport."""

    fleet: Fleet
    url: str
    monkeypatch: pytest.MonkeyPatch
    read: Callable[[], tuple[str, str]]

    def compile(self, *options: str, answers: StringIO | None = None) -> str:
        """Compile, and tell it as a transcript."""
        self.read()
        words = ("-d", str(self.fleet.work), "catalog", "compile", CLUSTER)
        before = dict(os.environ)
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", answers or StringIO())
            facts = str(self.fleet.root / "facts")
            code = run((*words, "--api-url", facts, *options))
        os.environ.clear()
        os.environ.update(before)
        out, err = self.read()
        output = " ".join(("commodore catalog compile", CLUSTER, *options))
        return self.normalised(f"$ {output}\n[stdout]\n{out}[stderr]\n{err}[exit code {code}]\n")

    def normalised(self, text: str) -> str:
        """Without what differs from place to place and from time to time."""
        pushed_to = "ssh://git@127.0.0.1/git/catalog.git"  # in place of HTTP
        for place in (self.url, str(self.fleet.catalog), pushed_to):
            text = text.replace(place, "<catalog>")
        text = text.replace(str(self.fleet.root), "<root>")
        # On a busy machine only.
        text = re.sub(r"(?m)^ > still waiting for .*\n", "", text)
        return re.sub(r"\b[0-9a-f]{40}\b", "<commit>", text)

    def hook(self, script: str) -> None:
        """Let the catalog's repository run something before it takes a push."""
        file = self.fleet.catalog / "hooks/pre-receive"
        file.parent.mkdir(exist_ok=True)
        file.write_text(HOOK.format(script))
        file.chmod(0o755)


class Meanwhile(StringIO):
    """Answers given by somebody; something happens while they think."""

    def __init__(self, answers: str, event: Callable[[], object]) -> None:
        super().__init__(answers)
        self._event = event

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override] # as StringIO's own
        if self.tell() == 0:
            self._event()
        return super().readline(-1 if size is None else size)


@contextmanager
def over_file(fleet: Fleet, _: pytest.MonkeyPatch) -> Iterator[str]:
    yield url_of(fleet.catalog)


@contextmanager
def over_http(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with git_http.serve(fleet.catalog.parent) as server:
        settings = fleet.root / "gitconfig"  # by default, HTTP remotes are pushed to over SSH
        settings.write_text(f'[url "{server.url("")}"]\n\tinsteadOf = ssh://git@127.0.0.1/git/\n')
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        yield server.url("catalog.git")


@contextmanager
def over_ssh(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with git_ssh.serve(fleet.root / "ssh") as server:
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file:ssh")
        monkeypatch.setenv("GIT_SSH_COMMAND", server.command)
        yield server.url(fleet.catalog)


TRANSPORTS = {"file": over_file, "http": over_http, "ssh": over_ssh}


@pytest.fixture(params=sorted(TRANSPORTS))
def scene(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Scene]:
    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    fleet = make_fleet(tmp_path, web={}, shop={})
    with TRANSPORTS[request.param](fleet, monkeypatch) as url:
        file = fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
        file.write_text(file.read_text().replace(url_of(fleet.catalog), url))
        yield Scene(fleet, url, monkeypatch, read)


def first_push(scene: Scene) -> str:
    return scene.compile("--push")


def no_change(scene: Scene) -> str:
    scene.compile("--push")
    return scene.compile("--push", "-i")


def change(scene: Scene) -> str:
    scene.compile("--push")
    return changed(scene, "--push")


def change_not_pushed(scene: Scene) -> str:
    scene.compile("--push")
    return changed(scene, "--exit-code")


def deletion(scene: Scene) -> str:
    scene.compile("--push")
    scene.fleet.configure({"applications": ["web"]})
    return scene.compile("--push")


def rename(scene: Scene) -> str:
    scene.compile("--push")
    main = MAIN.replace("@KEY@", "web").replace("{ out:", "{ moved:")
    commit_to(scene.fleet.repository("component-web"), {"component/main.jsonnet": main})
    return scene.compile("--push")


def overtaken(scene: Scene) -> str:
    """Somebody pushes something else: ours goes on top."""
    scene.compile("--push")
    meanwhile = Meanwhile("y\n", lambda: commit_to(scene.fleet.catalog, {"README.md": "theirs"}))
    return changed(scene, "--push", "-i", answers=meanwhile)


def overtaken_differently(scene: Scene) -> str:
    """Somebody pushes manifests: what would be pushed now is asked about again."""
    scene.compile("--push")
    meanwhile = Meanwhile("y\ny\n", lambda: commit_to(scene.fleet.catalog, {OUT: "theirs: 1\n"}))
    return changed(scene, "--push", "-i", answers=meanwhile)


def lost_race(scene: Scene) -> str:
    """Somebody's push and ours meet in the server."""
    scene.compile("--push")
    git(scene.fleet.catalog, "update-ref", "refs/rival", _child(scene.fleet))
    scene.hook(RIVAL)
    return changed(scene, "--push")


def always_overtaken(scene: Scene) -> str:
    scene.compile("--push")
    scene.hook(
        "unset GIT_QUARANTINE_PATH\n"
        "export GIT_AUTHOR_NAME=R GIT_AUTHOR_EMAIL=r GIT_COMMITTER_NAME=R GIT_COMMITTER_EMAIL=r\n"
        "unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
        "new=$(git commit-tree -p refs/heads/master -m rival refs/heads/master^{tree})\n"
        "git update-ref refs/heads/master $new"
    )
    return changed(scene, "--push")


def refused(scene: Scene) -> str:
    scene.hook("echo ask Bob first; exit 1")
    return scene.compile("--push")


def protected(scene: Scene) -> str:
    scene.hook(PROTECTED)
    return scene.compile("--push")


def answered_yes(scene: Scene) -> str:
    return scene.compile("--push", "-i", answers=StringIO("y\n"))


def answered_no(scene: Scene) -> str:
    return scene.compile("--push", "-i", answers=StringIO("n\n"))


def nobody_to_answer(scene: Scene) -> str:
    return scene.compile("--push", "-i")


def dry_run(scene: Scene) -> str:
    scene.compile("--push")
    return changed(scene, "--dry-run", "--exit-code")


def remote_is_missing(scene: Scene) -> str:
    scene.fleet.catalog.rename(scene.fleet.root / "gone")
    return scene.compile("--push")


def report_fails(scene: Scene) -> str:
    (scene.fleet.root / "facts/reports").touch()
    return scene.compile("--push")


def changed(scene: Scene, *options: str, answers: StringIO | None = None) -> str:
    scene.fleet.configure(
        {"applications": ["web", "shop"], "parameters": {"web": {"data": {"of": "new"}}}}
    )
    return scene.compile(*options, answers=answers)


def _child(fleet: Fleet) -> str:
    """A commit on top of the catalog's that is on none of its branches."""
    who = ("-c", "user.name=R", "-c", "user.email=r@example.com")
    parent, tree = git(fleet.catalog, "rev-parse", "master", "master^{tree}").splitlines()
    return git(fleet.catalog, *who, "commit-tree", tree, "-p", parent, "-m", "Theirs")


SCENES: dict[str, tuple[Callable[[Scene], str], str]] = {
    # name: what happens, and the subject of the newest commit that the remote has afterwards
    "first-push": (first_push, "Automated"),
    "no-change": (no_change, "Automated"),
    "change": (change, "Automated"),
    "change-not-pushed": (change_not_pushed, "Automated"),
    "deletion": (deletion, "Automated"),
    "rename": (rename, "Automated"),
    "overtaken": (overtaken, "Automated"),
    "overtaken-differently": (overtaken_differently, "Automated"),
    "lost-race": (lost_race, "Automated"),
    "always-overtaken": (always_overtaken, "rival"),
    "refused": (refused, ""),
    "protected": (protected, ""),
    "answered-yes": (answered_yes, "Automated"),
    "answered-no": (answered_no, ""),
    "nobody-to-answer": (nobody_to_answer, ""),
    "dry-run": (dry_run, "Automated"),
    "report-fails": (report_fails, "Automated"),
}


# The rest of what goes over a network is part of the long runs: it takes seconds each.
QUICK = ("change", "overtaken")
CASES = [
    pytest.param(
        transport,
        name,
        id=f"{transport}-{name}",
        marks=[] if transport == "file" or name in QUICK else pytest.mark.long,
    )
    for transport in TRANSPORTS
    for name in SCENES
]


@pytest.mark.parametrize(("scene", "name"), CASES, indirect=["scene"])
@pytest.mark.sample(2)
def test_transcript(scene: Scene, name: str, golden: Golden) -> None:
    play, newest = SCENES[name]

    output = play(scene)

    golden.check_file(HERE / f"{name}.txt", output)
    assert subject_of_newest(scene.fleet).startswith(newest)
    assert bool(newest) == bool(subject_of_newest(scene.fleet))


def subject_of_newest(fleet: Fleet) -> str:
    return git(fleet.catalog, "for-each-ref", "--format=%(subject)", "refs/heads/master")


def test_all_transcripts_have_a_scene() -> None:
    assert {file.stem for file in HERE.glob("*.txt")} == {*SCENES}


def test_missing_remote_is_reported_for_every_transport(scene: Scene) -> None:
    output = remote_is_missing(scene)

    assert "error: cannot fetch the catalog of c-one: " in output
    assert "or correct gitRepo.url of the cluster" in output
    assert "[exit code 1]" in output
