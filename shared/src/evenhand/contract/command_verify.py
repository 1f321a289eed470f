"""Check that a dataset folder is exactly what its manifest says: every file's presence, size and
sha256, no other file, and the manifest's own form and digest. With --expect, also that the
manifest is the one whose digest came to you another way: only that proves where a folder is from.
"""

import argparse
from pathlib import Path

from evenhand.contract.dataset import verify
from evenhand.contract.errors import DataRefused

EXAMPLE = "evenhand verify datasets_out/unqover/1.0.0 --expect 3f1c..."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DIR", type=Path, help="folder of one dataset version")
    parser.add_argument("--expect", metavar="DIGEST", help="manifest_digest that must come out")


def run(arguments: argparse.Namespace) -> int:
    """Print the digest, or refuse with all faults."""
    manifest, faults = verify(arguments.dataset, expect=arguments.expect)
    if faults:
        listing = "\n".join(f"  - {fault}" for fault in faults)
        raise DataRefused(
            f"{arguments.dataset} is not what its manifest says"
            f" ({len(faults)} fault{'s' if len(faults) > 1 else ''});"
            f" get it again from where it came:\n{listing}"
        )
    print(f"{manifest.stem} {manifest.version}: {len(manifest.files)} files as in the manifest")
    print(f"manifest_digest {manifest.manifest_digest}")
    return 0
