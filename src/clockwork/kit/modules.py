"""Put JavaScript modules into one text, each after those that it imports, and find their CSS.

In a widget all modules share one scope (`joined`); on a page, which holds many widgets, each has its own (`apart`).
"""

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[\w./]+)";\n', flags=re.M)
PASSED_ON = re.compile(r'^export \{([^}]*)\} from "(\.[\w./]+)";\n', flags=re.M)
STYLE = re.compile(r'^import "(\.[\w./]+\.css)";\n', flags=re.M)
DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", flags=re.M)
COMMENT = re.compile(r"^ *(?:/\*\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n", flags=re.M)


def modules(entry: Path) -> list[Path]:
    """List a module and all that it imports, each after those that it needs itself."""
    found = []

    def visit(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise ValueError(f"modules must not import each other in a circle (which comes first?), got {path.name}")
        text = path.read_text("utf-8")
        for pattern in (IMPORT, PASSED_ON):
            for _, name in pattern.findall(text):
                visit((path.parent / name).resolve(), (*above, path))
        if path not in found:
            found.append(path)

    visit(entry.resolve(), ())
    return found


def styles(entry: Path) -> list[Path]:
    """List the files of CSS that a module and all that it needs import, each once."""
    found = [path.parent / name for path in modules(entry) for name in STYLE.findall(path.read_text("utf-8"))]
    return list(dict.fromkeys(path.resolve() for path in found))


def joined(entry: Path) -> str:
    """Return a module and all that it needs as one text without imports, in which only a default is exported.

    Raises:
        ValueError: if two modules give the same name to different things, or import each other in a circle.
    """
    homes = {}
    parts = []
    for path in modules(entry):
        text = path.read_text("utf-8")
        for name in DEFINED.findall(text):
            if name in homes:
                raise ValueError(
                    f"a name must be defined once (all modules share one scope), got {name} in {homes[name]} and "
                    f"{path.name}"
                )
            homes[name] = path.name
        for pattern in (IMPORT, PASSED_ON, STYLE):
            text = pattern.sub("", text)
        parts.append(COMMENT.sub("", re.sub(r"^export (?!default)", "", text, flags=re.M)))
    return "".join(parts)


def apart(path: Path, root: Path, before: str = "") -> str:
    """Return a module as a function of all modules by their names below `root`, which returns what it exports.

    `before` is code that it finds above its own. An import is `const { view } = all["kit/widgets/static/kit.js"];`.
    """
    taken = lambda found: f"const {{{found[1]}}} = all[{named(path.parent / found[2], root)}];\n"  # noqa: E731
    text = PASSED_ON.sub(taken, IMPORT.sub(taken, STYLE.sub("", path.read_text("utf-8"))))
    text = COMMENT.sub("", re.sub(r"^export (?!default)", "", text, flags=re.M))
    text, count = re.subn(r"^export default ", "const exported = ", text, flags=re.M)
    names = [*exported(path), *["default: exported"] * count]
    return f"(all) => {{\n{before}{text}return {{ {', '.join(names)} }};\n}}"


def named(path: Path, root: Path) -> str:
    """Return the name of a module below `root`, as JavaScript writes it."""
    return f'"{path.resolve().relative_to(root).as_posix()}"'


def exported(entry: Path) -> list[str]:
    """List the names that a module exports or passes on."""
    text = entry.read_text("utf-8")
    names = re.findall(r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, flags=re.M)
    return names + [name.strip() for names, _ in PASSED_ON.findall(text) for name in names.split(",")]
