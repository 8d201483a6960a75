# Waferline. `make help` lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
export UV_COMPILE_BYTECODE ?= 1
# The matrix library's threads wait by spinning, which costs far more than they bring on small arrays.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help run setup browser test soak check lint types contracts bench golden docs lock clean

help: ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: setup ## Install what is missing, build the store, open the dashboard on 127.0.0.1
	$(BIN)/waferline serve

setup: .venv/.installed ## Install the pinned dependencies into .venv

.venv/.installed: requirements.txt requirements-installer.txt pyproject.toml
	@PYTHON="$(PYTHON)" deploy/make_venv.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-installer.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

browser: ## Find a browser for the tests, or install one where that is possible
	@deploy/find_browser.sh --install >/dev/null

test: setup browser ## Run every test, the browser ones too
	WAFERLINE_BROWSER="$$(deploy/find_browser.sh)" $(BIN)/python -m pytest -n 2 --dist loadgroup tests

check: setup lint types contracts test ## Everything that decides whether a change is fit to land

soak: setup ## Read mutated samples for SOAK_SECONDS (300), with a new seed each time
	SOAK_SECONDS="$${SOAK_SECONDS:-300}" $(BIN)/python -m pytest -q tests/data/test_readers_registry.py -k mutated

lint: setup ## Style
	$(BIN)/ruff check .

types: setup ## Types
	$(BIN)/mypy

contracts: setup ## Who may import what
	$(BIN)/lint-imports --no-cache

bench: setup browser ## Measure responsiveness, as ratios within one run
	WAFERLINE_BROWSER="$$(deploy/find_browser.sh)" $(BIN)/python -m tests.benchmarks

golden: setup ## Write the golden pages anew and show what moved
	$(BIN)/python -m pytest -q tests --golden-write -k golden; git diff --stat -- tests/golden

docs: setup ## Write the generated pages of docs anew
	$(BIN)/python -m app.write_docs

lock: setup ## Pin the dependencies anew, with hashes and without index addresses
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra dev pyproject.toml -o requirements.txt --upgrade

clean: ## Remove the virtual environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache build *.egg-info
