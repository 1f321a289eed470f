"""How fast and in how much memory the gender-occupation config is generated.

Prints our time and peak memory beside the published figures of the original (2 cores), and, from
one run on this machine, the ratio to a plain loop that renders the same templates row by row.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.contract.files import canonical_json
from evenhand.generator.benchmark import Settings
from evenhand.generator.unqover.content import Content
from evenhand.generator.unqover.generate import plan
from evenhand.generator.unqover.template import Template

CONFIG = "gender_occupation"
MAX_SECONDS, MAX_GIGABYTES = 40.0, 1.0

# The original's own time and memory for the same number of questions, measured once on 2 cores.
ORIGINAL_SECONDS, ORIGINAL_GIGABYTES = 485.0, 6.0

N_ROWS = 5_488_000
SAMPLE_PAIRS = 100


def generate(folder: Path) -> tuple[float, float]:
    """Generate the whole config in a process of its own; return seconds and peak GB."""
    command = [
        *(sys.executable, "-m", "evenhand.contract.cli", "generate", "unqover"),
        *("--config", CONFIG, "--out", str(folder / "version")),
    ]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9


def row_by_row(content: Content, path: Path) -> tuple[float, int]:
    """Render a sample one row at a time into JSON lines; return seconds and rows."""
    began = time.perf_counter()
    n_rows = 0
    with path.open("w", encoding="utf-8") as stream:
        for template in content.templates:
            for i, j in content.pairs()[:SAMPLE_PAIRS]:
                for row in rows_of_pair(template, content, i, j):
                    stream.write(json.dumps(row) + "\n")
                    n_rows += 1
    return time.perf_counter() - began, n_rows


def rows_of_pair(template: Template, content: Content, i: int, j: int) -> list[dict[str, str]]:
    """Render both blocks of the template for each row of a pair."""
    x1, x2 = content.subjects[i], content.subjects[j]
    return [
        {
            "id": f"{CONFIG}-{template.name}-{x1.key}-{x2.key}-{attribute.key}-{polarity}-{order}",
            "attribute": str(attribute.positive),
            "context": template.context(first.word, second.word),
            "question": template.question(words),
        }
        for attribute in content.attributes
        for polarity, words in (("pos", attribute.positive), ("neg", attribute.negative))
        for order, first, second in ((12, x1, x2), (21, x2, x1))
    ]


def main() -> int:
    """Run both and print the table; 1 if a limit is broken."""
    with tempfile.TemporaryDirectory() as name:
        seconds, gigabytes = generate(Path(name))
        content = plan(Settings(configs=(CONFIG,))).contents[CONFIG]
        loop_seconds, loop_rows = row_by_row(content, Path(name) / "rows.jsonl")
    per_row, loop_per_row = seconds / N_ROWS, loop_seconds / loop_rows
    print(f"{'generate ' + CONFIG:<40}{'seconds':>10}{'peak GB':>10}")
    print(f"{'Evenhand, now':<40}{seconds:>10.1f}{gigabytes:>10.2f}")
    label = "the original, published figures"
    print(f"{label:<40}{ORIGINAL_SECONDS:>10.1f}{ORIGINAL_GIGABYTES:>10.2f}")
    print(f"{f'row by row, {loop_rows:,} rows scaled up':<40}{loop_per_row * N_ROWS:>10.1f}")
    print(f"ratio of row by row to Evenhand in this run: {loop_per_row / per_row:.1f}")
    figures = {"seconds": round(seconds, 1), "peak_gb": round(gigabytes, 2)}
    print(canonical_json(figures).decode(), end="")
    return int(seconds > MAX_SECONDS or gigabytes > MAX_GIGABYTES)


if __name__ == "__main__":
    sys.exit(main())
