"""BVF on the generator's side: contexts mined from corpora, filled with subjects."""

from evenhand.generator.bvf.card import CARD
from evenhand.generator.bvf.generate import catalogue, prepare
from evenhand.generator.bvf.official import prepare_import

__all__ = ["CARD", "catalogue", "prepare", "prepare_import"]
