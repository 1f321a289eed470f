"""The language of templates: text, slots and filters in a sandboxed Jinja, and nothing that runs.

The language is restricted when a template is parsed, so no template can loop, call, reach an
attribute, compute or read a file. What is left is bounded by the size of the template.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2 import Template as JinjaTemplate
from jinja2.sandbox import ImmutableSandboxedEnvironment

from evenhand.contract.errors import DataRefused
from evenhand.generator.english import FILTERS, FormMissing

MAX_TEMPLATE_BYTES = 4096
MAX_TEXT_CHARACTERS = 2000

_ALL_FILTERS = (*FILTERS, "lower", "trim", "upper")

_NAMES_OF_NODES: tuple[tuple[tuple[type[nodes.Node], ...], str], ...] = (
    ((nodes.For,), "a loop"),
    ((nodes.Macro, nodes.CallBlock), "a macro"),
    ((nodes.Call,), "a call"),
    ((nodes.Getattr, nodes.Getitem), "reaching into a value"),
    ((nodes.If, nodes.CondExpr, nodes.Compare, nodes.Test), "a condition"),
    ((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends), "reading another template"),
    ((nodes.BinExpr, nodes.UnaryExpr, nodes.Concat), "computing"),
    ((nodes.Assign, nodes.AssignBlock), "`set` with anything but a text, or inside a block"),
)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    builtin = {name: environment.filters[name] for name in ("lower", "trim", "upper")}
    environment.filters = {**builtin, **FILTERS}
    environment.globals = {}
    environment.tests = {}
    return environment


_ENVIRONMENT = _environment()


class Setting(NamedTuple):
    """What a template sets: a text and its line."""

    value: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A template of the restricted language; its blocks and settings are there, not yet judged."""

    path: Path
    settings: Mapping[str, Setting]
    blocks: Mapping[str, nodes.Block]
    _tree: nodes.Template = field(repr=False)

    @cached_property
    def compiled(self) -> JinjaTemplate:
        """The template as code; made when it is first needed, as it takes as long as parsing.

        Raises:
            DataRefused: the template cannot be compiled.
        """
        with _refusing(self.path):
            return _ENVIRONMENT.from_string(self._tree)

    def render(self, block: str, values: Mapping[str, str]) -> str:
        """Return the text of a block, its ends stripped.

        Raises:
            DataRefused: a word lacks a form, or the text is empty or far too long.
        """
        context = self.compiled.new_context(dict(values))
        try:
            text = "".join(self.compiled.blocks[block](context)).strip()
        except FormMissing as error:
            raise DataRefused(f"{self.path}: block `{block}`: {error}.") from error
        if not text or len(text) > MAX_TEXT_CHARACTERS:
            raise DataRefused(
                f"{self.path}: block `{block}` gives {len(text):,} characters;"
                f" 1 to {MAX_TEXT_CHARACTERS:,} are allowed."
            )
        return text


