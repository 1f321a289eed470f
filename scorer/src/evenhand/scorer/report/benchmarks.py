"""What the report knows of each benchmark before it opens a module of it."""

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evenhand.scorer.report.blocks import Story
    from evenhand.scorer.report.reading import ModelResult

    StoryOf = Callable[[Sequence[ModelResult]], Story]

_GENERAL = "evenhand.scorer.report.general"


class Benchmark(NamedTuple):
    """One benchmark."""

    title: str
    task: str
    """The Hub's name of the task, where the predictions do not state one."""
    counts_rows: tuple[str, ...] = ()
    """Metrics whose rows do not overlap and together are all rows."""
    compares_datasets: bool = False
    """True where one model's runs on several datasets are there to be compared."""
    story: str = _GENERAL
    """Module with ``story(results) -> Story``; the general one shows any metric file."""


# A stem that tells a story of its own names its module here.
BENCHMARKS = {
    "unqover": Benchmark(
        "UnQover",
        "question-answering",
        ("unqover.mean_score",),
        story="evenhand.scorer.report.unqover",
    ),
    "bold": Benchmark("BOLD", "text-generation"),
    "bvf": Benchmark(
        "Bias-Volatility Framework",
        "fill-mask",
        ("bvf.R",),
        compares_datasets=True,
        story="evenhand.scorer.report.bvf",
    ),
    "co2pt": Benchmark("Co2PT evaluation", "text-classification"),
    "bbq": Benchmark(
        "BBQ",
        "multiple-choice",
        ("bbq.accuracy.ambiguous.pooled", "bbq.accuracy.disambiguated.pooled"),
        story="evenhand.scorer.report.bbq",
    ),
}


def story_of(stem: str) -> "StoryOf":
    """Import the function that tells a benchmark's story."""
    story: StoryOf = importlib.import_module(BENCHMARKS[stem].story).story
    return story
