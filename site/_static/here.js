// Where the reader is: a lesson keeps the heading last reached; the front page leads back there and counts what is done.
(() => {
  const REST_MS = 800;
  const PLACE = "site/place";
  const memory = () => window.peMemory; // of the page's widgets
  const nobody = { send() {} }; // no kernel

  function follow(page) {
    const headings = [...document.querySelectorAll("article section[id] > h2")];
    const reached = () => headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 2).at(-1);
    const keep = () => {
      const heading = reached();
      if (!heading || !memory()) return;
      const kept = memory().record(PLACE)?.value;
      if (held && kept && kept.page !== page) return; // who reads a lesson may look at the front page
      const place = { page, anchor: heading.parentElement.id, heading: heading.firstChild.textContent.trim() };
      if (JSON.stringify(place) !== JSON.stringify(kept)) memory().remember(nobody, PLACE, place);
    };
    let resting;
    addEventListener(
      "scroll",
      () => {
        clearTimeout(resting);
        resting = setTimeout(keep, REST_MS);
      },
      { passive: true },
    );
  }

  function count(lessons) {
    for (const [page, { questions, exercises }] of Object.entries(lessons)) {
      const answered = questions.filter((key) => memory().record(key)).length;
      const passed = exercises.filter((key) => memory().record(key)?.value === true).length;
      const line = document.querySelector(`[data-lesson="${page}"] .pe-done`);
      const parts = [`${answered} of ${questions.length} questions answered`];
      if (exercises.length) parts.push(`${passed} of ${exercises.length} exercises passed`);
      line.textContent = parts.join(", ");
      line.style.setProperty("--done", (answered + passed) / (questions.length + exercises.length));
      line.hidden = answered + passed === 0;
    }
    const place = memory().record(PLACE)?.value;
    const link = document.querySelector(".pe-go-on a");
    link.parentElement.hidden = !(place?.page in lessons);
    if (link.parentElement.hidden) return;
    link.href = `${place.page}.html#${place.anchor}`;
    link.textContent = `${lessons[place.page].title}: ${place.heading}`;
  }

  const held = document.getElementById("clockwork-lessons");
  const page = document.querySelector("[data-lesson-page]")?.dataset.lessonPage;
  if (page) follow(page);
  if (held)
    document.addEventListener("clockwork:mounted", () => {
      const show = () => count(JSON.parse(held.textContent));
      memory().listen(show);
      show();
    });
})();
