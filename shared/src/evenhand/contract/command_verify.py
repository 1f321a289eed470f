"""Check that a dataset folder is exactly what its manifest says: every listed file is present with
the right size and sha256, there is no other file, and the manifest is in canonical form and matches
its digest. With --expect, also check that digest against one that you obtained separately: only
that proves where a folder comes from.
"""

import argparse
from pathlib import Path

from evenhand.contract import STEMS
from evenhand.contract.dataset import verify
from evenhand.contract.errors import DataRefused

EXAMPLE = f"evenhand verify datasets_out/{STEMS[0]}/1.0.0 --expect 3f1c..."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DIR", type=Path, help="folder of one dataset version")
    parser.add_argument(
        "--expect", metavar="DIGEST", help="the manifest_digest that you were given separately"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the digest, or refuse with all faults."""
    manifest, faults = verify(arguments.dataset, expect=arguments.expect)
    if faults:
        listing = "\n".join(f"  - {fault}" for fault in faults)
        raise DataRefused(
            f"{arguments.dataset} is not what its manifest says"
            f" ({len(faults)} fault{'s' if len(faults) > 1 else ''});"
            f" get it again from its source:\n{listing}"
        )
    print(f"{manifest.stem} {manifest.version}: {len(manifest.files)} files match the manifest")
    print(f"manifest_digest {manifest.manifest_digest}")
    return 0
