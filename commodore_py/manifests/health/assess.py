"""The health of an object: which rule decides, in which order (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import split_version, value_in
from commodore_py.manifests.order.hooks import finalizers_of, has_finalizer

from . import builtin, kstatus
from .status import Health, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from commodore_py.manifests.objects import Content

    Rules: TypeAlias = Callable[[str, str, Content], "Ruled | None"]

NOT_WAITED_FOR = "no rule for its kind: syncs do not wait for it"
PENDING_DELETION = "Pending deletion"


@dataclass(frozen=True, slots=True)
class Ruled:
    """The verdict of a rule of the user, and its name."""

    rule: str
    verdict: Verdict
    in_argocd: bool = True
    """Whether Argo CD has the rule, too."""


def missing(reason: str = "") -> Health:
    """The health of an object that is not in the cluster."""
    return Health("Missing", reason, "none", waits=True)


def assess(content: Content, rules: Rules | None = None) -> Health:
    """The health of an object; the rules of the user give the verdict of the first for its kind."""
    group, version, kind = split_version(content)
    if is_being_deleted(content) and not has_finalizer(content):
        names = ", ".join(finalizers_of(content))
        message = f"{PENDING_DELETION}: waits for {names}" if names else PENDING_DELETION
        if (group, kind) == ("", "Namespace"):
            message = "; ".join((message, *_what_remains(content)))
        return Health("Progressing", message, "deletion", waits=True)
    if rules is not None and (ruled := rules(group, kind, content)):
        waits = ruled.in_argocd or builtin.verdict(group, version, kind, content) is not None
        return Health(*ruled.verdict, f"rule {ruled.rule}", waits)
    if (verdict := builtin.verdict(group, version, kind, content)) is not None:
        return Health(*verdict, "built-in", waits=True)
    if (guessed := kstatus.verdict(group, kind, content)) is not None:
        return Health(*guessed, "kstatus", waits=False)
    return Health(None, NOT_WAITED_FOR, "none", waits=False)


def _what_remains(content: Content) -> Iterator[str]:
    """Reasons why a namespace has not ended: objects, their finalizers, APIs without an answer."""
    for condition in kstatus.conditions_of(content).values():
        if condition.get("status") == "True" and (message := condition.get("message")):
            yield str(message)


def is_being_deleted(content: Content) -> bool:
    """Return whether it has a time of deletion."""
    return time_of(value_in(content, "metadata", "deletionTimestamp")) is not None


def time_of(stamp: object) -> datetime | None:
    """A point in time as Kubernetes writes it."""
    if isinstance(stamp, datetime):
        return stamp
    if not isinstance(stamp, str) or "T" not in stamp:
        return None
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
