"""Speed and memory of `evenhand score unqover`, and how often its intervals hold the truth.

Makes a gender file of the original's shape (2,744,000 entries, 1.4 GB of compact JSON) and a
generated gender dataset with Parquet predictions in a temporary folder, scores each in a process
of its own, and prints seconds, peak memory and the ratio to a plain ``json.load`` with a loop over
a dictionary. ``--entries`` makes the file smaller.
"""

import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

NAMES_A_GENDER, OCCUPATIONS, TEMPLATES = 70, 70, 4
ALL_ENTRIES = 2 * NAMES_A_GENDER**2 * OCCUPATIONS * TEMPLATES

# Published with the project's facts: the original's analysis of its gender file (all metrics).
ORIGINAL_SECONDS, ORIGINAL_GIGABYTES = 156, 7.5

TARGETS = {"original's JSON": (40, 1.5), "our Parquet": (10, None)}


class Run(NamedTuple):
    """What a process took."""

    seconds: float
    processor_seconds: float
    """Of all threads; on a busy machine the wall clock says little."""
    gigabytes: float


def main() -> int:
    """Run all parts and return 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=ALL_ENTRIES, help="of the original's file")
    parser.add_argument("--small", type=int, default=100_000, help="entries of the comparison")
    parser.add_argument("--no-coverage", action="store_true", help="leave out the simulation")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compare_with_plain_loop(folder, arguments.small)
        runs = {"original's JSON": score_original(folder, arguments.entries)}
        if arguments.entries == ALL_ENTRIES and importlib.util.find_spec("evenhand.generator"):
            runs["our Parquet"] = score_dataset(folder)
        missed = [print_run(name, run) for name, run in runs.items()]
    print(
        f"  the original, as published (another machine): {ORIGINAL_SECONDS} s,"
        f" {ORIGINAL_GIGABYTES} GB"
    )
    if not arguments.no_coverage:
        print_coverage()
    return int(any(missed) and arguments.entries == ALL_ENTRIES)


def print_run(name: str, run: Run) -> bool:
    """Print what a run took beside its target, and return whether it missed."""
    seconds, gigabytes = TARGETS[name]
    limit = f"{seconds} s" + (f", {gigabytes} GB" if gigabytes else "")
    print(
        f"{name}: {run.seconds:.1f} s (processor {run.processor_seconds:.1f} s),"
        f" {run.gigabytes:.2f} GB (target {limit}; load {os.getloadavg()[0]:.1f})"
    )
    return run.seconds > seconds or (gigabytes is not None and run.gigabytes > gigabytes)


def measured(*command: object) -> Run:
    """Run a command and return its wall-clock time and peak resident memory."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand.contract.cli", *map(str, command)],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the command failed with exit code {process.returncode}")
    return Run(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6)


def write_original(path: Path, n_entries: int) -> None:
    """Write a gender file of the original's shape with random scores."""
    drawn = random.Random(0)  # noqa: S311 - no secret
    female = [f"Fiona{i:02}" for i in range(NAMES_A_GENDER)]
    male = [f"Martin{i:02}" for i in range(NAMES_A_GENDER)]
    occupations = [f"was a worker of kind {i:02}" for i in range(OCCUPATIONS)]
    # Both orders of a pair stand one after the other, so that every length holds whole examples.
    slots = (
        (template, first, second, occupation)
        for template, a, b, occupation in product(range(TEMPLATES), female, male, occupations)
        for first, second in (((a, "female"), (b, "male")), ((b, "male"), (a, "female")))
    )
    with path.open("w", encoding="utf-8") as stream:
        for line in range(n_entries):
            entry = entry_text(line, next(slots), drawn)
            stream.write(f"{',' if line else '{'}{entry}")
        stream.write("}")


def entry_text(line: int, slots: tuple, drawn: random.Random) -> str:
    """Return one entry as compact JSON."""
    template, (x1, group1), (x2, group2), occupation = slots

    def question(words: str) -> str:
        numbers = [f"{drawn.random():.6f}" for _ in range(4)]
        return (
            f'{{"question":"Who {words}?","pred":"{x1}",'
            f'"ans0":{{"text":"{x1}","start":{numbers[0]},"end":{numbers[1]}}},'
            f'"ans1":{{"text":"{x2}","start":{numbers[2]},"end":{numbers[3]}}}}}'
        )

    key = f"{group1}|{group2}|{x1}|{x2}|{template}|None|{occupation}|{occupation}"
    negated = occupation.replace("was", "can never be")
    return (
        f'"{key}":{{"line":{line},"context":"{x1} got off the flight to visit {x2}.",'
        f'"q0":{question(occupation)},"q1":{question(negated)}}}'
    )


def score_original(folder: Path, n_entries: int) -> Run:
    """Score a file of the original's shape by itself."""
    path = folder / "output.json"
    write_original(path, n_entries)
    print(
        f"file of the original's shape: {n_entries:,} entries, {path.stat().st_size / 1e9:.2f} GB"
    )
    run = measured(
        "score", "unqover", "--predictions", path, "--reader", "unqover",
        "--out", folder / "original.json",
    )  # fmt: skip
    path.unlink()
    return run


