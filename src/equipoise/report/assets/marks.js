// Every mark of a drawing says its numbers: under a pointer, at a tap, and by keyboard. A drawing takes the focus; the
// arrow keys step through its marks, Enter opens what stands behind one.
(() => {
  const tip = document.getElementById("tip");
  let current = null;
  const hide = () => { tip.hidden = true; current?.classList.remove("on"); current = null; };
  const place = (x, y) => {
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - tip.offsetHeight - 8))}px`;
  };
  const show = (mark) => {
    current?.classList.remove("on");
    current = mark;
    mark.classList.add("on");
    tip.hidden = false;
    tip.textContent = mark.dataset.tip;
  };
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (!mark) return hide();
    show(mark);
    place(event.clientX, event.clientY);
  });
  document.addEventListener("pointermove", (event) => {
    if (current?.matches(":hover")) place(event.clientX, event.clientY);
  });

  for (const drawing of document.querySelectorAll(".drawing")) {
    // Marks that say the same (a dot on its line) are one stop.
    const marks = [];
    for (const mark of drawing.querySelectorAll("[data-tip]")) {
      if (!marks.some((other) => other.dataset.tip === mark.dataset.tip)) marks.push(mark);
    }
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "group");
    const name = drawing.closest("figure").dataset.chart;
    drawing.setAttribute("aria-label", `Chart ${name}, ${marks.length} marks; arrow keys step through them`);
    let at = -1;
    drawing.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") return hide();
      if (event.key === "Enter" && current && drawing.contains(current)) {
        return current.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      }
      if (!marks.length || (!step && event.key !== "Home" && event.key !== "End")) return;
      event.preventDefault();
      at = event.key === "Home" ? 0 : event.key === "End" ? marks.length - 1 : (at + step + marks.length) % marks.length;
      marks[at].scrollIntoView({ block: "nearest", inline: "nearest" });
      show(marks[at]);
      const box = marks[at].getBoundingClientRect();
      place(box.right, box.bottom);
    });
    drawing.addEventListener("blur", hide);
  }
})();
