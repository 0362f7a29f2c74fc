# Every verb of this repository. `make` alone lists them; CI runs the same lines.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest
DEMO   ?= .demo
ORDINARY := not e2e and not long and not faults
# Tests start the command many times: without compiled files, each one compiles it again.
unexport PYTHONDONTWRITEBYTECODE

# Installs locked requirements: seconds with uv, a minute with pip where uv cannot be used.
# $(call install_locked,VENV,FILE)
define install_locked
{ $(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt \
  && $(1)/bin/python -m uv pip install --quiet --compile-bytecode --python $(1)/bin/python --require-hashes -r $(2); } \
  || $(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2)
endef

.DEFAULT_GOAL := help
.PHONY: help install demo test unit check e2e long faults real bench bench-fleet conformance docs pictures supply-chain lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## install the locked requirements, and commodore itself, into $(VENV)

$(STAMP): requirements/dev.txt requirements/uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: commodore-py needs Python 3.11 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "make: Python's venv module is missing; install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@$(call install_locked,$(VENV),requirements/dev.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## install, write the playground and compile its first cluster
	rm -rf $(DEMO)
	@$(BIN)/commodore demo $(DEMO) >/dev/null
	cd $(DEMO) && $(CURDIR)/$(BIN)/commodore catalog compile c-demo-1 --push
	@echo && echo "The catalog, as Argo CD would read it:"
	@cd $(DEMO)/catalog && git log --oneline --max-count=1 && git ls-tree -r --name-only HEAD
	@echo && echo "Try:"
	@printf '  %s\n' 'export PATH="$(CURDIR)/$(BIN):$$PATH"' 'cd $(DEMO)' \
	  'commodore edit set web_shop.replicas 3 --commit --push' 'commodore catalog compile c-demo-1'

test: $(STAMP) ## install and run the tests on all cores: several minutes on two
	@echo "several minutes on two cores; the quick half alone, in less than two: make unit"
	$(PYTEST) tests -n auto --dist worksteal -m "$(ORDINARY)"

unit: $(STAMP) ## the quick half of the tests: no slow ones, no repositories, servers or programs
	$(PYTEST) tests/unit tests/golden tests/house tests/contract -n auto --dist worksteal -m "$(ORDINARY) and not slow"

check: $(STAMP) ## formatting, lint, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

e2e: $(STAMP) ## the installed command, real tools, and Commodore as a black box
	$(PYTEST) tests/e2e -n auto --dist worksteal -m e2e

long: $(STAMP) ## property tests with many more examples
	HYPOTHESIS_PROFILE=long $(PYTEST) tests -n auto -m "not e2e and not faults"

faults: $(STAMP) ## what happens when disks, networks and processes fail
	$(PYTEST) tests/faults -n 4 -m faults

real: $(STAMP) ## tests against real servers: REAL_SERVERS_DIR=folder, made by tests/real/build
	@test -n "$(REAL_SERVERS_DIR)" || { echo "make: set REAL_SERVERS_DIR to a folder that tests/real/build has filled" >&2; exit 1; }
	$(PYTEST) tests/contract tests/differential/plans -m "not e2e and not faults"

bench: $(STAMP) ## time and memory, side by side with Commodore; [SIZES="S M L X M-http"] [ARGS="--help"]
	$(BIN)/python -m tests.bench $(if $(SIZES),--sizes $(SIZES)) $(ARGS)

bench-fleet: $(STAMP) ## what a cluster costs in a run of many; [ARGS="--clusters 20"]
	$(BIN)/python -m tests.bench.fleet $(ARGS)

conformance: $(STAMP) ## public components, byte for byte: MIRRORS=folder [ONLY=name] [ENGINE=reference]
	$(PYTHON) ../shared/conformance/conformance.py --mirrors "$(MIRRORS)" $(if $(ONLY),--only "$(ONLY)") --verbose \
	  --cli "env COMMODORE_ENGINE=$(or $(ENGINE),native) $(abspath $(BIN))/commodore"

docs: $(STAMP) ## write the generated reference, and build the documentation strictly
	@test -x $(VENV)-docs/bin/mkdocs || { $(PYTHON) -m venv $(VENV)-docs && $(call install_locked,$(VENV)-docs,requirements/docs.txt); }
	@for page in command_reference deviations problem_codes schema_reference; do \
	  $(BIN)/python -m tests.house.$$page || exit 1; done
	NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --strict

pictures: $(STAMP) ## record the terminal sessions that pages show (needs tmux)
	$(BIN)/python -m tests.house.pictures

supply-chain: $(STAMP) ## licences, the bill of materials and known vulnerabilities of what is installed
	@test -x $(VENV)-audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)-audit && $(call install_locked,$(VENV)-audit,requirements/audit.txt); }
	$(VENV)-audit/bin/pip-licenses --python $(BIN)/python --summary
	$(VENV)-audit/bin/cyclonedx-py requirements requirements/runtime.txt --pyproject pyproject.toml \
	  --output-reproducible --output-file commodore-py.cdx.json
	$(VENV)-audit/bin/pip-audit --requirement requirements/runtime.txt --require-hashes --disable-pip

lock: $(STAMP) ## write requirements/*.txt again from pyproject.toml
	UV="$(CURDIR)/$(BIN)/uv" requirements/lock.sh

clean: ## remove what these verbs made
	rm -rf $(VENV) $(VENV)-docs $(VENV)-audit $(DEMO) site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
