"""Download a dataset from the Hub to datasets_out/ORG/NAME/TAG: complete and checked against the
digests in its manifest, or not at all. An interrupted run resumes when it is started again.
Afterwards ORG/NAME@TAG works wherever a dataset folder does.

Without a tag the newest version is taken (main, if no tag is a version) and printed; what is pulled
is always a tag or a commit, so that it never changes. Private and gated datasets need a login
(`hf auth login`, or HF_TOKEN).
"""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.generator.hub.pull import Pulled

EXAMPLE = "evenhand pull org/name@1.0.0"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name", metavar="NAME", help="org/name@tag, or org/name for the newest version"
    )
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="address of the Hub (default: HF_ENDPOINT, or https://huggingface.co)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Pull, and print what was downloaded."""
    taken = pull_version(arguments.name, endpoint=arguments.endpoint)
    print(f"dataset {taken.name}")
    print(f"folder {taken.folder}")
    print(f"commit {taken.commit}")
    print(f"manifest_digest {taken.manifest.manifest_digest}")
    return 0


def pull_version(name: str, *, endpoint: str | None = None) -> "Pulled":
    """Pull a version into the pull folder, with progress on stderr."""
    from evenhand.generator.hub.client import Repository
    from evenhand.generator.hub.pull import pull
    from evenhand.generator.names import split_name
    from evenhand.generator.progress import Reporter

    repo, revision = split_name(name)
    with Reporter() as reporter:
        return pull(Repository(repo, endpoint=endpoint, say=reporter.say), revision, reporter)
