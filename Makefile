# No virtual environment needs to be active: every target makes and uses .venv by itself.
PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
LOCKS := requirements.lock requirements-local.lock requirements-build.lock requirements-dev.lock
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
RUNTIME := .venv/.runtime-installed
DEVELOPMENT := .venv/.development-installed
CLIENTS := clients/node_modules/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve test coverage check format schemas clients bench venv lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: $(RUNTIME) ## Set everything up and run the service; more flags with ARGS="--port 9000"
	@exec $(BIN)/south-seas serve $(ARGS)

test: $(DEVELOPMENT) $(CLIENTS) ## Set everything up and run all tests; choose some with ARGS="-k placing"
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

coverage: $(DEVELOPMENT) ## Run all tests and print the lines and branches they miss
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term-missing:skip-covered $(ARGS)

check: $(DEVELOPMENT) $(CLIENTS) ## Lint, formatting, types, import directions, Dockerfile, all that is generated
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m service.web.documents schemas --check
	$(BIN)/python -m service.games.texts --check
	npm --prefix clients run check

format: $(DEVELOPMENT) $(CLIENTS) ## Put the source into its one format and apply the safe fixes
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	npm --prefix clients run format

schemas: $(DEVELOPMENT) ## Generate schemas/openapi.json and schemas/asyncapi.json
	$(BIN)/python -m service.web.documents schemas

clients: schemas $(CLIENTS) ## Generate the TypeScript client's types and build the page that the service serves
	npm --prefix clients run generate
	npm --prefix clients run build

bench: $(RUNTIME) ## Measure the engine and the service against ceilings of the same run
	$(BIN)/python -m benchmarks $(ARGS)

venv: $(DEVELOPMENT) ## Make .venv with everything that serving, testing and checking need

lock: ## Choose the newest versions that pyproject.toml allows and write the lock files
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	PATH="$(CURDIR)/.venv-lock/bin:$$PATH" ./.ci/lock $(ARGS)

clean: ## Remove the virtual environment and all caches; games in data directories stay
	rm -rf .venv .venv-lock clients/node_modules clients/*/dist build dist *.egg-info .coverage .coverage.* htmlcov
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

# Only who changes the TypeScript client or the page, or checks and tests everything, needs Node.
$(CLIENTS): clients/package.json clients/package-lock.json
	@command -v npm >/dev/null || { \
	  echo "The checks and tests of the TypeScript client and the page need Node.js 20 or newer with npm." >&2; exit 1; }
	@echo "Installing the locked packages into clients/node_modules"
	@npm --prefix clients ci --silent --no-audit --no-fund
	@touch $@
