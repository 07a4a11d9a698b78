# Each target works as the first command on a fresh clone: it needs Python 3.11 or later, pip and make.
# Options: PYTHON=python3.12, VENV=folder, PIP_FLAGS="…" (as --extra-index-url https://download.pytorch.org/whl/cpu
# for the small CPU build of PyTorch), WORKERS=2 (test processes).

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
WORKERS ?= 2
BIN := $(abspath $(VENV))/bin
INSTALLED := $(VENV)/installed
PEERS := $(VENV)/peers-installed
CONFIG ?= configs/reis_de_portugal/ppo.yaml

.PHONY: install train test test-all check types docs bench clean

install: $(INSTALLED)

$(INSTALLED): pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(PIP_FLAGS) --constraint constraints.txt torch
	$(BIN)/pip install --quiet $(PIP_FLAGS) --constraint constraints.txt --editable '.[train,dev]'
	touch $@

$(PEERS): $(INSTALLED)
	$(BIN)/pip install --quiet $(PIP_FLAGS) --constraint constraints.txt --editable '.[train,dev,peers]'
	touch $@

train: $(INSTALLED)
	$(BIN)/lusogames train $(CONFIG)

test: check
	$(BIN)/python -m pytest -n $(WORKERS)

test-all: check
	$(BIN)/python -m pytest -n $(WORKERS) -m ''

check: types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# wrappers/ and training/ lie beside the package they belong to; mypy sees them through a folder of links.
# Tests are run, not type-checked: many of them hand over what the types forbid.
types: $(INSTALLED)
	rm -rf build/typing && mkdir -p build/typing/lusogames_env
	ln -s $(CURDIR)/lusogames_env/* $(CURDIR)/wrappers $(CURDIR)/training build/typing/lusogames_env/
	MYPYPATH=build/typing $(BIN)/mypy -p lusogames_env -p benchmarks

docs: $(INSTALLED)
	$(BIN)/python -m lusogames_env.engine.docs
	$(BIN)/python -m benchmarks.report

bench: $(PEERS)
	$(BIN)/python -m benchmarks.cold_start --json benchmarks/results/cold_start.json
	$(BIN)/python -m benchmarks.throughput --peers --json benchmarks/results/throughput.json
	$(BIN)/python -m benchmarks.search --json benchmarks/results/search.json
	$(BIN)/python -m benchmarks.training_speed --json benchmarks/results/training_speed.json
	$(BIN)/python -m benchmarks.report

clean:
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis htmlcov .coverage
