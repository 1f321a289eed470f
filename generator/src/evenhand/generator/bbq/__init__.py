"""BBQ on the generator's side: card, rows, Evenhand's question set and the official release."""

from evenhand.generator.bbq.options import OPTIONS
from evenhand.generator.benchmark import Benchmark

BENCHMARK = Benchmark(
    stem="bbq",
    title="BBQ",
    options=OPTIONS,
    offers=frozenset({"export-task"}),
    examples={
        "generate": "bbq --seed 7 --out datasets_out/bbq/1.0.0",
        "import": "bbq --from BBQ/data --out datasets_out/bbq_official/1.0.0",
        "export-task": "datasets_out/bbq/1.0.0 --repo org/bbq --out tasks/",
    },
    release=(
        "the folder with the official *.jsonl files (any of the eleven categories, or one mixed"
        " file), or a mirror's JSONL or Parquet"
    ),
    sources=("--templates",),
    text_columns=(
        *("question_polarity", "context_condition", "context", "question"),
        *("ans0", "ans1", "ans2", "label"),
    ),
    rows_per_example=4,
    template_column="question_index",
)
