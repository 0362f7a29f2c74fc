"""Functions about objects that golden cases are put to: each gives text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.catalog.diff.text import KAPITAN_0_29_TO_0_30, diff_text, is_noise, normalised
from commodore_py.live import marks
from commodore_py.live.access.discovery import Api
from commodore_py.live.objects import Objects, Record, record_of
from commodore_py.manifests.desired.ignoring import settle
from commodore_py.manifests.desired.predict import predict
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.fields import field_changes
from commodore_py.manifests.health.assess import assess
from commodore_py.manifests.health.own import own_rules
from commodore_py.manifests.health.scripts import Script, ScriptTable, verdict_of
from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.manifests.objects import KubeObject, ObjectId, identify
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks
from commodore_py.manifests.paths import written
from commodore_py.manifests.secrets import hidden, masked
from commodore_py.manifests.settings import Ignored, Tracking, settings_of
from commodore_py.model.catalog import Change, FileChange
from commodore_py.workflows.live.orphans import orphans

if TYPE_CHECKING:
    from collections.abc import Iterable


def prediction(
    target: dict[str, Any],
    live: dict[str, Any],
    applied: dict[str, Any] | None = None,
    ignored: list[str] | None = None,
) -> str:
    """Predicted changes of a live object, without ignored fields."""
    found = predict(target, live, applied)
    before, after, lines = found.live, found.predicted, [f"{found.mode} {found.notice}".strip()]
    if ignored is not None:
        id_ = identify(live)
        assert id_ is not None
        settled = settle(id_, before, after, [Ignored("*/*", pointers=tuple(ignored))])
        before, after = settled.live, settled.predicted
        lines += [f"hidden: {count} {name}" for name, count in settled.hidden.items()]
    for change in field_changes(before, after):
        order = f", {change.order}" if change.order else ""
        lines.append(f"{change.happened} {written(change.path)}: {change.new!r}{order}")
    return "".join(f"{line}\n" for line in lines)


def text_change(old: str, new: str, migration: str) -> str:
    """The difference of a file, as far as a migration shows it."""
    file = FileChange("modified", "a", "a", old.encode(), new.encode())
    return "".join(f"{line.text}\n" for line in diff_text(Change((file,)), migration=migration))


def normal_form(text: str) -> str:
    """A file without what formatting and the order of objects make of it."""
    return str(normalised(text.encode()))


def noise_of_a_migration(lines: list[str]) -> str:
    """Whether a difference only comes from Kapitan's migration."""
    return str(is_noise(lines, migration=KAPITAN_0_29_TO_0_30))


def field_differences(old: object, new: object) -> str:
    """Differences between two versions of a value."""
    return "".join(
        f"{change.happened} {written(change.path)}: {change.old!r} -> {change.new!r}\n"
        for change in field_changes(old, new)
    )


