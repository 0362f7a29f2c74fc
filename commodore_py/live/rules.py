"""The user's rules in Lua: read from folders, run in a worker process."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import reading
from commodore_py.adapters.isolated import Session
from commodore_py.errors import CommodoreError
from commodore_py.live.lua import TimedOut, run_apart
from commodore_py.manifests.health import assess, scripts
from commodore_py.manifests.health.assess import Ruled
from commodore_py.manifests.health.own import PATH, in_grace
from commodore_py.manifests.health.scripts import Script, ScriptTable
from commodore_py.manifests.health.status import Verdict, unknown
from commodore_py.manifests.objects import mapping, split_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.manifests.health.own import OwnRule
    from commodore_py.manifests.health.status import Health
    from commodore_py.manifests.objects import Content

log = logging.getLogger(__name__)

SCRIPT = "health.lua"
MOST_KILLS = 3
"""A rule whose process was killed so often is not run again."""
_LARGEST = 1 << 20
_DEEPEST = 2


class Judge:
    """Judges objects by scripts and rules of the hierarchy before the rules that are built in.

    The worker process of scripts starts with the first of them. Objects that may be degraded at
    first are progressing for that time.
    """

    def __init__(
        self,
        table: ScriptTable,
        own_rules: Mapping[str, OwnRule] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._table, self._own, self._now = table, own_rules or {}, now
        self._session = Session()
        self._kills: Counter[Script] = Counter()
        self._ambiguous: set[tuple[str, ...]] = set()
        self._changes: dict[str, tuple[object, float]] = {}
        """By UID: the generation that was seen last, and since when."""

    def __call__(self, content: Content) -> Health:
        """The health of an object now."""
        group, _, kind = split_version(content)
        own_rule = self._own.get(scripts.key_of(group, kind))
        health = assess.assess(content, self._ruled)
        if own_rule is None or not own_rule.grace:
            return health
        return in_grace(health, self.saw(content) + own_rule.grace - self._now())

    def saw(self, content: Content) -> float:
        """Remember the generation of an object, and since when it has it or exists."""
        metadata = mapping(content.get("metadata"))
        uid, generation = str(metadata.get("uid") or ""), metadata.get("generation")
        created = assess.time_of(metadata.get("creationTimestamp"))
        seen = self._changes.get(uid)
        if seen is None:
            seen = generation, created.timestamp() if created is not None else 0
        elif seen[0] != generation:
            seen = generation, self._now()
        self._changes[uid] = seen
        return seen[1]

    def run(self, script: Script, content: Content) -> Verdict:
        """The verdict of one script."""
        if self._kills[script] >= MOST_KILLS:
            return unknown(f"its rule is not run again, it took too long {MOST_KILLS} times")
        try:
            result = run_apart(
                self._session, script.source, content, open_libraries=script.open_libraries
            )
        except TimedOut as error:
            self._kills[script] += 1
            return unknown(f"its rule failed: {error}; {script.where}")
        for line in result.printed:
            log.debug("%s: %s", script.where, line)
        if result.error:
            hint = scripts.library_hint(result.error, script)
            return unknown(f"its rule failed: {result.error}{hint}; {script.where}")
        return scripts.verdict_of(result.fields)

    def close(self) -> None:
        """End the worker process."""
        self._session.close()

    def _ruled(self, group: str, kind: str, content: Content) -> Ruled | None:
        """The verdict of the hierarchy's rule for the kind, or of the first script for it."""
        fitting, key = self._table.find(group, kind), scripts.key_of(group, kind)
        own_rule = self._own.get(key)
        if own_rule is not None and own_rule.decides:
            in_argocd = bool(fitting) or has_rule_in_argocd(group, kind)
            where = ".".join(("parameters", *PATH, key))
            verdict = (
                self.run(Script(key, own_rule.lua, open_libraries=True, where=where), content)
                if own_rule.lua
                else own_rule.verdict(content)
            )
            return Ruled(f"{key} of the hierarchy", verdict, in_argocd)
        if not fitting:
            return None
        patterns = tuple(script.pattern for script in fitting)
        if len(fitting) > 1 and patterns not in self._ambiguous:
            self._ambiguous.add(patterns)
            log.warning("several rules fit %s: %s; the first one is used", key, ", ".join(patterns))
        return Ruled(fitting[0].pattern, self.run(fitting[0], content))


def scripts_in(folder: Path) -> tuple[Script, ...]:
    """The scripts below a folder in Argo CD's layout: GROUP/KIND/health.lua."""
    if not folder.is_dir():
        raise CommodoreError("this folder of rules does not exist", where=str(folder))
    in_order = tuple(sorted(_scripts_below(folder), key=lambda script: script.where.encode()))
    if not in_order:
        raise CommodoreError(
            f"this folder holds no {SCRIPT}",
            where=str(folder),
            hint=f"rules are files GROUP/KIND/{SCRIPT}, with _ as a wildcard",
        )
    return in_order


def folders_in(folder: Path) -> Iterator[Path]:
    """Folders of rules below a folder."""
    for where, names, present in os.walk(folder):
        depth = len(Path(where).relative_to(folder).parts)
        names[:] = sorted(names) if depth < _DEEPEST else []
        if depth and SCRIPT in present:
            yield Path(where)


def _scripts_below(folder: Path) -> Iterator[Script]:
    for where in folders_in(folder):
        pattern = where.relative_to(folder).as_posix().replace("_", "*")
        path = where / SCRIPT
        try:
            source = reading.text_of(str(path), limit=_LARGEST)
        except (OSError, ValueError) as error:
            raise CommodoreError(f"this rule cannot be read: {error}", where=str(path)) from error
        yield Script(pattern, source, open_libraries=True, where=str(path))


def has_rule_in_argocd(group: str, kind: str) -> bool:
    """Return whether Argo CD brings a rule in Lua for a kind."""
    return scripts.is_among(_known(), group, kind)


@cache
def _known() -> tuple[str, ...]:
    text = files("commodore_py.lib").joinpath("argocd", "kinds_with_rules.txt").read_text("utf-8")
    return scripts.patterns_of(text.splitlines())
