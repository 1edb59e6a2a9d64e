"""Where everything lies that was in `pe_helpers` before each lesson had a room of its own.

`course.py update` rewrites the imports of readers' older copies from these tables, and says above a cell what the
course no longer has. Importing this module lets the old imports work as they stand: the grader does so for
assignments that were handed out before.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import inspect
import re
import sys
import types

MODULES = {
    "clockwork.lessons.lesson_04.heads": "clockwork.kit.heads",
    "clockwork.lessons.lesson_12.configurations": "clockwork.kit.configurations",
    "pe_helpers.adding": "clockwork.lessons.lesson_06.adding",
    "pe_helpers.checks": "clockwork.kit.checks",
    "pe_helpers.checks.answers": "clockwork.kit.checks.exercises",
    "pe_helpers.checks.encoding_tests": "clockwork.lessons.lesson_10.encoding_tests",
    "pe_helpers.checks.exercises.lesson_01": "clockwork.lessons.lesson_01.checks",
    "pe_helpers.checks.exercises.lesson_02": "clockwork.lessons.lesson_02.checks",
    "pe_helpers.checks.exercises.lesson_03": "clockwork.lessons.lesson_03.checks",
    "pe_helpers.checks.exercises.lesson_04": "clockwork.lessons.lesson_04.checks",
    "pe_helpers.checks.exercises.lesson_05": "clockwork.lessons.lesson_05.checks",
    "pe_helpers.checks.exercises.lesson_06": "clockwork.lessons.lesson_06.checks",
    "pe_helpers.checks.exercises.lesson_07": "clockwork.lessons.lesson_07.checks",
    "pe_helpers.checks.exercises.lesson_08": "clockwork.lessons.lesson_08.checks",
    "pe_helpers.checks.exercises.lesson_09": "clockwork.lessons.lesson_09.checks",
    "pe_helpers.checks.exercises.lesson_10": "clockwork.lessons.lesson_10.checks",
    "pe_helpers.checks.exercises.lesson_11": "clockwork.lessons.lesson_11.checks",
    "pe_helpers.checks.exercises.lesson_12": "clockwork.lessons.lesson_12.checks",
    "pe_helpers.checks.exercises.plain_01": "clockwork.lessons.lesson_01.plain_checks",
    "pe_helpers.checks.exercises.plain_02": "clockwork.lessons.lesson_02.plain_checks",
    "pe_helpers.checks.exercises.plain_03": "clockwork.lessons.lesson_03.plain_checks",
    "pe_helpers.checks.exercises.plain_04": "clockwork.lessons.lesson_04.plain_checks",
    "pe_helpers.checks.exercises.plain_06": "clockwork.lessons.lesson_06.plain_checks",
    "pe_helpers.checks.exercises.plain_07": "clockwork.lessons.lesson_07.plain_checks",
    "pe_helpers.checks.exercises.plain_08": "clockwork.lessons.lesson_08.plain_checks",
    "pe_helpers.checks.exercises.plain_09": "clockwork.lessons.lesson_09.plain_checks",
    "pe_helpers.checks.exercises.plain_10": "clockwork.lessons.lesson_10.plain_checks",
    "pe_helpers.checks.plain": "clockwork.kit.checks.plain",
    "pe_helpers.checks.properties": "clockwork.kit.checks.properties",
    "pe_helpers.configurations": "clockwork.kit.configurations",
    "pe_helpers.datafiles": "clockwork.kit.datafiles",
    "pe_helpers.environment": "clockwork.kit.environment",
    "pe_helpers.faulty_encodings": "clockwork.lessons.lesson_10.faulty_encodings",
    "pe_helpers.glyphs": "clockwork.kit.glyphs",
    "pe_helpers.heads": "clockwork.kit.heads",
    "pe_helpers.layers": "clockwork.lessons.lesson_12.layers",
    "pe_helpers.lengths": "clockwork.lessons.lesson_08.lengths",
    "pe_helpers.memory": "clockwork.kit.memory",
    "pe_helpers.plots": "clockwork.kit.plots",
    "pe_helpers.plots.comparison": "clockwork.lessons.lesson_05.figures",
    "pe_helpers.plots.contexts": "clockwork.lessons.lesson_08.figures",
    "pe_helpers.plots.course": "clockwork.lessons.lesson_00.figures",
    "pe_helpers.plots.dials": "clockwork.lessons.lesson_03.figures",
    "pe_helpers.plots.doors": "clockwork.lessons.lesson_07.figures",
    "pe_helpers.plots.faults": "clockwork.lessons.lesson_10.figures",
    "pe_helpers.plots.hands": "clockwork.kit.plots.hands",
    "pe_helpers.plots.ladders": "clockwork.lessons.lesson_12.figures",
    "pe_helpers.plots.offsets": "clockwork.lessons.lesson_04.figures",
    "pe_helpers.plots.order": "clockwork.lessons.lesson_01.figures",
    "pe_helpers.plots.pretrained": "clockwork.lessons.lesson_11.figures",
    "pe_helpers.plots.sums": "clockwork.lessons.lesson_06.figures",
    "pe_helpers.plots.tables": "clockwork.lessons.lesson_09.figures",
    "pe_helpers.plots.waves": "clockwork.lessons.lesson_02.figures",
    "pe_helpers.pretrained": "clockwork.kit.pretrained",
    "pe_helpers.sweep": "clockwork.kit.sweep",
    "pe_helpers.widgets": "clockwork.kit.widgets",
    "pe_helpers.widgets.base": "clockwork.kit.widgets.base",
    "pe_helpers.widgets.clock": "clockwork.kit.widgets.clock",
    "pe_helpers.widgets.codes": "clockwork.kit.widgets.codes",
    "pe_helpers.widgets.cursor": "clockwork.kit.widgets.cursor",
    "pe_helpers.widgets.data": "clockwork.kit.widgets.data",
    "pe_helpers.widgets.faults": "clockwork.lessons.lesson_10.views.faults",
    "pe_helpers.widgets.gap": "clockwork.lessons.lesson_11.views.gap",
    "pe_helpers.widgets.guide": "clockwork.kit.widgets.guide",
    "pe_helpers.widgets.hands": "clockwork.kit.widgets.hands",
    "pe_helpers.widgets.ladder": "clockwork.lessons.lesson_12.views.ladder",
    "pe_helpers.widgets.offsets": "clockwork.lessons.lesson_04.views.offsets",
    "pe_helpers.widgets.places": "clockwork.lessons.lesson_01.views.places",
    "pe_helpers.widgets.planes": "clockwork.lessons.lesson_09.views.planes",
    "pe_helpers.widgets.progress": "clockwork.kit.widgets.progress",
    "pe_helpers.widgets.query": "clockwork.lessons.lesson_07.views.query",
    "pe_helpers.widgets.questions": "clockwork.kit.widgets.questions",
    "pe_helpers.widgets.real_heads": "clockwork.lessons.lesson_11.views.real_heads",
    "pe_helpers.widgets.sentence": "clockwork.lessons.lesson_01.views.sentence",
    "pe_helpers.widgets.sharpness": "clockwork.lessons.lesson_04.views.sharpness",
    "pe_helpers.widgets.sketch": "clockwork.lessons.lesson_04.views.sketch",
    "pe_helpers.widgets.slope": "clockwork.lessons.lesson_07.views.slope",
    "pe_helpers.widgets.slowing": "clockwork.lessons.lesson_08.views.slowing",
    "pe_helpers.widgets.stopped_hands": "clockwork.lessons.lesson_11.views.stopped_hands",
    "pe_helpers.widgets.stretch": "clockwork.lessons.lesson_08.views.stretch",
    "pe_helpers.widgets.take_apart": "clockwork.lessons.lesson_06.views.take_apart",
    "pe_helpers.widgets.trace": "clockwork.lessons.lesson_02.views.trace",
    "pe_helpers.widgets.trained": "clockwork.lessons.lesson_05.views.trained",
    "pe_helpers.widgets.two_tables": "clockwork.lessons.lesson_05.views.two_tables",
    "pe_helpers.widgets.typed": "clockwork.kit.widgets.typed",
    "pe_helpers.widgets.wave": "clockwork.lessons.lesson_02.views.wave",
    "pe_helpers.widgets.words": "clockwork.kit.widgets.words",
}
VIEWS = {  # what `pe_helpers.widgets` held and a lesson alone shows
    "Faults": "clockwork.lessons.lesson_10.views",
    "Gap": "clockwork.lessons.lesson_11.views",
    "Ladder": "clockwork.lessons.lesson_12.views",
    "Offsets": "clockwork.lessons.lesson_04.views",
    "Places": "clockwork.lessons.lesson_01.views",
    "Planes": "clockwork.lessons.lesson_09.views",
    "Query": "clockwork.lessons.lesson_07.views",
    "RealHeads": "clockwork.lessons.lesson_11.views",
    "Sentence": "clockwork.lessons.lesson_01.views",
    "Sharpness": "clockwork.lessons.lesson_04.views",
    "Sketch": "clockwork.lessons.lesson_04.views",
    "Slope": "clockwork.lessons.lesson_07.views",
    "Slowing": "clockwork.lessons.lesson_08.views",
    "StoppedHands": "clockwork.lessons.lesson_11.views",
    "Stretch": "clockwork.lessons.lesson_08.views",
    "TakeApart": "clockwork.lessons.lesson_06.views",
    "Trace": "clockwork.lessons.lesson_02.views",
    "TrainedModels": "clockwork.lessons.lesson_05.views",
    "TwoTables": "clockwork.lessons.lesson_05.views",
    "Wave": "clockwork.lessons.lesson_02.views",
    "stops": "clockwork.lessons.lesson_11.views",
}
POSITION_TABLES = "clockwork.lessons.lesson_09.position_tables"
TABLES = dict.fromkeys(("MINILM_TABLE", "load_position_table", "read_table"), POSITION_TABLES)  # once in `probes`
DIALS = dict.fromkeys(("dial", "rim", "row"), "clockwork.kit.plots.dials")
GONE = ("pe_helpers.checks.exercises",)  # a package without a module of its own
RUNS = {  # cells that show a recorded run which was measured otherwise since
    ("01_why_order_matters", "c50a"): "the logarithm of the index",
    ("08_beyond_the_training_length", "fa35d12c"): "the window that was measured then",
}
PACKAGES = ("pe_helpers", "clockwork")
WORDS = {name.split(".")[1] for name in MODULES if name.startswith("pe_helpers")}  # what old imports say
MAGIC = re.compile(r"^(\s*)[%!].*$", flags=re.M)
SORRY = "# Something that this cell imports has moved: CHANGELOG.md of the course says where to."
LEFT = "# The course no longer has {}: the lesson's new version shows what took its place."


class Names(types.ModuleType):
    """A module by its old name: what it held, from where it lies now."""

    def __init__(self, name: str, home: str = "", elsewhere: dict[str, str] | None = None):
        super().__init__(name, f"The old name of {home}.")
        self._home = home
        self._elsewhere = elsewhere or {}
        self.__path__ = []  # so that modules below it can be imported

    def __getattr__(self, name: str) -> object:
        home = self._elsewhere.get(name, self._home)
        if not home or name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(home), name)


widgets = Names("pe_helpers.widgets", "clockwork.kit.widgets", VIEWS)
probes = Names("pe_helpers.probes", "pe_helpers.probes", TABLES)
dials = Names("pe_helpers.plots.dials", "clockwork.lessons.lesson_03.figures", DIALS)
SPLIT = {module.__name__: module for module in (widgets, probes, dials)}


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import what has moved by its old name, where nothing else answers to it."""

    def find_spec(self, fullname, path=None, target=None):
        """Return where a moved module is found; nothing for all others."""
        if fullname in MODULES or fullname in GONE:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        """Return the module by its old name."""
        return SPLIT.get(spec.name) or Names(spec.name, MODULES.get(spec.name, ""))

    def exec_module(self, module):
        """Do nothing: what the module holds is imported when it is asked for."""


