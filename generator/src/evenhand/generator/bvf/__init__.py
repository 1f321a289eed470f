"""BVF on the generator's side: contexts mined from corpora, filled with subjects."""

from evenhand.generator.benchmark import Benchmark
from evenhand.generator.bvf.options import OPTIONS

BENCHMARK = Benchmark(
    stem="bvf",
    title="Bias-Volatility Framework",
    options=OPTIONS,
    offers=frozenset({"mine"}),
    examples={
        "generate": "bvf --config gender --out datasets_out/bvf/1.0.0",
        "mine": ("bvf --corpus books.jsonl.zst --topic gender --workers 4 --out contexts.jsonl"),
    },
    release=(
        "the folder with the original's tables of mined contexts (*_TemplateForGender.csv,"
        " *_TemplateForGeneric.csv), or one of them"
    ),
    text_columns=("order", "context", "text"),
)
