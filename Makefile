# `make demo` shows what the package does, `make test` runs lint, types and the suite. Everything is made inside .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := -m pip install --quiet --disable-pip-version-check
# What the tests run with, by version, so that green means green next month. `make demo` and `make bench` install without
# it, as users do, who get the newest of everything.
PINNED := --constraint constraints.txt

.PHONY: demo test test-latest constraints lint types suite browser engines exports docs docs-serve shots test-faults test-real-logs test-statistical honesty mutants bench bench-web clean same house

# Installs the package with its charts and pages, ranks a data set that comes with it, writes demo.html.
demo: $(VENV)/.package
	@$(BIN)/equipoise demo

test: lint types suite

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

# A process per core; more threads of linear algebra in each of them would only get in each other's way.
suite house test-faults test-statistical honesty: export OMP_NUM_THREADS = 1
suite house test-faults test-statistical honesty: export OPENBLAS_NUM_THREADS = 1
# Commands that tests start load modules compiled once, as installed ones are, even where writing bytecode is off.
suite test-faults test-statistical honesty: export PYTHONDONTWRITEBYTECODE =

suite: $(VENV)/.dev browser engines
	$(BIN)/python -m pytest -n auto --dist worksteal

# The suite with the newest of everything, in an environment of its own: what will be pinned next is tried here.
test-latest:
	$(PYTHON) -m venv .venv-latest
	.venv-latest/bin/python $(INSTALL) --upgrade --upgrade-strategy eager pip --editable ".[dev]"
	@touch .venv-latest/.dev .venv-latest/.package
	$(MAKE) suite VENV=.venv-latest

# The pins anew, at the newest versions that go together; nothing is installed but pip and packaging. The tools whose logs
# are read back have a file of their own, for they want older versions of some packages.
RESOLVED := .venv-latest/bin/python -m pip install --quiet --dry-run --ignore-installed --report -

constraints:
	$(PYTHON) -m venv .venv-latest
	.venv-latest/bin/python $(INSTALL) --upgrade pip packaging
	$(RESOLVED) ".[dev,ray,mutants]" | .venv-latest/bin/python tools/constraints.py constraints.txt
	$(RESOLVED) $(REAL_LOGS) | .venv-latest/bin/python tools/constraints.py constraints-real-logs.txt

# The browser that the tests look at pages with: one that is there, or Debian's where we may install it.
browser:
	@sh tests/browser.sh

# Chess engines for the tests of the arena, bubblewrap to confine programs, and nginx: Debian's, where we may install them.
engines:
	@sh tests/engines.sh

# What `import equipoise` gives, from the methods that declare themselves; and the references of the site.
exports: $(VENV)/.dev
	$(BIN)/python tools/exports.py
	$(BIN)/python -m tools.reference docs/reference

# What docs/design.md counts and draws: after a change of modules. `make test` holds the page to it.
house: $(VENV)/.dev
	$(BIN)/python -m tools.house

# The site, in site/: tutorial, how-tos, a page per method, references. docs-serve shows it while it is written.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in site/: open site/index.html; search works from disk too"

docs-serve: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

# Pictures of every kind of page into .shots/, those of the README into docs/images, and the README's output brought up
# to date: after a change of what is shown.
shots: $(VENV)/.dev browser
	$(BIN)/python -m tools.shots
	$(BIN)/python -m tools.readme

# A hundred thousand tables with planted faults, thrown at the readers, a Ray cluster that loses a node, and the owners of
# arenas killed a thousand times: a quarter of an hour.
test-faults: $(VENV)/.ray
	$(BIN)/python -m pytest tests/faults

# Logs written by the real inspect-ai and lm-eval with models that only pretend, and games of OpenSpiel, read back: in an
# environment of their own, for they bring 1 GB (three to five minutes, most of them to install).
test-real-logs: .real-logs/.ready
	.real-logs/bin/python -m pytest tests/logs/test_real_tools.py tests/logs/test_openspiel.py tests/integrations

REAL_LOGS := ".[report,frames,poker,games,real-logs]" pytest hypothesis

.real-logs/.ready: pyproject.toml constraints-real-logs.txt
	$(PYTHON) -m venv .real-logs
	.real-logs/bin/python $(INSTALL) --constraint constraints-real-logs.txt --editable $(REAL_LOGS)
	@touch $@

# The long, seeded simulations, and checks that take long: the site built whole, fits against slow refits, a hostile arena.
test-statistical: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto tests/statistical tests/slow

