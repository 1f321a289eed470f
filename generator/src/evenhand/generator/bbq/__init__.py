"""BBQ on the generator's side: card, rows and the importer of the official release."""

from evenhand.generator.bbq.card import CARD
from evenhand.generator.bbq.generate import catalogue, prepare
from evenhand.generator.bbq.official import prepare_import

__all__ = ["CARD", "catalogue", "prepare", "prepare_import"]
