"""Where releases are, and the requests to GitHub and its responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.tools.programs import OPTIONAL_TOOLS, TOOLS
from commodore_py.workflows.tools.releases import (
    MACHINES,
    PROJECTS,
    SYSTEMS,
    Platform,
    Upstream,
    latest_version,
    release_of,
    version_given,
)
from tests.support.servers.api import Reply, error_reply, json_reply, serve_api
from tests.support.tool_releases import Publisher, rate_limited

if TYPE_CHECKING:
    from collections.abc import Iterator

LINUX = Platform("linux", "amd64")
KUSTOMIZE = "GET /api.github.com/repos/kubernetes-sigs/kustomize/releases"


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with serve_api() as api:
        yield Publisher(api)


def failure(tool: str, publisher: Publisher, token: str = "") -> CommodoreError:
    with pytest.raises(CommodoreError) as caught:
        latest_version(tool, publisher.upstream(token))
    return caught.value


def test_every_tool_has_a_project() -> None:
    assert set(PROJECTS) == {*TOOLS, *OPTIONAL_TOOLS}


@pytest.mark.parametrize(
    ("tool", "folder", "file", "checksums"),
    [
        (
            "helm",
            "get.helm.sh",
            "helm-v1.2.3-linux-amd64.tar.gz",
            "helm-v1.2.3-linux-amd64.tar.gz.sha256sum",
        ),
        (
            "jb",
            "github.com/projectsyn/jsonnet-bundler/releases/download/v1.2.3",
            "jb_linux_amd64",
            "checksums.txt",
        ),
        (
            "kustomize",
            "github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv1.2.3",
            "kustomize_v1.2.3_linux_amd64.tar.gz",
            "checksums.txt",
        ),
        (
            "opa",
            "github.com/open-policy-agent/opa/releases/download/v1.2.3",
            "opa_linux_amd64_static",
            "opa_linux_amd64_static.sha256",
        ),
    ],
)
def test_files_are_where_the_projects_publish_them(
    tool: str, folder: str, file: str, checksums: str
) -> None:
    release = release_of(tool, "v1.2.3", LINUX, Upstream())

    assert release.url == f"https://{folder}/{file}"
    assert release.checksums_url == f"https://{folder}/{checksums}"


@pytest.mark.parametrize(
    ("machine", "file"), [("amd64", "opa_darwin_amd64"), ("arm64", "opa_darwin_arm64_static")]
)
def test_opa_for_macos(machine: str, file: str) -> None:
    release = release_of("opa", "v1.2.3", Platform("darwin", machine), Upstream())

    assert release.url.endswith(f"/{file}")
    assert release.checksums_url.endswith(f"/{file}.sha256")


def test_a_mirror_has_a_folder_per_host() -> None:
    release = release_of("helm", "v1.2.3", LINUX, Upstream(mirror="https://mirror.example.com/t/"))

    assert release.url.startswith("https://mirror.example.com/t/get.helm.sh/helm-v1.2.3-")


def test_a_mirror_that_anybody_could_play_is_refused() -> None:
    with pytest.raises(CommodoreError, match="must use https"):
        Upstream(mirror="http://mirror.example.com")


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_platforms_are_named_as_releases_name_them(system: str, machine: str) -> None:
    target = Platform.named(system, machine)

    assert target.system in {"linux", "darwin"}
    assert target.machine in {"amd64", "arm64"}


@pytest.mark.parametrize(("system", "machine"), [("Windows", "AMD64"), ("Linux", "riscv64")])
def test_other_platforms_are_reported(system: str, machine: str) -> None:
    with pytest.raises(CommodoreError, match=f"no releases for {system} on {machine}") as caught:
        Platform.named(system, machine)

    assert "PATH" in caught.value.hint


@pytest.mark.parametrize("text", ["1.2.3", "v1.2.3"])
@pytest.mark.parametrize("tool", TOOLS)
def test_a_leading_v_makes_no_difference(tool: str, text: str) -> None:
    assert version_given(tool, text) == "v1.2.3"


def test_a_version_may_be_given_like_its_tag() -> None:
    assert version_given("kustomize", "kustomize/v5.7.0") == "v5.7.0"


@pytest.mark.parametrize("text", ["latest", "../../evil", "1.2"])
def test_an_invalid_version_sends_no_requests(text: str) -> None:
    with pytest.raises(CommodoreError, match="not a version of helm"):
        version_given("helm", text)


def test_the_latest_version_is_the_tag_of_the_latest_release(publisher: Publisher) -> None:
    publisher.latest("kustomize", "kustomize/v5.7.0")

    assert latest_version("kustomize", publisher.upstream("secret")) == "v5.7.0"
    assert [request.token for request in publisher.api.received] == ["Bearer secret"]


def test_without_a_token_none_is_sent(publisher: Publisher) -> None:
    publisher.latest("helm", "v3.18.4")

    latest_version("helm", publisher.upstream())

    assert [request.token for request in publisher.api.received] == [None]


def test_releases_of_other_modules_are_skipped(publisher: Publisher) -> None:
    publisher.latest("kustomize", "kyaml/v0.20.0")
    tags = ["api/v9.0.0", "kustomize/v5.9.0", "kustomize/v5.10.0", "kustomize/v6.0.0"]
    listed = [{"tag_name": tag, "prerelease": tag.endswith("v6.0.0")} for tag in tags]
    publisher.api.on(f"{KUSTOMIZE}?per_page=100", json_reply(listed))

    assert latest_version("kustomize", publisher.upstream()) == "v5.10.0"


@pytest.mark.parametrize("listed", [[], {"no": "list"}, [{"tag_name": 7}, "odd"]])
def test_no_release_with_a_version_is_reported(publisher: Publisher, listed: object) -> None:
    publisher.latest("kustomize", "kyaml/v0.20.0")
    publisher.api.on(f"{KUSTOMIZE}?per_page=100", json_reply(listed))

    error = failure("kustomize", publisher)

    assert "no release of kubernetes-sigs/kustomize with a version" in str(error)
    assert "--version" in error.hint


def test_a_limit_is_reported_with_its_end_and_what_raises_it(publisher: Publisher) -> None:
    publisher.on_latest("helm", rate_limited())

    error = failure("helm", publisher)

    assert "API rate limit exceeded" in str(error)
    assert "is reset at 2096-10-02 07:06 UTC" in str(error)
    assert error.where.endswith("/api.github.com/repos/helm/helm/releases/latest")
    assert "COMMODORE_GITHUB_TOKEN" in error.hint


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Retry-After": "60"}, "is reset in 60 seconds"),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"}, "is exceeded: slow down"),
        ({"X-RateLimit-Remaining": "0"}, "is exceeded: slow down"),
    ],
)
def test_a_limit_is_reported_as_far_as_it_is_known(
    publisher: Publisher, headers: dict[str, str], message: str
) -> None:
    publisher.on_latest("helm", Reply(429, b'{"message": "slow down"}', headers))

    error = failure("helm", publisher)

    assert message in str(error)
    assert "COMMODORE_GITHUB_TOKEN" in error.hint


@pytest.mark.parametrize(
    ("reply", "message", "hint"),
    [
        (error_reply(404, ""), "has no release of helm/helm", ""),
        (
            json_reply({"message": "Bad credentials"}, 401),
            "token: Bad credentials",
            "--github-token",
        ),
        (json_reply({"message": "blocked"}, 403), "403 Forbidden: no reason given (blocked)", ""),
        (Reply(body=b"<html>"), "no JSON", ""),
    ],
)
def test_refusals_are_reported_in_words(
    publisher: Publisher, reply: Reply, message: str, hint: str
) -> None:
    publisher.on_latest("helm", reply)

    error = failure("helm", publisher)

    assert message in str(error)
    assert hint in error.hint


def test_an_unreachable_server_is_reported_with_the_url() -> None:
    with serve_api() as api:
        unreachable = Publisher(api)

    error = failure("helm", unreachable)

    assert "the request to GitHub failed: no connection" in str(error)
    assert error.where.startswith(unreachable.api.url)