sys.meta_path.append(Finder())


def rewrite(source: str) -> str:
    """Return a cell's code with the imports of moved things as they are written now, the rest as it was.

    Above what cannot be rewritten stands one sentence that says so. Code without such an import is returned as it is.

    Example:
        >>> print(rewrite("from pe_helpers import alibi, sweep"))
        from clockwork.kit import sweep
        from pe_helpers import alibi
    """
    if not any(package in source for package in PACKAGES) or SORRY in source:
        return source
    try:
        tree = ast.parse(MAGIC.sub(r"\1pass", source))
    except SyntaxError:
        imports = re.findall(r"^\s*(?:from|import) +pe_helpers\b.*", source, flags=re.M)
        return (
            with_sentence(source)
            if any(re.search(rf"\b{word}\b", line) for line in imports for word in WORDS)
            else source
        )
    lines = source.split("\n")
    lost = False
    for node in sorted(ast.walk(tree), key=lambda node: -getattr(node, "lineno", 0)):
        if isinstance(node, ast.Import):
            lost |= any(alias.name in MODULES or alias.name in SPLIT for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
            new = [now(node.module, alias) for alias in node.names]
            lost |= None in new
            alone = lines[node.lineno - 1].strip() == lines[node.lineno - 1][node.col_offset :].strip()
            if None not in new and new != [(node.module, alias.name, alias.asname) for alias in node.names] and alone:
                indent = " " * node.col_offset
                tail = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
                lines[node.lineno - 1 : node.end_lineno] = [indent + line for line in statements(new)]
                lines[node.lineno - 2 + len(statements(new))] += tail
    new = "\n".join(lines)
    return with_sentence(new) if lost else new


def excuse(name: str, cells: list[tuple[str, str]]) -> list[str]:
    """Return the code of a notebook's cells with one sentence above each that asks for what is gone.

    Args:
        name: of the lesson, such as "06_adding_without_losing".
        cells: the id and the code of each, in order; imports are rewritten already.
    """
    modules: dict[str, types.ModuleType] = {}
    said = []
    for cell, source in cells:
        try:
            nodes = list(ast.walk(ast.parse(MAGIC.sub(r"\1pass", source))))
        except SyntaxError:
            nodes = []
        gone = [RUNS[name, cell]] if (name, cell) in RUNS else []
        gone += [missing for node in nodes if isinstance(node, ast.ImportFrom) for missing in bind(node, modules)]
        for own in [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]:
            modules.pop(own, None)  # the reader's, or the lesson's, from here on
        used = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
        found = [(node, modules[node.value.id]) for node in used if node.value.id in modules]
        gone += [ast.unparse(node) for node, module in found if not hasattr(module, node.attr)]
        sentence = LEFT.format(", ".join(dict.fromkeys(gone)))
        said.append(with_sentence(source, sentence) if gone and sentence not in source else source)
    return said


def bind(node: ast.ImportFrom, modules: dict[str, types.ModuleType]) -> list[str]:
    """Note the modules of the course that a statement imports, by the names they get; return what it asks in vain."""
    if (node.module or "").partition(".")[0] not in PACKAGES:
        return []
    missing = []
    for alias in node.names:
        try:
            module = importlib.import_module(node.module)
            if alias.name != "*" and not hasattr(module, alias.name):
                importlib.import_module(f"{node.module}.{alias.name}")
        except ModuleNotFoundError:
            missing.append(f"{node.module}.{alias.name}")
            continue
        if inspect.ismodule(found := getattr(module, alias.name, None)):
            modules[alias.asname or alias.name] = found
    return missing


def now(module: str, alias: ast.alias) -> tuple[str, str, str | None] | None:
    """Return from where an imported name comes now, what it is called there and here; None where it is gone."""
    full = f"{module}.{alias.name}"
    bound = alias.asname or alias.name
    if full in SPLIT:
        return "clockwork.moved", full.rpartition(".")[2], alias.asname
    if full in MODULES:
        home, _, name = MODULES[full].rpartition(".")
    elif module in SPLIT:
        home, name = SPLIT[module]._elsewhere.get(alias.name, SPLIT[module]._home), alias.name
        if alias.name != "*" and not hasattr(SPLIT[module], alias.name):
            return None
    else:
        home, name = MODULES.get(module, module), alias.name
    return home, name, bound if bound != name else None


def statements(names: list[tuple[str, str, str | None]]) -> list[str]:
    """Return the import statements of names, a line for each module."""
    homes: dict[str, list[str]] = {}
    for home, name, bound in sorted(names, key=str):
        homes.setdefault(home, []).append(f"{name} as {bound}" if bound else name)
    return [f"from {home} import {', '.join(names)}" for home, names in homes.items()]


def with_sentence(source: str, sentence: str = SORRY) -> str:
    """Put a sentence above a cell; below its first line where that line gives the cell to a magic."""
    first, *rest = source.split("\n")
    return "\n".join([first, sentence, *rest] if first.startswith("%%") else [sentence, first, *rest])
