"""Templates of UnQover: a context, a question and a statement, checked and rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import nodes

from evenhand.contract.errors import DataRefused
from evenhand.generator.english import FILTERS, FORM_FILTERS, FormMissing, Word
from evenhand.generator.restricted import (
    MAX_TEMPLATE_BYTES,
    Parsed,
    Setting,
    parse,
    quote_names,
    read_source,
    refusal,
    slot_filters,
    slots,
)

__all__ = ["MAX_TEMPLATE_BYTES", "Template", "parse_template", "read_template"]

_SLOTS_OF: Mapping[str, tuple[str, ...]] = {
    "context": ("x1", "x2"),
    "question": ("attribute",),
    "statement": ("attribute", "mask"),
}
"""Block -> the slots that must stand in it, each once, in no other block."""
_ALL_SLOTS = ("x1", "x2", "attribute", "mask")
_SETTINGS = ("attribute_kind", "gender")


@dataclass(frozen=True, kw_only=True)
class Template:
    """A checked template: three blocks and its settings."""

    name: str
    """Name of the file without its ending, e.g. ``t03``."""
    path: Path
    settings: Mapping[str, str]
    _parsed: Parsed = field(repr=False)
    _form_filters: Mapping[str, tuple[str, ...]] = field(repr=False)

    @property
    def attribute_kind(self) -> str:
        """Which attributes go with this template."""
        return self.settings["attribute_kind"]

    def context(self, x1: Word, x2: Word) -> str:
        """Return the paragraph that shows ``x1`` first."""
        return self._parsed.render("context", {"x1": x1, "x2": x2})

    def question(self, attribute: Word) -> str:
        """Return the question for one attribute or its negation."""
        return self._parsed.render("question", {"attribute": attribute})

    def statement(self, attribute: Word, mask: str) -> str:
        """Return the sentence whose subject is masked."""
        return self._parsed.render("statement", {"attribute": attribute, "mask": mask})

    def answer(self, slot: str, subject: Word) -> str:
        """Return the words that stand for a subject at ``x1`` or ``x2``, without article."""
        word = subject
        try:
            for name in self._form_filters[slot]:
                word = FILTERS[name](word)
        except FormMissing as error:
            raise DataRefused(f"{self.path}: block `context`, slot `{slot}`: {error}.") from error
        return str(word)


def read_template(path: Path) -> Template:
    """Read and check one template file.

    Raises:
        DataRefused: the file is too large, is not Jinja, or does what templates may not do;
            the sentence names file, line and slot.
    """
    return parse_template(read_source(path), path)


def parse_template(source: str, path: Path) -> Template:
    """Check and compile the text of a template; ``path`` names it in errors."""
    parsed = parse(source, path, blocks=tuple(_SLOTS_OF))
    settings = {
        name: _checked_setting(name, setting, path) for name, setting in parsed.settings.items()
    }
    if "attribute_kind" not in settings:
        raise DataRefused(
            f"{path}: `attribute_kind` is missing; begin the template with"
            ' {% set attribute_kind = "person" %}.'
        )
    for name, block in parsed.blocks.items():
        _check_slots(block, name, path)
    chains = slot_filters(parsed.blocks["context"])
    _ = parsed.compiled  # what cannot be compiled is refused here
    return Template(
        name=path.stem,
        path=path,
        settings=settings,
        _parsed=parsed,
        _form_filters={
            slot: tuple(name for name in names if name in FORM_FILTERS)
            for slot, names in chains.items()
        },
    )


def _checked_setting(name: str, setting: Setting, path: Path) -> str:
    value, line = setting
    if name not in _SETTINGS:
        raise refusal(
            path, line, f"`set {name}` is unknown; a template sets {' and '.join(_SETTINGS)}"
        )
    if not value.replace("_", "").isalnum():
        raise refusal(path, line, f"`{name}` is `{value}`; one word of letters was expected")
    return value


def _check_slots(block: nodes.Block, name: str, path: Path) -> None:
    """Refuse every slot but the block's own, and ask for each of those once."""
    seen: list[str] = []
    for slot in slots(block):
        _check_slot(slot, name, seen, path)
        seen.append(slot.name)
    wanted = _SLOTS_OF[name]
    missing = [slot for slot in wanted if slot not in seen]
    if missing:
        raise refusal(
            path,
            block.lineno,
            f"block `{name}` has no slot `{missing[0]}`; it needs {quote_names(wanted)}",
        )
    if name == "context" and seen != ["x1", "x2"]:
        raise refusal(path, block.lineno, "block `context` must show `x1` before `x2`")


def _check_slot(node: nodes.Name, block: str, seen: list[str], path: Path) -> None:
    if node.name not in _ALL_SLOTS:
        raise refusal(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` is undefined; the slots are"
            f" {quote_names(_SLOTS_OF[block])}",
        )
    if node.name not in _SLOTS_OF[block]:
        reason = (
            "the attribute must not change the context"
            if block == "context"
            else "it must be the same for all subjects"
        )
        raise refusal(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` does not belong here, {reason};"
            f" the slots are {quote_names(_SLOTS_OF[block])}",
        )
    if node.name in seen:
        raise refusal(
            path,
            node.lineno,
            f"block `{block}`: the slot `{node.name}` stands twice; once is allowed",
        )
