// A page's own switches: all code at once (remembered), boxes that scroll reached by keyboard, printing with hints open.
(() => {
  const KEY = "clockwork code";
  const recall = () => {
    try {
      return localStorage.getItem(KEY) === "shown";
    } catch {
      return false;
    }
  };
  const folds = document.querySelectorAll(".cell details.hide.above-input");
  const button = document.querySelector(".pe-all-code");
  const show = (open) => {
    for (const fold of folds) fold.open = open;
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Hide the code" : "Show all code";
  };
  if (button && folds.length) {
    button.hidden = false;
    show(recall());
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-pressed") !== "true";
      show(open);
      try {
        localStorage.setItem(KEY, open ? "shown" : "folded");
      } catch {
        // no storage here: the choice lasts as long as the page
      }
    });
  }

  // On paper: the light theme, hints and answers where wanted, and every figure that was not looked at yet.
  const print = document.querySelector(".pe-print");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", async () => {
      const folds = [...document.querySelectorAll("article details:not(.above-input, .pe-numbers, [open])")];
      if (folds.length && confirm("Print with hints and answers unfolded?")) {
        for (const fold of folds) fold.open = true;
        addEventListener("afterprint", () => folds.forEach((fold) => (fold.open = false)), { once: true });
        await new Promise((drawn) => setTimeout(drawn, 600)); // a live picture is drawn once its fold is open
      }
      window.print();
    });
  }
  const page = document.documentElement.dataset;
  let theme;
  addEventListener("beforeprint", () => {
    theme = page.theme;
    page.theme = "light";
    for (const image of document.querySelectorAll("article img.pe-light")) image.loading = "eager";
  });
  addEventListener("afterprint", () => (page.theme = theme));

  // A link into a fold opens it. What a question veils stays closed: the question is there to be answered.
  // A link to a side path that has got a page of its own goes on to that page.
  const moved = JSON.parse(document.querySelector("[data-moved]")?.dataset.moved ?? "{}");
  const arrive = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    const cell = wanted.replace(/^(cell-.+)-\d+$/, "$1"); // of a side path that was a fold
    const elsewhere = moved[wanted] ?? moved[cell];
    const target = wanted && (document.getElementById(wanted) ?? document.getElementById(cell));
    if (!target && elsewhere) location.replace(`${elsewhere}#${cell}`);
    if (!target) return;
    for (let fold = target; fold; fold = fold.parentElement?.closest("details"))
      if (fold.matches("details:not(.hide)")) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", arrive);
  document.addEventListener("clockwork:mounted", arrive); // what came alive has moved the page
  arrive();

  // The drawer: the browser keeps the focus inside, closes it by Escape, and makes the page behind it inert.
  const drawer = document.querySelector(".pe-drawer");
  document.querySelector(".pe-drawer-opens").addEventListener("click", () => drawer.showModal());
  drawer.addEventListener("click", ({ target }) => {
    if (target === drawer || target.closest("a, .pe-drawer-closes")) drawer.close();
  });
  for (const link of drawer.querySelectorAll("a.current")) link.setAttribute("aria-current", "page");

  // The theme: the system's until the reader has chosen.
  const turns = document.querySelector(".pe-turns-theme");
  const tell = () => turns.setAttribute("aria-pressed", String(page.theme === "dark"));
  tell();
  turns.addEventListener("click", () => {
    page.theme = page.theme === "dark" ? "light" : "dark";
    tell();
    try {
      localStorage.setItem("clockwork theme", page.theme);
    } catch {
      // no storage here: the choice lasts as long as the page
    }
  });

  // How far down the page the reader is.
  const read = document.querySelector(".pe-read");
  const advance = () => {
    const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
    read.style.setProperty("--read", Math.min(1, scrollTop / Math.max(1, scrollHeight - clientHeight)));
  };
  addEventListener("scroll", advance, { passive: true });
  advance();

  addEventListener("keydown", (event) => {
    const field = document.getElementById("pe-query") ?? document.getElementById("pe-ask");
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || !field.checkVisibility()) return;
    event.preventDefault();
    field.focus();
  });

  // Only what really scrolls becomes a stop for the Tab key.
  const KINDS = {
    "article pre": "code",
    "article div.math": "formula",
    "article mjx-container": "formula in the text",
    ".pe-numbers > div": "numbers of a picture",
    ".pe-table": "table",
    "article .output:not(:has(pre, figure, .pe))": "output",
    "article figure": "picture",
  };
  const mark = () => {
    const boxes = Object.entries(KINDS).flatMap(([selector, kind]) =>
      [...document.querySelectorAll(selector)].map((box, i) => ({
        box,
        name: `${kind} ${i + 1}`,
        scrolls: box.scrollWidth > box.clientWidth,
      })),
    ); // all are measured before any is changed: one layout
    for (const { box, name, scrolls } of boxes) {
      if (box.matches("figure")) {
        box.tabIndex = scrolls ? 0 : -1; // its role and its caption are its own
      } else if (scrolls) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", name);
      } else if (box.getAttribute("role") === "region") {
        for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
      }
    }
  };
  const article = document.querySelector("article");
  const watcher = new ResizeObserver(mark); // folds are opened, windows turned
  if (article) watcher.observe(article);
})();
