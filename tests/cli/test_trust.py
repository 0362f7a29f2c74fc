"""What comes from other users, from the environment or from content is not trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import make_repository
from tests.support.fleet import CLUSTER, configmap_component, make_fleet
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Refusal

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

NOBODY = 65534
PLANTED = "#!/bin/sh\necho ran >> {log}\nexit 1\n"


@pytest.fixture
def tools() -> Path:
    """The directory of managed tools."""
    folder = Path(os.environ["XDG_CACHE_HOME"], "commodore", "tools")
    folder.mkdir(parents=True)
    return folder


def plant(folder: Path, log: Path) -> None:
    for name in ("git", "helm", "kustomize", "jb"):
        file = folder / name
        file.write_text(PLANTED.format(log=log))
        file.chmod(0o755)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("what", ["directory", "file"])
def test_managed_tools_of_another_user_are_not_run(
    commodore: CommandLine, tmp_path: Path, tools: Path, what: str
) -> None:
    log = tmp_path / "log"
    plant(tools, log)
    os.chown(tools if what == "directory" else tools / "git", NOBODY, NOBODY)
    fleet = make_fleet(tmp_path / "fleet", web={})
    facts = str(fleet.root / "facts")

    ran = commodore("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts)
    others = [commodore("version"), commodore("doctor"), commodore("tool", "list")]
    upgrade = commodore("tool", "upgrade", "helm")

    assert ran.code == 0, ran.err
    assert not log.exists()
    assert all("managed tools are not used" in one.err for one in (ran, *others))
    assert "can be changed by another user" in upgrade.err


def test_managed_tools_writable_by_others_are_not_run(
    commodore: CommandLine, tmp_path: Path, tools: Path
) -> None:
    plant(tools, tmp_path / "log")
    (tools / "git").chmod(0o777)

    ran = commodore("version")

    assert "managed tools are not used" in ran.err
    assert str(tools / "git") in ran.err
    assert not (tmp_path / "log").exists()


def test_own_managed_tools_are_run(commodore: CommandLine, tmp_path: Path, tools: Path) -> None:
    plant(tools, tmp_path / "log")

    ran = commodore("version")

    assert "managed tools are not used" not in ran.err
    assert (tmp_path / "log").exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_LITERAL_PATHSPECS": "1"},
        {"GIT_ICASE_PATHSPECS": "1"},
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.autocrlf",
            "GIT_CONFIG_VALUE_0": "true",
        },
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.eol",
            "GIT_CONFIG_VALUE_0": "crlf",
        },
    ],
)
@pytest.mark.sample(2)
def test_catalog_does_not_depend_on_git_settings(
    commodore: CommandLine, tmp_path: Path, variables: dict[str, str]
) -> None:
    code = "{ out: { kind: 'ConfigMap', data: { text: importstr 'text.txt' } } }"
    files = {**configmap_component("web", code), "component/text.txt": "a\nb\n"}
    files[".gitattributes"] = "* text=auto\n"
    contents = []
    for name, more in (("plain", {}), ("changed", variables)):
        fleet = make_fleet(tmp_path / name, web=files)
        words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"), "--push")
        ran = commodore("-d", str(fleet.work), *words, **more)
        assert ran.code == 0, ran.err
        contents.append(fleet.catalog_files())

    assert contents[0] == contents[1]


@pytest.mark.parametrize("url", ["http://[::1", "http://example.com:port/x"])
def test_malformed_urls_are_errors_with_their_text(
    commodore: CommandLine, tmp_path: Path, url: str
) -> None:
    source = {"type": "https", "source": f"{url}/file", "output_path": "dependencies/x"}
    files = configmap_component("web")
    files["class/web.yml"] = files["class/web.yml"].replace(
        "parameters:\n  kapitan:\n", f"parameters:\n  kapitan:\n    dependencies: [{source}]\n"
    )
    fleet = make_fleet(tmp_path / "fleet", web=files)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        f"clusters: [{{name: a, cluster: {{server: '{url}'}}}}]\n"
        "contexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n"
    )
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))

    make_repository(tmp_path / "catalog", {"manifests/a/cm.yaml": ""})
    live = ("c-one", "--kubeconfig", str(kubeconfig), "--catalog", str(tmp_path / "catalog"))

    runs = [
        commodore("-d", str(fleet.work), *words),
        commodore("tool", "install", "helm", COMMODORE_TOOL_MIRROR=url),
        commodore("live", "status", *live),
        commodore("catalog", "list", "--api-url", url),
    ]

    for ran in runs:
        assert ran.code == 1, ran.err
        assert "Traceback" not in ran.err
        assert url in ran.err


@pytest.mark.parametrize(
    ("path", "answer", "code"),
    [
        ("/", "[]", 1),
        ("/", "null", 1),
        ("/api", "[]", 1),
        ("/api/v1/configmaps", "null", 1),
        ("/api/v1/configmaps", '{"items": "x"}', 1),
        ("/api/v1/configmaps", '{"items": [null]}', 1),
        ("/api/v1/configmaps", '{"items": [{"metadata": 5}]}', 0),
        ("/apis/argoproj.io/v1alpha1/applications", '{"items": [{"spec": [], "metadata": {}}]}', 0),
    ],
)
def test_malformed_cluster_responses_are_errors(
    commodore: CommandLine, tmp_path: Path, path: str, answer: str, code: int
) -> None:
    content = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"
    make_repository(tmp_path / "catalog", {"manifests/a/cm.yaml": content})
    kubeconfig = tmp_path / "kubeconfig"
    with kubernetes.serve() as cluster:
        kubeconfig.write_text(kubernetes.kubeconfig_of(cluster.url))
        cluster.before = lambda _, asked: (
            Refusal(200, "", "", body=answer.encode()) if asked.startswith(path) else None
        )
        words = ("c-one", "--kubeconfig", str(kubeconfig), "--catalog", str(tmp_path / "catalog"))

        ran = commodore("live", "status", *words)

    assert ran.code == code, ran.err
    assert code == 0 or "answered with" in ran.err


def test_oversized_exec_plugin_output_is_an_error(commodore: CommandLine, tmp_path: Path) -> None:
    make_repository(tmp_path / "catalog", {"manifests/a/cm.yaml": ""})
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]\n"
        "contexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n"
        "users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1,"
        " command: cat, args: [/dev/zero], interactiveMode: Never}}}]\n"
    )
    words = ("c-one", "--kubeconfig", str(kubeconfig), "--catalog", str(tmp_path / "catalog"))

    ran = commodore("live", "status", *words)

    assert ran.code == 1
    assert "printed more than 1048576 bytes" in ran.err
