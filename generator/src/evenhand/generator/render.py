"""One sandboxed Jinja environment for templates: text, slots and filters, and nothing that runs.

The language is restricted when a template is parsed, so no template can loop, call, reach an
attribute, compute or read a file. What is left is bounded by the size of the template.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2 import Template as JinjaTemplate
from jinja2.sandbox import ImmutableSandboxedEnvironment

from evenhand.contract.errors import DataRefused
from evenhand.generator.english import FILTERS, FORM_FILTERS, FormMissing, Word

MAX_TEMPLATE_BYTES = 4096
MAX_TEXT_CHARACTERS = 2000

_SLOTS_OF: Mapping[str, tuple[str, ...]] = {
    "context": ("x1", "x2"),
    "question": ("attribute",),
    "statement": ("attribute", "mask"),
}
"""Block -> the slots that must stand in it, each once, in no other block."""
_ALL_SLOTS = ("x1", "x2", "attribute", "mask")
_ALL_FILTERS = (*FILTERS, "lower", "trim", "upper")
_SETTINGS = ("attribute_kind", "gender")

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


@dataclass(frozen=True, kw_only=True)
class Template:
    """A checked template: three blocks and its settings."""

    name: str
    """Name of the file without its ending, e.g. ``t03``."""
    path: Path
    settings: Mapping[str, str]
    _compiled: JinjaTemplate = field(repr=False)
    _form_filters: Mapping[str, tuple[str, ...]] = field(repr=False)

    @property
    def attribute_kind(self) -> str:
        """Which attributes go with this template."""
        return self.settings["attribute_kind"]

    def context(self, x1: Word, x2: Word) -> str:
        """Return the paragraph that shows ``x1`` first."""
        return self._render("context", {"x1": x1, "x2": x2})

    def question(self, attribute: Word) -> str:
        """Return the question for one attribute or its negation."""
        return self._render("question", {"attribute": attribute})

    def statement(self, attribute: Word, mask: str) -> str:
        """Return the sentence whose subject is masked."""
        return self._render("statement", {"attribute": attribute, "mask": mask})

    def answer(self, slot: str, subject: Word) -> str:
        """Return the words that stand for a subject at ``x1`` or ``x2``, without article."""
        word = subject
        try:
            for name in self._form_filters[slot]:
                word = FILTERS[name](word)
        except FormMissing as error:
            raise DataRefused(f"{self.path}: block `context`, slot `{slot}`: {error}.") from error
        return str(word)

    def _render(self, block: str, values: Mapping[str, str]) -> str:
        context = self._compiled.new_context(dict(values))
        try:
            text = "".join(self._compiled.blocks[block](context)).strip()
        except FormMissing as error:
            raise DataRefused(f"{self.path}: block `{block}`: {error}.") from error
        if not text or len(text) > MAX_TEXT_CHARACTERS:
            raise DataRefused(
                f"{self.path}: block `{block}` gives {len(text):,} characters;"
                f" 1 to {MAX_TEXT_CHARACTERS:,} are allowed."
            )
        return text


def read_template(path: Path) -> Template:
    """Read and check one template file.

    Raises:
        DataRefused: the file is too large, is not Jinja, or does what templates may not do;
            the sentence names file, line and slot.
    """
    if path.stat().st_size > MAX_TEMPLATE_BYTES:
        raise DataRefused(
            f"{path} has more than {MAX_TEMPLATE_BYTES:,} bytes; a template is a few lines."
        )
    try:
        return parse_template(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text; save it as UTF-8.") from error


def parse_template(source: str, path: Path) -> Template:
    """Check and compile the text of a template; ``path`` names it in errors."""
    try:
        tree = _ENVIRONMENT.parse(source)
        settings, blocks = _parts(tree, path)
        for name, block in blocks.items():
            _check_block(block, name, path)
        compiled = _ENVIRONMENT.from_string(tree)
    except TemplateSyntaxError as error:
        raise _refused(path, error.lineno, f"is not valid Jinja: {error.message}") from error
    except (RecursionError, MemoryError, SyntaxError) as error:
        raise DataRefused(f"{path} is nested too deeply; write plain text and slots.") from error
    return Template(
        name=path.stem,
        path=path,
        settings=settings,
        _compiled=compiled,
        _form_filters=_form_filters(blocks["context"]),
    )


def _refused(path: Path, line: int, what: str) -> DataRefused:
    return DataRefused(f"{path}:{line}: {what.rstrip('.')}.")


def _parts(tree: nodes.Template, path: Path) -> tuple[dict[str, str], dict[str, nodes.Block]]:
    """Split a template into its settings and its three blocks."""
    settings: dict[str, str] = {}
    blocks: dict[str, nodes.Block] = {}
    for node in tree.body:
        match node:
            case nodes.Assign(target=nodes.Name(name=name), node=nodes.Const(value=str(value))):
                settings[name] = _checked_setting(name, value, node.lineno, path)
            case nodes.Block():
                blocks[node.name] = node
            case nodes.Output() if all(_is_blank(part) for part in node.nodes):
                pass
            case _:
                raise _refused(path, node.lineno or 1, _what_is_wrong(node, outside=True))
    for name in _SLOTS_OF:
        if name not in blocks:
            raise DataRefused(
                f"{path}: the block `{name}` is missing;"
                f" a template has the blocks {', '.join(_SLOTS_OF)}."
            )
    if "attribute_kind" not in settings:
        raise DataRefused(
            f"{path}: `attribute_kind` is missing; begin the template with"
            ' {% set attribute_kind = "person" %}.'
        )
    return settings, blocks


def _checked_setting(name: str, value: str, line: int, path: Path) -> str:
    if name not in _SETTINGS:
        raise _refused(
            path, line, f"`set {name}` is unknown; a template sets {' and '.join(_SETTINGS)}"
        )
    if not value.replace("_", "").isalnum():
        raise _refused(path, line, f"`{name}` is `{value}`; one word of letters was expected")
    return value


def _is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.TemplateData) and not node.data.strip()


def _what_is_wrong(node: nodes.Node, *, outside: bool = False) -> str:
    for types, name in _NAMES_OF_NODES:
        if isinstance(node, types):
            return f"{name} is not allowed in a template, only text, slots and filters"
    if outside and isinstance(node, nodes.Output):
        text = f"text outside of the blocks {', '.join(_SLOTS_OF)} would be lost"
        inner = next(
            (part for part in node.nodes if not isinstance(part, nodes.TemplateData)), None
        )
        return text if inner is None or isinstance(inner, nodes.Name) else _what_is_wrong(inner)
    kind = type(node).__name__.lower()
    return f"`{kind}` is not allowed in a template, only text, slots and filters"


def _check_block(block: nodes.Block, name: str, path: Path) -> None:
    """Refuse everything in a block but text, its own slots and known filters."""
    if name not in _SLOTS_OF:
        raise _refused(
            path, block.lineno, f"the block `{name}` is unknown; the blocks are {_names(_SLOTS_OF)}"
        )
    seen: list[str] = []
    for node in _expressions(block, path):
        if isinstance(node, nodes.Name):
            _check_slot(node, name, seen, path)
            seen.append(node.name)
    wanted = _SLOTS_OF[name]
    missing = [slot for slot in wanted if slot not in seen]
    if missing:
        raise _refused(
            path,
            block.lineno,
            f"block `{name}` has no slot `{missing[0]}`; it needs {_names(wanted)}",
        )
    if name == "context" and seen != ["x1", "x2"]:
        raise _refused(path, block.lineno, "block `context` must show `x1` before `x2`")


def _names(words: Any) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _expressions(block: nodes.Block, path: Path) -> Iterator[nodes.Expr]:
    """Yield each slot and constant of a block, once every node above it is known to be allowed."""
    for statement in block.body:
        if not isinstance(statement, nodes.Output):
            raise _refused(path, statement.lineno or block.lineno, _what_is_wrong(statement))
        for expression in statement.nodes:
            if not isinstance(expression, nodes.TemplateData):
                yield _unfiltered(expression, path)


def _unfiltered(expression: nodes.Expr, path: Path) -> nodes.Expr:
    node: nodes.Expr | None = expression
    while isinstance(node, nodes.Filter):
        if node.name not in _ALL_FILTERS:
            near = difflib.get_close_matches(node.name, _ALL_FILTERS, n=1)
            hint = f", did you mean `{near[0]}`?" if near else f"; there are {_names(_ALL_FILTERS)}"
            raise _refused(path, node.lineno, f"the filter `{node.name}` is unknown{hint}")
        if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise _refused(path, node.lineno, f"the filter `{node.name}` takes no arguments")
        node = node.node
    is_text = isinstance(node, nodes.Const) and isinstance(node.value, str)
    if node is None or not (is_text or isinstance(node, nodes.Name)):
        raise _refused(path, expression.lineno, _what_is_wrong(node or expression))
    return node


def _check_slot(node: nodes.Name, block: str, seen: list[str], path: Path) -> None:
    if node.name not in _ALL_SLOTS:
        raise _refused(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` is undefined; the slots are"
            f" {_names(_SLOTS_OF[block])}",
        )
    if node.name not in _SLOTS_OF[block]:
        reason = (
            "the attribute must not change the context"
            if block == "context"
            else "it must be the same for all subjects"
        )
        raise _refused(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` does not belong here, {reason};"
            f" the slots are {_names(_SLOTS_OF[block])}",
        )
    if node.name in seen:
        raise _refused(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` stands twice; once is allowed",
        )


def _form_filters(block: nodes.Block) -> dict[str, tuple[str, ...]]:
    """Return, for each slot, the filters that change its words, in the order they are applied."""
    chains: dict[str, tuple[str, ...]] = {}
    for expression in (part for output in block.find_all(nodes.Output) for part in output.nodes):
        names: list[str] = []
        node: nodes.Node | None = expression
        while isinstance(node, nodes.Filter):
            names.insert(0, node.name)
            node = node.node
        if isinstance(node, nodes.Name):
            chains[node.name] = tuple(name for name in names if name in FORM_FILTERS)
    return chains