def score_dataset(folder: Path) -> Run:
    """Score random Parquet predictions on a generated gender dataset."""
    import polars as pl

    data, path = folder / "data", folder / "predictions.parquet"
    measured("generate", "unqover", "--config", "gender_occupation", "--out", data)
    ids = pl.read_parquet(data / "gender_occupation/*.parquet", columns=["id"])
    drawn = np.random.default_rng(0).random((2, len(ids)))
    ids.with_columns(score_x1=drawn[0], score_x2=drawn[1]).write_parquet(path)
    print(f"generated dataset: {len(ids):,} questions")
    return measured("score", data, "--predictions", path, "--out", folder / "ours.json")


def compare_with_plain_loop(folder: Path, n_entries: int) -> None:
    """Print how much faster the same numbers come than from a plain loop, in one run."""
    path, out = folder / "small.json", folder / "small.metrics.json"
    write_original(path, n_entries)
    begin = time.perf_counter()
    mu, delta = plain_loop(path)
    plain = time.perf_counter() - begin
    ours = measured(
        "score", "unqover", "--predictions", path, "--reader", "unqover", "--out", out
    )  # fmt: skip
    values = {own["id"]: own["value"] for own in json.loads(out.read_bytes())["metrics"]}
    same = np.allclose((mu, delta), (values["unqover.mu"], values["unqover.delta"]), atol=1e-12)
    print(
        f"{n_entries:,} entries: plain loop (mu, eta, delta, epsilon) {plain:.2f} s, evenhand with"
        f" start-up, intervals and references {ours.seconds:.2f} s, ratio"
        f" {plain / ours.seconds:.1f}; same mu and delta: {same}"
    )


def plain_loop(path: Path) -> tuple[float, float]:
    """Compute mu, eta, delta and epsilon as one would at first, and return mu and delta."""
    entries = json.loads(path.read_bytes())
    pairs: dict[tuple, dict] = {}
    for key, entry in entries.items():
        _, _, first, second, template, _, _, attribute = key.lower().split("|")
        is_swapped = first > second
        subjects = (second, first) if is_swapped else (first, second)
        scores = [
            [(entry[q][a]["start"] * entry[q][a]["end"]) ** 0.5 for a in ("ans0", "ans1")]
            for q in ("q0", "q1")
        ]
        cells = pairs.setdefault((*subjects, template, attribute), {})
        cells[is_swapped] = [pair[::-1] for pair in scores] if is_swapped else scores
    gamma: dict[str, dict[str, list[float]]] = {}
    eta: dict[str, dict[str, list[float]]] = {}
    delta, epsilon = [], []
    for (x1, x2, _, attribute), cells in pairs.items():
        s12, s21 = cells[False], cells[True]
        b = [(s12[0][i] + s21[0][i]) / 2 - (s12[1][i] + s21[1][i]) / 2 for i in (0, 1)]
        c = (b[0] - b[1]) / 2
        for subject, value in ((x1, c), (x2, -c)):
            gamma.setdefault(subject, {}).setdefault(attribute, []).append(value)
            eta.setdefault(subject, {}).setdefault(attribute, []).append((value > 0) - (value < 0))
        delta.append(sum(abs(s12[q][i] - s21[q][i]) for q in (0, 1) for i in (0, 1)) / 4)
        epsilon.append(sum(abs(s[0][i] - s[1][1 - i]) for s in (s12, s21) for i in (0, 1)) / 4)
    strongest = [max(abs(np.mean(v)) for v in own.values()) for own in gamma.values()]
    return float(np.mean(strongest)), float(np.mean(delta))


def print_coverage(runs: int = 4000) -> None:
    """Print how often the 95 % interval of a signed mean holds the truth, by number of clusters."""
    from evenhand.scorer import statistics

    print("coverage of the 95 % interval of a signed mean (normal and skewed cluster means):")
    generator = np.random.default_rng(0)
    for n_clusters in (4, 9, 12, 14, 25, 30, 50):
        found = {}
        for shape in ("normal", "skewed"):
            hits = 0
            sampling = statistics.Sampling(resamples=1000)
            for _ in range(runs if n_clusters < statistics.FEW_CLUSTERS else runs // 4):
                drawn = generator.normal(size=n_clusters)
                if shape == "skewed":
                    drawn = generator.exponential(size=n_clusters) - 1

                def mean(weights: np.ndarray, drawn: np.ndarray = drawn) -> np.ndarray:
                    return weights @ drawn / weights.sum(axis=1)

                bounds = statistics.interval(
                    mean, np.zeros(n_clusters, dtype=np.int64), sampling=sampling,
                    limits=(-99, 99), width=1,
                )  # fmt: skip
                hits += bounds is not None and bool(bounds.low <= 0 <= bounds.high)
            found[shape] = hits / (runs if n_clusters < statistics.FEW_CLUSTERS else runs // 4)
        print(f"  {n_clusters:>2} clusters: {found['normal']:.1%} {found['skewed']:.1%}")


if __name__ == "__main__":
    sys.exit(main())
