"""A code that a reader types, such as `sin(p), cos(p)`: read as a plain expression of p, never run as a program.

`views/expression.js` reads the same language in a page. `%` and `//` round down, as in Python.
"""

import ast
import math
import operator

import numpy as np

MOST_NUMBERS = 8
MOST_LETTERS = 160
NAMES = {"pi": math.pi, "e": math.e}
FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.FloorDiv: lambda a, b: np.floor(np.divide(a, b)),
    ast.Mod: lambda a, b: a - b * np.floor(np.divide(a, b)),
    ast.Pow: lambda a, b: np.power(np.asarray(a, float), b),
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def codes_of(text: str, positions: np.ndarray) -> np.ndarray:
    """Return the codes (positions, numbers) in float64 that an expression gives; NaN or infinite where it has no value.

    Args:
        text: One to eight numbers with commas between them, made of `p`, `pi`, `e`, + - * / // % **, brackets and the
            functions of `FUNCTIONS`.
        positions: The values of p, (positions,).

    Raises:
        ValueError: The text is something else.

    Example:
        >>> codes_of("p % 2, p // 2 % 2", np.arange(4)).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    if text.rstrip().endswith(","):
        raise ValueError(f"a code must have a number after each comma, got {text!r}")
    if len(text) > MOST_LETTERS:
        raise ValueError(f"a code must have at most {MOST_LETTERS} letters, got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"a code must be an expression of p (such as sin(p), cos(p)), got {text!r}") from error
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    if not 1 <= len(parts) <= MOST_NUMBERS:
        raise ValueError(f"a code must have one to {MOST_NUMBERS} numbers, got {len(parts)}")
    p = np.asarray(positions, float)
    with np.errstate(all="ignore"):
        return np.stack([np.broadcast_to(value_of(part, p), p.shape) for part in parts], axis=1).astype(float)


def value_of(node: ast.AST, p: np.ndarray) -> np.ndarray | float:
    """Return what a part of the expression is at every position."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in NAMES | {"p": p}:
        return p if node.id == "p" else NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.operand, p))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left, p), value_of(node.right, p))
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
    if called and len(node.args) == 1 and not node.keywords:
        return FUNCTIONS[node.func.id](value_of(node.args[0], p))
    known = f"p, pi, e, {', '.join(FUNCTIONS)}, + - * / // % ** and brackets"
    raise ValueError(f"a code must be made of {known}, got {ast.unparse(node)!r}")
