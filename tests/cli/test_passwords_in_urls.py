"""A password in the URL of a repository or download: no file of a run holds it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.support.builders import commit_to, git, url_of
from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet
from tests.support.servers import git_http
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

PASSWORD = "c4nary-of-a-password"
READS_URLS = """
local inv = (import 'lib/kapitan.libjsonnet').inventory();
local parameters = inv.parameters;
local size = std.length(std.manifestJson([parameters.web, parameters.components]));
{ out: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { size: size } } }
"""


def test_password_in_url_is_written_to_no_file(commodore: CommandLine, tmp_path: Path) -> None:
    files = configmap_component("web", READS_URLS)
    entry = {"type": "https", "source": "${web:from}", "output_path": "dependencies/web/a.yaml"}
    files["class/web.yml"] = files["class/web.yml"].replace(
        "parameters:\n  kapitan:\n", f"parameters:\n  kapitan:\n    dependencies: [{entry}]\n"
    )
    with serve() as web, git_http.serve(tmp_path / "fleet/repos") as server:
        server.behaviour.password = PASSWORD
        user = f"robot:{PASSWORD}@"
        fleet = make_fleet(tmp_path / "fleet", web=files)
        source = web.put("/a.yaml", "a: 1\n").replace("://", f"://{user}")
        _serve_all(fleet, server.url("", user=user[:-1]), source)
        lock = ("--lock", str(fleet.work / "commodore.lock"))
        facts = ("--api-url", str(fleet.root / "facts"))
        compile_ = ("-d", str(fleet.work), "catalog", "compile", CLUSTER, *facts, "-vv")

        runs = [
            commodore(*compile_),
            commodore("-d", str(fleet.work), "lock", "create", CLUSTER, *facts, *lock),
            commodore(*compile_, *lock, "--frozen"),
        ]

    for ran in runs:
        assert ran.code == 0, ran.err
        assert PASSWORD not in ran.out + ran.err
    places = (fleet.work, Path(os.environ["XDG_CACHE_HOME"]))
    found = [
        str(path)
        for place in places
        for path in place.rglob("*")
        if path.is_file() and PASSWORD.encode() in path.read_bytes()
    ]
    # What the repository itself holds.
    assert found == [str(fleet.work / "inventory/classes/global/commodore.yml")]


def _serve_all(fleet: Fleet, served: str, source: str) -> None:
    """Replace URLs of files by those of a server, with a password."""
    files = url_of(fleet.repository("x")).removesuffix("x.git")
    for file in (fleet.root / "facts").rglob("*.yaml"):
        file.write_text(file.read_text().replace(files, served))
    text = git(fleet.repository("global"), "show", "master:commodore.yml").replace(files, served)
    content = yaml.safe_load(text)
    content["parameters"]["web"] = {"from": source}
    commit_to(fleet.repository("global"), {"commodore.yml": yaml.safe_dump(content)})
