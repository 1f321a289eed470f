"""Workers, datasets and undamaged files, once for all fuzz tests."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fuzzing.bases import Base
from fuzzing.pool import Pool, pool_of
from fuzzing.stems import STEMS

TOLD = pytest.StashKey[list[str]]()
"""What the tests have to say at the end of the run."""


def pytest_terminal_summary(terminalreporter, config) -> None:
    """Say how many files were damaged, by which seed, and what came of them."""
    for sentence in config.stash.get(TOLD, []):
        terminalreporter.write_line(sentence)


@pytest.fixture(scope="session")
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a sentence for the end of the run."""
    return request.config.stash.setdefault(TOLD, []).append


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """Return two workers: one checks while the other scores."""
    with pool_of(2) as own:
        yield own


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the dataset of each benchmark."""
    root = tmp_path_factory.mktemp("datasets")
    for name, stem in STEMS.items():
        stem.write_dataset(root / name)
    return {name: root / name for name in STEMS}


@pytest.fixture(scope="session")
def bases(tmp_path_factory: pytest.TempPathFactory) -> list[Base]:
    """Return the undamaged files of all benchmarks."""
    root = tmp_path_factory.mktemp("digests")
    return [
        base for name, stem in STEMS.items() for base in stem.bases(stem.write_dataset(root / name))
    ]
