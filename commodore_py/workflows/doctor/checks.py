"""Checks of this machine: one pure function per subject, each with a verdict and a remedy."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from commodore_py.errors import CommodoreError

    from .environment import Cache, Environment

Status = Literal["ok", "warn", "fail"]
STATUSES: tuple[Status, ...] = ("ok", "warn", "fail")
"""From good to bad."""

NEWEST_TESTED_PYTHON = (3, 13)
OLDEST_GIT = (2, 31)
"""The first with `rev-parse --path-format`; worktrees can be repaired since the one before."""

_GROUP_AND_OTHERS = 0o077
_WRITABLE_BY_OTHERS = 0o022
_SECONDS_AT_WORK = 600
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one check."""

    status: Status
    finding: str
    remedy: str = ""


def run_checks(environment: Environment) -> dict[str, Verdict]:
    """Every check's verdict."""
    return {name: check(environment) for name, check in CHECKS.items()}


def worst(verdicts: Iterable[Verdict]) -> Status:
    """The worst status of all verdicts."""
    return max((verdict.status for verdict in verdicts), key=STATUSES.index, default="ok")


def python(environment: Environment) -> Verdict:
    """A tested version of Python; older ones cannot run this."""
    version = ".".join(map(str, environment.python))
    if environment.python[:2] > NEWEST_TESTED_PYTHON:
        newest = ".".join(map(str, NEWEST_TESTED_PYTHON))
        return Verdict("warn", f"{version}, not tested yet", f"if it fails, use Python {newest}")
    return Verdict("ok", version)


