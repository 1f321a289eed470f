"""UnQover on the generator's side: card, content, rows and the importer of the original."""

from evenhand.generator.unqover.card import CARD
from evenhand.generator.unqover.generate import catalogue, prepare
from evenhand.generator.unqover.official import prepare_import

__all__ = ["CARD", "catalogue", "prepare", "prepare_import"]
