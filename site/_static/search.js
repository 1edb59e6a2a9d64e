// The search: numbers and symbols as they are typed, words in their forms, and the field's synonyms.
(() => {
  const LONGEST = 20;
  const STOP = new Set(
    "a an and are as at be been but by can do does for from had has have how i if in into is it its me my no not of on or our should so than that the their them then there these they this to use used was we were what when which who why will with would you your".split(
      " ",
    ),
  );
  const SUBJECT = new Set(["position", "encod", "embedd", "transformer"]); // stems that nearly every heading has
  const APART = /^SOURCES|#(?:sources|check-yourself|exercises|exercise-.*)$/; // they repeat the words of what they belong to
  const SIGNS = { "√": " sqrt ", θ: " theta ", ω: " omega ", π: " pi ", ᵀ: "", "’": "'", "–": "-", "−": "-" };
  const { entries, synonyms } = window.clockworkIndex;

  // One form of a word: without the endings of English, which numbers and names in code do not have.
  function stem(word) {
    if (/[\d_]/.test(word) || word.length < 5) return word;
    return word.replace(/(?:ational|ation|ings?|ies|ed|es|ly|s|e|al)$/, "");
  }

  // Where a name has a part of one letter, such as M-RoPE and x-pos, the parts are kept as one word, too.
  const SHORT = /(?<![\p{L}\d-])(?:\p{L}-[\p{L}\d]{2,}|[\p{L}\d]{2,}-\p{L})(?![\p{L}\d-])/gu;

  function tokens(text, split = false) {
    const plain = text
      .toLowerCase()
      .replace(/[√θωπᵀ’–−]/g, (sign) => SIGNS[sign])
      .replace(/(\d),(?=\d{3})/g, "$1")
      .replace(/(\d)k\b/g, "$1000");
    const found = [...plain.matchAll(SHORT)].map(([name]) => stem(name.replace("-", "")));
    for (const [word] of plain.matchAll(/\d+\.\d+|[\p{L}\d_]+/gu)) {
      const parts = split && word.includes("_") ? [word, ...word.split("_").filter(Boolean)] : [word];
      for (const part of parts) if (!STOP.has(part) && (part.length > 1 || /\d/.test(part))) found.push(stem(part));
    }
    return found;
  }

  const engine = new MiniSearch({
    fields: ["heading", "words", "says", "page", "text"],
    extractField: (entry, field) => [entry[field]].flat().join(" "),
    idField: "address",
    tokenize: (text) => tokens(text),
    processTerm: (term) => term,
  });
  engine.addAll(entries);

  // What a query asks for: its own words, and for less those that mean the same.
  function widened(query) {
    const asked = ` ${tokens(query).join(" ")} `;
    const more = synonyms.filter((group) => group.some((word) => asked.includes(` ${tokens(word).join(" ")} `)));
    return more.flat().filter((word) => !asked.includes(` ${tokens(word).join(" ")} `));
  }

  function search(query) {
    const options = {
      tokenize: (text) => tokens(text, true),
      boost: { heading: 4, words: 4, says: 2, page: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (/\d/.test(term) || term.length < 6 ? false : term.length < 8 ? 1 : 2),
      boostTerm: (term) => (SUBJECT.has(term) ? 0.2 : 1),
      boostDocument: (address) => (address.startsWith("questions.html#") ? 1.3 : APART.test(address) ? 0.6 : 1),
    };
    const scores = new Map();
    const count = (words, weight) => {
      for (const { id, score } of engine.search(words, options)) scores.set(id, (scores.get(id) ?? 0) + weight * score);
    };
    count(query, 1);
    for (const word of widened(query)) count(word, 0.4);
    const asked = tokens(query).join(" ");
    const named = ({ words }) => words.split(",").some((one) => asked && tokens(one).join(" ") === asked);
    const found = [...scores]
      .sort((a, b) => b[1] - a[1])
      .map(([address]) => entries.find((e) => e.address === address));
    return [...found.filter(named), ...found.filter((entry) => !named(entry))]; // what was typed is some heading's name
  }

  const field = document.getElementById("pe-query");
  const status = document.querySelector(".pe-found");
  const list = document.querySelector(".pe-results");
  const element = (name, text, properties = {}) =>
    Object.assign(document.createElement(name), { textContent: text, ...properties });

  function show() {
    const query = field.value.trim();
    const found = query ? search(query) : [];
    list.replaceChildren(
      ...found.slice(0, LONGEST).map(({ page, heading, address, says }) => {
        const item = document.createElement("li");
        item.append(element("a", heading, { href: address }));
        if (page !== heading) item.append(element("small", page));
        for (const line of says.slice(0, 2)) item.append(element("p", line));
        return item;
      }),
    );
    const few = Math.min(found.length, LONGEST);
    status.textContent = !query
      ? ""
      : few
        ? `${few} of ${found.length} places for “${query}”`
        : `Nothing for “${query}”.`;
  }

  // Move the focus among the field and the results, from the one that has it.
  function step(by) {
    const stops = [field, ...list.querySelectorAll("a")];
    const now = Math.max(0, stops.indexOf(document.activeElement));
    stops[Math.min(Math.max(now + by, 0), stops.length - 1)].focus();
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", show);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    step(1);
  });
  document.querySelector("article").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault(); // the page would scroll
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  });
  show();
  if (field.value) step(1); // asked on another page: the results are what the reader wants to reach
  window.clockworkSearch = search;
})();
