"""The JavaScript of widgets and playground: its types, and its modules put into one text."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import require

import clockwork
from clockwork.kit import modules
from clockwork.kit.playground import bundle

TYPESCRIPT = "typescript@5.9.3"


@pytest.fixture(scope="module")
def tsc(tmp_path_factory):
    """Fetch TypeScript into a folder that is thrown away; return its compiler."""
    npm = shutil.which("npm")
    folder = tmp_path_factory.mktemp("npm")
    if npm:
        command = [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        subprocess.run([*command, TYPESCRIPT], check=False, capture_output=True)
    found = folder / "node_modules/typescript/bin/tsc"
    require(found.exists(), f"{TYPESCRIPT} is missing: install Node.js (npm) and connect to the network")
    return found


@pytest.mark.parametrize("folder", [Path(clockwork.__file__).parent, bundle.STATIC], ids=["widgets", "playground"])
def test_the_types_of_all_modules_agree(folder, tsc):
    result = subprocess.run(["node", tsc, "-p", folder], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.fixture
def two(tmp_path):
    """Return a function that writes two modules, of which the first is the entry."""

    def write(first, second):
        (tmp_path / "one.js").write_text(first)
        (tmp_path / "room").mkdir()
        (tmp_path / "room/two.js").write_text(second)
        return tmp_path / "one.js"

    return write


def test_each_module_stands_once_after_what_it_imports_and_only_a_default_is_exported(two):
    first = (
        '// Says a.\nimport "./one.css";\nimport { b } from "./room/two.js";\nexport default [a, b];\nconst a = 1;\n'
    )
    entry = two(first, 'import "../one.css";\nexport const b = 2;\n')
    assert modules.joined(entry) == "const b = 2;\nexport default [a, b];\nconst a = 1;\n"
    assert modules.styles(entry) == [entry.with_suffix(".css")]


def test_two_modules_cannot_give_one_name_to_two_things(two):
    entry = two('import { b } from "./room/two.js";\nexport const a = b;\n', "const a = 1;\nexport const b = a;\n")
    with pytest.raises(ValueError, match="a name must be defined once"):
        modules.joined(entry)


def test_modules_cannot_import_each_other_in_a_circle(two):
    entry = two(
        'import { b } from "./room/two.js";\nexport const a = 1;\n',
        'import { a } from "../one.js";\nexport const b = 2;\n',
    )
    with pytest.raises(ValueError, match="in a circle"):
        modules.joined(entry)


def test_a_module_apart_takes_what_it_imports_from_the_others_and_gives_what_it_exports(two, tmp_path):
    entry = two(
        'import { b } from "./room/two.js";\nexport const a = 1;\nexport default [a, b, given];\n',
        "// Two.\nconst a = 7; // a name of its own\nexport const b = a;\n",
    )
    parts = [
        f"{modules.named(path, tmp_path)}: {modules.apart(path, tmp_path, 'const given = 3;')}"
        for path in modules.modules(entry)
    ]
    made = "const held = { " + ",".join(parts) + " };"
    run = made + " const all = new Proxy({}, { get: (_, name) => held[name](all) });"
    run += " console.log(JSON.stringify(all['one.js']));"
    found = subprocess.run(["node", "-e", run], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == {"a": 1, "default": [1, 7, 3]}


def test_only_a_picture_s_own_module_knows_its_engine():
    package = Path(clockwork.__file__).parent
    for path in [*package.rglob("kit/*/*.js"), *package.rglob("widgets/static/*.js"), *package.rglob("views/*.js")]:
        text = path.read_text("utf-8")
        assert "engine." not in text or "\nexport default" in text, f"{path.name}: pages share this module"
