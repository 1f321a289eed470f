"""The contract between Evenhand's generator and scorer: records, files and the launcher.

Everything here needs the standard library and msgspec alone.
"""

from importlib.metadata import PackageNotFoundError, version

from evenhand.contract.errors import DataRefused, WrongUse

try:
    __version__ = version("evenhand-contract")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0.0.0+unknown"

CONTRACT_VERSION = "1.0"
"""Version of the file formats. The first number changes when old readers cannot read new files."""

STEMS = ("unqover", "bbq", "bvf")
"""The benchmarks that this version carries; one module of this name stands on each side."""

__all__ = ["CONTRACT_VERSION", "STEMS", "DataRefused", "WrongUse", "__version__"]
