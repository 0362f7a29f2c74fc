"""From wanted to pinned: what a cluster asks for, fetched into the working directory."""

from .authored import (
    FirstCommit,
    begin_repository,
    begin_worktree,
    checkout_problem,
    delete_checkout,
    local_work,
)
from .bundler import fetch_vendored
from .catalog import Outlook, fetch_catalog, look_at_catalog
from .discover import instances_of, wanted_components, wanted_configuration, wanted_packages
from .doubts import doubts
from .downloads import fetch_downloads
from .fetch import Fetch, fetcher
from .lending import Lender, last_used
from .running import one_run, undisturbed
from .safety import LocalWork
from .single import bring_single, link_single, misnamed_libraries, wishes_of_single

__all__ = [
    "Fetch",
    "FirstCommit",
    "Lender",
    "LocalWork",
    "Outlook",
    "begin_repository",
    "begin_worktree",
    "bring_single",
    "checkout_problem",
    "delete_checkout",
    "doubts",
    "fetch_catalog",
    "fetch_downloads",
    "fetch_vendored",
    "fetcher",
    "instances_of",
    "last_used",
    "link_single",
    "local_work",
    "look_at_catalog",
    "misnamed_libraries",
    "one_run",
    "undisturbed",
    "wanted_components",
    "wanted_configuration",
    "wanted_packages",
    "wishes_of_single",
]
