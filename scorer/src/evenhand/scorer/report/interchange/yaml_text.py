"""Plain values as YAML: keys in the order given, no line broken, the same bytes on every run."""

from typing import Any

import yaml


def yaml_text(value: Any) -> str:
    r"""Return a document of mappings, lists, texts, numbers, booleans and None.

    >>> print(yaml_text([{"id": "a: b", "value": 1e-05}]), end="")
    - id: 'a: b'
      value: 1.0e-05

    Raises:
        yaml.representer.RepresenterError: a value of another type.
    """
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes a value that occurs twice twice: a reader of results expects no YAML aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the interface of PyYAML
        return True
