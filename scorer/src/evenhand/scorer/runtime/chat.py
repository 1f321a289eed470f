"""Puts a model's chat template around what a user says, as transformers' apply_chat_template does.

A template is a program that came with the model, so it runs in Jinja's sandbox, and on a meter:
each turn of a loop, each call and each text that is made costs something, and what costs more than
a conversation ever needs is refused. Two things are ours: ``strftime_now`` shows a fixed day (the
same input gives the same bytes), and what draws at random is not there.
"""

import functools
import json
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.runtime.model_card import CHAT_NAME
from evenhand.scorer.runtime.session import ExportedModel

MAX_TEMPLATE_CHARACTERS = 200_000
MAX_PROMPT_CHARACTERS = 1_000_000

# The day that Llama 3.1's template falls back to where there is no clock.
DATE = datetime(2024, 7, 26, tzinfo=UTC)

_BUDGET = 20_000_000
"""Characters that one conversation may make, all that is thrown away included."""
_STEP = 1_000
"""What a turn of a loop and a call cost, in characters."""
_DEEPEST = 32
_LARGEST_BITS = 128
_WIDE = re.compile(r"\*|\d{5}|\{[^{}]*:[^{}]*\{")
"""In a format: a width that is given elsewhere, or one of five digits."""

Message = Mapping[str, Any]


class ChatTemplate:
    """A template that was checked and compiled."""

    def __init__(self, source: str, special_tokens: Mapping[str, str], *, name: str) -> None:
        """Compile a template.

        Args:
            source: the Jinja text.
            special_tokens: what the template may call by name, e.g. ``bos_token``.
            name: the file, for the sentence of an error.

        Raises:
            DataRefused: it is too large, no Jinja, or reaches for what is not a template's.
        """
        self._name = name
        self._tokens = dict(special_tokens)
        self._environment = _Environment()
        if len(source) > MAX_TEMPLATE_CHARACTERS:
            self._refuse(
                f"it has {len(source):,} characters; {MAX_TEMPLATE_CHARACTERS:,} are allowed"
            )
        try:
            self._template = self._environment.metered_template(source)
        except (jinja2.TemplateError, RecursionError) as error:
            self._refuse(_short(error), error)

    def prompt(self, text: str) -> str:
        r"""Return a conversation in which a user said ``text`` and the model is to answer.

        Its special tokens are written out, so a tokenizer must not add them again.

        Raises:
            DataRefused: the template raised an error, or did more than a conversation needs.

        >>> source = "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\\n"
        >>> source += "{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
        >>> ChatTemplate(source, {"bos_token": "<s>"}, name="chat_template.jinja").prompt("Hello")
        '<s>[user] Hello\\n[assistant] '
        """
        return self.render([{"role": "user", "content": text}])

    def prompts(self, texts: Iterable[str]) -> list[str]:
        """Return :meth:`prompt` of each text; the same text is rendered once."""
        once = functools.cache(self.prompt)
        return [once(text) for text in texts]

    def render(self, messages: Sequence[Message], *, add_generation_prompt: bool = True) -> str:
        """Return a conversation as one text.

        Args:
            messages: each with a ``role`` and a ``content``.
            add_generation_prompt: whether the model's turn is begun at the end.

        Raises:
            DataRefused: as for :meth:`prompt`.
        """
        self._environment.meter.left = _BUDGET
        try:
            text = self._template.render(
                messages=[dict(message) for message in messages],
                tools=None,
                documents=None,
                add_generation_prompt=add_generation_prompt,
                **self._tokens,
            )
        except Exception as error:  # noqa: BLE001 - a foreign program may raise anything
            self._refuse(_short(error), error)
        if len(text) > MAX_PROMPT_CHARACTERS:
            self._refuse(
                f"it makes {len(text):,} characters; {MAX_PROMPT_CHARACTERS:,} are allowed"
            )
        return text

    def _refuse(self, reason: str, error: Exception | None = None) -> NoReturn:
        raise DataRefused(
            f"{self._name}: the chat template cannot be used: {reason}; take another prompt style."
        ) from error


