"""UnQover on the generator's side: card, content, rows and the importer of the original."""

from evenhand.generator.benchmark import Benchmark
from evenhand.generator.unqover.options import OPTIONS

BENCHMARK = Benchmark(
    stem="unqover",
    title="UnQover",
    options=OPTIONS,
    examples={
        "generate": "unqover --config religion --out datasets_out/unqover/1.0.0",
        "import": "unqover --from word_lists --config ethnicity --out ethnicity_official",
        "show": "unqover --config religion --rows 8",
    },
    release=(
        "the original's folder word_lists, from which exactly its paragraphs and questions are"
        " rendered, or one of its *.source.json files"
    ),
    text_columns=("polarity", "order", "context", "question"),
    rows_per_example=4,
    template_column="template",
)
