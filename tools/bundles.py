"""The JavaScript and CSS of the pages' widgets: what all pages share in one file, what one page alone needs in another.

A widget's `_esm` begins with the name of its module (kit/widgets/widget.py). On a page this name stands in its place,
and host.js finds the module in the bundles, where each has a scope of its own.
"""

import json
import re
from pathlib import Path

from clockwork.kit import modules
from clockwork.kit.playground import bundle
from clockwork.kit.widgets import widget

ROOT = Path(widget.__file__).parents[2]
ENTRY = re.compile(r"// (\S+\.js) ?(\S*)\n")
ENGINE = "const engine = all[{name}].made;\n"


def named(models: dict, texts: dict[str, str]) -> dict[str, str]:
    """Put into the models of a page, in place of their code, its module's name; return each name's engine, or "".

    Code that names no module stays in `texts`; style is in the bundles, too.
    """
    found = {}
    for model in models.values():
        state = model["state"]
        if entry := ENTRY.match(texts.get(state.get("_esm"), "")):
            found[entry[1]] = entry[2]
            state["_esm"] = entry[1]
            state.pop("_css", None)
    return found


def write(folder: Path, pages: dict[str, dict[str, str]]) -> None:
    """Write `kit.js`, `kit.css` and a script of its own for each page, whose modules and engines are given by name."""
    entries = {ROOT / name: engine for page in pages.values() for name, engine in page.items()}
    needed = {path: modules.modules(path) for path in entries}
    shared = [path for paths in needed.values() for path in paths if path.is_relative_to(ROOT / "kit")]
    parts = {path: apart(path, entries.get(path, "")) for paths in needed.values() for path in paths}
    (folder / "kit.js").write_text(script([parts[path] for path in dict.fromkeys(shared)]), "utf-8")
    styles = dict.fromkeys(style for path in entries for style in modules.styles(path))
    css = widget.themes(":root", "[data-theme=dark]") + "".join(path.read_text("utf-8") for path in styles)
    (folder / "kit.css").write_text(css, "utf-8")
    (folder / "pages").mkdir()
    for page, names in pages.items():
        own = dict.fromkeys(path for name in names for path in needed[ROOT / name] if path not in shared)
        engines = [
            f'"{engine}": () => {{\n{bundle.engine(engine)}return {{ made: engine }};\n}}'
            for engine in set(names.values())
            if engine
        ]
        (folder / f"pages/{page}.js").write_text(script([*sorted(engines), *(parts[path] for path in own)]), "utf-8")


def apart(path: Path, engine: str) -> str:
    """Return a module with its name, as it stands in a bundle."""
    before = ENGINE.format(name=json.dumps(engine)) if engine else ""
    return f"{modules.named(path, ROOT)}: {modules.apart(path, ROOT, before)}"


def script(parts: list[str]) -> str:
    """Return modules as a script that adds them to those of the page."""
    return f"Object.assign((window.clockworkModules ??= {{}}), {{\n{','.join(parts)}\n}});\n"
