"""What `generate` and `import` have in common: options of a version, and writing it."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import WrongUse
from evenhand.generator.arguments import day, positive_number

if TYPE_CHECKING:
    from evenhand.generator.benchmark import Prepared
    from evenhand.generator.build import ConfigRows
    from evenhand.generator.card import Publication
    from evenhand.generator.progress import Reporter


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the version that is written."""
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="random seed (default: 0)")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=positive_number,
        help="sample N complete examples per config",
    )
    parser.add_argument(
        "--version",
        metavar="X.Y.Z",
        default="1.0.0",
        help="version of the dataset (default: 1.0.0)",
    )
    parser.add_argument(
        "--previous",
        metavar="DIR",
        help="the previous version, a folder or org/name@tag; a --version whose number understates"
        " what changed is refused",
    )
    _add_publication_options(parser)
    parser.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="folder to write the version to"
    )


def _add_publication_options(parser: argparse.ArgumentParser) -> None:
    """Declare what card and Croissant say about the place of publication."""
    parser.add_argument(
        "--repo",
        metavar="ORG/NAME",
        help="repository on the Hub where it will be published; the card's commands name it",
    )
    parser.add_argument(
        "--gated",
        action="store_true",
        help="make the card ask readers for consent before they get access",
    )
    parser.add_argument(
        "--date", metavar="YYYY-MM-DD", type=day, help="date of publication, for croissant.json"
    )
    parser.add_argument(
        "--register",
        metavar="FRAMEWORK",
        help="write eval.yaml for this evaluation framework on the Hub's list (default: inspect-ai,"
        " for benchmarks that it can run)",
    )


def stated_publication(arguments: argparse.Namespace) -> "Publication":
    """Return what the options say about the place of publication.

    Raises:
        WrongUse: the repository's name is not one.
    """
    from evenhand.generator.card import Publication
    from evenhand.generator.names import checked_repo

    return Publication(
        repo=arguments.repo and checked_repo(arguments.repo),
        gated=arguments.gated,
        date=arguments.date,
        framework=arguments.register,
    )


def write_version(arguments: argparse.Namespace, prepared: "Prepared") -> int:
    """Render and write a version; say on stderr what is done and print its digest."""
    from evenhand.generator.build import Recipe, build, sampled_version
    from evenhand.generator.progress import Reporter

    check = _step_check(arguments)
    recipe = Recipe(
        card=prepared.card,
        version=sampled_version(arguments.version, arguments.limit, arguments.seed),
        seed=arguments.seed,
        provenance=prepared.provenance,
        construction=prepared.construction,
        publication=stated_publication(arguments),
        known_faults=prepared.known_faults,
    )
    with Reporter() as reporter:
        for note in prepared.notes:
            reporter.say(note)
        configs = _announced(prepared, reporter)
        manifest = build(
            arguments.out,
            recipe,
            configs,
            overwrite=arguments.overwrite,
            advance=reporter.bar("rows", prepared.n_rows),
            check=check,
        )
        reporter.say(f"{arguments.out}: {manifest.stem} {manifest.version} is complete")
    print(f"manifest_digest {manifest.manifest_digest}")
    return 0


def _announced(prepared: "Prepared", reporter: "Reporter") -> "Iterator[ConfigRows]":
    """Yield the configs, each named on stderr before it is written."""
    for config in prepared.configs():
        reporter.say(f"{config.name}: {config.n_rows:,} rows, {config.n_examples:,} examples")
        yield config


def _step_check(arguments: argparse.Namespace) -> "Callable[[Path], None]":
    """Return a check that refuses a finished version whose number understates its changes.

    Raises:
        WrongUse: a sample would be compared.
        DataRefused: the previous version does not exist, or is a later one.
    """
    if arguments.previous is None:
        return lambda _: None
    if arguments.limit is not None:
        raise WrongUse("--previous compares whole versions; leave out --limit.")
    from evenhand.contract.dataset import dataset_folder, read_manifest
    from evenhand.generator.diff import difference, refuse_small_step
    from evenhand.generator.steps import refuse_going_back

    previous = dataset_folder(arguments.previous)
    before = read_manifest(previous)
    refuse_going_back(before.version, arguments.version, where=arguments.previous)
    return lambda folder: refuse_small_step(difference(previous, folder))
