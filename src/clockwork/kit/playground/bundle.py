"""The playground's modules as one text: it runs from a file, in a notebook and, by its own text, in a worker."""

from pathlib import Path

from clockwork.kit import modules

STATIC = Path(__file__).parent / "static"


def function(entry: str) -> str:
    """Return a module and all that it needs as one JavaScript function, which returns what the module exports.

    Args:
        entry: the file's name in the folder `static`.

    Raises:
        ValueError: if two modules give the same name to different things, or import each other in a circle.
    """
    body = modules.joined(STATIC / entry)
    exports = ", ".join(modules.exported(STATIC / entry))
    return f'function clockworkPlayground() {{\n"use strict";\n{body}return {{ {exports} }};\n}}\n'


def engine(entry: str) -> str:
    """Return a module and all that it needs as the constant `engine` of the text that follows."""
    return f"{known(entry)}const engine = clockworkPlayground();\n"


def module(entry: str = "widget.js") -> str:
    """Return a module and all that it needs as the one module of an anywidget."""
    return f"{known(entry)}const {{ render }} = clockworkPlayground();\nexport default {{ render }};\n"


def script(entry: str = "widget.js") -> str:
    """Return a module and all that it needs as the script of a page, which it fills."""
    return f"(() => {{\n{known(entry)}clockworkPlayground().mount();\n}})();\n"


def known(entry: str) -> str:
    """Return the modules as a function that finds its own text, of which it makes a worker."""
    return f"{function(entry)}globalThis.clockworkPlayground = clockworkPlayground;\n"
