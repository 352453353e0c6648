# Everything a developer types. `make help` lists it.
# Each target makes .venv if needed, and installs again after a change of pyproject.toml.

PYTHON ?= python3
ROBOT ?= own
VIEW ?= 1
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
comma := ,

NO := 0 no off false
DEMO_EXTRAS := demo+jit$(if $(filter own,$(ROBOT)),,+robots)

# What is played on kernels that Numba compiles, too: the same bits, and steps that stand for the others.
COMPILED := tests/house/test_prebuilt_modes.py tests/contracts/test_determinism.py \
  $(addprefix tests/physics/test_,$(addsuffix .py,bounce convex_rest free_flight incline integrators joint_rows \
  kinematic loops rolling stack standing terrain))

# What is played with every warning an error, from the start of Python on and in the processes that tests start.
STRICT := tests/unit/checks tests/unit/engine tests/contracts/test_forked_processes.py \
  tests/contracts/test_writers_and_failures.py

# The whole suite needs all kernels: they are built once, before workers compile one by one what they miss. A part of
# it does not, nor does Numba where it is asked for. Where they cannot be built that is said, and tests compile them.
BUILD_FIRST = $(if $(ARGS)$(NUMBA_DISABLE_JIT)$(NUMBA_BOUNDSCHECK)$(filter compiled,$(TRIBO_KERNELS)),,$\
  -$(BIN)/python -m tribo.tools.prebuild --levels here)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo train test test-compiled test-strict test-learn check format bench validate validate-dynamics simbench fuzz honesty gallery docs docs-check kernels wheel clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMPS)/$(DEMO_EXTRAS)  ## three spheres and a quadruped (ROBOT=anymal: ANYmal C, VIEW=0: no viewer)
	$(BIN)/python examples/00_demo.py --robot $(ROBOT) $(if $(filter $(NO),$(VIEW)),--no-view,--view) $(ARGS)

train: $(STAMPS)/learn  ## the quadruped learns to walk, 10 core-minutes (ARGS="--resume" to go on)
	$(BIN)/tribo train Quadruped --out runs/quadruped $(ARGS)

test: $(STAMPS)/dev  ## the whole test suite on two cores (ARGS="-k rebound" for a part)
	$(BUILD_FIRST)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test-compiled: $(STAMPS)/dev  ## a part of the tests on what Numba compiles, prebuilt kernels or not
	TRIBO_KERNELS=compiled $(BIN)/tribo warmup --all
	TRIBO_KERNELS=compiled $(BIN)/python -m pytest -q -n 2 --dist loadfile $(COMPILED) $(ARGS)

test-strict: $(STAMPS)/dev  ## a part of the tests with every warning an error, also in the processes that they start
	PYTHONWARNINGS=error $(BIN)/python -m pytest -q -n 2 --dist loadfile $(STRICT) $(ARGS)

test-learn: $(STAMPS)/dev+learn+ray  ## what make test skips without PyTorch and Ray: trainings, kills, resuming, runners
	$(BIN)/python -m pytest -q tests/unit/test_learn.py tests/unit/test_scale.py $(ARGS)

check: $(STAMPS)/dev  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/dev  ## rewrite the source in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMPS)/dev+bench  ## speed and truth, next to MuJoCo in the same run
	$(BIN)/python benchmarks/run.py $(ARGS)

validate: $(STAMPS)/dev+bench  ## all closed forms, next to MuJoCo and PyBullet; writes docs/validation.md
	$(BIN)/python validation/run.py --write-docs $(ARGS)

simbench: $(STAMPS)/dev+bench  ## SimBenchmark's scenes next to MuJoCo, PyBullet and PhysX (see docs/simbenchmark.md)
	PYTHONPATH=benchmarks $(BIN)/python -m simbench --page docs/simbenchmark.md $(ARGS)

validate-dynamics: $(STAMPS)/dev+bench+validate  ## robots next to Pinocchio, MJCF models next to MuJoCo, quantity by quantity
	$(BIN)/python benchmarks/validate.py $(ARGS)
	$(BIN)/python benchmarks/validate_mjcf.py
	$(BIN)/python benchmarks/dynamics.py

fuzz: $(STAMPS)/dev+fuzz  ## 100 000 inputs that nobody would write, to all readers and calls (ARGS="calls --inputs 500")
	cd tests && PYTHONPATH=. ../$(BIN)/python -m fuzz $(ARGS)

honesty: $(STAMPS)/dev  ## 500 random scenes: does a clean status tell the truth? (ARGS="--scenes 60", "--only 7")
	cd benchmarks && ../$(BIN)/python -m honesty $(ARGS)

gallery: $(STAMPS)/dev+robots  ## films of all examples, screenshots of ten scenes (needs Chromium), docs/gallery.md
	PYTHONPATH=tests $(BIN)/python docs/make_screenshots.py
	PYTHONPATH=tests $(BIN)/python -W ignore docs/make_gallery.py $(ARGS)

docs: $(STAMPS)/docs  ## these pages as HTML in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

docs-check: $(STAMPS)/docs  ## every warning about these pages, without running lessons or writing HTML
	$(BIN)/python -m sphinx -W --keep-going -q -b dummy -D nb_execution_mode=off docs docs/_build/check

kernels: $(STAMPS)/dev  ## machine code of these sources for all environments of this machine (some minutes, once)
	$(BIN)/python -m tribo.tools.prebuild $(ARGS)

wheel: $(STAMPS)/dev+wheel  ## a wheel with prebuilt kernels in dist/, and the check that it runs on other Linuxes
	rm -rf dist
	$(BIN)/python -m pip wheel --no-deps --wheel-dir dist .
	$(BIN)/python wheels/check.py --install dist/tribo-*.whl

clean:  ## remove .venv, build products and tool caches (compiled kernels stay in ~/.cache/tribo)
	rm -rf $(VENV) build dist out docs/_build
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is named after its extras, joined by "+".
$(STAMPS)/%: pyproject.toml | $(STAMPS)
	@case "$*" in *robots*|*bench*|*validate*) \
	  echo "tribo: installing example-robot-data, the heavy part (about 440 MB unpacked);"; \
	  echo "       'make demo' without ROBOT=anymal does without it" ;; esac
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(subst +,$(comma),$*)]'
	@touch $@

$(STAMPS):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "tribo needs Python 3.11 or later, '$(PYTHON)' is $$($(PYTHON) --version 2>&1);"; \
	  echo "name another one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $@
