# Everything here can be set from outside: make COMMODORE_CMD=commodore test
COMPONENT_NAME ?= << cookiecutter.slug >>

# The test case of targets that work on one.
instance ?= << cookiecutter.test_cases.split()[0] >>
<% if cookiecutter.add_golden == 'y' and cookiecutter.add_matrix == 'y' %>
test_instances =<% for case in cookiecutter.test_cases.split() %> tests/<< case >>.yml<% endfor %>

recursive_target ?=
<% endif %>

# A program that is installed is used as it is; another one comes as a container.
installed = $(shell command -v $(1) 2>/dev/null)

DOCKER_CMD ?= $(if $(call installed,docker),docker,podman)
DOCKER_USERNS ?= $(if $(findstring podman,$(DOCKER_CMD)),keep-id,)
DOCKER_ARGS ?= run --rm -u "$$(id -u):$$(id -g)" --userns=$(DOCKER_USERNS) -w /$(COMPONENT_NAME) -e HOME="/$(COMPONENT_NAME)"

root_volume ?= -v "$${PWD}:/$(COMPONENT_NAME)"
compiled_path ?= compiled/$(COMPONENT_NAME)/$(COMPONENT_NAME)
compiled_volume ?= -v "$${PWD}/$(compiled_path):/$(COMPONENT_NAME)"

# A worktree's repository lies elsewhere: containers get to see it too, but may not write there.
git_dir ?= $(shell git rev-parse --path-format=absolute --git-common-dir 2>/dev/null)
git_volume ?= $(if $(filter-out $(CURDIR)/.git,$(git_dir)),-v "$(git_dir):$(git_dir):ro",)
antora_git_volume ?= $(if $(filter-out $(CURDIR)/.git,$(git_dir)),-v "$(git_dir):/preview/antora/.git:ro",-v "$${PWD}/.git:/preview/antora/.git:ro")

commodore_args ?= --search-paths . -n $(COMPONENT_NAME)
COMMODORE_IMAGE ?= docker.io/projectsyn/commodore:latest
COMMODORE_DOCKER ?= $(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) $(git_volume) $(COMMODORE_IMAGE)
COMMODORE_CMD ?= $(if $(call installed,commodore),commodore,$(COMMODORE_DOCKER))
COMPILE_CMD ?= $(COMMODORE_CMD) component compile . $(commodore_args)
JB_CMD ?= $(if $(call installed,jb),jb,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) --entrypoint jb $(COMMODORE_IMAGE)) install

JSONNET_FILES ?= $(shell find . -type f -not -path './vendor/*' -not -path './dependencies/*' \( -name '*.*jsonnet' -or -name '*.libsonnet' \))
JSONNETFMT_ARGS ?= --pad-arrays
JSONNET_IMAGE ?= ghcr.io/projectsyn/jsonnet:latest
JSONNET_DOCKER ?= $(if $(call installed,jsonnetfmt),jsonnetfmt,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) --entrypoint=jsonnetfmt $(JSONNET_IMAGE))

YAMLLINT_ARGS ?= --no-warnings
YAMLLINT_CONFIG ?= .yamllint.yml
YAMLLINT_IMAGE ?= docker.io/cytopia/yamllint:latest
YAMLLINT_DOCKER ?= $(if $(call installed,yamllint),yamllint,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) $(YAMLLINT_IMAGE))

VALE_CMD ?= $(if $(call installed,vale),vale,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) ghcr.io/vshn/vale:2.15.5)
VALE_ARGS ?= --minAlertLevel=error --config=docs/modules/ROOT/pages/.vale.ini docs/modules

ANTORA_PREVIEW_CMD ?= $(DOCKER_CMD) run --rm --publish 35729:35729 --publish 2020:2020 $(antora_git_volume) --volume "$${PWD}/docs":/preview/antora/docs ghcr.io/vshn/antora-preview:3.1.2.3 --antora=docs
<% if cookiecutter.add_golden == 'y' %>

GOLDEN_FILES ?= $(shell find tests/golden/$(instance) -type f 2>/dev/null)
comma := ,
space := $() $()
KUBENT_FILES ?= $(subst $(space),$(comma),$(strip $(GOLDEN_FILES)))
KUBENT_ARGS ?= -c=false --helm3=false -e
KUBENT_IMAGE ?= ghcr.io/doitintl/kube-no-trouble:latest
KUBENT_DOCKER ?= $(if $(call installed,kubent),kubent,$(DOCKER_CMD) $(DOCKER_ARGS) $(root_volume) --entrypoint=/app/kubent $(KUBENT_IMAGE))
<% endif %>
