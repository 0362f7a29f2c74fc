"""Files that we ship: Jsonnet libraries, scripts, templates."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent

# A Jsonnet search path: `import 'lib/commodore.libjsonnet'` is found below it.
LIBRARIES: Final = _HERE / "jsonnet"

# The same for `lib/kapitan.libjsonnet`, which exists only while compiling and takes precedence.
KAPITAN_LIBRARIES: Final = _HERE / "kapitan"

# The inventory as both of them import it; there are no such files.
KAPITAN_INVENTORY: Final = KAPITAN_LIBRARIES / "lib" / "inventory"
FILTER_INVENTORY: Final = LIBRARIES / "lib" / ".inventory"

# Replacements for libraries of components that are not available.
STAND_INS: Final = _HERE / "stand_ins"

# Parameter `_kustomize_wrapper` of every target.
KUSTOMIZE_WRAPPER: Final = _HERE / "scripts" / "run-kustomize"

# Of the repositories that kustomize checks out.
GIT_HOOKS: Final = _HERE / "git_hooks"

# The templates of `component new` and `package new`: a folder for each version.
TEMPLATES: Final = _HERE / "templates"

# The page of the daemon, and the report of a run: templates, a style sheet, a script.
PAGE: Final = _HERE / "page"

__all__ = [
    "FILTER_INVENTORY",
    "GIT_HOOKS",
    "KAPITAN_INVENTORY",
    "KAPITAN_LIBRARIES",
    "KUSTOMIZE_WRAPPER",
    "LIBRARIES",
    "PAGE",
    "STAND_INS",
    "TEMPLATES",
]
