# The tasks of this project.  Each makes the virtual environment first if it is
# missing or older than pyproject.toml, so that every target works in a fresh clone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
WORKERS ?= 2
SOURCES := structural tests bench

.PHONY: setup demo check test format clean

setup: $(READY)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; say which with make PYTHON=..." >&2; exit 1; }
	@echo 'installing into $(VENV), which takes about a minute'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

# A search on real input, from a fresh clone in one command.
demo: $(READY)
	$(BIN)/astgrep search 'if ($$X != null) $$X.dispose()' corpus/

# What must hold before a commit lands.
check: $(READY)
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/ruff check --quiet $(SOURCES)
	$(BIN)/mypy --strict --no-error-summary structural bench
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup

# The tests alone; options go in ARGS, as in make test ARGS='-k quotes'.
test: $(READY)
	$(BIN)/python -m pytest -q $(ARGS)

format: $(READY)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
