"""Reads the original's word lists and templates."""

from evenhand.contract import WrongUse
from evenhand.generator.stems import ImportOptions, Prepared


def prepare_import(options: ImportOptions) -> Prepared:
    """Read and check an official release."""
    raise WrongUse(f"{options.source}: UnQover's own files cannot be imported yet.")
