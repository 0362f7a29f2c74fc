"""From wanted to pinned: what a cluster asks for, fetched into the working directory."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

if TYPE_CHECKING:
    from .catalog.checkout import Outlook, fetch_catalog, look_at_catalog
    from .component_doubts import doubts
    from .discover import instances_of, wanted_components, wanted_configuration, wanted_packages
    from .downloading import fetch_downloads
    from .fetch import Fetch, fetcher
    from .git.lending import Lender, last_used
    from .jsonnet.bundler import fetch_vendored
    from .jsonnet.single import bring_single, link_single, misnamed_libraries, wishes_of_single
    from .protection.authored import (
        FirstCommit,
        begin_repository,
        begin_worktree,
        checkout_problem,
        delete_checkout,
        local_work,
    )
    from .protection.running import one_run, undisturbed
    from .protection.safety import LocalWork

# Imported when somebody asks for it: a run that has nothing to do needs next to nothing of it.
_PLACES = {
    "Fetch": ".fetch",
    "FirstCommit": ".protection.authored",
    "Lender": ".git.lending",
    "LocalWork": ".protection.safety",
    "Outlook": ".catalog.checkout",
    "begin_repository": ".protection.authored",
    "begin_worktree": ".protection.authored",
    "bring_single": ".jsonnet.single",
    "checkout_problem": ".protection.authored",
    "delete_checkout": ".protection.authored",
    "doubts": ".component_doubts",
    "fetch_catalog": ".catalog.checkout",
    "fetch_downloads": ".downloading",
    "fetch_vendored": ".jsonnet.bundler",
    "fetcher": ".fetch",
    "instances_of": ".discover",
    "last_used": ".git.lending",
    "link_single": ".jsonnet.single",
    "local_work": ".protection.authored",
    "look_at_catalog": ".catalog.checkout",
    "misnamed_libraries": ".jsonnet.single",
    "one_run": ".protection.running",
    "undisturbed": ".protection.running",
    "wanted_components": ".discover",
    "wanted_configuration": ".discover",
    "wanted_packages": ".discover",
    "wishes_of_single": ".jsonnet.single",
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
