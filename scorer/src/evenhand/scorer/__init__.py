"""The scorer: predictions in, metrics with intervals out; it runs a model in ``predict`` alone."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("evenhand-scorer")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0.0.0+unknown"

__all__ = ["__version__"]
