"""Rules of the hierarchy: `parameters.commodore.live.health` (pure)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from . import kstatus
from .scripts import is_wild
from .status import Health, Verdict, degraded, healthy, progressing, suspended

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.manifests.objects import Content

PATH = ("commodore", "live", "health")
_LISTS = ("healthy", "degraded", "suspended")
_KEYS = (*_LISTS, "message-from", "grace", "lua")
_DURATION = re.compile(r"(\d{1,6})(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_STATUSES = ("True", "False", "Unknown")
_SHOWN = 10
"""What is left of a grace is rounded up to so many seconds, for messages that seldom change."""

_Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of an object, and the status that it must have."""

    type: str
    status: str


@dataclass(frozen=True, slots=True)
class OwnRule:
    """The rule of the hierarchy for one kind."""

    healthy: tuple[Condition, ...] = ()
    degraded: tuple[Condition, ...] = ()
    suspended: tuple[Condition, ...] = ()
    message_from: str = ""
    """The condition whose message is shown; that which decides, if empty."""
    lua: str = ""
    grace: float = 0
    """Seconds for which an object may be degraded before it is healthy."""

    @property
    def decides(self) -> bool:
        """True if it judges objects; otherwise it has a grace only."""
        return bool(self.healthy or self.lua)

    def verdict(self, content: Content) -> Verdict:
        """Assess the conditions of an object."""
        if not kstatus.is_observed(content):
            return progressing(kstatus.NOT_OBSERVED)
        present = kstatus.conditions_of(content)

        def message(source: Condition) -> str:
            return kstatus.message_of(present.get(self.message_from or source.type, {}))

        for conditions, verdict in ((self.degraded, degraded), (self.suspended, suspended)):
            for condition in conditions:
                if kstatus.is_status(present, condition.type, condition.status):
                    return verdict(message(condition))
        for condition in self.healthy:
            if not kstatus.is_status(present, condition.type, condition.status):
                return progressing(
                    message(condition) or f"waits for {condition.type}={condition.status}"
                )
        return healthy(message(self.healthy[0]))


@dataclass(frozen=True, slots=True)
class Wrong:
    """A setting that is not valid."""

    path: _Path
    message: str


def in_grace(health: Health, left: float) -> Health:
    """The health of an object that may be degraded for so many seconds more."""
    if health.status != "Degraded" or left <= 0:
        return health
    shown = math.ceil(left / _SHOWN) * _SHOWN
    message = f"Degraded, in grace for {shown} s more"
    return replace(
        health, status="Progressing", message=f"{message}: {health.message}".removesuffix(": ")
    )


def own_rules(parameters: Mapping[str, Any]) -> tuple[dict[str, OwnRule], tuple[Wrong, ...]]:
    """The rules by `group/Kind`, and what is wrong with them."""
    wrong: list[Wrong] = []
    given: Any = parameters
    for at, key in enumerate(PATH):
        given = given.get(key) if isinstance(given, dict) else None
        if at and given is not None and not isinstance(given, dict):
            return {}, (Wrong(PATH[: at + 1], "it is not a mapping"),)
    if given is None:
        return {}, ()
    rules = {str(kind): _rule(str(kind), fields, wrong) for kind, fields in given.items() if fields}
    return rules, tuple(wrong)


def _rule(kind: str, given: Any, wrong: list[Wrong]) -> OwnRule:  # noqa: ANN401 - plain data
    path = (*PATH, kind)
    if is_wild(kind) or kind.count("/") > 1:
        wrong.append(Wrong(path, "a rule is for one kind: group/Kind, or Kind for the core group"))
    if not isinstance(given, dict):
        wrong.append(Wrong(path, "a rule is a mapping"))
        return OwnRule()
    keys = ", ".join(_KEYS)
    wrong += [
        Wrong((*path, str(key)), f"a rule does not have it; known are: {keys}")
        for key in given
        if key not in _KEYS
    ]
    good, bad, paused = (tuple(_conditions((*path, k), given.get(k), wrong)) for k in _LISTS)
    message_from, lua = (_text((*path, k), given.get(k), wrong) for k in ("message-from", "lua"))
    if lua and any(key in given for key in (*_LISTS, "message-from")):
        wrong.append(Wrong((*path, "lua"), "a rule has either a script or conditions"))
    if not given.get("healthy") and any(given.get(key) for key in (*_LISTS, "message-from")):
        wrong.append(Wrong(path, "it does not say which conditions are healthy"))
    grace = _seconds((*path, "grace"), given.get("grace"), wrong)
    return OwnRule(good, bad, paused, message_from, lua, grace)


def _conditions(path: _Path, given: Any, wrong: list[Wrong]) -> Iterable[Condition]:  # noqa: ANN401 - plain data
    if given is not None and not isinstance(given, list):
        wrong.append(Wrong(path, "it is not a list"))
        return
    for at, item in enumerate(given or ()):
        name, _, status = str(item).partition("=")
        if not isinstance(item, str) or not name or status not in _STATUSES:
            text = f"it is not a condition and its status, such as Ready=True: {item}"
            wrong.append(Wrong((*path, f"[{at}]"), text))
            continue
        yield Condition(name, status)


def _text(path: _Path, given: Any, wrong: list[Wrong]) -> str:  # noqa: ANN401 - plain data
    if given is not None and not isinstance(given, str):
        wrong.append(Wrong(path, "it is not text"))
    return given if isinstance(given, str) else ""


def _seconds(path: _Path, given: Any, wrong: list[Wrong]) -> float:  # noqa: ANN401 - plain data
    if given is None:
        return 0
    match = _DURATION.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        wrong.append(Wrong(path, f"it is not a duration, such as 90s, 5m or 1h: {given}"))
        return 0
    return int(match[1]) * _SECONDS[match[2]]
