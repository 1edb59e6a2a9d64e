// Configurations that a reader pastes, read in the page by the package's own file; the last reading stays until the next.
(() => {
  const form = document.querySelector("#clockwork-configurations");
  const said = document.querySelector("#clockwork-reading");
  const fields = [...form.querySelectorAll("textarea")];
  const [length, scale] = form.querySelectorAll("[name=length], [name=scale]");
  let reading = false;
  let again = false;

  // Say below a field what keeps its text from being JSON; an empty second field is no fault.
  function fault(field, i) {
    let told = "";
    try {
      if (field.value.trim() || i === 0) JSON.parse(field.value);
    } catch (error) {
      const hint = "JSON has double quotes, true, false and null, and no comma before a closing bracket.";
      told = field.value.trim() ? `This is not JSON yet: ${error.message}. ${hint}` : "Paste a config.json here.";
    }
    field.setAttribute("aria-invalid", Boolean(told));
    document.getElementById(field.getAttribute("aria-describedby")).textContent = told;
    return told;
  }

  async function read() {
    const faults = fields.map(fault).filter(Boolean);
    const stale = faults.length > 0 || !length.validity.valid;
    said.classList.toggle("pe-stale", stale);
    if (stale) return;
    again = reading;
    if (reading) return;
    reading = true;
    try {
      const texts = fields.map((field) => field.value).filter((text) => text.trim());
      const answer = await window.pePython.run(form.dataset.call, texts, Number(length.value));
      if (answer.stopped) throw new Error(answer.stopped);
      said.innerHTML = answer.said; // names that a configuration holds are escaped there
    } catch (error) {
      const told = document.createElement("p");
      told.textContent = `The reading broke off: ${error.message}`;
      said.replaceChildren(told);
    }
    reading = false;
    if (again) read();
  }

  function follow() {
    scale.value = Math.log2(length.value);
    scale.setAttribute("aria-valuetext", `${Number(length.value).toLocaleString("en")} tokens`);
  }

  form.addEventListener("input", ({ target }) => {
    if (target.dataset.fills) form.querySelector(`#${target.dataset.fills}`).value = target.value;
    if (target.name === "scale") length.value = Math.round(2 ** target.value);
    follow();
    read();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  if (fields.some((field) => field.value !== field.defaultValue) || length.value !== length.defaultValue) {
    follow();
    read(); // the browser brought back what was typed
  }
})();
