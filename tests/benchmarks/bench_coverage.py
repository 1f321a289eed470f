"""How often intervals hold the truth, null distributions are exceeded and `compare` is right.

Draws data sets from populations with a known truth, for every metric of every stem, under no, a
weak and a strong effect and for 5, 14, 25 and 60 clusters, and writes the tables into
docs/statistics.md. Takes minutes on two cores; `--quick` a minute, and writes nothing. Exits with 1
where an interval does not hold the value beside it.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# Two processes share two cores: threads of the linear algebra would only be in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "simulations"))

from designs import bbq, bvf, comparisons, nulls, unifiedqa, unqover  # noqa: E402
from designs.study import Coverage, Design, Test, worker  # noqa: E402

PAGE = ROOT / "docs" / "statistics.md"
CLUSTERS = (5, 14, 25, 60)
DESIGNS: list[Design] = [*unqover.DESIGNS, *bbq.DESIGNS, *bvf.DESIGNS]
REAL: list[Design] = unifiedqa.designs()
"""None without the reference data."""
QUICK, FULL = 20, 400
"""Data sets for each cell."""

Job = tuple[str, Design | Test, int, int]


def main() -> int:
    """Simulate and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few data sets; print only")
    parser.add_argument("--simulations", type=int, help=f"data sets a cell (default: {FULL})")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    n = arguments.simulations or (QUICK if arguments.quick else FULL)
    start = time.perf_counter()
    with ProcessPoolExecutor(arguments.processes) as pool:
        found = dict(pool.map(worker, list(_jobs(n)), chunksize=1))
    tables = {
        "coverage": coverage_table(found, DESIGNS, n),
        "unifiedqa": coverage_table(found, REAL, n),
        "nulls": rejection_table(found, nulls.TESTS, n, "exceeded"),
        "comparisons": rejection_table(found, comparisons.TESTS, n, "rejected"),
    }
    print("\n\n".join(tables.values()))
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if not arguments.quick:
        write_tables(tables)
    return int(any(one.outside for cells in found.values() for one in _coverages(cells)))


def _jobs(n: int) -> Iterator[Job]:
    for design in (*DESIGNS, *REAL):
        for n_clusters in CLUSTERS:
            yield _name(design, n_clusters), design, n_clusters, n
    for test in (*nulls.TESTS, *comparisons.TESTS):
        for n_clusters in CLUSTERS:
            yield f"{test.name} {n_clusters}", test, n_clusters, n


def _name(design: Design, n_clusters: int) -> str:
    return f"{design.effect} {sorted(design.truth)} {n_clusters}"


def _coverages(cells: object) -> Iterable[Coverage]:
    return cells.values() if isinstance(cells, dict) else ()


def coverage_table(found: dict[str, object], designs: list[Design], n: int) -> str:
    """Return coverage and mean width of every metric, one row a metric and effect."""
    error = 100 * (0.95 * 0.05 / n) ** 0.5
    lines = [
        f"Coverage / mean width; {n} data sets a cell, simulation error {error:.1f} points at 95.",
        "",
        "| metric | effect | truth | " + " | ".join(f"{g} clusters" for g in CLUSTERS) + " |",
        "|---|---|---|" + "---|" * len(CLUSTERS),
    ]
    for metric in {metric: None for design in designs for metric in design.truth}:
        for design in designs:
            if metric in design.truth:
                cells = [found[_name(design, g)][metric] for g in CLUSTERS]  # type: ignore[index]
                shown = " | ".join(_coverage(cell) for cell in cells)
                truth = f"{design.truth[metric]:.3f}"
                lines.append(f"| {metric} | {design.effect} | {truth} | {shown} |")
    return "\n".join(lines)


def _coverage(one: Coverage) -> str:
    if one.without > 0.5:
        return f"no interval in {one.without:.0%}"
    without = f", none in {one.without:.0%}" if one.without > 0.005 else ""
    return f"{one.share:.1%} / {one.width:.3f}{without}"


def rejection_table(found: dict[str, object], tests: list[Test], n: int, verb: str) -> str:
    """Return how often each test rejects, those without an effect first."""
    error = 100 * (0.05 * 0.95 / n) ** 0.5
    lines = [
        f"Share of {n} data sets that {verb} at 5 %; simulation error {error:.1f} points at 5.",
        "",
        "| case | effect | " + " | ".join(f"{g} clusters" for g in CLUSTERS) + " |",
        "|---|---|" + "---|" * len(CLUSTERS),
    ]
    for test in sorted(tests, key=lambda test: not test.is_null):
        cells = " | ".join(f"{found[f'{test.name} {g}']:.1%}" for g in CLUSTERS)
        lines.append(f"| {test.name} | {'none' if test.is_null else 'there'} | {cells} |")
    return "\n".join(lines)


def write_tables(tables: dict[str, str]) -> None:
    """Put each table between its markers in docs/statistics.md."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- {name}: written by `make coverage` -->", f"<!-- /{name} -->"
        if name == "unifiedqa" and not REAL:
            continue
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = f"{before}{begin}\n\n{table}\n\n{end}{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