def chat_template_of(model: ExportedModel) -> ChatTemplate:
    """Open the template that was exported with a model.

    Raises:
        DataRefused: there is none, it is another than the card says, or it cannot be used.
    """
    chat, path = model.card.chat, model.folder / CHAT_NAME
    if chat is None:
        raise DataRefused(
            f"{model.folder} has no chat template, for its tokenizer came without one; take another"
            " prompt style than chat."
        )
    if not path.is_file() or sha256_of_file(path) != chat.sha256:
        raise DataRefused(
            f"{path} is not the file that model.json describes; write the folder again with"
            " `evenhand export`."
        )
    return ChatTemplate(path.read_bytes().decode(), chat.special_tokens, name=str(path))


def _short(error: Exception) -> str:
    """Return what an error says, in one line; the line of a syntax error too."""
    line = f" (line {error.lineno})" if isinstance(error, jinja2.TemplateSyntaxError) else ""
    text = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
    return f"{text}{line}"


class _Overspent(Exception):
    """The template does more than a conversation needs."""

    def __init__(self) -> None:
        super().__init__(
            "it loops, calls or writes more than a conversation needs; it may never end"
        )


class _Meter:
    """How much a rendering may still do."""

    def __init__(self) -> None:
        self.left = _BUDGET

    def spend(self, cost: int) -> None:
        """Take the cost off what is left; refuse when nothing is."""
        self.left -= cost
        if self.left < 0:
            raise _Overspent

    def size(self, value: object, depth: int = 0) -> int:
        """Return about how many characters a value is, written out; a number is a width."""
        if isinstance(value, int):
            return abs(value)
        if isinstance(value, str):
            return len(value)
        parts = _parts(value)
        if depth > _DEEPEST:
            raise _Overspent
        total = 1
        for part in parts:
            total += 1 + (8 if isinstance(part, int) else self.size(part, depth + 1))
            if total > _BUDGET:
                raise _Overspent
        return total


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list | tuple | set | frozenset | range) else ()


