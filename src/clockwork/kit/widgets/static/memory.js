// What the reader answered, kept in the browser's storage and, while a kernel runs, in the reader's file (memory.py, where
// the rules of merging stand). All widgets of a page share one memory; without storage it lasts as long as the page.
// Several readers of one browser may keep their answers apart, each under a name.
function newMemory() {
  const BATCH_MS = 100,
    PATIENCE_MS = 3000;
  const home = `clockwork ${baseOf(document.getElementById("jupyter-config-data"))}`,
    asked = `${home} reader`,
    apart = `${home} of `; // before the name of one of several readers
  const acts = new Set(),
    waiting = new Map();
  let reader = stored(asked) ?? "",
    book = read();

  // On a hub many readers share one origin, each under an address of their own.
  function baseOf(settings) {
    return settings ? JSON.parse(settings.textContent).baseUrl : "/";
  }

  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // no storage here
    }
  }

  function store(key, text) {
    try {
      localStorage.setItem(key, text);
    } catch {
      // no storage here
    }
  }

  function place() {
    return reader ? apart + reader : home;
  }

  function read() {
    try {
      return merged(JSON.parse(stored(place())));
    } catch {
      return merged();
    }
  }

  function turnTo(name) {
    reader = name;
    book = read();
    for (const act of [...acts]) act();
  }

  function adopt(other) {
    const before = JSON.stringify(book);
    book = merged(book, read(), other);
    if (JSON.stringify(book) === before) return;
    store(place(), JSON.stringify(book));
    for (const act of [...acts]) act();
  }

  function send(model, part, all) {
    try {
      model.send({ memory: part, reader, all });
    } catch {
      // the kernel has ended: the next one is told when its first widget is shown
    }
  }

  function bring(model, part) {
    adopt(part);
    send(model, part, false);
  }

  // Two events may fall into one tick of the clock: the later one counts as later.
  function now(...earlier) {
    return Math.max(Date.now(), 1 + Math.max(0, ...earlier));
  }

  // One widget of a notebook exchanges books for all of them; where it belongs to an ended kernel, another one tries.
  function exchange(manager) {
    const { models, timer } = waiting.get(manager);
    clearTimeout(timer);
    const model = models.pop();
    if (!model) return waiting.delete(manager);
    send(model, book, true);
    waiting.set(manager, { models, timer: setTimeout(() => exchange(manager), PATIENCE_MS) });
  }

  addEventListener("storage", (event) => {
    if (event.key === asked) turnTo(event.newValue ?? "");
    if (event.key === place()) adopt();
  });

  return {
    record: (key) => book.records[key],
    book: () => book,
    bring,
    reader: () => reader,
    readers: () =>
      Object.keys(localStorage)
        .filter((key) => key.startsWith(apart))
        .map((key) => key.slice(apart.length)),
    switch(model, name) {
      store(asked, name);
      turnTo(name);
      send(model, book, true);
    },
    remember(model, key, value) {
      const at = now(book.cleared, book.records[key]?.at ?? 0);
      bring(model, { cleared: 0, records: { [key]: { value, at, first: value, first_at: at } } });
    },
    clear: (model) =>
      bring(model, { cleared: now(...Object.values(book.records).map((record) => record.at)), records: {} }),
    attach(model, stop) {
      const manager = model.widget_manager;
      const hear = (content) => {
        if (!content?.memory || content.reader !== reader) return;
        if (content.all && waiting.has(manager)) waiting.get(manager).models.length = 0;
        adopt(content.memory);
      };
      model.on("msg:custom", hear);
      stop.addEventListener("abort", () => model.off("msg:custom", hear));
      const { models = [], timer } = waiting.get(manager) ?? {};
      clearTimeout(timer);
      waiting.set(manager, { models: [...models, model], timer: setTimeout(() => exchange(manager), BATCH_MS) });
    },
    listen(act, stop) {
      acts.add(act);
      stop?.addEventListener("abort", () => acts.delete(act));
    },
  };
}

function merged(...books) {
  const whole = books.filter((one) => one && typeof one.records === "object");
  const cleared = Math.max(0, ...whole.map((one) => one.cleared ?? 0)),
    records = {};
  for (const one of whole)
    for (const [key, record] of Object.entries(one.records)) {
      if (!(record?.at > cleared)) continue;
      const { value, at } = record;
      const since = record.first_at > cleared ? record : { value, at, first: value, first_at: at };
      records[key] = newer(since, records[key] ?? since);
    }
  return { cleared, records };
}

function newer(record, other) {
  const last = other.at >= record.at ? other : record,
    first = other.first_at <= record.first_at ? other : record;
  return { value: last.value, at: last.at, first: first.first, first_at: first.first_at };
}

export const memory = (globalThis.peMemory ??= newMemory());
