"""What is known about Kubernetes objects: names, differences, and what these do (all pure)."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

if TYPE_CHECKING:
    from .copies import found_in
    from .diff import ObjectChange, What, object_changes
    from .documents import Read, may_hold_objects, read, taken_apart
    from .fields import FieldChange, field_changes
    from .folding import Fold, folded
    from .grades import GRADES, Grade
    from .noise import BUILT_IN, Hidden, rules_from, without_noise
    from .objects import KubeObject, ObjectId, identify
    from .paths import ANY_DEPTH, BadPattern, Item, parse_path, written
    from .secrets import masked, masked_fold

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "ANY_DEPTH": ".paths",
    "BUILT_IN": ".noise",
    "BadPattern": ".paths",
    "FieldChange": ".fields",
    "Fold": ".folding",
    "GRADES": ".grades",
    "Grade": ".grades",
    "Hidden": ".noise",
    "Item": ".paths",
    "KubeObject": ".objects",
    "ObjectChange": ".diff",
    "ObjectId": ".objects",
    "Read": ".documents",
    "What": ".diff",
    "field_changes": ".fields",
    "folded": ".folding",
    "found_in": ".copies",
    "identify": ".objects",
    "masked": ".secrets",
    "masked_fold": ".secrets",
    "may_hold_objects": ".documents",
    "object_changes": ".diff",
    "parse_path": ".paths",
    "read": ".documents",
    "rules_from": ".noise",
    "taken_apart": ".documents",
    "without_noise": ".noise",
    "written": ".paths",
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

__getattr__ = on_demand(__name__, _PLACES)
