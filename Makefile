# No virtual environment needs to be active: every target makes and uses .venv by itself.
PYTHON ?= python3
ARGS ?=
SUITE ?= trixie
COMMAND ?= make test
SBOM ?= dist/south-seas.cdx.json

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A lock file names every package, so pip chooses nothing: a newer release of a dependency cannot break an installation.
LOCKED := --no-deps --only-binary :all: --require-hashes
PROGRESS := $(PYTHON) .ci/progress
# Node.js and npm come with the development packages, whatever the machine has.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm
RUNTIME := .venv/.runtime-installed
DEVELOPMENT := .venv/.development-installed
AUDIT := .venv/.audit-installed
MUTANTS := .venv/.mutants-installed
SELF_PLAY := .venv/.self-play-installed
CLIENTS := clients/node_modules/.installed
SITE := service/web/static/docs/index.html
GENERATORS := .venv-generators/.installed
NPM_GENERATORS := .venv-generators/npm/.installed
PEER_ENGINES := .venv-peers/.installed
PEER_SERVICES := benchmarks/peers/node/node_modules/.installed
# Two processes for each processor, since most tests wait for servers.
PROCESSES := -n $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) * 2)') --dist worksteal
RULES := tests/engine tests/rules $(addprefix tests/games/,bots/test_bots.py test_diffs.py test_undo.py)

# Without stored bytecode each of the programs that tests start would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve test test-all slowest test-compiled test-fresh coverage mutants check audit sbom format schemas clients chaos chaos-nightly faults fuzz bench bench-peers compiled site venv lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: $(RUNTIME) $(SITE) ## Set everything up and run the service; more flags with ARGS="--port 9000"
	@exec $(BIN)/south-seas serve $(ARGS)

test: $(DEVELOPMENT) $(CLIENTS) $(SITE) ## Set everything up and run the tests of the product; choose some with ARGS="-k placing"
	$(BIN)/python -m pytest $(PROCESSES) $(ARGS)

test-all: $(DEVELOPMENT) $(CLIENTS) $(SITE) $(MUTANTS) $(SELF_PLAY) $(GENERATORS) $(NPM_GENERATORS) ## The same with the tests of docs, benchmarks and verification, client generators, PettingZoo; ARGS=--require-all fails where a program is missing
	$(BIN)/python -m pytest $(PROCESSES) --slow $(ARGS)

slowest: ## Run all tests, and write those that `make test` leaves out, the slowest, to tests/slowest.txt
	$(MAKE) test-all ARGS=--write-slowest

test-fresh: ## Run COMMAND="make test" in a fresh Debian, SUITE=trixie or bookworm; needs root and debootstrap
	@.ci/fresh "$(SUITE)" $(COMMAND)

