"""Results by what made them: contents under their digests, notes under keys."""

from .digest import digest_of
from .place import Doubt
from .store import Store
from .sweep import Pruned, Usage, Verified

__all__ = ["Doubt", "Pruned", "Store", "Usage", "Verified", "digest_of"]
