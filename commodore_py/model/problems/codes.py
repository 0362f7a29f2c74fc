"""The codes of all problems, with their severities; a code is never used for something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of problem."""

    severity: Severity
    summary: str


LINT: dict[str, Code] = {
    "components/missing-version": Code("error", "A component has no version."),
    "components/unknown-key": Code("error", "A component has unknown keys."),
    "components/wrong-type": Code("error", "The url or version of a component is not a string."),
    "components/wrong-shape": Code("error", "The components, or one of them, are not a mapping."),
    "components/unused": Code("warning", "No application deploys a component."),
    "packages/missing-version": Code("error", "A package has no version."),
    "packages/unknown-key": Code("error", "A package has unknown keys."),
    "packages/wrong-type": Code("error", "The url or version of a package is not a string."),
    "packages/wrong-shape": Code("error", "The packages, or one of them, are not a mapping."),
    "packages/unused": Code("warning", "No application lists a package."),
    "deprecated-parameters/removed-reference": Code("error", "A reference was removed."),
    "classes/invalid": Code("error", "A compile refuses a class file."),
    "classes/unknown": Code("error", "A class is included that does not exist."),
    "classes/unreachable": Code("warning", "No class includes a class."),
    "files/broken-link": Code("error", "A symlink is broken."),
    "files/unreadable": Code("error", "A file or folder cannot be read."),
    "files/broken-yaml": Code("warning", "A file is not valid YAML, and was not checked."),
    "files/not-utf-8": Code("warning", "A file is not UTF-8, and was not checked."),
}
"""What `inventory lint` finds in files; what Commodore's own lint finds is an error."""

ERRORS: dict[str, Code] = {
    "clusters/not-compiled": Code("error", "A cluster was not compiled in a working directory."),
    "clusters/other-changes": Code("error", "A push would publish other changes than were read."),
    "clusters/unknown": Code("error", "There is no such cluster."),
    "edit/changed": Code("error", "The file of an edit was changed in the meantime."),
    "edit/key-taken": Code("error", "A list has an item of that key already."),
    "edit/moved": Code("error", "An edit is based on older commits of the configuration."),
    "edit/no-such-item": Code("error", "A list has no item of that key."),
    "edit/unknown-name": Code("error", "An edit names what does not exist."),
    "parameters/not-set": Code("error", "No layer sets a parameter."),
    "request/invalid": Code("error", "A request to the daemon has the wrong shape."),
    "run/busy": Code("error", "Another run is using the working directory."),
    "run/crashed": Code("error", "An error in this program itself."),
    "run/lost": Code("error", "A process ended without a result."),
    "run/queue-full": Code("error", "More work is waiting than the daemon accepts."),
    "run/refused": Code("error", "Any other error; its message says why."),
}
"""Errors with codes for programs."""

NOTICES: dict[str, Code] = {
    "api/wrong-catalog": Code("warning", "The checkout of the catalog belongs to another cluster."),
    "bundles/deviation": Code("warning", "A cluster deploys something else than its bundle says."),
    "bundles/no-digest": Code("warning", "The index has no digest of a bundle."),
    "bundles/edited": Code("warning", "A bundle was edited after it was published."),
    "bundles/invalid-index": Code("warning", "The index of bundles is invalid, and is ignored."),
    "bundles/moved-tag": Code("warning", "A tag of a bundle was moved since its publication."),
    "bundles/requires-tool": Code("warning", "A bundle requires another version of commodore."),
    "bundles/several": Code("warning", "A cluster includes two bundles."),
    "bundles/twice": Code("warning", "A cluster includes a bundle twice."),
    "bundles/withdrawn": Code("warning", "A bundle is withdrawn."),
    "charts/nondeterministic": Code("warning", "A chart renders differently in every compile."),
    "charts/reaching-out": Code(
        "warning", "Parameters let helm run programs, or read other files."
    ),
    "components/deprecated": Code("warning", "A component is deprecated."),
    "components/mixed-versions": Code("warning", "An instance uses parts of another version."),
    "components/not-checked-out": Code("warning", "A component is left out of a local compile."),
    "components/requires": Code("warning", "A component requires another version of another one."),
    "components/reserved-key": Code("warning", "A parameter key is reserved for other purposes."),
    "components/shared-key": Code("warning", "Two instances share a parameter key."),
    "differences/invalid-rule": Code("warning", "A rule about differences is invalid."),
    "change/data-loss": Code("error", "An edit deletes objects that hold data."),
    "change/outage": Code("warning", "An edit interrupts what an object does."),
    "change/recreate": Code("warning", "An edit deletes an object and creates it again."),
    "edit/merged": Code("warning", "An edit merges with what lower layers set."),
    "edit/no-effect": Code("error", "An edit does not change the merged value."),
    "edit/no-repository": Code("error", "A repository that new facts name cannot be read."),
    "edit/other-clusters": Code("warning", "Other clusters include the class of an edit."),
    "edit/pinned": Code("warning", "A cluster does not use the branch that an edit changes."),
    "edit/still-broken": Code("warning", "An error that an edit does not fix."),
    "files/git-folder": Code("warning", "Git's own files are left out of the catalog."),
    "files/ignored-by-git": Code("warning", "Git ignores files of the catalog."),
    "files/outside": Code("warning", "Content from outside of the working directory is used."),
    "filters/skipped": Code("warning", "A postprocessing filter is invalid, and is skipped."),
    "filters/unused-argument": Code("warning", "An argument of a filter has no effect."),
    "lock/notice": Code("info", "What was done with the lock file."),
    "objects/invalid": Code("error", "A document lacks apiVersion, kind or metadata.name."),
    "parameters/bad-schema": Code("warning", "The schema of parameters cannot be used."),
    "parameters/schema": Code("error", "A parameter violates the schema of its component."),
    "parameters/type": Code("warning", "A parameter has another type than its default."),
    "parameters/unknown-key": Code("warning", "A component does not have a parameter."),
    "refs/not-replaced": Code("warning", "A secret reference will not be replaced."),
    "refs/unrevealed": Code("warning", "A manifest has a reference without a reference file."),
    "tests/orphan": Code("warning", "Expected output belongs to no test case."),
    "tests/unlisted": Code("warning", "A file is not in the list of test cases."),
}
"""What commands report at the end of a run."""

