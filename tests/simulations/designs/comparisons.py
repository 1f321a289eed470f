"""Two models: how often is a difference found where there is none, and where there is one?"""

from .study import Test

TESTS: list[Test] = []
