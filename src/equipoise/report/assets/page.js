"use strict";
// Tables sort and filter, marks say what they are, and the page can be turned dark. Without it all is still readable.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  button.hidden = false;
  name();

  // "−1,204 … +3" counts as -1204; what has no number comes last.
  const number = (text) => {
    const found = /^[^\d+-]{0,2}([+-]?\d[\d,]*\.?\d*(?:e[+-]?\d+)?)/i.exec(text.replaceAll("−", "-"));
    return found ? parseFloat(found[1].replaceAll(",", "")) : NaN;
  };
  const compare = (a, b, numeric) => {
    if (!numeric) return a.localeCompare(b, undefined, { numeric: true });
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return x - y;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const text = (row, k) => row.cells[k].textContent.trim();
    heads.forEach((head, k) => head.firstElementChild.addEventListener("click", () => {
      const rows = [...body.rows];
      const told = rows.map((row) => text(row, k)).filter((cell) => cell !== "–" && cell !== "");
      const numeric = told.length > 0 && told.every((cell) => !Number.isNaN(number(cell)));
      const first = numeric ? "descending" : "ascending";
      const second = numeric ? "ascending" : "descending";
      const way = head.getAttribute("aria-sort") === first ? second : first;
      const sign = way === "ascending" ? 1 : -1;
      const empty = (cell) => cell === "–" || cell === "";
      rows.sort((p, q) => {
        const [a, b] = [text(p, k), text(q, k)];
        return empty(a) || empty(b) ? empty(a) - empty(b) : sign * compare(a, b, numeric);
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way);
      body.append(...rows);
    }));
    const box = document.getElementById(table.dataset.filter);
    const count = document.getElementById(table.dataset.count);
    box.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      let shown = 0;
      for (const row of body.rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = `${shown} of ${body.rows.length} rows`;
    });
  }

  const tip = document.getElementById("tip");
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    tip.hidden = !mark;
    if (mark) tip.textContent = mark.dataset.tip;
  });
  document.addEventListener("pointermove", (event) => {
    if (tip.hidden) return;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8))}px`;
  });
})();
