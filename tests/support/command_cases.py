"""Commands in a prepared directory: YAML cases of files, command lines and results.

A file has `cases`, and `given` and `words` for all of them; `expected` is for those without steps.
A case has a title (`case`, or its command), what is `given`, and what is done and expected: either
itself or in `steps`. `each` lists rows of values, of which `make test` takes the first and about
every third; `<name>` stands for one of a row, `<dir>` for the directory, `<home>`, `<cache>`,
`<work>`, `<demo>`, `<facts>`, `<installation>`, `<api>`, `<web>`, `<vault>` and `<github>` for
others. `long` cases reach only what others reach: they belong to `make long`.

given   files, component, package, repositories, fleet, commits, checkout: see case_directory
        api: answers by path, or {reply: [status, answer]}
        tools: programs and their releases; env, unset: variables
        web: pages by path, see _publish; at: a directory that cases share
        vault: secrets of its engine `kv`, by path; `<vault-token>` may read them
        github: components and packages, see sync_cases
        new: repositories of `new`, by slug: [KIND], or [KIND, directory of a template]
        installation: directory of what `init` makes
        cluster: objects of an API server, see cluster_cases; its kubeconfig is in the directory
words   command lines by a short first word
anchors what YAML aliases repeat
steps   files, commits, web, github, cluster, sh (a script): what changes before; in a cluster,
        `<head>` is the commit of catalog/; cd, run, stdin, env: the command;
        complete: a line that is half typed, for which a shell is offered words
        code: 0 by default; out, err, both: the whole text, or a list of parts; lacks, once: parts
        json: fields of stdout, {some: [...]} for items of a list; writes: files afterwards (null
        for none, true for any content, a text, a list of parts, or {changed: [old, new]});
        tree: names of files below, without .git; unchanged: paths below which the command leaves
        all as it was
        shows: commands of the shell with their output, as a text or a list of parts; null if they
        fail, true if they succeed
        requests: how many had this in "METHOD PATH", so far (at GitHub: of this command)
        tokens: what all requests to the API had as Authorization, by a part of their path
        served: "STATUS PATH" of all requests for pages, in any order
        pulls: fields of pull requests, by slug
        wrote, asked, has: what the command asked of the cluster, and the cluster afterwards, see
        cluster_cases
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from tests.support.authoring import make_installation, make_new
from tests.support.builders import digest_of, git
from tests.support.case_directory import (
    GIVEN,
    make_commits,
    place_of,
    publish_pages,
    write_files,
)
from tests.support.cluster_cases import change_cluster, check_cluster, serve_cluster
from tests.support.servers.api import json_reply, serve_api
from tests.support.servers.github import serve as serve_github
from tests.support.servers.vault import double_vault, recorded
from tests.support.servers.web import serve as serve_web
from tests.support.sync_cases import change_github, check_pulls, host_made
from tests.support.tables import check_subset, load_yaml
from tests.support.tool_releases import publish_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.api import Api
    from tests.support.servers.github import GitHubServer
    from tests.support.servers.kubernetes import Cluster
    from tests.support.servers.vault import Recorder
    from tests.support.servers.web import Web

_FIXTURES = ("work", "demo", "facts", "installation")
"""Directories that cases may name in angle brackets."""

_CASE = shlex.split("case given words each long")
_GIVEN_BY_RUNNER = shlex.split("api web vault github new installation cluster tools env unset at")
_STEP = shlex.split(
    "files commits sh cd run stdin env complete code out err both lacks once json writes tree"
    " unchanged shows requests tokens web served github pulls cluster wrote asked has"
)


def cases_in(folder: Path) -> list[Any]:
    """The cases of all files of a directory, as parameters."""
    return list(_cases_in(folder))


def run_case(
    commodore: CommandLine, folder: Path, request: pytest.FixtureRequest, case: dict[str, Any]
) -> None:
    """Prepare the directory of a case, run its commands, and compare."""
    text, shared = str(case), case["given"].get("at")
    made = (name for name in _FIXTURES if f"<{name}>" in text)
    values = {name: str(request.getfixturevalue(name)) for name in made}
    folder = request.getfixturevalue(shared) if shared else folder
    values |= {"dir": str(folder), "home": str(Path.home()), "cache": os.environ["XDG_CACHE_HOME"]}
    with contextlib.ExitStack() as stack:
        servers = _serve(stack, case["given"], values)
        case = _filled(case, values)
        if shared:
            stack.enter_context(_restored(folder, case))
        if servers.api is not None and "tools" in case["given"]:
            publish_tools(folder, servers.api, case["given"]["tools"])
        for kind in [kind for kind in GIVEN if kind in case["given"]]:
            GIVEN[kind](folder, case["given"][kind])
        kept = request.getfixturevalue("tmp_path_factory").getbasetemp() / "kept"
        if servers.github is not None:
            host_made(commodore, folder, kept, servers.github, case["given"]["github"])
        for slug, (kind, *template) in case["given"].get("new", {}).items():
            source = folder / template[0] if template else None
            make_new(commodore, folder / slug, kept, kind, source)
        if "installation" in case["given"]:
            make_installation(commodore, folder / case["given"]["installation"], kept)
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in case["given"].get("unset", ()):
            patch.delenv(name, raising=False)
        cluster = stack.enter_context(serve_cluster(folder, case["given"].get("cluster")))
        for step in case.get("steps", [case]):
            _change_servers(step, servers)
            _change_cluster(cluster, folder, step)
            _check_step(commodore, folder, case, step)
            _check_requests(step, servers)
            check_cluster(cluster, step)


@dataclass(frozen=True)
class _Servers:
    """The servers that a case has, but its cluster."""

    api: Api | None
    web: Web | None
    vault: Recorder | None
    github: GitHubServer | None


def _serve(stack: contextlib.ExitStack, given: dict[str, Any], values: dict[str, str]) -> _Servers:
    """Start the servers of a case, and add their URLs to the values of names."""
    server = stack.enter_context(serve_api()) if {"api", "tools"} & given.keys() else None
    if server is not None:
        values["api"] = server.url
        for path, answer in given.get("api", {}).items():
            replied = isinstance(answer, dict) and answer.keys() == {"reply"}
            status, value = answer["reply"] if replied else (200, answer)
            server.on(f"GET {path}", json_reply(value, status))
    web = stack.enter_context(serve_web()) if "web" in given else None
    if web is not None:
        values["web"] = web.url
        publish_pages(web, _filled(given["web"], values))
    vault = None
    if "vault" in given:
        behind = stack.enter_context(double_vault())
        behind.enable("kv", 2)
        for path, content in given["vault"].items():
            behind.write("kv", path, content)
        vault = stack.enter_context(recorded(behind))
        values |= {"vault": vault.url, "vault-token": behind.token}
    github = stack.enter_context(serve_github()) if "github" in given else None
    if github is not None:
        values["github"] = github.url
    return _Servers(server, web, vault, github)


def _change_servers(step: dict[str, Any], servers: _Servers) -> None:
    if servers.web is not None:
        servers.web.received.clear()
        publish_pages(servers.web, step.get("web", {}))
    if servers.github is not None:
        servers.github.received.clear()
        change_github(servers.github, step.get("github", {}))


def _change_cluster(cluster: Cluster, folder: Path, step: dict[str, Any]) -> None:
    if "cluster" in step:
        named = "<head>" in str(step["cluster"])
        values = {"head": git(folder / "catalog", "rev-parse", "HEAD")} if named else {}
        change_cluster(cluster, _filled(step["cluster"], values))
    cluster.requests.clear()


@contextlib.contextmanager
def _restored(folder: Path, case: dict[str, Any]) -> Iterator[None]:
    """Put back the files that a case changes in a directory that others use, too."""
    steps = (case["given"], case, *case.get("steps", ()))
    names = {name for step in steps for key in ("files", "writes") for name in step.get(key, {})}
    paths = [place_of(folder, name) for name in names]
    before = {path: path.read_bytes() if path.is_file() else None for path in paths}
    try:
        yield
    finally:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)


def _cases_in(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.glob("*.yaml")):
        content = load_yaml(path)
        assert content.keys() <= {"anchors", "given", "words", "expected", "cases"}, path
        for case in content["cases"]:
            _check_keys(case)
            unknown = case.get("given", {}).keys() | content.get("given", {}).keys()
            unknown -= {*GIVEN, *_GIVEN_BY_RUNNER}
            title = case.get("case") or case["run"]
            assert not unknown, f"{path.name}, {title}: nothing is given by {unknown}"
            given = _merged(content.get("given", {}), case.get("given", {}))
            expected = content.get("expected", {})
            whole = {**expected, **case, "given": given, "words": content.get("words", {})}
            rows = case.get("each", [{}])
            for number, row in enumerate(rows):
                suffix = f"-{number}" if len(rows) > 1 else ""
                name = f"{path.stem}-{title.replace(' ', '_')}{suffix}"
                is_long = case.get("long") or (number and crc32(name.encode()) % 3)
                marks = [pytest.mark.long] if is_long else []
                yield pytest.param(_filled(whole, row), id=name, marks=marks)


def _check_keys(case: dict[str, Any]) -> None:
    """Refuse other keys: an expectation that is misspelled would not be checked."""
    unknown = case.keys() - {*_CASE, *(["steps"] if "steps" in case else _STEP)}
    unknown |= {key for step in case.get("steps", ()) for key in step.keys() - {*_STEP}}
    assert not unknown, f"{case.get('case') or case['run']}: unknown keys {unknown}"


def _check_step(
    commodore: CommandLine, folder: Path, case: dict[str, Any], step: dict[str, Any]
) -> None:
    make_commits(folder, step.get("commits", {}))
    write_files(folder, step.get("files", {}))
    if script := step.get("sh"):
        assert _shell(folder, script) is not None, script
    before = {path: digest_of(place_of(folder, path)) for path in step.get("unchanged", ())}
    step = {**step, "writes": {**step.get("writes", {}), **_changed_files(folder, step)}}
    variables = {**case["given"].get("env", {}), **step.get("env", {})}
    words = shlex.split(step.get("run", ""))
    if words:
        words[:1] = shlex.split(case["words"].get(words[0], shlex.quote(words[0])))
    elif line := step.get("complete"):
        number = str(line.count(" ") + 1)
        shell = {"_COMMODORE_COMPLETE": "bash_complete", "COMP_CWORD": number}
        variables |= {**shell, "COMP_WORDS": f"commodore {line}"}
    with contextlib.chdir(step.get("cd", folder)):
        ran = commodore(*words, stdin=step.get("stdin", ""), **variables)
    _check_output(step, ran)
    _check_folder(folder, step, ran)
    for path, digest in before.items():
        assert digest_of(place_of(folder, path)) == digest, f"{path} changed: {ran}"


def _changed_files(folder: Path, step: dict[str, Any]) -> dict[str, str]:
    """The texts of files in which a command should change one part."""
    texts = {}
    for path, wanted in step.get("writes", {}).items():
        if isinstance(wanted, dict):
            old, new = wanted["changed"]
            text = place_of(folder, path).read_bytes().decode()
            assert old in text
            texts[path] = text.replace(old, new, 1)
    return texts


def _check_output(step: dict[str, Any], ran: Ran) -> None:
    assert ran.code == step.get("code", 0), f"{step}\n{ran.out}{ran.err}"
    assert "Traceback" not in ran.err
    for stream, text in (("out", ran.out), ("err", ran.err), ("both", ran.out + ran.err)):
        _check_text(text, step.get(stream, []), ran)
    assert not [text for text in step.get("lacks", ()) if text in ran.out + ran.err], ran
    for text in step.get("once", ()):
        assert (ran.out + ran.err).count(text) == 1, ran
    if "json" in step:
        check_subset(json.loads(ran.out), step["json"], "$")


def _check_folder(folder: Path, step: dict[str, Any], ran: Ran) -> None:
    for path, wanted in step.get("writes", {}).items():
        _check_file(place_of(folder, path), wanted, ran)
    for path, names in step.get("tree", {}).items():
        files = (file for file in (folder / path).rglob("*") if file.is_file())
        below = (file.relative_to(folder / path) for file in files)
        assert sorted(str(file) for file in below if ".git" not in file.parts) == sorted(names)
    for command, wanted in step.get("shows", {}).items():
        text = _shell(folder, command)
        if isinstance(wanted, bool) or wanted is None:
            assert (text is not None) is bool(wanted), f"{command}\n{ran.out}{ran.err}"
        else:
            assert text is not None, f"{command}\n{ran.out}{ran.err}"
            _check_text(text, wanted, ran)


def _shell(folder: Path, script: str) -> str | None:
    """The output of a script, without white space around it; nothing if it fails."""
    author = {"GIT_AUTHOR_NAME": "User", "GIT_AUTHOR_EMAIL": "user@example.com"}
    ran = subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env={**os.environ, **author},
        check=False,
        capture_output=True,
        text=True,
    )
    return ran.stdout.strip() if ran.returncode == 0 else None


def _check_requests(step: dict[str, Any], servers: _Servers) -> None:
    requests = list(servers.vault.requests) if servers.vault is not None else []
    for server in (servers.api, servers.github):
        received = server.received if server is not None else []
        requests += [f"{request.method} {request.path}" for request in received]
    for part, number in step.get("requests", {}).items():
        assert sum(part in request for request in requests) == number, part
    for part, token in step.get("tokens", {}).items():
        assert servers.api is not None
        assert {one.token for one in servers.api.received if part in one.path} <= {token}, part
    if "served" in step:
        assert servers.web is not None
        served = (f"{status} {path}" for path, status in servers.web.answers())
        assert sorted(served) == sorted(step["served"])
    if "pulls" in step:
        assert servers.github is not None
        check_pulls(servers.github, step["pulls"])


def _check_text(text: str, wanted: str | list[str], ran: Ran) -> None:
    """Compare a whole text, or look for parts, whatever the width that they were wrapped to."""
    if isinstance(wanted, str):
        assert text == wanted, f"{ran.out}{ran.err}"
    else:
        plain = " ".join(text.split())
        missing = [part for part in wanted if part not in text and part not in plain]
        assert not missing, f"{missing} not in:\n{text}"


def _check_file(file: Path, wanted: object, ran: Ran) -> None:
    match wanted:
        case None:
            assert not file.exists(), ran
        case True:
            assert file.exists(), ran
        case str():
            assert file.read_bytes().decode() == wanted, ran
        case list():
            _check_text(file.read_text("utf-8"), wanted, ran)
        case _:
            raise ValueError(f"{file}: {wanted!r} is not an expectation")


def _merged(below: Any, above: Any) -> Any:  # noqa: ANN401 - YAML
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    keys = [*below, *(key for key in above if key not in below)]
    return {
        key: _merged(below.get(key), above[key]) if key in above else below[key] for key in keys
    }


def _filled(value: Any, row: Mapping[str, Any]) -> Any:  # noqa: ANN401 - YAML
    """Replace `<name>` by the value of a name, in keys, too; alone, it may be of any type."""
    if isinstance(value, dict):
        return {_filled(key, row): _filled(below, row) for key, below in value.items()}
    if isinstance(value, list):
        return [_filled(below, row) for below in value]
    if isinstance(value, str):
        for name, given in row.items():
            if value == f"<{name}>":
                return given
            value = value.replace(f"<{name}>", str(given))
    return value
