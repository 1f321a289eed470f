"""The benchmarks that are fuzzed: a stem is one module here and one line below."""

from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from fuzzing import bbq, bvf, unqover
from fuzzing.bases import Base


class Stem(Protocol):
    """What a benchmark's module offers."""

    STEM: str

    def write_dataset(self, folder: Path) -> str:
        """Write a small dataset and return its content digest."""

    def bases(self, digest: str) -> list[Base]:
        """Return undamaged files in every format that it reads."""

    def expected(self, reader: str, paths: list[Path], base: Base) -> list[dict[Any, Any]]:
        """Return what a file's numbers may be, one where its reading is certain.

        Raises:
            Unreadable: it has to be refused.
            Undecided: several readings are fair.
        """


MODULES: tuple[ModuleType, ...] = (unqover, bbq, bvf)
STEMS = {module.STEM: cast("Stem", module) for module in MODULES}
