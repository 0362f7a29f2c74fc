"""The verdict of an API server about each object, by dry runs: `--server`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.workers import in_parallel
from commodore_py.manifests.secrets import may_be_sent
from commodore_py.model.problem import Place, Problem

from .base import Ended, Issue

if TYPE_CHECKING:
    from .base import Documents, Item, Settings

NAME = "server"
_AT_ONCE = 8


def run(documents: Documents, settings: Settings) -> Ended | None:
    """The objects that the server refuses; None unless it is to be asked.

    Secrets and objects with secret references are never sent.
    """
    ask = settings.server
    if ask is None:
        return None
    items = [
        item
        for document in documents()
        for item in document.items or ()
        if may_be_sent(item.content)
    ]
    verdicts = in_parallel(lambda item: ask(item.content), items, at_most=_AT_ONCE)
    problems: list[Problem | tuple[Item, Issue]] = []
    reasons: dict[str, list[Item]] = {}
    for item, verdict in zip(items, verdicts, strict=True):
        if verdict.refused:
            text = f"the server refuses it: {verdict.refused}"
            problems.append((item, Issue("server/refused", text, subject=str(item.id))))
        elif verdict.unknown:
            reasons.setdefault(verdict.unknown, []).append(item)
    for reason, some in reasons.items():
        text = f"objects that the server cannot judge: {len(some)}, such as {some[0].id}: {reason}"
        problems.append(
            Problem.at(Place(), "server/unchecked", text, subject=str(some[0].id), strict=True)
        )
    only_unknown = bool(items) and sum(map(len, reasons.values())) == len(items)
    return Ended(problems, "unchecked" if only_unknown else None, next(iter(reasons), ""))
