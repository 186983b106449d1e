# Everything here works from a clean clone with Python 3.11+ and make; the first target that needs
# the virtual environment makes it from deploy/requirements.lock (pinned by version and hash).
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready
GAMES ?= all
GAME ?= ruhe
MATCHES ?= 100

.DEFAULT_GOAL := help
.PHONY: help venv demo test bench check fmt protos protos-bundle typescript lock soak conform winrates

help:  ## Lists the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

venv: $(READY)  ## Makes the virtual environment.

$(READY): deploy/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Argosy needs Python 3.11 or newer (PYTHON=...)" >&2; exit 2; }
	@echo "Making the virtual environment in $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)  ## Seats bots by matchmaking, plays every game, archives, replays and audits (GAMES=..., MATCHES=...).
	$(BIN)/argosy demo --games $(GAMES) --matches $(MATCHES)

test: $(READY)  ## Runs the tests, with their own Valkey and real processes.
	$(BIN)/python -m pytest -n 2 --dist loadfile

conform: $(READY)  ## Tries every law of every game on matches played to their end.
	$(BIN)/python -m tests.soak.conformance

winrates: $(READY)  ## Counts how often a game's bots win, in process (GAME=ruhe, ARGS="--expansion storms"). It takes a while.
	$(BIN)/python -m services.rules.games.$(GAME).tournament $(ARGS)

soak: $(READY)  ## Long runs: tickets come and go until every key and byte must be back; faults, more and longer.
	$(BIN)/python -m tests.soak.matchmaking
	REPLAY_KILLS=100 $(BIN)/python -m pytest --long tests/faults

bench: $(READY)  ## Measures what moves cost, beside what they are compared with; writes README's figures (or PARTS="moves ceilings", PARTS=--quick).
	$(BIN)/python -m tests.bench $(or $(PARTS),--readme README.md)

check: $(READY)  ## ruff, mypy strict, buf lint, generated code fresh.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python protos/generate.py lint
	$(BIN)/python protos/generate.py check

fmt: $(READY)  ## Formats the code.
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

protos: $(READY)  ## Generates protos/python from the protos.
	$(BIN)/python protos/generate.py write

protos-bundle: $(READY)  ## One zip of all public protos with their imports, and one descriptor set, in .build/protos.
	$(BIN)/python protos/bundle.py .build/protos

typescript: .build/typescript/node_modules  ## Installs what one test needs to compile a client in TypeScript (with npm).

.build/typescript/node_modules: tests/typescript/package-lock.json
	mkdir -p $(@D) && cp tests/typescript/package.json tests/typescript/package-lock.json $(@D)
	cd $(@D) && npm ci --silent --no-audit --no-fund
	@touch $@

lock: $(READY)  ## Locks the dependencies anew by version and hash (needs pip-tools).
	$(BIN)/python -m piptools compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --strip-extras --allow-unsafe --extra dev -o deploy/requirements.lock pyproject.toml