test-compiled: compiled ## Run the tests of the rules, and of what is made of them, over the compiled wheel
	$(PIP) --quiet install --no-deps --no-index --target build/compiled build/wheel/*.whl
	cp -R pyproject.toml conftest.py tests build/compiled
	cd build/compiled && SOUTH_SEAS_COMPILE=1 ../../$(BIN)/python -m pytest -n auto --dist worksteal $(RULES) $(ARGS)

coverage: $(DEVELOPMENT) $(SITE) ## Run all tests and print the lines and branches they miss
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term-missing:skip-covered $(ARGS)

mutants: $(DEVELOPMENT) $(MUTANTS) ## Print mistakes that no test notices; ARGS="service/engine/islanders.py tests/rules"
	$(BIN)/python -m verification.mutants $(ARGS)

check: $(DEVELOPMENT) $(CLIENTS) $(SITE) ## Lint, formatting, types, import directions, budget, Dockerfile, all that is generated
	$(PIP) check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.budget
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m tools.openapi.generate schemas --check
	$(BIN)/python -m tools.catalogues --check
	$(BIN)/python -m tools.docs --check
	$(BIN)/python clients/python/scripts/generate.py --check
	$(NPM) --prefix clients run check

audit: $(AUDIT) ## Scan the locked packages for known vulnerabilities; needs PyPI and npm to answer
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python .ci/audit $(ARGS)

sbom: ## Write a list of the image's Python and npm packages, as CycloneDX, to dist/south-seas.cdx.json; the image has its own, with Debian's
	@mkdir -p $(dir $(SBOM))
	$(PYTHON) deploy/container/sbom.py > $(SBOM)

format: $(DEVELOPMENT) $(CLIENTS) ## Put the source into its one format and apply the safe fixes
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	$(NPM) --prefix clients run format

schemas: $(DEVELOPMENT) ## Generate schemas/openapi.json and asyncapi.json, the figures and tables of docs/, the cluster's alerts
	$(BIN)/python -m tools.openapi.generate schemas
	$(BIN)/python -m tools.docs
	$(BIN)/python -m tests.deploy.generated

clients: schemas $(CLIENTS) ## Generate the clients' types and build the page that the service serves
	$(BIN)/python clients/python/scripts/generate.py
	$(NPM) --prefix clients run generate
	$(NPM) --prefix clients run build

site: $(SITE) ## Build the documentation, the clients' packages and the pictures of tiles; fails if a link leads nowhere

chaos: $(DEVELOPMENT) ## Inject faults while games are played, and check every history; ARGS="--minutes 3 --seed 7"
	$(BIN)/python -m verification.chaos $(ARGS)

chaos-nightly: $(DEVELOPMENT) ## Run `chaos` for an hour, with a line a minute; ARGS="--minutes 480 --output results"
	$(BIN)/python -m verification.chaos --minutes 60 --brief $(ARGS)

faults: $(DEVELOPMENT) ## Inject every fault of the table in docs/operating.md, and write that table; ARGS="--only 'Redis full'"
	$(BIN)/python -m verification.faults $(ARGS)

fuzz: $(DEVELOPMENT) ## Run the fuzzers; ARGS="--minutes 30 --seed 7 --only socket"
	$(BIN)/python -m verification.fuzz $(ARGS)

bench: $(RUNTIME) ## Measure engine and service beside ceilings of the same run; writes benchmarks/results
	$(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(RUNTIME) $(PEER_ENGINES) $(PEER_SERVICES) ## Measure other engines and services, installed for it, beside ours; writes benchmarks/results
	$(BIN)/python -m benchmarks.peers $(ARGS)

compiled: $(DEVELOPMENT) $(SITE) ## Build the wheel with the compiled engine into dist/; this alone needs a C compiler
	@command -v "$${CC:-cc}" >/dev/null || { \
	  echo "Compiling the engine needs a C compiler as '$${CC:-cc}' (Debian and Ubuntu: apt install gcc libc6-dev)." >&2; exit 1; }
	@$(BIN)/python -c 'import pathlib, sysconfig, sys; \
	  sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' || { \
	  echo "Compiling the engine needs Python's headers (Debian and Ubuntu: apt install python3-dev)." >&2; exit 1; }
	rm -rf build
	SOUTH_SEAS_COMPILE=1 $(PIP) --quiet wheel --no-deps --no-build-isolation --wheel-dir build/wheel .
	mkdir -p dist
	cp build/wheel/*.whl dist

venv: $(DEVELOPMENT) ## Make .venv with everything that serving, testing and checking need

lock: ## Choose the newest versions that pyproject.toml allows and write the lock files
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	PATH="$(CURDIR)/.venv-lock/bin:$$PATH" ./.ci/lock $(ARGS)

clean: ## Remove the virtual environment and all caches; games in data directories stay
	rm -rf .venv .venv-generators .venv-lock .venv-peers clients/node_modules benchmarks/peers/node/node_modules clients/*/dist clients/python/build build dist *.egg-info clients/python/src/*.egg-info .coverage .coverage.* htmlcov
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The project and its Python client are installed in place, so only their metadata (pyproject.toml) asks for a second installation.
$(RUNTIME): pyproject.toml clients/python/pyproject.toml requirements/local.lock requirements/build.lock requirements/install.lock requirements/site.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "South Seas needs Python 3.11 or newer as '$(PYTHON)': install it, or name yours with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments: install its venv module (Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PROGRESS) "Making the virtual environment .venv" $(PYTHON) -m venv --clear .venv
	@$(PIP) --quiet install $(LOCKED) -r requirements/install.lock
	@$(PROGRESS) "Installing the locked packages into .venv" \
	  $(PIP) install $(LOCKED) -r requirements/build.lock -r requirements/local.lock -r requirements/site.lock
	@$(PROGRESS) "Installing South Seas into .venv" \
	  $(PIP) install --no-deps --no-build-isolation --editable . --editable clients/python
	@touch $@

# Some pages are made from the code, the alerts and the results of benchmarks.
$(SITE): $(RUNTIME) $(wildcard docs/*.md docs/pictures/* schemas/*.json tools/site/* tools/site/assets/* benchmarks/*.py benchmarks/results/*.json) \
  $(wildcard examples/*.* examples/*/*.* clients/*/README.md clients/python/pyproject.toml clients/python/src/south_seas/*.py clients/typescript/*.json clients/typescript/dist/*) \
  $(shell find service deploy/observability -name '*.py' -o -name '*.mo' -o -path 'service/[dit]*.[js]*' -o -path '*/prometheus/*.yaml')
	@$(PROGRESS) "Building the documentation" $(BIN)/python -m tools.site

$(DEVELOPMENT): $(RUNTIME) requirements/dev.lock
	@$(PROGRESS) "Installing the locked development packages into .venv" \
	  $(PIP) install $(LOCKED) -r requirements/dev.lock
	@touch $@

$(AUDIT): $(DEVELOPMENT) requirements/audit.lock
	@$(PROGRESS) "Installing the locked packages for the audit into .venv" \
	  $(PIP) install $(LOCKED) -r requirements/audit.lock
	@touch $@

$(MUTANTS): $(DEVELOPMENT) requirements/mutants.lock
	@$(PROGRESS) "Installing the locked packages for mutation testing into .venv" \
	  $(PIP) install $(LOCKED) -r requirements/mutants.lock
	@touch $@

$(SELF_PLAY): $(DEVELOPMENT) requirements/self-play.lock
	@$(PROGRESS) "Installing the locked packages for self-play into .venv" \
	  $(PIP) install $(LOCKED) -r requirements/self-play.lock
	@touch $@

# The headless Chromium is for the tests of the page, where no other is preferred: tests/tools.py.
$(CLIENTS): clients/package-lock.json $(DEVELOPMENT)
	@$(PROGRESS) "Installing the locked packages into clients/node_modules" \
	  env PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm --prefix clients ci --no-audit --no-fund
	@$(BIN)/node clients/page/scripts/chromium.mjs clients/node_modules/.chromium
	@touch $@

# Generators of clients, which only tests/generators needs, are kept apart.
$(GENERATORS): requirements/generators.lock | $(RUNTIME)
	@$(PYTHON) -m venv --clear --without-pip .venv-generators
	@$(PROGRESS) "Installing the locked generators of clients into .venv-generators" \
	  $(PIP) --python .venv-generators/bin/python install $(LOCKED) -r $<
	@touch $@

$(NPM_GENERATORS): $(DEVELOPMENT) $(GENERATORS) tests/generators/package.json tests/generators/package-lock.json
	@mkdir -p $(@D)
	@cp tests/generators/package.json tests/generators/package-lock.json $(@D)
	@$(PROGRESS) "Installing the locked generators of clients into $(@D)" \
	  env PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm --prefix $(@D) ci --ignore-scripts --no-audit --no-fund
	@touch $@

# The peers that ours is measured beside are kept apart from it, and only `make bench-peers` needs them.
$(PEER_ENGINES): benchmarks/peers/requirements.lock
	@echo "Installing the locked engines of others into .venv-peers"
	@$(PYTHON) -m venv --clear .venv-peers
	@.venv-peers/bin/python -m pip --disable-pip-version-check --quiet --quiet install $(LOCKED) -r $< || { \
	  echo "The engines of others could not be installed: they need PyPI, and wheels for this machine and Python." >&2; exit 1; }
	@touch $@

$(PEER_SERVICES): $(DEVELOPMENT) benchmarks/peers/node/package.json benchmarks/peers/node/package-lock.json
	@echo "Installing the locked services of others into benchmarks/peers/node/node_modules"
	@$(NPM) --prefix benchmarks/peers/node ci --silent --ignore-scripts --no-audit --no-fund || { \
	  echo "The services of others could not be installed: npm needs its registry." >&2; exit 1; }
	@touch $@
