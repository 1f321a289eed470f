"""The rule of the house for import-linter: how benchmarks and general modules may know each other.

It finds the benchmarks by the contract's ``STEMS``, so a new one is held to it without being named.
"""

from collections.abc import Iterator

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

from evenhand.contract import STEMS

Chain = tuple[str, ...]


class Benchmarks(Contract):
    """No benchmark imports another, and no general module imports a benchmark.

    General modules reach a benchmark by its name alone (``benchmark(stem).part("ask")``), when they
    need it. With ``asking``, the packages named there are reached from nowhere but commands, these
    packages and each benchmark's ``ask``.
    """

    type_name = "benchmarks"

    side = fields.StringField()
    asking = fields.ListField(subfield=fields.StringField(), required=False)
    commands = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        """Collect the chains of imports that break a rule."""
        chains = [*self._between_benchmarks(graph), *self._into_benchmarks(graph)]
        chains += self._into_the_runtime(graph)
        return ContractCheck(kept=not chains, metadata={"chains": sorted(set(chains))})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each chain on a line."""
        for chain in check.metadata["chains"]:
            output.print_error(" -> ".join(chain))

    def _benchmarks(self, graph: ImportGraph) -> list[str]:
        return [name for stem in STEMS if (name := f"{self.side}.{stem}") in graph.modules]

    def _between_benchmarks(self, graph: ImportGraph) -> Iterator[Chain]:
        packages = self._benchmarks(graph)
        for importer in packages:
            for imported in packages:
                if importer != imported:
                    yield from graph.find_shortest_chains(importer, imported, as_packages=True)

    def _into_benchmarks(self, graph: ImportGraph) -> Iterator[Chain]:
        packages = self._benchmarks(graph)
        for package in packages:
            for module in _modules_of(graph, package):
                for importer in graph.find_modules_that_directly_import(module):
                    if not _is_in(importer, packages) and _is_in(importer, [self.side]):
                        yield (importer, module)

    def _into_the_runtime(self, graph: ImportGraph) -> Iterator[Chain]:
        asking = list(self.asking or ())  # type: ignore[call-overload]
        allowed = [*asking, *(self.commands or ())]  # type: ignore[misc]
        allowed += [f"{package}.ask" for package in self._benchmarks(graph)]
        for package in asking:
            for module in _modules_of(graph, package):
                for importer in graph.find_modules_that_directly_import(module):
                    if not _is_in(importer, allowed):
                        yield (importer, module)


def _modules_of(graph: ImportGraph, package: str) -> set[str]:
    return {package} | graph.find_descendants(package)


def _is_in(module: str, packages: list[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
