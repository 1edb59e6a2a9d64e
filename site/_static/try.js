// Exercises solved in the page: the notebook's cell becomes a field, and MicroPython runs it with the notebook's check.
(() => {
  const REST_MS = 500; // after its last key a field is at rest
  const MARKS = { "✔": "pe-right", "✘": "pe-wrong", "○": "pe-blank" };
  const element = (name, properties, ...parts) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...parts);
    return made;
  };
  const memory = () => window.peMemory; // of the page's widgets
  const remember = (key, value) => memory()?.remember({ send() {} }, key, value);

  for (const cell of document.querySelectorAll(".cell.tag_try")) {
    const code = cell.querySelector(".cell_input");
    const note = cell.querySelector(".pe-elsewhere");
    const first = code.querySelector("pre").textContent.trimEnd();
    const [, check] = first.match(/checks\.(\w+)\(/);
    const [, lesson] = note
      .querySelector("a")
      .getAttribute("href")
      .match(/(\d\d[a-z]?)_/);
    const key = `try/${lesson}/${check}`;
    const field = element("textarea", { spellcheck: false, autocapitalize: "off", autocomplete: "off" });
    const button = (text, act) => element("button", { type: "button", textContent: text, onclick: act });
    const runs = button("Run", attempt);
    const stops = button("Stop", () => window.pePython.stop("Stopped."));
    const begins = button("Start again", () => {
      write(first);
      keep();
    });
    const said = element("div", { className: "pe-said" });
    said.setAttribute("role", "status");
    const help = "Runs in your browser, with math and lists. Shift+Enter runs it, too.";
    const label = element("label", { className: "pe-field" }, element("span", {}, "Your code"), field);
    const bar = element("div", { className: "pe-bar" }, runs, stops, begins, element("small", {}, help));
    code.classList.add("pe-on-paper");
    code.after(element("div", { className: "pe-try" }, label, bar, said));
    note.hidden = true;
    stops.disabled = true;
    write(memory()?.record(key)?.value ?? first); // where the widgets were faster
    document.addEventListener("clockwork:mounted", () => {
      let reader = memory()?.reader();
      write(memory()?.record(key)?.value ?? field.value);
      memory()?.listen(() => {
        if (memory().reader() === reader) return;
        reader = memory().reader();
        write(memory().record(key)?.value ?? first);
      });
    });

    function write(text) {
      field.value = text;
      fit();
    }

    // What is typed is there tomorrow, whether or not it was run.
    function keep() {
      clearTimeout(resting);
      if (field.value !== (memory()?.record(key)?.value ?? first)) remember(key, field.value);
    }

    function fit() {
      field.rows = Math.max(4, field.value.split("\n").length + 1);
    }

    let resting;
    field.addEventListener("input", () => {
      fit();
      clearTimeout(resting);
      resting = setTimeout(keep, REST_MS);
    });
    field.addEventListener("blur", keep);
    addEventListener("pagehide", keep);
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      if (event.shiftKey || event.ctrlKey) return attempt();
      const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
      const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
      field.setRangeText(`\n${indent}`, field.selectionStart, field.selectionEnd, "end");
      fit();
    });

    function attempt() {
      runs.disabled = true;
      stops.disabled = false;
      said.replaceChildren(element("p", {}, "Running …"));
      window.pePython
        .run("cell.run", field.value, lesson)
        .then(show, (error) => {
          console.warn(error);
          note.hidden = false;
          said.replaceChildren(element("p", {}, "This browser cannot run Python in the page."));
        })
        .finally(() => {
          runs.disabled = false;
          stops.disabled = true;
        });
    }

    function show({ printed = [], said: messages = [], stopped }) {
      const parts = printed.length ? [element("pre", {}, printed.join("\n"))] : [];
      for (const [mark, text] of messages)
        if (mark === "keep") remember(`machine/${text[0]}`, text[1]);
        else if (mark === "error") parts.push(element("pre", { className: "pe-wrong" }, text));
        else parts.push(element("p", { className: MARKS[mark] }, element("b", {}, mark), ` ${text}`));
      if (stopped) parts.push(element("p", { className: "pe-wrong" }, stopped));
      if (!parts.length) parts.push(element("p", {}, "It ran and said nothing: is the call of the check still there?"));
      said.replaceChildren(...parts);
      keep();
      const passed = messages.some(([mark]) => mark === "✔");
      if (passed || !memory()?.record(`exercise/${lesson}/${check}`)) remember(`exercise/${lesson}/${check}`, passed);
    }
  }
})();
