"""Which cells of a lesson must run before one that shows a widget: those from which its names come."""

import ast
import symtable

import nbformat

MAKERS = {"widgets", "views", "clock"}  # the modules that a lesson takes its widgets from


def widget_cells(notebook: nbformat.NotebookNode) -> list[int]:
    """List the cells that show widgets, and those from which the names that they use come, in order."""
    return sorted(set().union(*needs(notebook).values()))


def needs(notebook: nbformat.NotebookNode) -> dict[int, set[int]]:
    """Return for each cell that shows widgets those cells from which the names that it uses come, and itself."""
    codes = {i: names(cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    made = set()
    needed = {}
    for i, (binds, _, shows, last) in codes.items():
        if not shows and not last & made:
            continue
        made |= binds if shows else set()
        cells = {i}
        queue = [i]
        while queue:
            at = queue.pop()
            for name in codes[at][1]:
                source = max((j for j in codes if j < at and name in codes[j][0]), default=at)
                if source not in cells:
                    cells.add(source)
                    queue.append(source)
        needed[i] = cells
    return needed


def names(source: str) -> tuple[set[str], set[str], bool, set[str]]:
    """Return the names that a cell binds, those it uses, whether it makes a widget, and the name it ends with.

    A name that it imports comes from no other cell.
    """
    tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()))
    binds = set()
    surely = set()  # bound by now, whichever way the code goes
    uses = set()
    for statement in tree.body:
        table = symtable.symtable(ast.unparse(statement), "a cell", "exec")
        made = {name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()}
        read = {name.get_name() for name in table.get_symbols() if name.is_referenced()} | free(table)
        read |= {node.target.id for node in ast.walk(statement) if is_added_to(node)}
        uses |= read - surely - first_bound(statement)
        binds |= made
        surely |= set() if isinstance(statement, (ast.If, ast.Try, ast.While)) else made
    shows = any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MAKERS
        for node in ast.walk(tree)
    )
    imports = {(alias.asname or alias.name).split(".")[0] for alias in ast.walk(tree) if isinstance(alias, ast.alias)}
    end = tree.body[-1] if tree.body else None
    last = {end.value.id} if isinstance(end, ast.Expr) and isinstance(end.value, ast.Name) else set()
    return binds | imports, uses - imports, shows, last


def free(table: symtable.SymbolTable) -> set[str]:
    """Return the names of the notebook that functions and comprehensions inside a scope read."""
    found = set()
    for inner in table.get_children():
        found |= {name.get_name() for name in inner.get_symbols() if name.is_global()} | free(inner)
    return found


def first_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds before it reads them: of its loops, contexts, functions and classes."""
    places = []
    for node in ast.walk(statement):
        if isinstance(node, ast.For):
            places.append(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            places.append(node.optional_vars)
    names = {node.id for place in places for node in ast.walk(place) if isinstance(node, ast.Name)}
    return names | ({statement.name} if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else set())


def is_added_to(node: ast.AST) -> bool:
    """Say whether a node reads the name that it binds: `count += 1`."""
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
