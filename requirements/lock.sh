#!/bin/sh
# Write the locked requirement files anew: every version by hash, no index named.
set -eu
cd "$(dirname "$0")/.."
compile() {
  "${UV:-uv}" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-annotate --no-header "$@"
}
compile pyproject.toml -o requirements/runtime.txt
compile pyproject.toml --override requirements/small.overrides --constraint requirements/runtime.txt -o requirements/small.txt
compile pyproject.toml --extra checks --group test --group check --group build -o requirements/dev.txt
compile --group docs -o requirements/docs.txt
compile --group install -o requirements/uv.txt
compile --group audit -o requirements/audit.txt
