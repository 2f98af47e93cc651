# Two commands do everything: `make demo` and `make test`. Each makes its own environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

.PHONY: demo test test-fast coverage browser java bench-scale lint types layers bench bench-training quality-training fuzz test-minimum build test-wheel test-core site test-site docs gallery pictures clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'cutline needs Python 3.11 or newer: make PYTHON=python3.12 ...')"
	$(PYTHON) -m venv $(VENV)

# What is compiled, where there is a C compiler (hatch_build.py); a change of it is built anew.
COMPILED := hatch_build.py src/cutline/inputs/compiled.c src/cutline/inputs/compiled_keys.h

$(RUNTIME): pyproject.toml $(COMPILED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	touch $@

$(DEV): pyproject.toml $(COMPILED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(RUNTIME) $@

demo: $(RUNTIME)
	@mkdir -p build
	$(BIN)/cutline demo --html build/demo.html --force

# The report is tested in a real browser, and with axe-core for what stands in people's way. What cannot be installed here is
# said, and its tests are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1 || \
	    { apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1; }; }; } || \
	  echo "Chromium is not here and cannot be installed: the tests in the browser will be skipped."
	@test -f .cache/node_modules/axe-core/axe.min.js || { command -v npm >/dev/null && \
	  npm install --silent --no-audit --no-fund --prefix .cache axe-core >/dev/null 2>&1; } || \
	  echo "axe-core is not here and cannot be fetched: accessibility will not be tested."

# Spark is tested on Java, if that is here or can be installed.
java:
	@command -v java >/dev/null || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless >/dev/null 2>&1 || \
	    { apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless >/dev/null 2>&1; }; }; } || \
	  echo "Java is not here and cannot be installed: the tests of Spark will be skipped."

# One thread of linear algebra for each worker: more of them wait for each other. What is compiled is kept, for the many
# commands that tests start.
test: browser java lint types layers
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

# Without browser, cluster, other processes and long computations (tests marked slow).
test-fast: lint
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"

# Which lines the fast tests reach: twice as slow, so that `make test` leaves it to this.
coverage: $(DEV)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" --cov=cutline --cov-report=term:skip-covered

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

layers: $(DEV)
	$(BIN)/lint-imports

# Every part, though one misses a target; then it ends with an error.
bench: $(DEV)
	$(BIN)/python benchmarks/speed.py; missed=$$?; $(BIN)/python benchmarks/inference.py && exit $$missed

# Rows beyond memory: 1e6 to 1e8, generated in parts under build/scale (1 GB). Some five minutes, and
# up to ten more for each of the two runs of Spark's own evaluator, which are ended then.
bench-scale: $(DEV)
	$(BIN)/python benchmarks/scale.py

bench-training: $(DEV)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/training.py

quality-training: $(DEV)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/training_quality.py

# Hostile files, options and arguments; ends with an error unless all of them end in a result or a sentence. Stopped and
# started again on the same code, it goes on where it was.
fuzz: $(DEV)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/fuzz.py --files 20000 --calls 100000 --singles --faults 60 --journal build/fuzz.jsonl

# The tests with the oldest versions that pyproject.toml allows, in an environment of their own. CUTLINE_MINIMUM has
# tests/test_package.py see that these versions are the ones that are installed.
test-minimum:
	$(PYTHON) -m venv $(VENV)-minimum
	$(VENV)-minimum/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VENV)-minimum/bin/uv pip install --quiet --compile-bytecode --python $(VENV)-minimum/bin/python --resolution lowest-direct --editable '.[dev]'
	CUTLINE_MINIMUM=1 PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)-minimum/bin/python -m pytest -n auto --dist worksteal

# In dist/: the source distribution, the wheel with the compiled part for this platform and every Python from 3.11 on,
# and a pure one for platforms without a wheel of their own.
build: $(BIN)/python
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	CUTLINE_COMPILED=0 $(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python -m build --quiet --wheel --outdir dist .

# The wheel as a user gets it: in an empty environment, far from the repository.
test-wheel: build
	rm -rf $(VENV)-wheel
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*-abi3-*.whl 2>/dev/null || ls dist/*.whl)[all]" pyarrow
	cd $(VENV)-wheel && bin/python -I $(CURDIR)/tests/wheel.py

# The same without extras: the core's dependencies alone, and one sentence where another package is needed.
test-core: build
	rm -rf $(VENV)-core
	$(PYTHON) -m venv $(VENV)-core
	$(VENV)-core/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*-abi3-*.whl 2>/dev/null || ls dist/*.whl)"
	cd $(VENV)-core && bin/python -I $(CURDIR)/tests/core_alone.py

# The site, in site/: static, and complete without a network. A broken link or a tutorial that fails ends it.
site: $(RUNTIME)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site]' || { \
	  echo "make site needs the packages of the extra site (mkdocs and others, in pyproject.toml) from a package index."; exit 1; }
	rm -rf site
	PYTHONPATH=$(CURDIR)/src NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/python -m mkdocs build --strict
	$(BIN)/python docs/site/check_links.py site

# The whole site in a browser: what it asks for, whether it fits on a phone, and axe-core.
test-site: browser $(DEV) site
	SITE=$(CURDIR)/site $(BIN)/python -m pytest tests/site

docs: $(DEV)
	$(BIN)/python docs/make_stubs.py
	$(BIN)/python docs/make_formulas.py
	$(BIN)/python docs/make_measures.py
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_terminal.py
	$(BIN)/python docs/make_advice.py
	$(BIN)/python docs/make_intervals.py
	$(BIN)/python docs/make_companions.py
	$(BIN)/python docs/make_studies.py
	$(BIN)/python docs/make_ledger.py

pictures: $(DEV)
	$(BIN)/python docs/make_pictures.py

# make gallery CHARTS="roc lift" draws these alone, and those that have no picture yet.
gallery: $(DEV)
	$(BIN)/python examples/gallery.py $(CHARTS)

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
