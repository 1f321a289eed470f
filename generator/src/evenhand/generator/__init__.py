"""The generator: renders templates, imports official releases and writes dataset versions."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("evenhand-generator")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0.0.0+unknown"

__all__ = ["__version__"]
