// Predict (it has an answer and records one guess) and Choose (it has feedback for every choice).
function radios(p, chosen, act) {
  const name = `pe-${(serial += 1)}`,
    set = element("fieldset", {}),
    legend = element("legend");
  legend.innerHTML = p.get("question");
  set.append(legend);
  for (const [choice, page] of p.get("choices")) {
    const input = element("input", { type: "radio", name, value: choice }),
      label = element("label", {}, input),
      words = element("span");
    words.innerHTML = page;
    label.append(words);
    input.checked = choice === chosen;
    input.addEventListener("change", () => act(choice));
    set.append(label);
  }
  p.root.append(set);
  return set;
}

const field = (set) => [...set.querySelectorAll("input")];
const pageOf = (p, choice) => p.get("choices").find(([name]) => name === choice)[1];

function choose(p) {
  const set = radios(p, p.get("chosen"), (choice) => {
    p.set("chosen", choice);
    p.settle();
  });
  const status = element("div", { role: "status" });
  const show = () => {
    const chosen = p.get("chosen"),
      right = chosen === p.get("correct");
    for (const input of field(set)) input.checked = input.value === chosen;
    status.className = chosen === null ? "" : `pe-answer ${right ? "pe-right" : "pe-wrong"}`;
    status.innerHTML = chosen === null ? "" : `<b>${right ? "✓" : "✗"}</b> ${p.get("feedback")[chosen]}`;
  };
  p.root.append(status);
  listen(p.model, "change:chosen", show, p.stop);
  show();
}

function predict(p) {
  const { low, high, step, unit } = p.get("scale"),
    counted = low !== undefined;
  const commit = element("button", { type: "button", class: "pe-button", disabled: "" }, "This is my guess");
  const status = element("div", { role: "status" });
  let wanted = null;
  const want = (guess) => {
    wanted = guess;
    commit.disabled = false;
  };
  const digits = counted ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0;
  const named = (value) => (counted ? `${say(value, Math.max(3, digits))} ${unit}`.trim() : pageOf(p, value));
  const set = counted ? ruler(p, want, digits) : radios(p, null, want);
  const place = (value) => `${(100 * (value - low)) / (high - low)}%`;
  const show = () => {
    const guess = p.get("guess"),
      answer = p.get("answer"),
      done = guess !== null && guess !== undefined;
    for (const input of field(set)) {
      input.disabled = done;
      if (done && counted) set.put(guess);
      else if (done) input.checked = input.value === guess;
    }
    commit.hidden = done;
    status.className = done ? "pe-answer" : "";
    status.innerHTML = !done
      ? ""
      : `<dl><dt>${counted ? "○ " : ""}Your guess</dt><dd>${named(guess)}</dd><dt>${counted ? "● " : ""}The answer</dt><dd>${named(answer)}</dd></dl>${
          counted
            ? `<div class="pe-track" aria-hidden="true"><i style="left:${place(guess)}"></i><b style="left:${place(answer)}"></b></div>`
            : ""
        }<p>${p.get("because")}</p>`;
  };
  commit.addEventListener("click", () => {
    p.set("guess", wanted);
    p.settle();
    status.focus();
  });
  status.tabIndex = -1;
  p.root.append(commit, status);
  listen(p.model, "change:guess", show, p.stop);
  show();
}

function ruler(p, want, digits) {
  const { low, high, step, unit } = p.get("scale"),
    id = `pe-${(serial += 1)}`;
  const label = element("label", { for: id, class: "pe-question" }),
    output = element("output", { for: id });
  label.innerHTML = p.get("question");
  const input = element("input", { type: "range", id, min: low, max: high, step, value: (low + high) / 2 });
  const write = () => {
    output.textContent = `${Number(input.value).toFixed(digits).replace("-", "−")} ${unit}`.trim();
  };
  output.style.minWidth = `${Math.max(...[low, high].map((v) => v.toFixed(digits).length)) + (unit ? unit.length + 1 : 0)}ch`;
  input.addEventListener("input", () => {
    write();
    want(Number(input.value));
  });
  output.textContent = "?";
  const row = element("div", { class: "pe-slider" }, input, output);
  p.root.append(label, row);
  return Object.assign(row, {
    put: (value) => {
      input.value = value;
      write();
    },
  });
}

export default view({
  build(p) {
    p.root.classList.add("pe-card");
    p.root.addEventListener("keydown", keepKeys);
    (p.model.get("feedback") ? choose : predict)(p);
  },
});
