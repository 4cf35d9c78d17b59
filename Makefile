# Each target makes the virtual environment if it is missing and installs what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test lint bench docs clean
.DEFAULT_GOAL := test

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "dprules needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[$*]'
	@touch $@

demo: $(VENV)/.installed-bench
	$(BIN)/dprules plan list --rows 50000 --features 30 --epsilon 1 --delta 1e-6 --error 0.1
	$(BIN)/dprules plan stream --features 1000 --margin 0.2 --horizon 10000000 --epsilon 1 --delta 1e-6
	$(BIN)/dprules audit --output demo-audit

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest --numprocesses=auto --cov --cov-report=term

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site demo-audit .coverage .pytest_cache .mypy_cache .ruff_cache
