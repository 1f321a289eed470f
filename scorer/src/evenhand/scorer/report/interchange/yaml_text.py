"""Plain values as YAML, in one form: keys in the order given, every text in double quotes."""

from collections.abc import Callable
from typing import Any

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def yaml_text(value: Any) -> str:
    r"""Return a document of mappings, lists, texts, numbers, booleans and None.

    >>> print(yaml_text([{"id": "a: b", "value": 1e-05}]), end="")
    - id: "a: b"
      value: 1.0e-05

    Raises:
        TypeError: a value of another type.
    """
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> list[str]:
    match value:
        case dict() if value:
            return [
                line for key, member in value.items() for line in _entry(f"{_key(key)}:", member)
            ]
        case list() if value:
            return [line for member in value for line in _item(member)]
        case _:
            return [_scalar(value)]


def _entry(head: str, value: Any) -> list[str]:
    lines = _lines(value)
    if isinstance(value, dict | list) and value:
        return [head, *(f"  {line}" for line in lines)]
    return [f"{head} {lines[0]}"]


def _item(value: Any) -> list[str]:
    first, *others = _lines(value)
    return [f"- {first}", *(f"  {line}" for line in others)]


def _key(name: str) -> str:
    """Write a plain name as it is; any other could be read as a number, a date or a boolean."""
    is_plain = name.replace("_", "").replace("-", "").isalpha() and name.isascii()
    is_word = name.lower() in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
    return name if is_plain and name[0].isalpha() and not is_word else _quote(name)


def _scalar(value: Any) -> str:
    # A bool is an int too, so its type is asked for and not what it is an instance of.
    write = _SCALARS.get(type(value))
    if write is None:
        raise TypeError(f"{type(value).__name__} has no form in this YAML")
    return write(value)


def _number(value: float) -> str:
    """Write a float with a point in it: readers of YAML 1.1 take 1e-05 for a text."""
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    sign = "" if exponent[0] in "+-" else "+"
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{sign}{exponent}"


def _quote(text: str) -> str:
    return '"' + "".join(_character(character) for character in text) + '"'


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_SCALARS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    str: _quote,
    int: str,
    float: _number,
    dict: lambda _: "{}",
    list: lambda _: "[]",
}
