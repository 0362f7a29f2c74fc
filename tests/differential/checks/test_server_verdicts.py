"""Our verdicts about objects, and those of a real API server of the same version."""

from __future__ import annotations

import json
import logging
import os
import random
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.checks.base import Version
from commodore_py.checks.run import Settings, check_catalog
from commodore_py.model.tree import Entry, Tree

from .broken import emptied, samples
from .server import RECIPES, VARIABLE, Answer, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.manifests.objects import Content

    from .broken import Sample

pytestmark = [pytest.mark.slow, pytest.mark.long]
_LOG = logging.getLogger(__name__)  # figures: --log-cli-level=INFO
HERE = Path(__file__).parent
EACH = int(os.environ.get("OBJECTS_OF_A_KIND", "60"))
SEED = int(os.environ.get("SEED", "0"))
CHECKS = ("kubernetes-schema", "custom-resources")
CUSTOM = "example.com/v1"
# What servers accept and we do not, by the change: each is described in quality.md.
ACCEPTED = (
    *("binaryData.blob = [", "data.key = [", "webhooks.0.clientConfig.caBundle = ["),
    *("spec.since = [", "spec.steps.0.timeout = [", "name ''", "finalizers ["),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not os.environ.get(VARIABLE) or not RECIPES.is_dir():
        pytest.skip(
            "no real API server: build one by shared/real/build-kubernetes, "
            f"and name its folder in {VARIABLE}"
        )
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        for content in (account, *documents("definitions.yaml")):
            assert started.create(content, dry=False).reason in ("", "AlreadyExists")
        started.wait_for("example.com", 2)
        yield started


def documents(name: str) -> list[Content]:
    return list(yaml.safe_load_all((HERE / name).read_text()))


def our_verdicts(contents: Sequence[Content], version: Version) -> list[list[str]]:
    """The errors of each object."""
    tree = {
        PurePosixPath(f"{number}.json"): Entry(json.dumps(content).encode())
        for number, content in enumerate([*contents, *documents("definitions.yaml")])
    }
    checked = check_catalog({"": Tree(tree)}, Settings(version=version, only=CHECKS))
    found: list[list[str]] = [[] for _ in tree]
    for one in checked.problems:
        if one.severity == "error" or one.code == "checks/unreadable":
            number = int(PurePosixPath(one.place.file).stem)
            found[number].append(f"{one.code} {one.place.field}: {one.message}")
    return found[: len(contents)]


def out_of_scope(sample: Sample, answer: Answer) -> str:
    """The class of rules that nobody knows without the server's code; empty for all others."""
    if sample.content["apiVersion"] == CUSTOM:
        # A rule in CEL; `some validation rules were not checked` follows other errors.
        return "rules in CEL" if "failed rule" in answer.message else ""
    classes = {_class(reason, field) for reason, field, _ in answer.causes}
    return "" if "" in classes or not classes else min(classes)


def _class(reason: str, field: str) -> str:
    if field.startswith("metadata."):
        return ""
    if "capacity" in field or reason in ("FieldValueInvalid", "FieldValueTypeInvalid"):
        return "values that are validated by code"
    return {
        "FieldValueRequired": "fields that are required by other fields",
        "FieldValueNotFound": "names within the object",
        "FieldValueForbidden": "fields that exclude each other",
        "FieldValueDuplicate": "duplicates in lists",
    }.get(reason, "")


def test_verdicts_are_those_of_a_server(server: Server) -> None:
    chance = random.Random(SEED)  # noqa: S311 - not a secret
    _compare(
        server, [one for good in documents("kinds.yaml") for one in samples(good, chance, EACH)]
    )


def test_verdicts_about_empty_values_are_those_of_a_server(server: Server) -> None:
    _compare(server, [one for good in documents("kinds.yaml") for one in emptied(good)])


def _compare(server: Server, tried: Sequence[Sample]) -> None:
    contents = [one.content for one in tried]

    answers = server.verdicts(contents)
    ours = our_verdicts(contents, Version(*server.version()))

    missed, false, beyond = [], [], Counter[str]()
    for sample, answer, found in zip(tried, answers, ours, strict=True):
        refused = answer.reason not in ("", "AlreadyExists")
        text = f"{sample.content['kind']}: {sample.change}: {answer.message or found}"
        if refused and not found:
            name = out_of_scope(sample, answer)
            beyond.update([name] if name else [])
            missed += [] if name else [text]
        elif found and not refused and not sample.change.startswith(ACCEPTED):
            false.append(text)
    _LOG.info("%d objects, refused only by code of the server: %s", len(tried), dict(beyond))
    assert (missed, false) == ([], [])


def test_good_objects_are_good_to_both(server: Server) -> None:
    contents = documents("kinds.yaml")

    answers = server.verdicts(contents)

    assert {one.reason for one in answers} <= {"", "AlreadyExists"}
    assert our_verdicts(contents, Version(*server.version())) == [[] for _ in contents]