def read_source(path: Path) -> str:
    """Read the text of a template file.

    Raises:
        DataRefused: the file is too large or not UTF-8.
    """
    if path.stat().st_size > MAX_TEMPLATE_BYTES:
        raise DataRefused(
            f"{path} has more than {MAX_TEMPLATE_BYTES:,} bytes; a template is a few lines."
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text; save it as UTF-8.") from error


def parse(source: str, path: Path, *, blocks: Sequence[str]) -> Parsed:
    """Check the text of a template.

    Args:
        source: the text.
        path: names the template in errors.
        blocks: the blocks that must be there; others are refused.

    Raises:
        DataRefused: it is not Jinja, or does what templates may not do; the sentence names file
            and line.
    """
    with _refusing(path):
        tree = _ENVIRONMENT.parse(source)
        settings, named_blocks = _parts(tree, path, blocks)
        for name, block in named_blocks.items():
            _check_block(block, name, path, blocks)
    return Parsed(path=path, settings=settings, blocks=named_blocks, _tree=tree)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn what Jinja raises into the sentence that names the file."""
    try:
        yield
    except TemplateSyntaxError as error:
        raise refusal(path, error.lineno, f"is not valid Jinja: {error.message}") from error
    except (RecursionError, MemoryError, SyntaxError) as error:
        raise DataRefused(f"{path} is nested too deeply; write plain text and slots.") from error


def refusal(path: Path, line: int, what: str) -> DataRefused:
    """Return the error that names file and line."""
    return DataRefused(f"{path}:{line}: {what.rstrip('.')}.")


def quote_names(words: Iterable[str]) -> str:
    """Return names as they stand in an error.

    >>> quote_names(["x1", "x2"])
    '`x1`, `x2`'
    """
    return ", ".join(f"`{word}`" for word in words)


def slots(block: nodes.Block) -> Iterator[nodes.Name]:
    """Yield the slots of a checked block in the order of the text."""
    for expression in _outputs(block):
        node, _ = _unfilter(expression)
        if isinstance(node, nodes.Name):
            yield node


def slot_filters(block: nodes.Block) -> dict[str, tuple[str, ...]]:
    """Return, for each slot of a checked block, its filters in the order they are applied."""
    chains = {}
    for expression in _outputs(block):
        node, names = _unfilter(expression)
        if isinstance(node, nodes.Name):
            chains[node.name] = names
    return chains


def block_shape(block: nodes.Block) -> str:
    """Return the text of a checked block with the names of its slots in it.

    A filter is not shown, nor is a text that is filtered.
    """
    parts = []
    for expression in _outputs(block):
        node, _ = _unfilter(expression)
        match node:
            case nodes.TemplateData(data=data):
                parts.append(data)
            case nodes.Name(name=name):
                parts.append(f"{{{name}}}")
    return "".join(parts).strip()


def _outputs(block: nodes.Block) -> Iterator[nodes.Expr]:
    for output in block.find_all(nodes.Output):
        yield from output.nodes


def _unfilter(expression: nodes.Expr) -> tuple[nodes.Node | None, tuple[str, ...]]:
    """Return what is filtered and the names of the filters, the innermost first."""
    names: list[str] = []
    node: nodes.Node | None = expression
    while isinstance(node, nodes.Filter):
        names.insert(0, node.name)
        node = node.node
    return node, tuple(names)


def _parts(
    tree: nodes.Template, path: Path, wanted: Sequence[str]
) -> tuple[dict[str, Setting], dict[str, nodes.Block]]:
    """Split a template into its settings and its blocks."""
    settings: dict[str, Setting] = {}
    blocks: dict[str, nodes.Block] = {}
    for node in tree.body:
        match node:
            case nodes.Assign(target=nodes.Name(name=name), node=nodes.Const(value=str(value))):
                if name in settings:
                    raise refusal(path, node.lineno, f"`{name}` is set twice; once is allowed")
                settings[name] = Setting(value, node.lineno)
            case nodes.Block():
                blocks[node.name] = node
            case nodes.Output() if all(_is_blank(part) for part in node.nodes):
                pass
            case _:
                raise refusal(path, node.lineno or 1, _what_is_wrong(node, outside_of=wanted))
    for name in wanted:
        if name not in blocks:
            raise DataRefused(
                f"{path}: the block `{name}` is missing;"
                f" a template has the blocks {', '.join(wanted)}."
            )
    return settings, blocks


def _is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.TemplateData) and not node.data.strip()


def _what_is_wrong(node: nodes.Node, *, outside_of: Sequence[str] = ()) -> str:
    for types, name in _NAMES_OF_NODES:
        if isinstance(node, types):
            return f"{name} is not allowed in a template, only text, slots and filters"
    if outside_of and isinstance(node, nodes.Output):
        text = f"text outside of the blocks {', '.join(outside_of)} would be lost"
        inner = next(
            (part for part in node.nodes if not isinstance(part, nodes.TemplateData)), None
        )
        return text if inner is None or isinstance(inner, nodes.Name) else _what_is_wrong(inner)
    kind = type(node).__name__.lower()
    return f"`{kind}` is not allowed in a template, only text, slots and filters"


def _check_block(block: nodes.Block, name: str, path: Path, wanted: Sequence[str]) -> None:
    """Refuse an unknown block, and everything in one but text, slots and known filters."""
    if name not in wanted:
        raise refusal(
            path,
            block.lineno,
            f"the block `{name}` is unknown; the blocks are {quote_names(wanted)}",
        )
    for statement in block.body:
        if not isinstance(statement, nodes.Output):
            raise refusal(path, statement.lineno or block.lineno, _what_is_wrong(statement))
        for expression in statement.nodes:
            if not isinstance(expression, nodes.TemplateData):
                _check_expression(expression, path)


def _check_expression(expression: nodes.Expr, path: Path) -> None:
    node: nodes.Expr | None = expression
    while isinstance(node, nodes.Filter):
        if node.name not in _ALL_FILTERS:
            near = difflib.get_close_matches(node.name, _ALL_FILTERS, n=1)
            hint = (
                f" (is `{near[0]}` meant?)" if near else f"; there are {quote_names(_ALL_FILTERS)}"
            )
            raise refusal(path, node.lineno, f"the filter `{node.name}` is unknown{hint}")
        if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise refusal(path, node.lineno, f"the filter `{node.name}` takes no arguments")
        node = node.node
    is_text = isinstance(node, nodes.Const) and isinstance(node.value, str)
    if node is None or not (is_text or isinstance(node, nodes.Name)):
        raise refusal(path, expression.lineno, _what_is_wrong(node or expression))