CHECKS: dict[str, Code] = {
    "duplicates/different": Code("error", "One object is there twice, with different contents."),
    "duplicates/equal": Code("warning", "One object is there twice, with the same content."),
    "duplicates/unknown-namespace": Code(
        "info", "Two objects of one name, without a namespace, in two instances."
    ),
    "kinds/unknown": Code("warning", "There is no such kind, but a similar one."),
    "kubernetes-schema/wrong-type": Code("error", "A field has a value of the wrong type."),
    "kubernetes-schema/missing-field": Code("error", "A required field is missing."),
    "kubernetes-schema/unknown-field": Code("error", "The API does not know a field."),
    "kubernetes-schema/wrong-value": Code("error", "A field has a value that is not accepted."),
    "kubernetes-schema/unknown-kind": Code("info", "There is no schema for a kind."),
    "kubernetes-schema/version": Code("info", "The schemas are of another Kubernetes version."),
    "custom-resources/wrong-type": Code("error", "As in kubernetes-schema, by a definition."),
    "custom-resources/missing-field": Code("error", "As in kubernetes-schema, by a definition."),
    "custom-resources/unknown-field": Code("error", "As in kubernetes-schema, by a definition."),
    "custom-resources/wrong-value": Code("error", "As in kubernetes-schema, by a definition."),
    "custom-resources/wrong-scope": Code("error", "A namespace is missing, or not allowed."),
    "custom-resources/not-served": Code("error", "The definition does not serve a version."),
    "custom-resources/bad-definition": Code("error", "A definition has no usable schema."),
    "removed-apis/removed": Code("error", "The cluster's Kubernetes does not serve an API."),
    "removed-apis/soon": Code("warning", "One of the next three versions removes an API."),
    "namespaces/missing": Code("warning", "Nothing creates the namespace of an object."),
    "references/missing": Code("info", "Nothing here provides what a workload names."),
    "secrets/plain-text": Code("warning", "A Secret has a value that is not a reference."),
    "secrets/private-key": Code("error", "A private key or token is in a manifest."),
    "secrets/in-base64": Code("error", "A secret reference is inside of base64."),
    "secrets/absent": Code("error", "Vault has no such secret, or no such key in it."),
    "secrets/deleted": Code("error", "The latest version of a secret in Vault is deleted."),
    "secrets/unchecked": Code("info", "Secrets could not be looked up in Vault."),
    "server/refused": Code("error", "An API server refuses an object."),
    "server/unchecked": Code("info", "An API server cannot judge some objects."),
    "policy/failed": Code("error", "A policy could not be evaluated."),
    "policy/refused": Code("error", "A policy has errors, or calls what it may not; not used."),
    "policy/not-installed": Code("error", "There are policies, and opa is not installed."),
    "images/invalid": Code("error", "The name of an image is invalid."),
    "images/no-tag": Code("warning", "An image has no tag, or the tag latest."),
    "images/no-digest": Code("info", "An image has a tag, and no digest."),
    "checks/skipped": Code("info", "A check did not run."),
    "checks/unchecked": Code("info", "A check could not examine everything."),
    "checks/outdated": Code("warning", "The last compile is older than its sources."),
    "checks/unreadable": Code("warning", "A file of the catalog cannot be read as objects."),
    "problems/invalid-entry": Code("error", "An entry of an ignore file is invalid."),
    "problems/unknown-code": Code("warning", "An ignore file names an unknown code."),
    "problems/unused": Code("info", "An entry of an ignore file matches nothing."),
    "sync/folder-not-read": Code("warning", "Argo CD does not read a folder of manifests."),
    "sync/hook-dropped": Code("warning", "Argo CD never applies a hook of Helm."),
    "sync/hook-mixed": Code("warning", "Hooks of which only some count."),
    "sync/hook-word": Code("warning", "A word about hooks that Argo CD does not know."),
    "sync/name-generated": Code("warning", "Every sync creates another object."),
    "sync/option-word": Code("warning", "A sync option that Argo CD does not know."),
    "sync/replace-force": Code("warning", "Every change deletes an object that keeps data."),
    "sync/wave-word": Code("warning", "A wave that is not an integer."),
}
"""What checks find in a catalog, and what is wrong with files that say what to ignore."""

