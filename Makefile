# Each target makes the virtual environment if it is missing and installs what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# Tools of a release, in an environment of their own: what they need must not decide what is tested.
RELEASE := $(VENV)-release
LOWEST := $(VENV)-lowest

.PHONY: demo test test-fast test-slow test-lowest lint docs bench bench-speed vulnerabilities release release-check clean
.DEFAULT_GOAL := test

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "dprules needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[$*]'
	@$(PYTHON) -m release.editable $(VENV)
	@touch $@

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable .
	@$(PYTHON) -m release.editable $(VENV)
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/dprules demo --output demo

# Coverage doubles the time of the quick tests: continuous integration, which says CI=true, measures it.
COVERAGE := $(if $(CI),--cov --cov-report=term)

# Everything but what is marked slow.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow" --numprocesses=auto $(COVERAGE)

# The quick part, while writing: prices, schemas, tables and models.
test-fast: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow" --numprocesses=auto -q tests/accounting tests/schema tests/tables tests/models

# Kills, servers, fuzzing, long statistics.
test-slow: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m slow --numprocesses=auto tests

$(RELEASE)/.installed: release/tools.txt | $(VENV)/bin/python
	$(BIN)/python -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip --quiet --disable-pip-version-check install --requirement release/tools.txt
	@touch $@

# The lowest versions that pyproject.toml allows: bounds that nobody tries are not true for long. They warn of each other.
test-lowest: $(RELEASE)/.installed
	$(RELEASE)/bin/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(RELEASE)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[test]'
	@$(PYTHON) -m release.editable $(LOWEST)
	$(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning -m "not slow" --numprocesses=auto -q tests/accounting tests/mechanisms tests/models tests/schema tests/tables tests/estimators/test_tables.py tests/cli/test_main.py tests/cli/test_exits.py tests/cli/test_fit.py tests/cli/test_predict.py

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/layout.py --check

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench

bench-speed: $(VENV)/.installed-bench
	$(BIN)/python -m bench speed start_up scale growth cost scorecard_speed stream_speed stream_command serving mechanisms

# Known vulnerabilities of the versions that were tested; needs the network, and is no test.
vulnerabilities: $(RELEASE)/.installed
	$(RELEASE)/bin/python -m release.vulnerabilities

# Wheel, source archive, SHA256SUMS and a bill of materials (CycloneDX) of the last commit, in dist; refuses if two builds differ.
release: $(RELEASE)/.installed
	$(RELEASE)/bin/python -m release.build

# What must be filled in before a release: addresses that are placeholders, figures that nobody made.
release-check: $(VENV)/.installed-test
	$(BIN)/python tests/docs/release.py

clean:
	rm -rf $(VENV) $(RELEASE) $(LOWEST) dist site demo .coverage .pytest_cache .mypy_cache .ruff_cache
