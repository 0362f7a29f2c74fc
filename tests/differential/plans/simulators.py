"""What Argo CD and Flux make of files: made-up clusters that know the files' text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random

    from commodore_py.model.tree import Tree

WAVE, GATE = "argocd.argoproj.io/sync-wave", "commodore-py/gate"
_WORST = ("Missing", "Degraded", "Progressing", "Suspended", "Healthy")
_NOT_YET: tuple[tuple[str, str, bool], ...] = (
    ("", "", False),
    ("Progressing", "Synced", True),
    ("Progressing", "OutOfSync", True),
    ("Missing", "OutOfSync", True),
    ("Degraded", "Synced", True),
    ("Healthy", "OutOfSync", True),
    ("Healthy", "Synced", False),
    ("Healthy", "Unknown", True),
)
"""Health, result of the comparison, and whether that was with the spec of now."""
TICKS = 3000


class Started(NamedTuple):
    """A step that was started, and what was ready by then."""

    step: str
    ready: frozenset[str]


def judged(health: str, sync: str, gate: str | None, *, fresh: bool) -> str:
    """The health of an Application to the one that deploys it, by the rule of plans."""
    if not health:
        return "Progressing"
    if gate is None:
        return health
    accepted = {"Healthy", "Degraded"} if gate == "degraded-ok" else {"Healthy"}
    if health in accepted:
        return "Healthy" if sync == "Synced" and fresh else "Progressing"
    return "Progressing" if health in {"Missing", "Degraded"} else health


class Argo:
    """Applications that deploy Applications, in waves."""

    def __init__(self, manifests: Tree, random: Random, degraded: Iterable[str]) -> None:
        self._random, self._degraded = random, set(degraded)
        self._folders: dict[str, list[dict[str, Any]]] = {}
        for path, entry in manifests.items():
            for one in yaml.load_all(entry.content, yaml.CSafeLoader):
                self._folders.setdefault(str(path.parent), []).append(one)
        self._live: dict[tuple[str, str], dict[str, Any]] = {}
        self._ticks: dict[str, int] = {}
        self.started: list[Started] = []

    def run(self) -> None:
        """From the owner of all, until nothing is to be done."""
        self._sync("apps")
        for _ in range(TICKS):
            before = len(self.started), sum(self._ticks.values())
            for name in [name for kind, name in self._live if kind == "Application"]:
                if self._ticks.get(name):
                    self._ticks[name] -= 1
            self._sync("apps")
            if before == (len(self.started), sum(self._ticks.values())):
                return
        raise AssertionError("it never ends")

    def _sync(self, folder: str) -> None:
        """One look of an Application of Applications: the first wave that is not done counts."""
        found = self._folders.get(folder, [])
        for wave in sorted({_wave(one) for one in found}):
            members = [one for one in found if _wave(one) == wave]
            for one in members:
                self._apply(one)
            for inner in [_folder_of(one) for one in members if _is_group(one)]:
                self._sync(inner)
            if any(self._judged(one) != "Healthy" for one in members):
                return

    def _apply(self, one: dict[str, Any]) -> None:
        key = one["kind"], one["metadata"]["name"]
        if key in self._live:
            return
        self._live[key] = one
        if not _is_group(one) and one is not self._root:
            if one["kind"] == "Application":
                self._ticks[key[1]] = self._random.randint(0, 6)
            if one["kind"] != "AppProject":
                self.started.append(Started(step_of(one), self.ready))

    @property
    def _root(self) -> dict[str, Any]:
        return next(one for one in self._folders["apps"] if _folder_of(one) == "apps")

    @property
    def ready(self) -> frozenset[str]:
        """Steps that are really at their end."""
        return frozenset(
            step_of(one)
            for (kind, name), one in self._live.items()
            if kind != "Application" or self._ticks.get(name) == 0
        )

    def _judged(self, one: dict[str, Any]) -> str:
        """Health as the owner sees it; kinds without a rule are healthy."""
        if one["kind"] != "Application" or one is self._root:
            return "Healthy"
        name = one["metadata"]["name"]
        gate = one["metadata"].get("annotations", {}).get(GATE)
        if _is_group(one):
            found = self._folders.get(_folder_of(one), [])
            live = [
                child for child in found if (child["kind"], child["metadata"]["name"]) in self._live
            ]
            health = min(map(self._judged, live), key=_WORST.index, default="Healthy")
            sync = "Synced" if len(live) == len(found) else "OutOfSync"
            return judged(health, sync, gate, fresh=True)
        if self._ticks[name]:
            ends = ("Degraded", "Synced", True) if gate == "degraded-ok" else None
            health, sync, fresh = self._random.choice([one for one in _NOT_YET if one != ends])
            return judged(health, sync, gate, fresh=fresh)
        health = "Degraded" if step_of(one) in self._degraded else "Healthy"
        return judged(health, "Synced", gate, fresh=True)


def _wave(one: Mapping[str, Any]) -> int:
    return int(one["metadata"].get("annotations", {}).get(WAVE, "0"))


def _folder_of(one: Mapping[str, Any]) -> str:
    return (
        str(one["spec"]["source"]["path"]).removeprefix("manifests/")
        if one["kind"] == "Application"
        else ""
    )


def _is_group(one: Mapping[str, Any]) -> bool:
    return _folder_of(one).startswith("plan/")


def step_of(one: Mapping[str, Any]) -> str:
    """What the plan calls an object."""
    return _folder_of(one) or str(one["metadata"]["name"])


class Flux:
    """Kustomizations that wait for others."""

    def __init__(self, manifests: Tree, random: Random, degraded: Iterable[str]) -> None:
        self._random, self._degraded = random, set(degraded)
        self._all = {
            (one["metadata"]["namespace"], one["metadata"]["name"]): one
            for path, entry in manifests.items()
            if str(path.parent) == "flux"
            for one in yaml.load_all(entry.content, yaml.CSafeLoader)
        }
        self._ticks: dict[tuple[str, str], int] = {}
        self.started: list[Started] = []

    def run(self) -> None:
        """Until nothing is to be done."""
        for _ in range(TICKS):
            for key, one in self._all.items():
                if key in self._ticks:
                    self._ticks[key] = max(0, self._ticks[key] - 1)
                elif all(self._lets_start(key, on) for on in one["spec"].get("dependsOn", ())):
                    self.started.append(Started(key[1], self.ready))
                    self._ticks[key] = self._random.randint(1, 6)
            if len(self._ticks) == len(self._all) and not any(self._ticks.values()):
                return
        raise AssertionError("it never ends")

    @property
    def ready(self) -> frozenset[str]:
        """Kustomizations that are at their end."""
        return frozenset(name for (_, name), left in self._ticks.items() if not left)

    def _lets_start(self, key: tuple[str, str], on: Mapping[str, str]) -> bool:
        other = on.get("namespace", key[0]), on["name"]
        assert other in self._all, f"{key} depends on {other}, which does not exist"
        if self._ticks.get(other) != 0:
            return False
        return on["name"] not in self._degraded or "HealthCheckFailed" in on.get("readyExpr", "")