PLANS: dict[str, Code] = {
    "plan/alias": Code("error", "Two steps or clusters would have one name."),
    "plan/condition": Code("error", "A condition cannot be evaluated."),
    "plan/credential": Code("error", "A credential of a cluster is not a secret reference."),
    "plan/empty": Code("error", "A plan, a group or a part of a node is empty."),
    "plan/format": Code("error", "A file would change beyond what is edited."),
    "plan/health-rule": Code(
        "warning", "Argo CD's health rule for Applications is not that of plans."
    ),
    "plan/hook": Code("error", "An object cannot be the hook that the plan makes it."),
    "plan/kubeconfig": Code("error", "Flux has no kubeconfig for a cluster."),
    "plan/move": Code("info", "An Application stays in its folder until the next push."),
    "plan/name": Code("error", "A step has no name, or none that its back end accepts."),
    "plan/namespace": Code("error", "Objects would have no namespace, or none that exists."),
    "plan/no-application": Code("error", "An instance of the plan has no Application."),
    "plan/no-health-rule": Code(
        "error", "Argo CD has no health rule for Applications, so waves do not wait."
    ),
    "plan/no-manifests": Code("error", "An instance of the plan has no files to apply."),
    "plan/no-owner": Code("error", "No Application deploys the folder of Applications."),
    "plan/no-sync-limit": Code("error", "Content is gated, and syncs have no time limit."),
    "plan/not-automated": Code("error", "An Application of the plan is not synced automatically."),
    "plan/not-flat": Code("error", "A plan that is not flat is to be rendered as waves."),
    "plan/nothing-left": Code("error", "Conditions remove every instance."),
    "plan/other-target": Code("warning", "The target of an instance has another plan."),
    "plan/pin-lost": Code("warning", "Applications name a commit that is not in the branch."),
    "plan/pinned-later": Code("info", "The next push pins Applications."),
    "plan/path": Code("error", "Two files would have one path."),
    "plan/reference": Code("error", "A reference to an object is invalid."),
    "plan/project": Code("error", "A project does not allow a cluster of the plan."),
    "plan/project-unknown": Code("info", "A project is not in the catalog."),
    "plan/removed": Code("info", "A condition removes an instance from the catalog."),
    "plan/requires": Code("error", "The plan contradicts what a component requires."),
    "plan/requires-removed": Code("error", "An instance requires one that the plan removes."),
    "plan/requires-unordered": Code("warning", "A plan does not order what a component requires."),
    "plan/resource": Code("error", "A resource is on a cluster where the driver cannot apply it."),
    "plan/secret": Code("error", "A driver would apply secret references as they are."),
    "plan/server": Code("error", "The server of a cluster is not a URL that can be registered."),
    "plan/setting": Code("error", "A setting of the delivery is invalid."),
    "plan/several-namespaces": Code("error", "Applications of the plan are in several namespaces."),
    "plan/several-owners": Code(
        "error", "Applications of the plan are deployed by several owners."
    ),
    "plan/shape": Code("error", "A part of a plan has the wrong type."),
    "plan/squashed": Code("error", "A merge could lose the commit of a pin."),
    "plan/stays": Code("info", "An Application or its objects stay when it leaves the catalog."),
    "plan/sync-limit": Code("warning", "Argo CD has no time limit for a sync."),
    "plan/too-large": Code("error", "A plan has too many levels or instances."),
    "plan/twice": Code("error", "An instance is in the plan twice."),
    "plan/two-kinds": Code("error", "A node is of two kinds."),
    "plan/unknown-cluster": Code("error", "A plan uses an unknown cluster."),
    "plan/unknown-instance": Code("error", "A plan names an unknown instance."),
    "plan/unknown-word": Code("error", "A node has an unknown kind or option."),
    "plan/unlisted": Code("warning", "Instances are not in the plan: they are the last."),
    "plan/unlisted-refused": Code("error", "Instances are not in the plan."),
    "plan/unused-cluster": Code("warning", "The plan does not use a cluster."),
    "plan/wave": Code("warning", "An Application has a wave of its own."),
}
"""What is wrong with a plan."""

CODES = {**LINT, **NOTICES, **CHECKS, **PLANS}


def severity_of(code: str) -> Severity:
    """The severity of a code."""
    entry = CODES.get(code)
    return entry.severity if entry is not None else "error"


def is_known(code: str) -> bool:
    """Return whether a code, or `area/*`, stands for anything."""
    area, _, name = code.partition("/")
    if name == "*":
        return any(full_code.startswith(f"{area}/") for full_code in CODES)
    # Policies of users bring codes of their own.
    return code in CODES or (area == "policy" and bool(name))
