"""What `generate` and `import` have in common: options of a version, and writing it."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import DataRefused

if TYPE_CHECKING:
    from evenhand.generator.build import ConfigRows
    from evenhand.generator.stems import Prepared


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the version that is written."""
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="of what is drawn (default: 0)"
    )
    parser.add_argument(
        "--limit", metavar="N", type=positive, help="a sample of N complete examples a config"
    )
    parser.add_argument(
        "--version", metavar="X.Y.Z", default="1.0.0", help="of the dataset (default: 1.0.0)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="folder of the version"
    )


def positive(text: str) -> int:
    """Read a whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return number


def refuse_existing(out: Path, *, overwrite: bool) -> None:
    """Refuse a folder that is there before any work is done for it."""
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise DataRefused(f"The folder {out} exists; add --overwrite or choose another --out.")


def write_version(arguments: argparse.Namespace, prepared: "Prepared") -> int:
    """Render and write a version; say on stderr what is done and print its digest."""
    from evenhand.generator.build import Recipe, build, sampled_version
    from evenhand.generator.progress import Reporter

    recipe = Recipe(
        card=prepared.card,
        version=sampled_version(arguments.version, arguments.limit, arguments.seed),
        seed=arguments.seed,
        provenance=prepared.provenance,
        made=prepared.made,
    )
    with Reporter() as reporter:
        for note in prepared.notes:
            reporter.say(note)
        bar = reporter.bar("rows", prepared.n_rows)

        def announced() -> "Iterator[ConfigRows]":
            for config in prepared.configs():
                reporter.say(
                    f"{config.name}: {config.n_rows:,} rows, {config.n_examples:,} examples"
                )
                yield config

        manifest = build(
            arguments.out, recipe, announced(), overwrite=arguments.overwrite, advance=bar.advance
        )
        reporter.say(f"{arguments.out}: {manifest.stem} {manifest.version} is complete")
    print(f"manifest_digest {manifest.manifest_digest}")
    return 0