class _Generation(Extension):
    """``{% generation %}`` marks what the model said, which training needs and nobody else."""

    tags = {"generation"}  # noqa: RUF012 - the name and kind are Jinja's

    def parse(self, parser: Any) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class _Environment(ImmutableSandboxedEnvironment):
    """The environment that transformers uses, on a meter."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            # What is computed at compile time would run off the meter.
            optimized=False,
            extensions=[_Generation, loopcontrols],
        )
        self.meter = _Meter()
        self.filters["tojson"] = _to_json
        del self.filters["random"]
        self.filters = {name: self._metered(f) for name, f in self.filters.items()}
        self.filters |= {
            "_counted": _with_meter(self.meter, _counted),
            "_joined": _with_meter(self.meter, _joined),
            "_written": _with_meter(self.meter, _written),
        }
        del self.globals["lipsum"]
        self.globals |= {"raise_exception": _raise, "strftime_now": DATE.strftime}

    def metered_template(self, source: str) -> jinja2.Template:
        """Compile a template with its loops and its output on the meter."""
        tree = _Metering().visit(self.parse(source))
        tree.set_environment(self)
        code = self.compile(tree)
        return jinja2.Template.from_code(self, code, self.make_globals(None))

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063
        """Call what a template calls."""
        __self.meter.spend(_STEP)
        if isinstance(__obj, types.BuiltinMethodType):
            __self._pay(__obj.__self__, [*args, *kwargs.values()])
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return what stands for ``str.format``; a field may not be as wide as a book."""
        format_text = super().wrap_str_format(value)
        if format_text is None:
            return None

        def format_narrow(*args: Any, **kwargs: Any) -> str:
            self._refuse_wide(value.__self__, [*args, *kwargs.values()])
            self._pay(value.__self__, [*args, *kwargs.values()])
            return format_text(*args, **kwargs)

        return format_narrow

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        """Refuse at once; Jinja itself would write nothing and go on."""
        raise SecurityError(f"{attribute} of a {type(obj).__name__} is no template's business")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute where a text or a number may grow."""
        if isinstance(left, int) and isinstance(right, int):
            self._refuse_large(operator, left, right)
        elif operator == "+":
            self.meter.spend(self.meter.size(left) + self.meter.size(right))
        elif operator == "%" and isinstance(left, str):
            self._refuse_wide(left, list(right) if isinstance(right, tuple) else [right])
            self._pay(left, [right])
        else:
            self.meter.spend((1 + self.meter.size(left)) * (1 + self.meter.size(right)))
        return super().call_binop(context, operator, left, right)

    def _refuse_large(self, operator: str, left: int, right: int) -> None:
        bits = left.bit_length()
        grown = {"*": bits + right.bit_length(), "**": bits * abs(right)}.get(operator, bits)
        if grown > _LARGEST_BITS:
            raise _Overspent

    def _refuse_wide(self, text: str, values: list[Any]) -> None:
        if _WIDE.search(text) or any(isinstance(v, int) and abs(v) > _STEP for v in values):
            raise _Overspent

    def _pay(self, value: object, others: Sequence[object]) -> None:
        """Pay for what may be as large as a value times all that is done to it."""
        around = 1 + sum(self.meter.size(other) for other in others)
        length = 1 if isinstance(value, int) else 1 + self.meter.size(value)
        self.meter.spend(length * around)

    def _metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter that pays before it works."""
        skipped = int(hasattr(function, "jinja_pass_arg"))

        @functools.wraps(function)
        def metered(*args: Any, **kwargs: Any) -> Any:
            value, *others = args[skipped:]
            self._pay(value, [*others, *kwargs.values()])
            if function.__name__ == "do_format":
                self._refuse_wide(str(value), [*others, *kwargs.values()])
            return function(*args, **kwargs)

        return metered


def _with_meter(meter: _Meter, function: Callable[[_Meter, Any], Any]) -> Callable[..., Any]:
    """Return a filter that Jinja never runs at compile time, because it asks for the context."""

    @jinja2.pass_context
    def run(_context: Any, value: Any) -> Any:
        return function(meter, value)

    return run


def _counted(meter: _Meter, values: Any) -> Any:
    """Return what a loop runs over; every turn is paid."""
    if hasattr(values, "__len__"):
        meter.spend(_STEP * len(values))
        return values
    return _paid_one_by_one(meter, values)


def _paid_one_by_one(meter: _Meter, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        meter.spend(_STEP)
        yield value


def _joined(meter: _Meter, values: list[Any]) -> str:
    return "".join(_written(meter, value) for value in values)


def _written(meter: _Meter, value: Any) -> str:
    if not isinstance(value, int):
        meter.spend(meter.size(value))
    return str(value)


class _Metering(NodeTransformer):
    """Puts the meter's filters around loops, ``~`` and all output."""

    def visit_For(self, node: nodes.For, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        node.iter = _filtered(node.iter, "_counted")
        return node

    def visit_Concat(self, node: nodes.Concat, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "_joined")

    def visit_Output(self, node: nodes.Output, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        node.nodes = [_filtered(_expression(child), "_written") for child in node.nodes]
        return node

    def visit_NSRef(self, node: nodes.NSRef, *_args: Any, **_kwargs: Any) -> nodes.Node:  # noqa: N802
        if node.attr.startswith("_"):
            raise jinja2.TemplateSyntaxError(f"{node.attr} is no name to set", node.lineno)
        return node


def _expression(node: nodes.Expr) -> nodes.Expr:
    if isinstance(node, nodes.TemplateData):
        return nodes.Const(node.data, lineno=node.lineno)
    return node


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _raise(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT002 - templates may give it by place
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT002
) -> str:
    """Return JSON as it is; Jinja's own filter would escape the characters of HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
