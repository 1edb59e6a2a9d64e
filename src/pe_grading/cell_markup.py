"""What may be done to the source of a cell: take out the solution, put in the class's seed, see what it defines."""

from __future__ import annotations

import ast
import functools
import re

STUB = 'raise NotImplementedError("not attempted yet: write this function, then run the cell")'
CODE_STUB = f"# YOUR CODE HERE\n{STUB}"
TEXT_STUB = "YOUR ANSWER HERE"
REMEMBERED = 20_000  # characters of a source that is compared again and again
SEED_LINE = re.compile(r"^SEED\s*=\s*-?\d+", re.M)


def with_seed(source: str, seed: int) -> str:
    """Put the class's seed where the source says `SEED = …`."""
    return SEED_LINE.sub(f"SEED = {seed}", source)


def same(one: str, other: str) -> bool:
    """Tell whether two sources differ in blanks only."""
    plain = _without_blanks if max(len(one), len(other)) < REMEMBERED else _without_blanks.__wrapped__
    return plain(one) == plain(other)


@functools.lru_cache(maxsize=1000)
def _without_blanks(source: str) -> str:
    return "".join(SEED_LINE.sub("", source).split())


def functions_in(source: str) -> list[str]:
    """Return the names of the functions that a teacher's cell defines."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def without(source: str, name: str, stub: str) -> str:
    """Replace the marked part by a stub with the same indentation, as nbgrader does."""
    kept = []
    inside = False
    for line in source.split("\n"):
        if f"BEGIN {name}" in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + text for text in stub.split("\n")] if stub else []
        elif f"END {name}" in line:
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise ValueError(f"BEGIN {name} must be followed by END {name}, got none")
    return "\n".join(kept)


def modules_in(source: str) -> list[str]:
    """Return the modules that a teacher's code imports, so that they can be imported once for all."""
    tree = ast.parse(source)
    names = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ]
    return sorted({"numpy", *imported(tree), *names})


def imported(tree: ast.AST) -> set[str]:
    """Return the modules that code imports, by a statement or by a call with the module's name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                found.add(str(node.args[0].value))
    return found
