"""Ask CPython and the MicroPython of the site the same of the reader's machine."""

import json
import shutil
import subprocess
from pathlib import Path

from conftest import require
from tools import site

PAGE = """
import { loadMicroPython } from "./micropython.mjs";
import fs from "fs";
const { files, asked } = JSON.parse(fs.readFileSync(0));
const python = await loadMicroPython({ url: process.argv[2], heapsize: 16 * 2 ** 20 });
for (const [path, text] of Object.entries(files)) {
  const folders = path.split("/").slice(0, -1);
  folders.forEach((_, i) => {
    const folder = `/${folders.slice(0, i + 1).join("/")}`;
    if (!python.FS.analyzePath(folder).exists) python.FS.mkdir(folder);
  });
  python.FS.writeFile(`/${path}`, text);
}
process.on("uncaughtException", (error) => {
  console.error(String(error.message)); // without the whole program around it
  process.exit(1);
});
const said = asked.map(([call, given]) => {
  const [, module, name] = call.match(/(.*)\\.(.*)/);
  python.globals.set("given", JSON.stringify(given));
  python.runPython(`import json\\nfrom ${module} import ${name}\\nsaid = json.dumps(${name}(*json.loads(given)))`);
  return JSON.parse(python.globals.get("said"));
});
console.log(JSON.stringify(said));
"""


def in_micropython(asked: list[tuple[str, list]], folder: Path) -> list:
    """Return what each call, such as ("clockwork.kit.machine.plain.answer", ["code", text]), gives on the site."""
    require(shutil.which("node"), "node is missing: install Node.js")
    assert site.vendor() is None
    package = site.VENDOR / "node_modules" / site.MICROPYTHON
    for name in ("micropython.mjs", "micropython.wasm"):
        shutil.copy(package / name, folder)
    (folder / "page.mjs").write_text(PAGE, "utf-8")
    given = json.dumps({"files": site.micropython()["files"], "asked": asked})
    command = ["node", folder / "page.mjs", folder / "micropython.wasm"]
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
