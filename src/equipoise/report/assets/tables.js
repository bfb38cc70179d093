// Tables sort, filter, copy and go along as CSV; drawings as SVG and PNG.
(() => {
  // "−1,204 to +3" counts as -1204; what has no number comes last.
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
    heads.forEach((head, k) => head.querySelector("button")?.addEventListener("click", () => {
      const rows = [...body.rows];
      const told = rows.map((row) => text(row, k)).filter((cell) => cell !== "–" && cell !== "");
      const numeric = told.length > 0 && told.every((cell) => !Number.isNaN(number(cell)));
      // The best first: the largest number, unless less is better, or the name that comes first.
      const first = numeric && !("small" in head.dataset) ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
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
    // A long table begins with its first rows; a search looks at all of them.
    const more = document.querySelector(`[data-all="${table.id}"]`);
    const shorten = (yes) => {
      table.classList.toggle("short", yes);
      if (more) more.parentElement.hidden = !yes;
    };
    const most = matchMedia("(max-width: 760px)").matches ? 20 : 30;
    shorten(body.rows.length > most);
    more?.addEventListener("click", () => shorten(false));
    const box = document.getElementById(`${table.id}-filter`);
    const count = document.getElementById(`${table.id}-count`);
    box?.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      shorten(!wanted && body.rows.length > most);
      let shown = 0;
      for (const row of body.rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = `${shown} of ${body.rows.length} rows`;
    });
  }

  // Numbers as programs read them; a name that a spreadsheet would run as a formula is quoted.
  const plain = (cell) => {
    const number = /^[+−-]?[\d,]*\.?\d+(e[+-]?\d+)?$/i.test(cell);
    if (number) return cell.replaceAll("−", "-").replaceAll(",", "").replace(/^\+/, "");
    return cell === "–" ? "" : /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  };
  const rows = (id) => {
    const table = document.getElementById(id);
    return [table.tHead.rows[0], ...table.tBodies[0].rows].filter((row) => !row.hidden)
      .map((row) => [...row.cells].filter((cell) => !cell.matches(".p")).map((cell) => plain(cell.textContent.trim())));
  };
  // Of a chart the numbers are there as text.
  const csv = (id) => (document.getElementById(id).matches("pre") ? document.getElementById(id).textContent : rows(id).map((row) => row
    .map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")).join("\r\n") + "\r\n");

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-bars]");
    if (!button) return;
    const part = button.closest("section");
    part.querySelector("table.board").classList.toggle("ranks", button.dataset.bars === "ranks");
    for (const each of button.parentElement.children) each.setAttribute("aria-pressed", String(each === button));
  });

  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch {
      const box = document.createElement("textarea");
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  };

  // A drawing as it is on white paper, whatever the theme of the page: its own colours, not those of the page.
  const drawing = (id) => {
    const shown = [...document.querySelectorAll(`#${id} svg`)].find((svg) => svg.getClientRects().length);
    const svg = shown.cloneNode(true);
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    for (const [key, value] of [["width", "100%"], ["height", "100%"], ["fill", "#ffffff"]]) paper.setAttribute(key, value);
    svg.prepend(paper);
    for (const mark of svg.querySelectorAll(".on")) mark.classList.remove("on");
    const { width, height } = shown.viewBox.baseVal;
    return { text: new XMLSerializer().serializeToString(svg), width, height };
  };
  const png = ({ text, width, height }) => new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, "image/png");
    };
    image.onerror = failed;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy], [data-csv], [data-svg], [data-png]");
    if (!button) return;
    const { copy: copied, csv: table, svg, png: picture } = button.dataset;
    const name = (id) => `${document.getElementById(id).dataset.chart || id}-${id}`;
    if (copied) {
      const done = await copy(rows(copied).map((row) => row.join("\t")).join("\n"));
      button.textContent = done ? "Copied" : "Not copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    } else if (table) {
      save(new Blob(["\ufeff", csv(table)], { type: "text/csv" }), `${table}.csv`);
    } else if (svg) {
      save(new Blob([drawing(svg).text], { type: "image/svg+xml" }), `${name(svg)}.svg`);
    } else {
      save(await png(drawing(picture)), `${name(picture)}.png`);
    }
  });
})();
