#!/bin/sh
# The whole path on one benchmark, with a small model that has a planted bias: generate, predict,
# score, report. Needs what `make demo` installs; neither torch nor a network.
set -eu
out=demo_out
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n== %s\n' "$1" >&2; }

say 'Generate: religion, 38,500 examples of four questions each'
evenhand generate unqover --config religion --out "$out/unqover"

say 'Predict: a tiny question-answering model whose preferences were planted in training'
evenhand predict "$out/unqover" --model tests/models/qa_planted --out "$out/planted.parquet"

say 'Score'
evenhand score "$out/unqover" --predictions "$out/planted.parquet" --out "$out/planted.json"

say 'Report'
evenhand report "$out/planted.json" --out "$out/report.html"
printf '\nOpen %s/report.html in a browser.\n' "$out"
