"""What drivers render is accepted by a real API server that has the kinds of Argo CD and Flux."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.delivery.drivers.table import DRIVERS
from tests.differential.api_server import Server, running
from tests.support.plan_catalogs import example, rich_example

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.delivery.drivers.base import Job

pytestmark = [pytest.mark.slow, pytest.mark.long]
_LOG = logging.getLogger(__name__)  # figures: --log-cli-level=INFO
DEFINITIONS = "CUSTOM_RESOURCE_DEFINITIONS"
GROUPS = {"argoproj.io": "v1alpha1", "kustomize.toolkit.fluxcd.io": "v1"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = os.environ.get(DEFINITIONS)
    if not folder:
        pytest.skip(f"{DEFINITIONS} is not set: a folder with the kinds of Argo CD and Flux")
    with running(tmp_path_factory.mktemp("server")) as found:
        defined = [yaml.safe_load(file.read_text()) for file in sorted(Path(folder).glob("*.yaml"))]
        assert [one.reason for one in map(_created(found), defined)] == [""] * len(defined)
        for group, version in GROUPS.items():
            kinds = sum(one["spec"]["group"] == group for one in defined)
            found.wait_for(group, kinds, version)
        yield found


def _created(server: Server) -> Any:  # noqa: ANN401 - a function
    return lambda content: server.create(content, dry=False)


@pytest.mark.parametrize("made", [example, rich_example], ids=["example", "rich"])
@pytest.mark.parametrize("driver", sorted(DRIVERS))
def test_api_server_accepts_rendered_objects(server: Server, driver: str, made: Any) -> None:  # noqa: ANN401
    job: Job = made()
    laid = DRIVERS[driver].render(job)
    objects = [
        one
        for path, entry in laid.manifests.items()
        if path.suffix == ".yaml"
        for one in yaml.safe_load_all(entry.content)
    ]
    for name in sorted({one["metadata"].get("namespace", "default") for one in objects}):
        server.create(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, dry=False
        )

    found = server.verdicts(objects)

    assert [(one.message, two) for one, two in zip(found, objects, strict=True) if one.reason] == []
    _LOG.info("%s: %d objects accepted", driver, len(objects))


def test_api_server_refuses_unknown_field(server: Server) -> None:
    wrong = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "wrong", "namespace": "default"},
        "spec": {"destination": {}, "project": "syn", "sauce": {}},
    }

    assert "sauce" in server.create(wrong).message
