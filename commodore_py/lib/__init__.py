"""Jsonnet libraries and scripts that components use without bringing them along."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent

# A Jsonnet search path: `import 'lib/commodore.libjsonnet'` is found below it.
LIBRARIES: Final = _HERE / "jsonnet"

# The same for `lib/kapitan.libjsonnet`, which exists while compiling only and comes before all.
KAPITAN_LIBRARIES: Final = _HERE / "kapitan"

# What takes the place of libraries that belong to components which are not at hand.
STAND_INS: Final = _HERE / "stand_ins"

# Parameter `_kustomize_wrapper` of every target.
KUSTOMIZE_WRAPPER: Final = _HERE / "scripts" / "run-kustomize"

# What `component new` and `package new` write: a folder for each version of each template.
TEMPLATES: Final = _HERE / "templates"

__all__ = ["KAPITAN_LIBRARIES", "KUSTOMIZE_WRAPPER", "LIBRARIES", "STAND_INS", "TEMPLATES"]
