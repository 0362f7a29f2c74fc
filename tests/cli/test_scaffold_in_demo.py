"""What `component new` makes compiles in the playground, and a missing library is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py import pipeline
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to, errors_in, git
from tests.support.fleet import CLUSTER, component_entries, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


def _add_application(demo: Path, name: str, url: str) -> None:
    tenant = demo / "repos/t-demo.git"
    common = yaml.safe_load(git(tenant, "show", "master:common.yml"))
    common["applications"].append(name)
    common["parameters"]["components"][name] = {"url": url, "version": "master"}
    commit_to(tenant, {"common.yml": yaml.safe_dump(common)})


@pytest.mark.long
def test_new_component_compiles_in_demo(commodore: CommandLine, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    write_demo(demo)
    created = commodore("-d", str(demo), "component", "new", "my-app")
    git(tmp_path, "clone", "--quiet", "--bare", str(demo / "dependencies/my-app"), "my-app.git")
    _add_application(demo, "my-app", (tmp_path / "my-app.git").as_uri())

    config = Config(WorkPaths(demo), api_url=str(demo / "facts"))
    published = pipeline.compile_catalog(config, "c-demo-1", lambda _: False)

    assert created.code == 0
    assert "manifests/apps/my-app.yaml" in {file.path for file in published.change.files}
    app = yaml.safe_load((demo / "catalog/manifests/apps/my-app.yaml").read_text())
    assert (app["kind"], app["spec"]["source"]["path"]) == ("Application", "manifests/my-app")


@pytest.mark.parametrize(
    ("library", "applications", "listed", "hint"),
    [
        (
            "argocd.libjsonnet",
            ["web"],
            ["web"],
            (
                "component argocd usually provides it: add it to `applications`, and its url and"
                " version to parameters.components; looked at "
            ),
        ),
        (
            "other-app-rules.libsonnet",
            ["web"],
            ["web", "other", "other-app"],
            "component other-app usually provides it: add it to `applications`; looked at ",
        ),
        (
            "web.libsonnet",
            ["web"],
            ["web"],
            "component web usually provides it: the version in use has no such library; looked at",
        ),
        ("deep/one.libsonnet", ["web"], ["web"], "looked at "),
        ("web.json", ["web"], ["web"], "looked at "),
    ],
)
def test_missing_library_hints_at_its_component(
    tmp_path: Path, library: str, applications: list[str], listed: list[str], hint: str
) -> None:
    fleet = make_fleet(
        tmp_path, web={"component/main.jsonnet": f"import 'lib/{library}'"}, other={}, other_app={}
    )
    entries = component_entries(fleet, listed)
    fleet.configure({"applications": applications, "parameters": {"components": entries}})

    with pytest.raises(CommodoreError) as caught:
        pipeline.compile_catalog(fleet.config(), CLUSTER, lambda _: False)

    (error,) = errors_in(caught.value)
    assert str(error) == f"import of lib/{library}: there is no such file"
    assert error.hint.startswith(hint)


@pytest.mark.long
def test_component_compile_hints_at_library_path_option(
    commodore: CommandLine, tmp_path: Path
) -> None:
    commodore("-d", str(tmp_path), "component", "new", "my-app")
    component = tmp_path / "dependencies/my-app"
    (component / "component/main.jsonnet").write_text("import 'lib/prometheus.libsonnet'")

    ran = commodore("component", "compile", str(component))

    assert ran.code == 1
    assert "component prometheus usually provides it: name a folder that has it with -J" in ran.err
