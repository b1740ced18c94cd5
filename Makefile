# No virtual environment needs to be active: every target makes and uses .venv by itself.
PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
LOCKS := requirements.lock requirements-local.lock requirements-build.lock requirements-dev.lock
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
RUNTIME := .venv/.runtime-installed
DEVELOPMENT := .venv/.development-installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve test coverage check format schemas bench venv lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: $(RUNTIME) ## Set everything up and run the service; more flags with ARGS="--port 9000"
	@exec $(BIN)/south-seas serve $(ARGS)

test: $(DEVELOPMENT) ## Set everything up and run all tests; choose some with ARGS="-k placing"
	$(BIN)/python -m pytest -n 2 $(ARGS)

coverage: $(DEVELOPMENT) ## Run all tests and print the lines and branches they miss
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term-missing:skip-covered $(ARGS)

check: $(DEVELOPMENT) ## Lint, formatting, types, import directions, Dockerfile, generated documents
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m service.web.documents schemas --check

format: $(DEVELOPMENT) ## Put the source into its one format and apply the safe fixes
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

schemas: $(DEVELOPMENT) ## Generate schemas/openapi.json and schemas/asyncapi.json
	$(BIN)/python -m service.web.documents schemas

bench: $(RUNTIME) ## Measure the engine and the service against ceilings of the same run
	$(BIN)/python -m benchmarks $(ARGS)

venv: $(DEVELOPMENT) ## Make .venv with everything that serving, testing and checking need

lock: ## Choose the newest versions that pyproject.toml allows and write the lock files
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	PATH="$(CURDIR)/.venv-lock/bin:$$PATH" ./.ci/lock $(ARGS)

clean: ## Remove the virtual environment and all caches; games in data directories stay
	rm -rf .venv .venv-lock build dist *.egg-info .coverage .coverage.* htmlcov
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The project itself is installed in place, so only its metadata (pyproject.toml) asks for a second installation.
$(RUNTIME): pyproject.toml requirements-local.lock requirements-build.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "South Seas needs Python 3.11 or newer as '$(PYTHON)': install it, or name yours with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments: install its venv module (Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "Making the virtual environment .venv"; $(PYTHON) -m venv --clear .venv; }
	@echo "Installing the locked packages into .venv"
	@$(PIP) install --require-hashes -r requirements-build.lock -r requirements-local.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEVELOPMENT): $(RUNTIME) requirements-dev.lock
	@echo "Installing the locked development packages into .venv"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@
