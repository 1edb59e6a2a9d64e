// Ask Python what the reader's function gives: MicroPython where a page has it, else the notebook's kernel.
const SILENCE_MS = 12_000; // after which no kernel will answer
const PATIENCE_MS = 5000; // that the reader's function may take

/**
 * What `diagnoses.told(name, source)` says, or `{ refused }`.
 * @param {any} p the picture
 * @param {string} name of the function
 * @param {string} source
 * @param {boolean} own whether it is the reader's, and to be kept
 * @param {string} attend the reader's `attend`, where a code stands in front of it
 */
export async function ask(p, name, source, own = false, attend = "") {
  const python = globalThis.pePython;
  try {
    if (!python) return await kernel(p, { name, source, own, attend });
    const { said, stopped } = await python.within(
      PATIENCE_MS,
      "clockwork.kit.machine.diagnoses.told",
      name,
      source,
      attend,
    );
    return stopped ? { refused: stopped } : said;
  } catch (error) {
    console.warn(error);
    return { refused: "This browser cannot run Python in the page. In JupyterLab the lesson can." };
  }
}

function kernel(p, asked) {
  const id = (p.asked = (p.asked ?? 0) + 1);
  return new Promise((done) => {
    const end = (answer) => {
      clearTimeout(timer);
      p.model.off("msg:custom", hear);
      done(answer);
    };
    const hear = ({ machine }) => machine?.id === id && end(machine);
    const timer = setTimeout(
      () => end({ refused: "No kernel answers: run the cell above again, then try once more." }),
      SILENCE_MS,
    );
    p.model.on("msg:custom", hear);
    p.model.send({ machine: { ...asked, id } });
  });
}
