"""Formulas in MathML, from parts that are all written in this package."""


def name(text: str) -> str:
    """Write an identifier."""
    return f"<mi>{text}</mi>"


def number(text: str) -> str:
    """Write a number."""
    return f"<mn>{text}</mn>"


def sign(text: str) -> str:
    """Write an operator or a bracket."""
    return f"<mo>{text}</mo>"


def words(text: str) -> str:
    """Write words inside a formula."""
    return f"<mtext>{text}</mtext>"


def row(*parts: str) -> str:
    """Write parts side by side."""
    return "<mrow>" + "".join(parts) + "</mrow>"


def sub(base: str, below: str) -> str:
    """Write an identifier with an index."""
    return f"<msub>{name(base)}<mrow>{below}</mrow></msub>"


def over(operator: str, below: str) -> str:
    """Write an operator with what it runs over below it."""
    return f"<munder><mo>{operator}</mo>{row(below)}</munder>"


def fraction(above: str, below: str) -> str:
    """Write a quotient."""
    return f"<mfrac>{row(above)}{row(below)}</mfrac>"


def of(function: str, *arguments: str) -> str:
    """Write a function of arguments."""
    return row(name(function), sign("("), sign(",").join(arguments), sign(")"))


def absolute(inside: str) -> str:
    """Write an absolute value."""
    return row(sign("|"), inside, sign("|"))


def display(formula: str) -> str:
    """Write a formula as a display line."""
    return f'<math display="block">{formula}</math>'
