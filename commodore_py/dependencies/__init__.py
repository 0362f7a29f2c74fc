"""From wanted to pinned: what a cluster asks for, fetched into the working directory."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

if TYPE_CHECKING:
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
    from .component_doubts import doubts
    from .discover import instances_of, wanted_components, wanted_configuration, wanted_packages
    from .downloads import fetch_downloads
    from .fetch import Fetch, fetcher
    from .lending import Lender, last_used
    from .running import one_run, undisturbed
    from .safety import LocalWork
    from .single import bring_single, link_single, misnamed_libraries, wishes_of_single

# Imported when somebody asks for it: a run that has nothing to do needs next to nothing of it.
_PLACES = {
    "Fetch": ".fetch",
    "FirstCommit": ".authored",
    "Lender": ".lending",
    "LocalWork": ".safety",
    "Outlook": ".catalog",
    "begin_repository": ".authored",
    "begin_worktree": ".authored",
    "bring_single": ".single",
    "checkout_problem": ".authored",
    "delete_checkout": ".authored",
    "doubts": ".component_doubts",
    "fetch_catalog": ".catalog",
    "fetch_downloads": ".downloads",
    "fetch_vendored": ".bundler",
    "fetcher": ".fetch",
    "instances_of": ".discover",
    "last_used": ".lending",
    "link_single": ".single",
    "local_work": ".authored",
    "look_at_catalog": ".catalog",
    "misnamed_libraries": ".single",
    "one_run": ".running",
    "undisturbed": ".running",
    "wanted_components": ".discover",
    "wanted_configuration": ".discover",
    "wanted_packages": ".discover",
    "wishes_of_single": ".single",
}

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

__getattr__ = on_demand(__name__, _PLACES)