def masked_changes(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> str:
    """Changes of objects as they are shown, without values of secrets."""
    before, after = ([_without_values(one) for one in _objects(side)] for side in (old, new))
    lines = []
    for change in map(masked, object_changes(before, after)):
        lines.append(f"{change.what} {change.id}")
        lines += [
            f"  {one.happened} {written(one.path)}: {one.old!r} -> {one.new!r}"
            for one in change.fields
        ]
    return "".join(f"{line}\n" for line in lines)


def _without_values(found: KubeObject) -> KubeObject:
    (content,) = hidden([found.content], b"Secret")
    assert isinstance(content, dict)
    return KubeObject(found.id, content, found.file)


def argo_cd_settings(text: str) -> str:
    """The settings of Argo CD in objects."""
    return "".join(f"{one}\n" for one in settings_of(_objects(yaml.load_all(text, name=""))))


def sync_order(
    targets: list[dict[str, Any]],
    doomed: list[dict[str, Any]],
    **options: Any,  # noqa: ANN401 - of any type
) -> str:
    """The tasks of a sync."""
    return "".join(
        f"{task.phase} {task.wave}"
        f" {task.kind[1]} {task.namespace}/{task.name}{' (pruned)' if task.is_prune else ''}\n"
        for task in sync_tasks(_objects(targets), _objects(doomed), SyncOptions(**options))
    )


def own_health(parameters: dict[str, Any], content: dict[str, Any] | None = None) -> str:
    """Rules of the hierarchy for the health of kinds, their verdict, and what is wrong."""
    rules, wrong = own_rules(parameters)
    lines = [f"{kind}: grace {rule.grace}, decides {rule.decides}" for kind, rule in rules.items()]
    if content is not None:
        lines += [f"verdict of {kind}: {rule.verdict(content)}" for kind, rule in rules.items()]
    lines += [f"wrong at {'.'.join(one.path)}: {one.message}" for one in wrong]
    return "".join(f"{line}\n" for line in lines)


def health(content: dict[str, Any]) -> str:
    """The health of an object."""
    return str(assess(content))


def script_verdict(fields: dict[str, Any] | None) -> str:
    """The verdict of a script in Lua, from its result."""
    return str(verdict_of(fields))


def script_of_a_kind(group: str, kind: str, settings: list[str], folders: list[str]) -> str:
    """The script for a kind, of those of the settings and those in directories."""
    tables = (
        tuple(Script(one, "", open_libraries=True, where=one) for one in patterns)
        for patterns in (settings, folders)
    )
    found = ScriptTable(*tables).find(group, kind)
    return found[0].pattern if found else "none"


def mark(
    object: list[str],  # noqa: A002 - as cases have it
    labels: dict[str, str],
    annotations: dict[str, str],
    tracking: dict[str, str],
) -> str:
    """The manager of a live object, by its labels and annotations."""
    return str(marks.mark_of(ObjectId(*object), labels, annotations, Tracking(**tracking)))


def tracking_method(metadata: dict[str, Any], names: list[str]) -> str:
    """The method by which Argo CD has marked an application."""
    return marks.method_of({"metadata": metadata}, set(names))


def reason_to_keep(annotations: dict[str, str]) -> str:
    """The reason not to delete an object."""
    return marks.kept_because(annotations)


def ignore_rules(rules: object) -> str:
    """Names of rules that hide changes, and problems of others."""
    found, problems = rules_from(rules)
    return "".join(f"{line}\n" for line in (*(rule.name for rule in found), *problems))


def owners(objects: list[dict[str, Any]]) -> str:
    """Owned objects of each object, objects without an owner, and a cycle."""
    found = Objects([_record(**one) for one in objects])
    roots, lines = [root.id for root in found.top_level()], []
    for record in found.all():
        children = found.children.get(record.uid, ())
        owned = ", ".join(f"{one.id.kind} {one.id.name}" for one in children)
        top = ", without owner" if record.id in roots else ""
        lines.append(f"{record.id}{top}: owns {owned or 'nothing'}\n")
    cycle = ", ".join(one.name for one in found.cycle())
    return "".join([*lines, f"cycle: {cycle}\n" if cycle else ""])


def orphaned(objects: list[dict[str, Any]], known: dict[str, Any]) -> str:
    """Orphans among objects, and what becomes of them."""
    given = {**known, "inventory": [ObjectId(*one) for one in known["inventory"]]}
    records = [_record(**one) for one in objects]
    found = orphans(records, **given, others=set(), tracking=Tracking())
    return "".join(f"{one.fate}: {one.why}\n" for one in found)


def _record(api: list[str], content: dict[str, Any]) -> Record:
    group, kind = api
    metadata = content["metadata"]
    place = Api(group, "v1", kind, f"{kind.lower()}s", namespaced=bool(metadata["namespace"]))
    return record_of(place, content, lambda _: False)


def _objects(contents: Iterable[Any]) -> list[KubeObject]:
    return [KubeObject(id_, one, "a.yaml") for one in contents if (id_ := identify(one))]
