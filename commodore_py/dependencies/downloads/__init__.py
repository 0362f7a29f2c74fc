"""Charts, archives, files and repositories that components pull in."""

from .bounds import Bounds
from .fetch import digests_now, fetch_downloads
from .prune import Kept, contents, prune_downloads, verify_downloads
from .store import Store

__all__ = [
    "Bounds",
    "Kept",
    "Store",
    "contents",
    "digests_now",
    "fetch_downloads",
    "prune_downloads",
    "verify_downloads",
]
