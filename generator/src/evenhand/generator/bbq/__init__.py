"""BBQ on the generator's side: card, rows, our own set and the official release."""

from evenhand.generator.bbq.card import CARD
from evenhand.generator.bbq.from_templates import prepare_templates
from evenhand.generator.bbq.generate import catalogue, prepare
from evenhand.generator.bbq.official import prepare_release
from evenhand.generator.stems import ImportOptions, Prepared

__all__ = ["CARD", "catalogue", "prepare", "prepare_import"]


def prepare_import(options: ImportOptions) -> Prepared:
    """Read and check an official release, or render its templates."""
    return prepare_templates(options) if options.from_templates else prepare_release(options)
