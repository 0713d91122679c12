# make demo: a short demonstration.  make test: the test suite.  make fuzz: fuzz parsers, files and arguments.
# Every target creates or updates .venv first.
PYTHON ?= python3
BIN := .venv/bin
# Stamps of the environment: packages of a user, then those of a developer.
USER := .venv/.user
ENVIRONMENT := .venv/.installed
# Third-party programs for comparison.
YARDSTICKS := .venv/.yardsticks
# Use the pip of $(PYTHON) if it has one: installing pip in .venv takes seconds.
OUTER = $(shell $(PYTHON) -m pip --version 2> /dev/null)
PIP = $(if $(OUTER),$(PYTHON) -m pip --python $(BIN)/python,$(BIN)/python -m pip) install --quiet \
	--disable-pip-version-check --constraint constraints.txt
# Requirements of an extra. Reinstalling the package for it would take seconds.
extra = $(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(1)"])'
PYTEST := $(BIN)/python -m pytest
# Test files that contain a marker, so that the other modes do not import all files.
marked = $(shell grep --recursive --files-with-matches --include 'test_*.py' 'mark\.$(1)' tests)
# The tests start hundreds of processes, which need cached bytecode.
unexport PYTHONDONTWRITEBYTECODE
# Starting the OpenBLAS threads takes longer than a short command.
export OPENBLAS_NUM_THREADS := 1

# The first and the last Numba version that pyproject.toml allows.
NUMBA_RANGE := 0.61.0 0.68.1

.PHONY: demo test test-all test-numba-range warm suite modes lint fuzz kills quality benchmarks studies reports docs notebooks clean

demo: $(USER)
	@$(BIN)/starscout demo

test: $(USER)
	@$(MAKE) --no-print-directory --jobs 2 modes suite

# Compile what most tests use on one core while the other installs the development packages.
warm: $(USER)
	$(BIN)/starscout warm ewn-3x3-3 mcts --workers 1
	$(BIN)/starscout warm ewn strong negascout mcts --workers 1
	$(BIN)/starscout warm othello strong negascout --workers 1

# Compiled, as for users. Three processes, because tests also wait for clocks, sockets and a browser.
suite: $(ENVIRONMENT) warm
	$(PYTEST) -p tests.parallel --processes 3

# Marked tests as plain Python, then with array bounds checks, for which the compiler optimizes less: compiling takes
# most of the time.
modes: $(ENVIRONMENT)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "plain and not slow" $(call marked,plain)
	NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1 $(PYTEST) -m "bounds and not slow" $(call marked,bounds)

test-all: quality test $(YARDSTICKS)
	$(BIN)/python -m pytest -m slow

# Test kernels and searches with each end of the Numba range, in a temporary environment with an empty cache.
test-numba-range:
	for version in $(NUMBA_RANGE); do \
		folder=$$(mktemp -d) && $(PYTHON) -m venv $$folder/venv && \
		$$folder/venv/bin/python -m pip install --quiet --disable-pip-version-check numba==$$version --editable . \
			pytest hypothesis && \
		STARSCOUT_CACHE=$$folder/cache $$folder/venv/bin/python -m pytest tests/kernels tests/search tests/test_modes.py; \
		result=$$?; rm -rf $$folder; [ $$result -eq 0 ] || exit 1; \
	done

# Fuzz the parsers for ten minutes, or with ARGUMENTS='--inputs 10000000'.
fuzz: $(ENVIRONMENT)
	$(BIN)/python tests/fuzz.py $(ARGUMENTS)

kills: $(ENVIRONMENT)
	$(BIN)/python tests/kills.py $(ARGUMENTS)

# Style, and types of the package and the examples.
lint: $(ENVIRONMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright starscout examples

# Types of tests and benchmarks too, which takes as long again.
quality: lint
	$(BIN)/pyright tests benchmarks

# Build the documentation in site/.
docs: $(USER)
	$(call extra,docs) | xargs $(PIP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Run the notebooks in examples/.
notebooks: $(ENVIRONMENT)
	$(PIP) --editable ".[notebooks]"
	$(BIN)/python -m pytest tests/test_notebooks.py

benchmarks: $(YARDSTICKS)
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

# Run all experiments in full and store their results in docs/reports, or with SEED=7 in docs/reports/seed-7;
# `reports` writes the pages.
studies: $(ENVIRONMENT)
	$(BIN)/starscout experiment --all $(if $(SEED),--seed $(SEED) --save docs/reports/seed-$(SEED),--save docs/reports)

reports: $(ENVIRONMENT)
	$(BIN)/starscout experiment --page docs/reports.md

$(USER): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(if $(OUTER),--without-pip) .venv
	$(PIP) --no-compile --editable .
	@touch $@

$(ENVIRONMENT): $(USER)
	$(call extra,dev) | xargs $(PIP) --no-compile
	@touch $@

$(YARDSTICKS): $(ENVIRONMENT)
	$(call extra,yardsticks) | xargs $(PIP)
	@touch $@

clean:
	rm -rf .venv site .pytest_cache .ruff_cache .hypothesis
