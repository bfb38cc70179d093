"use strict";
// The theme, the list of contents, and what wide things show of being wide. Without scripts all is still readable.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  button.hidden = false;
  name();
  for (const tools of document.querySelectorAll(".buttons, .choice")) tools.hidden = false;

  // The entry of what is being read is marked, and kept in sight where the list itself scrolls.
  const list = document.querySelector(".contents ul");
  const entries = [...list.querySelectorAll("a")];
  const places = entries.map((entry) => document.getElementById(entry.hash.slice(1)));
  const mark = () => {
    const line = 120;
    let at = 0;
    places.forEach((place, k) => { if (place.getBoundingClientRect().top <= line) at = k; });
    if (innerHeight + scrollY >= root.scrollHeight - 4) at = entries.length - 1;
    entries.forEach((entry, k) => {
      if (k === at) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    });
    const [box, around] = [entries[at].getBoundingClientRect(), list.getBoundingClientRect()];
    if (box.left < around.left || box.right > around.right) list.scrollLeft += box.left - around.left - 16;
    if (box.top < around.top || box.bottom > around.bottom) list.scrollTop += box.top - around.top - 16;
  };
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();

  // A table or drawing that goes on to the right says so.
  const cue = (inner) => {
    const left = inner.scrollWidth - inner.clientWidth - inner.scrollLeft;
    inner.parentElement.classList.toggle("goes-on", left > 2);
    inner.parentElement.classList.toggle("is-wide", inner.scrollWidth > inner.clientWidth + 2);
  };
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll(".more > details")) folded.open = true;
  });
  // What is linked to is opened where it was folded.
  const unfold = () => { document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", ""); };
  addEventListener("hashchange", unfold);
  unfold();

  const wide = [...document.querySelectorAll(".sheet > *")];
  for (const inner of wide) inner.addEventListener("scroll", () => cue(inner), { passive: true });
  const all = () => wide.forEach(cue);
  addEventListener("resize", all);
  document.addEventListener("toggle", all, true);
  all();
})();
