# Everything here can be set from outside: make COMMODORE_CMD=commodore test
PACKAGE_NAME ?= $(patsubst package-%,%,$(notdir $(CURDIR)))

# The test case of targets that work on one.
instance ?= << cookiecutter.test_cases.split()[0] >>
<% if cookiecutter.add_golden == 'y' %>
test_instances =<% for case in cookiecutter.test_cases.split() %> tests/<< case >>.yml<% endfor %>

recursive_target ?=
<% endif %>

# A program that is installed is used as it is; another one comes as a container.
installed = $(shell command -v $(1) 2>/dev/null)

DOCKER_CMD ?= $(if $(call installed,docker),docker,podman)
DOCKER_USERNS ?= $(if $(findstring podman,$(DOCKER_CMD)),keep-id,)
DOCKER_ARGS ?= run --rm -u "$$(id -u):$$(id -g)" --userns=$(DOCKER_USERNS) -w /$(PACKAGE_NAME) -e HOME="/$(PACKAGE_NAME)"

root_volume ?= -v "$${PWD}:/$(PACKAGE_NAME)"
compiled_path ?= compiled
compiled_volume ?= -v "$${PWD}/$(compiled_path):/$(PACKAGE_NAME)"

# A worktree's repository lies elsewhere: containers get to see it too, but may not write there.
git_dir ?= $(shell git rev-parse --path-format=absolute --git-common-dir 2>/dev/null)
git_volume ?= $(if $(filter-out $(CURDIR)/.git,$(git_dir)),-v "$(git_dir):$(git_dir):ro",)
antora_git_volume ?= $(if $(filter-out $(CURDIR)/.git,$(git_dir)),-v "$(git_dir):/preview/antora/.git:ro",-v "$${PWD}/.git:/preview/antora/.git:ro")

commodore_args ?= tests/$(instance).yml
COMMODORE_IMAGE ?= docker.io/projectsyn/commodore:latest
COMMODORE_DOCKER ?= $(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) $(git_volume) $(COMMODORE_IMAGE)
COMMODORE_CMD ?= $(if $(call installed,commodore),commodore,$(COMMODORE_DOCKER))
COMPILE_CMD ?= $(COMMODORE_CMD) package compile . $(commodore_args)

YAMLLINT_ARGS ?= --no-warnings
YAMLLINT_CONFIG ?= .yamllint.yml
YAMLLINT_IMAGE ?= docker.io/cytopia/yamllint:latest
YAMLLINT_DOCKER ?= $(if $(call installed,yamllint),yamllint,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) $(YAMLLINT_IMAGE))

VALE_CMD ?= $(if $(call installed,vale),vale,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) ghcr.io/vshn/vale:2.15.5)
VALE_ARGS ?= --minAlertLevel=error --config=docs/modules/ROOT/pages/.vale.ini docs/modules

ANTORA_PREVIEW_CMD ?= $(DOCKER_CMD) run --rm --publish 35729:35729 --publish 2020:2020 $(antora_git_volume) --volume "$${PWD}/docs":/preview/antora/docs ghcr.io/vshn/antora-preview:3.1.2.3 --antora=docs
