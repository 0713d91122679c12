# make demo: something worth seeing.  make test: the whole suite.  make fuzz: a search for inputs that break a parser.
# Each makes .venv first when it is missing or stale.
PYTHON ?= python3
BIN := .venv/bin
# What a user needs, and what a developer needs on top of it.
USER := .venv/.user
ENVIRONMENT := .venv/.installed
# Other people's programs, to compare with.
YARDSTICKS := .venv/.yardsticks
# The pip of $(PYTHON), where it has one, serves the environment too: a second one takes seconds to install.
OUTER = $(shell $(PYTHON) -m pip --version 2> /dev/null)
PIP = $(if $(OUTER),$(PYTHON) -m pip --python $(BIN)/python,$(BIN)/python -m pip) install --quiet \
	--disable-pip-version-check --constraint constraints.txt
# What an extra of ours needs: to install the package once more for it would take seconds.
extra = $(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(1)"])'
PYTEST := $(BIN)/python -m pytest
# The test files with a marker: what runs in another mode need not load the others.
marked = $(shell grep --recursive --files-with-matches --include 'test_*.py' 'mark\.$(1)' tests)
# A run of the tests starts hundreds of our processes: they keep Python's bytecode, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
# NumPy's library of linear algebra starts a thread per core in each of them, which costs more than a short command.
export OPENBLAS_NUM_THREADS := 1

# The first and the last Numba version that pyproject.toml allows.
NUMBA_RANGE := 0.61.0 0.68.1

.PHONY: demo test test-all test-numba-range warm suite modes fuzz quality benchmarks studies reports docs notebooks clean

demo: $(USER)
	@$(BIN)/starscout demo

test: $(USER)
	@$(MAKE) --no-print-directory --jobs 2 modes suite

# What most tests search with, compiled by one core while the other installs the developer's packages.
warm: $(USER)
	$(BIN)/starscout warm ewn-3x3-3 mcts --workers 1
	$(BIN)/starscout warm ewn strong negascout mcts --workers 1
	$(BIN)/starscout warm othello strong negascout --workers 1

# As users have it. Three processes, because tests also wait: for clocks, sockets and a browser. Who is done early
# takes from the others.
suite: $(ENVIRONMENT) warm
	$(PYTEST) -n 3 --dist worksteal

# The style and the types, then tests as plain Python, then with the bounds of arrays checked.
modes: quality
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "plain and not slow" $(call marked,plain)
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "bounds and not slow" $(call marked,bounds)

test-all: test $(YARDSTICKS)
	$(BIN)/python -m pytest -m slow

# The kernels and the searches with each end of the Numba range, in a temporary environment and with an empty cache.
test-numba-range:
	for version in $(NUMBA_RANGE); do \
		folder=$$(mktemp -d) && $(PYTHON) -m venv $$folder/venv && \
		$$folder/venv/bin/python -m pip install --quiet --disable-pip-version-check numba==$$version --editable . \
			pytest hypothesis && \
		STARSCOUT_CACHE=$$folder/cache $$folder/venv/bin/python -m pytest tests/kernels tests/search tests/test_modes.py; \
		result=$$?; rm -rf $$folder; [ $$result -eq 0 ] || exit 1; \
	done

# The random search for inputs that a parser does not survive: ten minutes, or ARGUMENTS='--inputs 10000000'.
fuzz: $(ENVIRONMENT)
	$(BIN)/python tests/fuzz.py $(ARGUMENTS)

quality: $(ENVIRONMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

# The site, in site/: nothing of it comes from other servers.
docs: $(USER)
	$(call extra,docs) | xargs $(PIP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# The notebooks of examples/, run from the first cell to the last.
notebooks: $(ENVIRONMENT)
	$(PIP) --editable ".[notebooks]"
	$(BIN)/python -m pytest tests/test_notebooks.py

benchmarks: $(YARDSTICKS)
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

# The experiments in full, for docs/reports; the page of what is there.
studies: $(ENVIRONMENT)
	for file in starscout/experiments/*.toml; do \
		$(BIN)/starscout experiment $$(basename $$file .toml) --save docs/reports || exit 1; done

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
