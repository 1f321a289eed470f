"""UnQover on the generator's side: card, content, rows and the importer of the original."""

from evenhand.generator.unqover.card import CARD
from evenhand.generator.unqover.generate import catalogue, items, plan, prepare
from evenhand.generator.unqover.official import prepare_import

__all__ = ["CARD", "catalogue", "items", "plan", "prepare", "prepare_import"]
