// What the memory holds of the questions and exercises of each lesson: one dot a question, one square an exercise.
import "./progress.css";
import { element, keepKeys, nextId } from "./elements.js";
import { view } from "./kit.js";
import { memory } from "./memory.js";

const STATES = {
  first: "right at the first guess",
  later: "answered",
  open: "not answered yet",
  passed: "exercise passed",
  waiting: "exercise not passed yet",
};

function stateOfQuestion({ key }) {
  const record = memory.record(key);
  if (!record) return "open";
  return record.first.right ? "first" : "later";
}

// What is said of these questions and exercises, and their states.
function counted(questions, exercises) {
  const states = questions.map(stateOfQuestion),
    count = (state) => states.filter((one) => one === state).length;
  const passed = exercises.map((key) => (memory.record(key)?.value === true ? "passed" : "waiting"));
  const said = [];
  if (questions.length)
    said.push(
      `${questions.length - count("open")} of ${questions.length} answered, ${count("first")} right at the first guess`,
    );
  if (exercises.length)
    said.push(`${passed.filter((one) => one === "passed").length} of ${exercises.length} exercises passed`);
  return { said: said.join("; "), states: [...states, ...passed] };
}

function lessonRow({ lesson, title, questions, exercises, beside }) {
  const aside = ({ key }) => beside.includes(key);
  const page = counted(
    questions.filter((q) => !aside(q)),
    exercises.filter((key) => !aside({ key })),
  );
  const paths = counted(
    questions.filter(aside),
    exercises.filter((key) => aside({ key })),
  );
  const dots = element("span", { class: "pe-dots", "aria-hidden": "true" });
  for (const state of [...page.states, ...paths.states]) dots.append(element("i", { class: `pe-${state}` }));
  const missed = questions.filter((q) => !q.predict && stateOfQuestion(q) === "later");
  const place = (q) =>
    [q.lesson === lesson ? "" : q.lesson, q.section || paragraph(q.ask).textContent].join(" ").trim();
  const again = [...new Set(missed.map(place))];
  const row = element("li", {}, element("h3", {}, `${lesson} ${title}`), dots, element("p", {}, page.said));
  if (beside.length) row.append(element("p", {}, `Side paths: ${paths.said}`));
  if (again.length) row.append(element("p", { class: "pe-again" }, element("b", {}, "Read again: "), again.join("; ")));
  return row;
}

function paragraph(html) {
  const made = element("p");
  made.innerHTML = html;
  return made;
}

function key(label, act) {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", () => act(made));
  return made;
}

export default view({
  build(p) {
    const lessons = p.model.get("lessons"),
      list = element("ul", { class: "pe-lessons" }),
      status = element("p", { role: "status" });
    const legend = element("p", { class: "pe-legend" });
    for (const [state, words] of Object.entries(STATES))
      legend.append(element("span", {}, element("i", { class: `pe-${state}`, "aria-hidden": "true" }), words));
    const save = key("Save a copy", () => {
      const copy = new Blob([JSON.stringify(memory.book(), null, 1)], { type: "application/json" });
      const link = element("a", { href: URL.createObjectURL(copy), download: "clockwork-answers.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
    const file = element("input", { type: "file", accept: "application/json", hidden: "" });
    file.addEventListener("change", async () => {
      try {
        const copy = JSON.parse(await file.files[0].text());
        if (typeof copy.records !== "object") throw new TypeError("no records");
        memory.bring(p.model, copy);
        status.textContent = "The copy's answers are here.";
      } catch {
        status.textContent = "This file is no copy of answers.";
      }
      file.value = "";
    });
    const bring = key("Bring back a copy", () => file.click());
    let sure = false;
    const clear = key("Forget everything", () => {
      if (sure) memory.clear(p.model);
      status.textContent = sure ? "Everything is forgotten." : "All answers of all lessons will be forgotten.";
      sure = !sure;
      clear.textContent = sure ? "Really forget everything" : "Forget everything";
      clear.classList.toggle("pe-sure", sure);
    });
    clear.addEventListener("blur", () => {
      sure = false;
      clear.textContent = "Forget everything";
      clear.classList.remove("pe-sure");
    });
    const names = element("datalist", { id: nextId() });
    const named = element("input", { type: "text", maxlength: "40", list: names.id, placeholder: "everybody here" });
    named.addEventListener("focus", () =>
      names.replaceChildren(...memory.readers().map((one) => element("option", { value: one }))),
    );
    named.addEventListener("change", () => {
      memory.switch(p.model, named.value.trim());
      status.textContent = memory.reader() ? `The answers of ${memory.reader()} are shown and kept.` : "";
    });
    const whose = element(
      "label",
      { class: "pe-whose" },
      "Several people use this computer? Answers of ",
      named,
      names,
    );
    p.root.classList.add("pe-progress");
    p.root.addEventListener("keydown", keepKeys);
    p.root.append(list, legend, element("div", { class: "pe-actions" }, save, bring, clear, file), whose, status);
    const untouched = element("ul", { class: "pe-lessons" }),
      later = element("details", {}, element("summary", {}, "Lessons that you have not begun"), untouched);
    if (lessons.length > 1) list.after(later);
    const begun = ({ questions, exercises }) =>
      [...questions.map(({ key }) => key), ...exercises].some((key) => memory.record(key));
    const show = () => {
      named.value = memory.reader();
      const now = lessons.filter((one) => lessons.length === 1 || begun(one));
      list.replaceChildren(...now.map(lessonRow));
      untouched.replaceChildren(...lessons.filter((one) => !now.includes(one)).map(lessonRow));
    };
    p.recalled(show);
    show();
  },
});
