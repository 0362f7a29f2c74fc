"""What is known about Kubernetes objects: names, differences, and what these do (all pure)."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .copies import found_in
    from .diff import ObjectChange, What, object_changes
    from .documents import Read, may_hold_objects, read, taken_apart
    from .fields import FieldChange, field_changes
    from .folding import Fold, folded
    from .grades import GRADES, Grade
    from .noise import BUILT_IN, Hidden, rules_from, without_noise
    from .objects import KubeObject, ObjectId, identify
    from .paths import ANY_DEPTH, BadPattern, Item, written
    from .paths import parse as parse_path
    from .secrets import masked, masked_fold

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "ANY_DEPTH": (".paths", "ANY_DEPTH"),
    "BUILT_IN": (".noise", "BUILT_IN"),
    "BadPattern": (".paths", "BadPattern"),
    "FieldChange": (".fields", "FieldChange"),
    "Fold": (".folding", "Fold"),
    "GRADES": (".grades", "GRADES"),
    "Grade": (".grades", "Grade"),
    "Hidden": (".noise", "Hidden"),
    "Item": (".paths", "Item"),
    "KubeObject": (".objects", "KubeObject"),
    "ObjectChange": (".diff", "ObjectChange"),
    "ObjectId": (".objects", "ObjectId"),
    "Read": (".documents", "Read"),
    "What": (".diff", "What"),
    "field_changes": (".fields", "field_changes"),
    "folded": (".folding", "folded"),
    "found_in": (".copies", "found_in"),
    "identify": (".objects", "identify"),
    "masked": (".secrets", "masked"),
    "masked_fold": (".secrets", "masked_fold"),
    "may_hold_objects": (".documents", "may_hold_objects"),
    "object_changes": (".diff", "object_changes"),
    "parse_path": (".paths", "parse"),
    "read": (".documents", "read"),
    "rules_from": (".noise", "rules_from"),
    "taken_apart": (".documents", "taken_apart"),
    "without_noise": (".noise", "without_noise"),
    "written": (".paths", "written"),
}

__all__ = [
    "ANY_DEPTH",
    "BUILT_IN",
    "GRADES",
    "BadPattern",
    "FieldChange",
    "Fold",
    "Grade",
    "Hidden",
    "Item",
    "KubeObject",
    "ObjectChange",
    "ObjectId",
    "Read",
    "What",
    "field_changes",
    "folded",
    "found_in",
    "identify",
    "masked",
    "masked_fold",
    "may_hold_objects",
    "object_changes",
    "parse_path",
    "read",
    "rules_from",
    "taken_apart",
    "without_noise",
    "written",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, there = _PLACES[name]
    found = getattr(import_module(module, __name__), there)
    globals()[name] = found
    return found
