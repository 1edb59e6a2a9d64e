// The front page's picture moves by itself once, as far as the word beside it, until somebody takes the hand.
(() => {
  const MS = 2000;
  const TO = 2; // tokens: the event is the reader's
  const place = document.querySelector("[data-widget='front']");
  document.addEventListener("clockwork:mounted", ({ detail: models }) => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    let taken = false;
    for (const kind of ["pointerdown", "keydown"])
      place.addEventListener(kind, () => (taken = true), { capture: true, once: true });
    const begun = performance.now();
    const move = (now) => {
      const part = Math.min(1, Math.max(0, now - begun) / MS);
      if (!taken) models.front.set("tom", TO * part * part * (3 - 2 * part));
      if (!taken && part < 1) requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
  });
})();
