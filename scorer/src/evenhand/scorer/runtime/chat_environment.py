"""The environment that chat templates run in: Jinja's sandbox, as transformers sets it up, metered.

A template is a program that came with a model, and Jinja has no limit on its work. So each turn of
a loop, each call, and each text, list or dict that is made has a cost in characters, and a template
that spends more than any conversation needs is refused. Values are charged at their full size
whenever they are put into another one: sixty lists that each hold the one before twice are small in
memory, but written out, compared or hashed they never end.
"""

import functools
import json
import re
import types
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

_BUDGET = 20_000_000
"""Characters that one conversation may make, including those that are thrown away."""
_STEP = 1_000
"""Cost of a turn of a loop and of a call, in characters."""
_ELEMENT = 64
"""Cost of a value that is not a text, alone or in a list: walking it takes longer than a text."""
_DEEPEST = 32
_LARGEST_BITS = 128
_WIDE = re.compile(r"\*|\d{5}|\{[^{}]*:[^{}]*\{")
"""In a format: a width that is given elsewhere, or one of five digits."""


class _Overspent(Exception):
    """The template does more than a conversation needs."""

    def __init__(self) -> None:
        super().__init__(
            "it loops, calls or writes far more than a conversation needs, and may never end"
        )


class _Meter:
    """What a rendering may still spend."""

    def __init__(self) -> None:
        self.left = _BUDGET

    def reset(self) -> None:
        """Give a new rendering the whole budget."""
        self.left = _BUDGET

    def spend(self, cost: int) -> None:
        """Subtract the cost; refuse when nothing is left."""
        self.left -= cost
        if self.left < 0:
            raise _Overspent

    def size(self, value: object, depth: int = 0) -> int:
        """Return about how many characters a value has, written out."""
        if isinstance(value, str | bytes | bytearray):
            return len(value)
        if depth > _DEEPEST:
            raise _Overspent
        total = _ELEMENT
        for part in _parts(value):
            total += self.size(part, depth + 1)
            if total > self.left:
                raise _Overspent
        return total

    def factor(self, value: object) -> int:
        """Return how many times larger a value may make another: a number may be a width."""
        return 1 + (abs(value) if isinstance(value, int) else self.size(value))


def _parts(value: object) -> Iterable[object]:
    """Return the values that another one holds and shows when it is written out."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, Namespace):
        # A namespace shows its attributes to Python's print, but hands them out by name only.
        return _parts(object.__getattribute__(value, "_Namespace__attrs"))
    if isinstance(
        value, list | tuple | set | frozenset | range | KeysView | ValuesView | ItemsView
    ):
        return value
    return ()


class _Generation(Extension):
    """``{% generation %}`` marks what the model said, which training needs and nobody else."""

    tags = {"generation"}  # noqa: RUF012 - the name and kind are Jinja's

    def parse(self, parser: Any) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """The environment that transformers uses, with a meter."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, today: datetime) -> None:
        """Set up the filters and globals.

        Args:
            today: the day that ``strftime_now`` shows.
        """
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
            "_composed": _with_meter(self.meter, _composed),
            "_counted": _with_meter(self.meter, _counted),
            "_joined": _with_meter(self.meter, _joined),
            "_written": _with_meter(self.meter, _written),
        }
        del self.globals["lipsum"]
        self.globals |= {"raise_exception": _raise, "strftime_now": today.strftime}

    def metered_template(self, source: str) -> jinja2.Template:
        """Compile a template so that its loops, literals and output are charged."""
        tree = _Metering().visit(self.parse(source))
        tree.set_environment(self)
        code = self.compile(tree)
        return jinja2.Template.from_code(self, code, self.make_globals(None))

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063
        """Charge a call for its arguments, which it may put into a value, and make it."""
        __self.meter.spend(_STEP + __self.meter.size([*args, *kwargs.values()]))
        if isinstance(__obj, types.BuiltinMethodType):
            __self._pay(__obj.__self__, [*args, *kwargs.values()])
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the sandbox's ``str.format``, which here refuses very wide fields."""
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
        raise SecurityError(f"a template may not use {attribute} of a {type(obj).__name__}")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Charge or refuse the operators that may make a text or a number grow, and compute."""
        if isinstance(left, int) and isinstance(right, int):
            self._refuse_large(operator, left, right)
        elif operator == "+":
            self.meter.spend(self.meter.size(left) + self.meter.size(right))
        elif operator == "%" and isinstance(left, str):
            self._refuse_wide(left, list(right) if isinstance(right, tuple) else [right])
            self._pay(left, [right])
        else:
            self.meter.spend(self.meter.factor(left) * self.meter.factor(right))
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
        """Charge for a result that may be as large as a value times all its arguments."""
        length = 1 if isinstance(value, int) else 1 + self.meter.size(value)
        self.meter.spend(length * sum((self.meter.factor(other) for other in others), start=1))

    def _metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter that is charged before it runs."""
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


def _composed(meter: _Meter, value: Any) -> Any:
    """Return a list, tuple or dict of the template, charged at its full size."""
    meter.spend(meter.size(value))
    return value


def _counted(meter: _Meter, values: Any) -> Any:
    """Return what a loop runs over; every turn is charged."""
    if hasattr(values, "__len__"):
        meter.spend(_STEP * len(values))
        return values
    return _count_turns(meter, values)


def _count_turns(meter: _Meter, values: Iterable[Any]) -> Iterator[Any]:
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
    """Puts the meter's filters around literals, loops, ``~`` and all output."""

    def visit_List(self, node: nodes.List, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        return _filtered(node, "_composed")

    def visit_Dict(self, node: nodes.Dict, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        return _filtered(node, "_composed")

    def visit_Tuple(self, node: nodes.Tuple, *args: Any, **kwargs: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *args, **kwargs)
        # The names that a loop or a set assigns to are a tuple too.
        return _filtered(node, "_composed") if node.ctx == "load" else node

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
            raise jinja2.TemplateSyntaxError(f"{node.attr} cannot be set", node.lineno)
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
