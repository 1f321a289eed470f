"""Predictions files, ours and other people's, as rows or as answers.

A format is one module that declares a ``READER`` (see ``reader``); ``registry`` discovers it.
Formats that only one benchmark reads are in its folder.
"""

from evenhand.scorer.readers.reader import OURS

__all__ = ["OURS"]
