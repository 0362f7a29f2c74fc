"""What extends the API: definitions of custom resources, services and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.checks.base import items, mapping

from .issues import each, fields_of, missing, spec_of, twice, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.checks.base import Content, Issue

_SENT = ("v1", "v1beta1")
"""Versions of reviews that the server sends to webhooks."""
_UNTYPED = ("x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")


def service_issues(content: Content) -> Iterator[Issue]:
    """An API without a service is served by the server itself."""
    spec = spec_of(content)
    if spec.get("service") is None and spec.get("insecureSkipTLSVerify"):
        yield wrong("spec.insecureSkipTLSVerify", "without a service, nothing is verified")


def definition_issues(content: Content) -> Iterator[Issue]:
    """One version is stored, and each has a structural schema."""
    versions = [one for _, one in each(spec_of(content).get("versions"))]
    if versions and sum(one.get("storage") is True for one in versions) != 1:
        yield wrong("spec.versions", "exactly one version must have storage: true")
    for number, version in enumerate(versions):
        schema = mapping(version.get("schema")).get("openAPIV3Schema")
        if isinstance(schema, dict):
            yield from _untyped(f"spec.versions[{number}].schema.openAPIV3Schema", schema)


def webhook_issues(content: Content) -> Iterator[Issue]:
    """Each has its own name, and reads what the server sends."""
    for number, hook in each(content.get("webhooks")):
        versions, field = (
            items(hook.get("admissionReviewVersions")),
            f"webhooks[{number}].admissionReviewVersions",
        )
        yield from twice(field, versions, "version")
        if versions and not any(one in versions for one in _SENT):
            yield wrong(field, "the server sends none of these versions", options=("v1",))
    yield from twice("webhooks", fields_of(content.get("webhooks"), "name"), "webhook")


def _untyped(field: str, schema: object) -> Iterator[Issue]:
    """Parts of a structural schema that have no type."""
    part = mapping(schema)
    if not part.get("type") and not any(part.get(one) for one in _UNTYPED):
        yield missing(field, "type", ": the schema is not structural")
    for name, one in mapping(part.get("properties")).items():
        yield from _untyped(f"{field}.properties.{name}", one)
    for name in ("items", "additionalProperties"):
        if isinstance(part.get(name), dict):
            yield from _untyped(f"{field}.{name}", part[name])