# The simulations once more, by JOBS processes, and what they observed into docs/honesty.md; ONLY="test_irt,swiss" runs some.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

honesty: $(VENV)/.dev
	$(BIN)/python -m tools.honesty --jobs $(JOBS) $(if $(ONLY),--only "$(ONLY)")

# Every command and many calls in the tree of a commit and in this one, with the same seeds, and what differs: BASE=COMMIT.
# EXACT=1 allows not even the last digits and added keys; QUICK=1 runs some of the cases; ONLY="rank,tasks" those of some
# commands (library is one). The public data is that of EQUIPOISE_DATA, or of ../shared/data.
BASE ?= HEAD
SAME := $(if $(EXACT),--exact) $(if $(QUICK),--quick) $(if $(ONLY),--only "$(ONLY)")

same: $(VENV)/.dev
	$(BIN)/python -m tools.same $(BASE) $(SAME)

# Small faults planted in chosen modules, and which of them the tests do not notice: twenty minutes, or MINUTES; at most
# LIMIT faults a module; MODULES="room/module ..." instead of the list in tests/mutants.py; another SEED plants others.
MUTANTS := $(if $(MINUTES),--minutes $(MINUTES)) $(if $(LIMIT),--limit $(LIMIT)) $(if $(SEED),--seed $(SEED)) $(MODULES)

mutants: $(VENV)/.mutants
	$(BIN)/python -m tests.mutants $(MUTANTS)

# Ours beside the peers, in an environment of their own. A whole run takes at most twenty minutes (or MINUTES) and makes
# the two pages of the docs; QUICK=1 takes smaller sizes, five minutes, and leaves its table and pages in .bench. On a
# machine that is busy with other work PATIENCE=3 gives up on nothing until three times as late, and REPEATS=8 measures
# short calls more often. RESUME=1 goes on where a run was interrupted, or out of time. ONLY="arena,play" measures these
# jobs anew and keeps the others of the last run. The first run also makes an arena of a million results, which takes
# three minutes.
BENCH_QUICK := --quick --json .bench/quick.json --previous .bench/quick-before.json --page .bench/quick.md --changes .bench/quick-change.md
BENCH_WHOLE := --json benchmarks/results.json --previous benchmarks/previous.json --page docs/benchmarks.md --changes docs/benchmarks-change.md
BENCH_TO := $(if $(QUICK),$(BENCH_QUICK),$(BENCH_WHOLE)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(PATIENCE),--patience $(PATIENCE)) $(if $(REPEATS),--repeats $(REPEATS)) $(if $(RESUME),--resume) $(if $(ONLY),--only "$(ONLY)" --refresh benchmarks/results.json)

bench: .bench/.ready $(if $(QUICK),,.bench/arenas/1000000.db)
	.bench/bin/python -m benchmarks $(BENCH_TO)

# A server of an arena under 64 and 256 workers and 200 pages that watch, over both stores, beside a bare endpoint and the
# arena in process: five rounds of a minute each take an hour and a quarter; SECONDS=5 ROUNDS=2 take three minutes.
bench-web: .bench/.ready
	.bench/bin/python -m benchmarks.web_load $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ROUNDS),--rounds $(ROUNDS))

.bench/arenas/%.db: | .bench/.ready
	.bench/bin/python -c "from benchmarks.arena_jobs import filled; filled($*)"

.bench/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv .bench
	.bench/bin/python $(INSTALL) --requirement benchmarks/requirements.txt --editable ".[report,duckdb,serve]"
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The first install takes a minute or more: pip shows how far it is.
$(VENV)/.package: pyproject.toml | $(BIN)/python
	@echo "Installing Equipoise and the packages it needs into $(VENV): about 740 MB, a minute or two"
	$(BIN)/python -m pip install --disable-pip-version-check --editable ".[report]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) $(PINNED) --editable ".[dev]"
	@touch $@ $(VENV)/.package

$(VENV)/.ray: $(VENV)/.dev constraints.txt
	$(BIN)/python $(INSTALL) $(PINNED) --editable ".[dev,ray]"
	@touch $@

$(VENV)/.mutants: $(VENV)/.dev constraints.txt
	$(BIN)/python $(INSTALL) $(PINNED) --editable ".[dev,mutants]"
	@touch $@

clean:
	rm -rf $(VENV) .venv-latest .bench .real-logs .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