def git(environment: Environment) -> Verdict:
    """A version of git with all features that we need."""
    needed = ".".join(map(str, OLDEST_GIT))
    remedy = f"install git {needed} or newer"
    if environment.git.path is None:
        return Verdict("fail", "not found in PATH", remedy)
    numbers = re.search(r"(\d+)\.(\d+)", environment.git.version)
    if numbers is None:
        return Verdict("fail", f"{environment.git.path} does not print a version", remedy)
    installation = (
        f"{environment.git.version.removeprefix('git version ')} ({environment.git.path})"
    )
    if (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        return Verdict("fail", f"{installation} is too old", remedy)
    return Verdict("ok", installation)


def tool(name: str, environment: Environment) -> Verdict:
    """A program that some components use."""
    tool_state = next(tool for tool in environment.tools if tool.name == name)
    remedy = f"commodore tool install {name}"
    if tool_state.works:
        return Verdict("ok", f"{tool_state.version} ({tool_state.path})")
    if tool_state.path:
        return Verdict("fail", f"{tool_state.path} does not run", f"remove it, then: {remedy}")
    if name in environment.built_in:
        return Verdict("ok", f"built in; the program is {environment.built_in[name]}")
    return Verdict("warn", "not found in PATH; components that use it will fail", remedy)


def kustomize(environment: Environment) -> Verdict:
    """A program that builds kustomizations; kubectl can, except for entries of type kustomize."""
    verdict = tool("kustomize", environment)
    if verdict.status != "warn" or not environment.kubectl:
        return verdict
    use = f"kustomizations are built by {environment.kubectl}; entries of type kustomize will fail"
    return Verdict("ok", f"not found in PATH; {use}", verdict.remedy)


def managed_tools(environment: Environment) -> Verdict:
    """The record of managed tools is readable."""
    if environment.tools_problem:
        return _failed(environment.tools_problem)
    return Verdict("ok", "the record of tools is readable")


def api(environment: Environment) -> Verdict:
    """Cluster facts can be read."""
    server = environment.api
    if not server.url:
        return Verdict(
            "warn",
            "no API URL",
            "set COMMODORE_API_URL to a Lieutenant API, or to a folder of cluster facts like"
            " ./facts; `commodore demo` creates an example",
        )
    if server.problem:
        return _failed(server.problem)
    if server.clusters is None:
        return Verdict("ok", f"{server.url} is reachable")
    kind = "the folder" if server.is_folder else "the API"
    return Verdict("ok", f"{kind} {server.url} has {_count(server.clusters, 'cluster')}")


def token(environment: Environment) -> Verdict:
    """There is a valid token."""
    token_state = environment.token
    log_in = "commodore login, or set COMMODORE_API_TOKEN"
    if not token_state.needed:
        return Verdict("ok", "not required")
    problem = token_state.problem or environment.api.rejection
    if problem:
        return _failed(problem, otherwise=log_in)
    if not token_state.origin:
        return Verdict("warn", "none", log_in)
    if not token_state.has_expired:
        until = (
            f"valid until {_time(token_state.expiry)}" if token_state.expiry else "without expiry"
        )
        return Verdict("ok", f"{token_state.origin}, {until}")
    ended = f"{token_state.origin}, expired {_time(token_state.expiry)}"
    if token_state.renewable:
        return Verdict("ok", f"{ended}; it is renewed when needed")
    return Verdict("warn", ended, log_in)


def working_directory(environment: Environment) -> Verdict:
    """The working directory can be used."""
    work = environment.work
    if work.problem:
        remedy = "choose another directory with --working-dir"
        return Verdict("fail", f"{work.path} cannot be written to: {work.problem}", remedy)
    if not work.exists:
        return Verdict("ok", f"{work.path}, created when needed")
    if work.compiled_before:
        return Verdict("ok", f"{work.path}, with an earlier compile")
    beside = f"; a compile adds its folders to the {_count(work.entries, 'entry', 'entries')}"
    return Verdict("ok", f"{work.path}, not compiled yet{beside if work.entries else ''}")


def local_work(environment: Environment) -> Verdict:
    """Nothing in the checkouts would stop a compile."""
    checkouts = environment.work.checkouts
    broken = [f"{checkout.path}: {checkout.problem}" for checkout in checkouts if checkout.problem]
    if broken:
        return Verdict(
            "fail", _some(broken), "move the folder away; the next compile clones it again"
        )
    changed = [
        f"{checkout.path}: {_some(checkout.changes, ', ')}"
        for checkout in checkouts
        if checkout.changes
    ]
    if changed:
        remedy = "commit and push it, or move it aside with --force"
        return Verdict("warn", f"not pushed: {_some(changed)}", remedy)
    return Verdict("ok", f"none in {_count(len(checkouts), 'checkout')}")


def locks(environment: Environment) -> Verdict:
    """No Git command that was killed has left a lock."""
    files = environment.work.locks
    if not files:
        return Verdict("ok", "none")
    paths = _some([str(lock.path) for lock in files])
    if min(lock.age for lock in files) < _SECONDS_AT_WORK:
        return Verdict("warn", paths, "wait: a program may be running there")
    remove = f"rm {shlex.join(str(lock.path) for lock in files)}"
    return Verdict("warn", paths, f"if no program is running there: {remove}")


def caches(environment: Environment) -> Verdict:
    """Caches are not accessible to other users."""
    if environment.cache is None:
        return Verdict("warn", "there is no cache folder", "set HOME or XDG_CACHE_HOME")
    exposed = {cache.path: mode for cache in environment.caches if (mode := _better_mode(cache))}
    sizes = ", ".join(
        f"{c.path.name} {_size(c.size)} (mode {c.mode:04o})" for c in environment.caches
    )
    contents = f"{environment.cache}: {sizes or 'empty'}"
    if exposed:
        remedy = "; ".join(f"chmod {mode} {shlex.quote(str(p))}" for p, mode in exposed.items())
        return Verdict("warn", f"{contents}; accessible to other users", remedy)
    return Verdict("ok", contents)


CHECKS: dict[str, Callable[[Environment], Verdict]] = {
    "python": python,
    "git": git,
    "helm": partial(tool, "helm"),
    "jb": partial(tool, "jb"),
    "kustomize": kustomize,
    "managed tools": managed_tools,
    "api": api,
    "token": token,
    "working directory": working_directory,
    "local work": local_work,
    "locks": locks,
    "caches": caches,
}


def _failed(error: CommodoreError, *, otherwise: str = "") -> Verdict:
    errors = error.parts
    messages = [f"{error} ({error.where})" if error.where else str(error) for error in errors]
    hints = dict.fromkeys(error.hint for error in errors if error.hint)
    return Verdict("fail", _some(messages), "; ".join(hints) or otherwise)


def _better_mode(cache: Cache) -> str:
    """The mode that a cache should have, if others can access it."""
    if cache.path.name.startswith("token"):
        return "600" if cache.mode & _GROUP_AND_OTHERS else ""
    return "go-w" if cache.mode & _WRITABLE_BY_OTHERS else ""


def _some(things: Iterable[str], joint: str = "; ") -> str:
    all_ = list(things)
    more = [f"and {len(all_) - _SHOWN} more"] if all_[_SHOWN:] else []
    return joint.join([*all_[:_SHOWN], *more])


def _count(number: int, singular: str, plural: str = "") -> str:
    return f"{number} {singular if number == 1 else plural or f'{singular}s'}"


def _time(expiry: float | None) -> str:
    try:
        when = datetime.fromtimestamp(expiry or 0, UTC)
    except (ValueError, OverflowError, OSError):
        return "an unknown time"
    return f"{when.isoformat(sep=' ', timespec='minutes').removesuffix('+00:00')} UTC"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:  # noqa: PLR2004 - the step between these
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
