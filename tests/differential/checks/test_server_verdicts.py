"""Our verdicts about objects, and those of a real API server of the same version."""

from __future__ import annotations

import logging
import os
import random
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from commodore_py.checks.base import Version

from .broken import emptied, samples
from .changed import cases, documents, our_verdicts
from .server import RECIPES, VARIABLE, Answer, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .broken import Sample

pytestmark = [pytest.mark.slow, pytest.mark.long]
_LOG = logging.getLogger(__name__)  # figures: --log-cli-level=INFO
EACH = int(os.environ.get("OBJECTS_OF_A_KIND", "60"))
SEED = int(os.environ.get("SEED", "0"))
CUSTOM = "example.com/v1"
# What servers accept and we do not, by the change.
ACCEPTED = (
    *("binaryData.blob = [", "data.key = [", "webhooks.0.clientConfig.caBundle = ["),
    *("spec.since = [", "spec.steps.0.timeout = [", "name ''"),
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


def out_of_scope(sample: Sample, answer: Answer) -> str:
    """Why we cannot know what the server answered; empty for everything else."""
    if sample.content["apiVersion"] == CUSTOM and "failed rule" in answer.message:
        # `some validation rules were not checked` follows other errors.
        return "rules in CEL"
    if re.search(r"is forbidden: (error looking up|no PriorityClass)", answer.message):
        return "what is in the cluster"
    return ""


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


def test_the_server_agrees_with_each_case(server: Server) -> None:
    tried = cases()

    answers = server.verdicts([one.content for one in tried])

    wrong = [
        (case.name, answer.message)
        for case, answer in zip(tried, answers, strict=True)
        if (answer.reason in ("", "AlreadyExists")) == bool(case.found)
    ]
    assert wrong == []
