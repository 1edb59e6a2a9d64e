// Calls functions in MicroPython, away from the page: a loop without an end can be stopped by ending this worker.
const MEMORY = 16 * 2 ** 20; // bytes for the reader's objects
const LINES = 200; // that a cell may print
let python;
let printed = [];

async function start({ module, wasm, files }) {
  const address = (part, type) => URL.createObjectURL(new Blob([part], { type }));
  const { loadMicroPython } = await import(address(module, "text/javascript"));
  const binary = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
  const started = await loadMicroPython({
    url: address(binary, "application/wasm"),
    heapsize: MEMORY,
    stdout: (line) => printed.length < LINES && printed.push(line),
  });
  for (const [path, text] of Object.entries(files)) {
    const folders = path.split("/").slice(0, -1);
    folders.forEach((_, i) => {
      const folder = `/${folders.slice(0, i + 1).join("/")}`;
      if (!started.FS.analyzePath(folder).exists) started.FS.mkdir(folder);
    });
    started.FS.writeFile(`/${path}`, text);
  }
  return started;
}

onmessage = async ({ data: { packed, call, given } }) => {
  try {
    const interpreter = await (python ??= start(packed));
    printed = [];
    const [, module, name] = call.match(/(.*)\.(.*)/);
    interpreter.globals.set("given", JSON.stringify(given));
    interpreter.runPython(`import json\nfrom ${module} import ${name}\nsaid = json.dumps(${name}(*json.loads(given)))`);
    postMessage({ printed, said: JSON.parse(interpreter.globals.get("said")) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
