"""Put the playground's modules into one text: it runs from a file, in a notebook and, by its own text, in a worker."""

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";\n', flags=re.M)
PASSED_ON = re.compile(r'^export \{([^}]*)\} from "\./([\w.]+)";\n', flags=re.M)
DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", flags=re.M)
COMMENT = re.compile(r"^ *(?:/\*\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n", flags=re.M)


def modules(entry: str) -> list[Path]:
    """List a module of `static` and all that it imports, each after those that it needs itself."""
    found = []

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise ValueError(f"modules must not import each other in a circle (which comes first?), got {path.name}")
        text = path.read_text("utf-8")
        for pattern in (IMPORT, PASSED_ON):
            for _, name in pattern.findall(text):
                visit(STATIC / name, (*above, path))
        if path not in found:
            found.append(path)

    visit(STATIC / entry, ())
    return found


def function(entry: str) -> str:
    """Return a module and all that it needs as one JavaScript function, which returns what the module exports.

    Args:
        entry: the file's name in the folder `static`.

    Raises:
        ValueError: if two modules give the same name to different things, or import each other in a circle.
    """
    homes = {}
    parts = []
    exports = []
    for path in modules(entry):
        text = path.read_text("utf-8")
        for name in DEFINED.findall(text):
            if name in homes:
                raise ValueError(
                    f"a name must be defined once (all modules share one scope), got {name} in {homes[name]} and "
                    f"{path.name}"
                )
            homes[name] = path.name
        if path.name == entry:
            exports = re.findall(r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, flags=re.M)
            exports += [name.strip() for names, _ in PASSED_ON.findall(text) for name in names.split(",")]
        text = PASSED_ON.sub("", IMPORT.sub("", text))
        parts.append(COMMENT.sub("", re.sub(r"^export ", "", text, flags=re.M)))
    body = "".join(parts)
    return f'function clockworkPlayground() {{\n"use strict";\n{body}return {{ {", ".join(exports)} }};\n}}\n'


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
