"""What is known about Kubernetes objects: names, differences, and what these do (all pure)."""

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
