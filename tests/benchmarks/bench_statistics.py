"""Speed of resampling a whole BBQ, and how often both bootstraps hold the truth.

Makes the counts of a set as large as the official one (58,492 rows, eleven categories, 325
questions) and times 10,000 resamples of all twelve metrics, beside a loop that resamples one at a
time. Then simulates skewed means over 50 and 100 clusters and prints the coverage of 95 %
intervals of each method.
"""

import argparse
import sys
import time

import numpy as np
import polars as pl

from evenhand.contract.bbq import CATEGORIES
from evenhand.scorer import statistics
from evenhand.scorer.bbq.counts import count_rows, sum_by_question
from evenhand.scorer.bbq.metric_records import measure
from evenhand.scorer.bbq.specs import METRICS
from evenhand.scorer.statistics import Sampling

ROWS, QUESTIONS = 58_492, 325
TARGET_SECONDS = 2.0


def counts_of_whole_set() -> tuple[object, float]:
    """Return the counts of a random answer to a set as large as the official one."""
    generator = np.random.default_rng(0)
    question = np.sort(generator.integers(0, QUESTIONS, ROWS))
    items = pl.DataFrame(
        {
            "context_condition": np.where(np.arange(ROWS) % 2, "disambig", "ambig"),
            "label": generator.integers(0, 3, ROWS),
            "unknown": generator.integers(0, 3, ROWS),
            "target": generator.integers(0, 3, ROWS),
        }
    )
    start = time.perf_counter()
    rows = count_rows(items, generator.integers(0, 3, ROWS))
    category = np.sort(np.arange(QUESTIONS) % len(CATEGORIES))
    return sum_by_question(rows, question, category), time.perf_counter() - start


def main() -> int:
    """Run both parts and return 1 when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loops", type=int, default=200, help="resamples of the plain loop")
    parser.add_argument("--simulations", type=int, default=1000)
    arguments = parser.parse_args()
    counts, seconds_counting = counts_of_whole_set()
    seconds = time_resampling(counts, Sampling())
    plain = time_plain_loop(counts, arguments.loops) / arguments.loops * Sampling().resamples
    print(f"{ROWS:,} rows to counts by question: {seconds_counting:.2f} s")
    print(f"10,000 resamples of twelve metrics, 325 questions: {seconds:.2f} s (asked: 2 s)")
    print(f"one at a time (from {arguments.loops}): {plain:.1f} s, ratio {plain / seconds:.0f}")
    for n_clusters in (50, 100):
        for name in statistics.BOOTSTRAPS:
            share = coverage(n_clusters, name, arguments.simulations)
            print(f"coverage, skewed means, {n_clusters} clusters, {name}: {share:.1%}")
    return int(seconds > TARGET_SECONDS)


def time_resampling(counts: object, sampling: Sampling) -> float:
    """Return the seconds for all metrics with intervals and tests."""
    start = time.perf_counter()
    measure(counts, categories=CATEGORIES, sampling=sampling)  # type: ignore[arg-type]
    return time.perf_counter() - start


def time_plain_loop(counts: object, n_loops: int) -> float:
    """Return the seconds of as many resamples, each of its own draw and its own sums."""
    generator = np.random.default_rng(0)
    values = [spec.values for spec in METRICS]
    start = time.perf_counter()
    for _ in range(n_loops):
        drawn = generator.integers(0, QUESTIONS, QUESTIONS)
        weights = np.bincount(drawn, minlength=QUESTIONS)[None, :].astype(float)
        counts.macro_and_pooled(values, weights)  # type: ignore[attr-defined]
    return time.perf_counter() - start


def coverage(n_clusters: int, bootstrap: str, n_simulations: int) -> float:
    """Return how often the interval holds the true mean of an exponential distribution."""
    generator = np.random.default_rng(n_clusters)
    strata = np.zeros(n_clusters, dtype=np.int64)
    sampling = Sampling(resamples=1000, bootstrap=bootstrap)
    held = 0
    for _ in range(n_simulations):
        values = generator.exponential(1.0, n_clusters)

        def mean(weights: np.ndarray, values: np.ndarray = values) -> np.ndarray:
            return weights @ values / weights.sum(axis=1)

        bounds = statistics.interval(
            mean, strata, sampling=sampling, limits=(-np.inf, np.inf), width=1
        )
        held += bounds is not None and bounds.low <= 1.0 <= bounds.high
    return held / n_simulations


if __name__ == "__main__":
    sys.exit(main())
