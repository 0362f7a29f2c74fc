"""Results by what made them: contents under their digests, notes under keys."""

from .digest import digest_of
from .store import DEFAULT_LIMIT, Store
from .sweep import Pruned, Usage, Verified

__all__ = ["DEFAULT_LIMIT", "Pruned", "Store", "Usage", "Verified", "digest_of"]
